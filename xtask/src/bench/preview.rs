//! Measures the latency of an open C preview while typing: from a keystroke to the new text, in the
//! largest of the example programs and in the one with the most generated code.
//!
//! Every keystroke changes the generated code: operators and constants are replaced, and restored.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use super::client::{Client, uri};
use super::table::{Row, Series, Table, Unit};

/// The limit of the latency in milliseconds.
const WANTED: f64 = 50.0;
/// The pause between keystrokes: that of a fast typist, so that they do not overlap.
const PAUSE: Duration = Duration::from_millis(10);
/// The number of positions that are changed in turn.
const PLACES: usize = 12;

/// A program of the examples that is compiled to C.
pub struct Program {
    pub file: String,
    def: String,
    pub text: String,
    /// The number of lines of its C code.
    lines: usize,
}

/// A position and the two characters that alternate there.
#[derive(Clone, Copy)]
pub struct Place {
    pub line: usize,
    pub column: usize,
    pub now: char,
    pub other: char,
}

/// Measures typing in the largest example, and in the one with the most code.
pub fn measure(root: &Path, binary: &Path, edits: usize, table: &mut Table) -> Outcome<()> {
    let programs = programs(root, binary)?;
    let longest = programs.iter().max_by_key(|program| program.text.len());
    let most = programs.iter().max_by_key(|program| program.lines);
    let (Some(longest), Some(most)) = (longest, most) else {
        return Err("there are no examples".into());
    };
    // Among the programs of the longest text, the one with the most code.
    let same = programs
        .iter()
        .filter(|program| program.file == longest.file);
    let longest = same.max_by_key(|program| program.lines).unwrap_or(longest);
    for (what, program) in [("the longest example", longest), ("the most code", most)] {
        let times = typed(root, binary, program, edits)?;
        let name = format!(
            "keystroke to C preview, {what} ({}, {} lines of C)",
            program.def, program.lines
        );
        table.push(Row::new(&name, Unit::Milliseconds, times).tail(WANTED));
    }
    Ok(())
}

/// Returns the programs for C with the number of lines of their code.
pub fn programs(root: &Path, binary: &Path) -> Outcome<Vec<Program>> {
    let mut client = Client::start(binary, root)?;
    let list = std::fs::read_to_string(root.join("xtask/kernels/kernels.json"))?;
    let list: Vec<Value> = serde_json::from_str(&list)?;
    let mut all = Vec::new();
    for kernel in list.iter().filter(|kernel| kernel["backend"] == "c") {
        let word = |key: &str| kernel[key].as_str().unwrap_or_default().to_owned();
        let (file, def) = (word("file"), word("name"));
        let path = root.join(&file);
        let text = std::fs::read_to_string(&path)?;
        let uri = uri(&path);
        let document = json!({"uri": uri, "languageId": "rise", "version": 1, "text": text});
        client.notify("textDocument/didOpen", &json!({"textDocument": document}))?;
        let shown = preview(&mut client, &uri, &def)?;
        let lines = shown["text"]
            .as_str()
            .map_or(0, |text| text.lines().count());
        client.notify(
            "textDocument/didClose",
            &json!({"textDocument": {"uri": uri}}),
        )?;
        all.push(Program {
            file,
            def,
            text,
            lines,
        });
    }
    client.stop()?;
    Ok(all)
}

fn preview(client: &mut Client, uri: &str, def: &str) -> Outcome<Value> {
    let params = json!({"textDocument": {"uri": uri}, "def": def, "as": "c"});
    Ok(client.request("rise/preview", &params)?.result)
}

/// Returns the milliseconds from each keystroke to the preview of its text.
fn typed(root: &Path, binary: &Path, program: &Program, edits: usize) -> Outcome<Series> {
    let path = root.join(&program.file);
    let mut client = Client::start(binary, root)?;
    let mut session = Session {
        client: &mut client,
        uri: uri(&path),
        version: 1,
    };
    let uri = session.uri.clone();
    let document = json!({"uri": uri, "languageId": "rise", "version": 1, "text": program.text});
    session
        .client
        .notify("textDocument/didOpen", &json!({"textDocument": document}))?;
    let first = preview(session.client, &uri, &program.def)?;
    let mut places = Vec::new();
    for place in candidates(&program.text) {
        session.put(place, place.other)?;
        let changed = preview(session.client, &uri, &program.def)?;
        session.put(place, place.now)?;
        preview(session.client, &uri, &program.def)?;
        if changed["errors"] == json!([]) && changed["text"] != first["text"] {
            places.push(place);
        }
        if places.len() >= PLACES {
            break;
        }
    }
    if places.is_empty() {
        return Err(format!("nothing in {} can be typed", program.def).into());
    }
    let mut times = Series::default();
    for edit in 0..edits {
        let place = places[edit / 2 % places.len()];
        let word = if edit % 2 == 0 {
            place.other
        } else {
            place.now
        };
        std::thread::sleep(PAUSE);
        let start = Instant::now();
        session.put(place, word)?;
        let shown = session.client.preview_changed(&uri, session.version)?;
        times.push((shown - start).as_secs_f64() * 1e3);
    }
    client.stop()?;
    Ok(times)
}

/// A document that is edited.
pub struct Session<'a> {
    pub client: &'a mut Client,
    pub uri: String,
    pub version: usize,
}

impl Session<'_> {
    /// Replaces the character at a position.
    pub fn put(&mut self, place: Place, word: char) -> Outcome<()> {
        self.version += 1;
        let at = |column: usize| json!({"line": place.line, "character": column});
        let range = json!({"start": at(place.column), "end": at(place.column + 1)});
        let document = json!({"uri": self.uri, "version": self.version});
        let changes = json!([{"range": range, "text": word.to_string()}]);
        self.client.notify(
            "textDocument/didChange",
            &json!({"textDocument": document, "contentChanges": changes}),
        )
    }
}

/// Returns the positions of operators and of digits of floating-point numbers. The code of the
/// examples is ASCII.
pub fn candidates(text: &str) -> Vec<Place> {
    let mut all = Vec::new();
    for (line, words) in text.lines().enumerate() {
        let code = words.split("//").next().unwrap_or_default();
        let found: Vec<char> = code.chars().collect();
        for column in 1..found.len().saturating_sub(1) {
            let (before, now, after) = (found[column - 1], found[column], found[column + 1]);
            let other = match now {
                '+' | '*' if before == ' ' && after == ' ' => '-',
                '-' if before == ' ' && after == ' ' => '+',
                '0'..='9' if after == '.' && !before.is_alphanumeric() => '7',
                '0'..='9' if before == '.' && after == 'f' => '7',
                _ => continue,
            };
            if other != now {
                all.push(Place {
                    line,
                    column,
                    now,
                    other,
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_and_numbers_can_be_others() {
        let found = candidates("def a = fun(x: f32 => x * 2.5f + y) // a + b\n");
        let found: String = found.iter().map(|place| place.now).collect();
        assert_eq!(found, "*25+");
    }
}
