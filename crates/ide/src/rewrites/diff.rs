//! The smallest edits from one text to another, in whole words.

use syntax::Span;
use syntax::lexer::lex;

/// Words of which more than this many changed on both sides are replaced as a whole.
const MATRIX: usize = 4_000_000;

/// A word, comment or white space of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Word<'t> {
    text: &'t str,
    start: u32,
}

fn words(text: &str) -> Vec<Word<'_>> {
    lex(text)
        .map(|token| Word {
            text: &text[std::ops::Range::from(token.span)],
            start: token.span.start,
        })
        .collect()
}

/// Edits that make `new` of `old`, in the order of the text; between two of them stands a word that
/// stays.
pub(crate) fn edits(old: &str, new: &str) -> Vec<(Span, String)> {
    let (before, after) = (words(old), words(new));
    let same = |(a, b): &(&Word<'_>, &Word<'_>)| a.text == b.text;
    let prefix = before.iter().zip(&after).take_while(same).count();
    let most = before.len().min(after.len()) - prefix;
    let (rest_old, rest_new) = (before.iter().rev(), after.iter().rev());
    let suffix = rest_old.zip(rest_new).take(most).take_while(same).count();
    let (a, b) = (
        &before[prefix..before.len() - suffix],
        &after[prefix..after.len() - suffix],
    );
    let end = |words: &[Word<'_>], at: usize, text: &str| {
        words
            .get(at)
            .map_or(text.len() as u32, |word: &Word<'_>| word.start)
    };
    let place = |words: &[Word<'_>], from: usize, to: usize, text: &str| {
        Span::new(
            end(words, prefix + from, text),
            end(words, prefix + to, text),
        )
    };
    let runs = match a.len() * b.len() <= MATRIX {
        true => runs(a, b),
        false => vec![[0, a.len(), 0, b.len()]],
    };
    runs.into_iter()
        .map(|[from, to, new_from, new_to]| {
            let text = place(&after, new_from, new_to, new);
            (
                place(&before, from, to, old),
                new[std::ops::Range::from(text)].to_owned(),
            )
        })
        .collect()
}

/// The runs of words that differ, by a longest common subsequence. What stays between two runs is
/// more than white space and a bracket, or they are one.
fn runs(a: &[Word<'_>], b: &[Word<'_>]) -> Vec<[usize; 4]> {
    let width = b.len() + 1;
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for (i, x) in a.iter().enumerate().rev() {
        for (j, y) in b.iter().enumerate().rev() {
            longest[i * width + j] = match x.text == y.text {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let mut runs: Vec<[usize; 4]> = Vec::new();
    let (mut i, mut j) = (0, 0);
    let mut open: Option<[usize; 2]> = None;
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i].text == b[j].text {
            if let Some([from, new_from]) = open.take() {
                push(&mut runs, a, [from, i, new_from, j]);
            }
            i += 1;
            j += 1;
            continue;
        }
        open.get_or_insert([i, j]);
        let down = i < a.len()
            && (j == b.len() || longest[(i + 1) * width + j] >= longest[i * width + j + 1]);
        match down {
            true => i += 1,
            false => j += 1,
        }
    }
    if let Some([from, new_from]) = open {
        push(&mut runs, a, [from, i, new_from, j]);
    }
    runs
}

fn push(runs: &mut Vec<[usize; 4]>, a: &[Word<'_>], run: [usize; 4]) {
    let is_word = |word: &&Word<'_>| word.text.chars().any(char::is_alphanumeric);
    if let Some(last) = runs.last_mut()
        && a[last[1]..run[0]].iter().filter(is_word).count() == 0
    {
        last[1] = run[1];
        last[3] = run[3];
        return;
    }
    runs.push(run);
}
