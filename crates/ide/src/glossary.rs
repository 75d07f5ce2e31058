//! What the words of RISE and the annotations mean, with an example of each.

const TEXT: &str = include_str!("glossary.md");

/// Lists the words, those that share a text with blanks between them, each with its text in Markdown.
pub fn glossary() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = TEXT.split("## ").skip(1);
    let entry = |section: &'static str| {
        let (words, text) = section.split_once('\n')?;
        Some((words, text.trim_end()))
    };
    sections.filter_map(entry)
}

/// The meaning of a word, in Markdown. Annotations are written with their `@`.
pub(crate) fn meaning(word: &str) -> Option<&'static str> {
    let mut entries = glossary();
    let found = entries.find(|(words, _)| words.split(' ').any(|own| own == word));
    found.map(|(_, text)| text)
}

/// The meaning of an annotation, in Markdown.
pub(crate) fn annotation(name: &str) -> Option<&'static str> {
    meaning(&format!("@{name}"))
}
