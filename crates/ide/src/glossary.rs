//! The built-in glossary: the words of RISE and the annotations, each with its meaning and an
//! example.

const TEXT: &str = include_str!("glossary.md");

/// Returns the entries of the glossary: the words that share a text, separated by spaces, and the
/// text in Markdown.
pub fn glossary() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = TEXT.split("## ").skip(1);
    let entry = |section: &'static str| {
        let (words, text) = section.split_once('\n')?;
        Some((words, text.trim_end()))
    };
    sections.filter_map(entry)
}

/// Returns the meaning of a word, in Markdown. Annotations are written with their `@`.
pub(crate) fn meaning(word: &str) -> Option<&'static str> {
    let mut entries = glossary();
    let found = entries.find(|(words, _)| words.split(' ').any(|own| own == word));
    found.map(|(_, text)| text)
}

/// Returns the meaning of an annotation, in Markdown.
pub(crate) fn annotation(name: &str) -> Option<&'static str> {
    meaning(&format!("@{name}"))
}
