//! Measures a server over its standard input and output: the time to the first diagnostics, a
//! session of typing, and the memory for a large document.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use super::client::{Client, uri};
use super::generate::Generated;
use super::table::{Row, Series, Table, Unit};

/// The text that is typed character by character, as a new stage of a pipeline, and deleted again.
const STAGE: &str = "|> map(fun(x => 2.5f * x)) ";
/// The number of keystrokes between requests for hover, hints and completion.
const ASK_EVERY: usize = 9;
/// The number of lines on a screen.
const SCREEN: usize = 50;

/// The longest time to wait until another worker replaces the one that contained a closed document.
const SETTLING: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(200);

/// Measures the time from the start of the process to the diagnostics of its first document.
pub fn first_diagnostics(binary: &Path, folder: &Path, file: &Generated) -> Outcome<Duration> {
    let start = Instant::now();
    let mut client = Client::start(binary, folder)?;
    let uri = uri(&folder.join(&file.name));
    open(&mut client, &uri, file)?;
    let shown = client.diagnostics(&uri, 1)?;
    client.stop()?;
    Ok(shown - start)
}

fn open(client: &mut Client, uri: &str, file: &Generated) -> Outcome<()> {
    let document = json!({"uri": uri, "languageId": "rise", "version": 1, "text": file.text});
    client.notify("textDocument/didOpen", &json!({"textDocument": document}))
}

/// Measures the memory for a document of 50 MB in a folder of its own, open and closed.
pub fn large_document(binary: &Path, table: &mut Table) -> Outcome<()> {
    const LINE: &str = "// A comment of fifty bytes, without a definition.\n";
    let file = |name: &str, text: String| Generated {
        name: name.to_owned(),
        text,
    };
    let small = file("small.rise", "def small = 1\n".to_owned());
    let large = file("large.rise", LINE.repeat(50_000_000 / LINE.len()));
    let folder = tempfile::tempdir()?;
    let mut client = Client::start(binary, folder.path())?;
    let uri_of = |file: &Generated| uri(&folder.path().join(&file.name));
    open(&mut client, &uri_of(&small), &small)?;
    client.diagnostics(&uri_of(&small), 1)?;
    let (before, worker, watch) = (client.memory(), client.workers(), client.watch_memory());
    open(&mut client, &uri_of(&large), &large)?;
    client.diagnostics(&uri_of(&large), 1)?;
    let hover = json!({
        "textDocument": {"uri": uri_of(&large)},
        "position": {"line": 10, "character": 3},
    });
    client.request("textDocument/hover", &hover)?;
    let close = json!({"textDocument": {"uri": uri_of(&large)}});
    client.notify("textDocument/didClose", &close)?;
    // Another worker replaces the one that contained the document.
    let start = Instant::now();
    while client.workers().iter().any(|id| worker.contains(id)) && start.elapsed() < SETTLING {
        std::thread::sleep(PAUSE);
    }
    client.request("rise/status", &json!({}))?;
    std::thread::sleep(PAUSE);
    let (peak, after) = (watch.peak()?, client.memory());
    client.stop()?;
    if let (Some(before), Some(after)) = (before, after) {
        let megabytes = |bytes: f64| Series::from_iter([bytes / 1e6]);
        let name = "memory at most with a document of 50 MB";
        table.push(Row::new(name, Unit::Megabytes, megabytes(peak)).at_most(400.0));
        let growth = Row::new(
            "  growth after closing it",
            Unit::Megabytes,
            megabytes(after - before),
        );
        table.push(growth.at_most(20.0));
    }
    Ok(())
}

/// The measurements during typing: times in milliseconds, and memory in bytes.
#[derive(Default)]
struct Times {
    edit_server: Series,
    edit_client: Series,
    requests: [(Series, Series); 3],
    memory: Vec<f64>,
}

const REQUESTS: [(&str, &str); 3] = [
    ("hover", "textDocument/hover"),
    ("inlay hints of a screen", "textDocument/inlayHint"),
    ("completion", "textDocument/completion"),
];

/// Measures typing in the middle of a file.
pub fn measure(
    binary: &Path,
    folder: &Path,
    file: &Generated,
    edits: usize,
    table: &mut Table,
) -> Outcome<()> {
    let mut client = Client::start(binary, folder)?;
    let mut session = Session {
        uri: uri(&folder.join(&file.name)),
        version: 1,
        client: &mut client,
    };
    open(session.client, &session.uri, file)?;
    session.client.diagnostics(&session.uri, 1)?;
    let places = places(&file.text);
    let mut times = Times::default();
    let sweep = 2 * STAGE.len();
    for edit in 0..edits {
        let line = places[edit / sweep % places.len()];
        session.keystroke(line, edit % sweep, &mut times)?;
        if edit % ASK_EVERY == 0 {
            session.ask(line, &mut times)?;
        }
        times.memory.extend(session.client.memory());
    }
    client.stop()?;
    report(times, table);
    Ok(())
}

/// Returns lines in the middle of the text that start with a stage of a pipeline.
fn places(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut places: Vec<usize> = (0..lines.len())
        .filter(|&at| lines[at].starts_with("      |> map("))
        .collect();
    let middle = lines.len() / 2;
    places.sort_by_key(|at| at.abs_diff(middle));
    places.truncate(40);
    places
}

struct Session<'c> {
    client: &'c mut Client,
    uri: String,
    version: usize,
}

impl Session<'_> {
    /// Types or deletes one character of [`STAGE`] at the start of the line's text.
    fn keystroke(&mut self, line: usize, step: usize, times: &mut Times) -> Outcome<()> {
        let typed = step.min(2 * STAGE.len() - step);
        let (from, to, text) = match step < STAGE.len() {
            true => (typed, typed, &STAGE[typed..typed + 1]),
            false => (typed - 1, typed, ""),
        };
        let place = |column: usize| json!({"line": line, "character": 6 + column});
        self.version += 1;
        let change = json!({
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"range": {"start": place(from), "end": place(to)}, "text": text}],
        });
        let start = Instant::now();
        self.client.notify("textDocument/didChange", &change)?;
        let shown = self.client.diagnostics(&self.uri, self.version)?;
        times.edit_client.push(milliseconds(shown - start));
        let status = self.client.request("rise/status", &json!({}))?.result;
        times.edit_server.extend(
            status["lastEditToDiagnosticsMicros"]
                .as_f64()
                .map(|micros| micros / 1e3),
        );
        Ok(())
    }

    fn ask(&mut self, line: usize, times: &mut Times) -> Outcome<()> {
        let document = json!({"uri": self.uri});
        let position = json!({"line": line, "character": 10});
        let (first, last) = (line.saturating_sub(SCREEN / 2), line + SCREEN / 2);
        let range = json!({"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}});
        for ((_, method), (server, client)) in REQUESTS.iter().zip(&mut times.requests) {
            let params: Value = match *method {
                "textDocument/inlayHint" => json!({"textDocument": document, "range": range}),
                _ => json!({"textDocument": document, "position": position}),
            };
            let answer = self.client.request(method, &params)?;
            client.push(milliseconds(answer.after));
            let status = self.client.request("rise/status", &json!({}))?.result;
            server.extend(
                status["lastRequestMicros"][method]
                    .as_f64()
                    .map(|micros| micros / 1e3),
            );
        }
        Ok(())
    }
}

fn report(times: Times, table: &mut Table) {
    let keystroke = "keystroke to diagnostics, 10,000-line file";
    table.push(
        Row::new(
            &format!("{keystroke}: server"),
            Unit::Milliseconds,
            times.edit_server,
        )
        .limits(1.0, 5.0),
    );
    table.push(Row::new(
        "  the same, seen by the client",
        Unit::Milliseconds,
        times.edit_client,
    ));
    for ((name, _), (server, client)) in REQUESTS.iter().zip(times.requests) {
        table.push(Row::new(&format!("{name}: server"), Unit::Milliseconds, server).tail(5.0));
        table.push(Row::new(
            "  the same, seen by the client",
            Unit::Milliseconds,
            client,
        ));
    }
    let megabytes = |bytes: &[f64]| bytes.iter().map(|bytes| bytes / 1e6).collect::<Series>();
    let half = times.memory.len() / 2;
    let (before, after) = (times.memory.get(half), times.memory.last());
    table.push(
        Row::new(
            "memory over the last half of the edits",
            Unit::Megabytes,
            megabytes(&times.memory[half..]),
        )
        .at_most(150.0),
    );
    if let (Some(before), Some(after)) = (before, after) {
        let growth = Series::from_iter([(after - before) / 1e6]);
        table.push(Row::new("  growth over them", Unit::Megabytes, growth));
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_stages_near_the_middle() {
        let text = "      |> map(a)\nx\n      |> map(b)\nx\nx\nx\n      |> join\nx\nx\nx\n      |> map(c)\n";
        assert_eq!(places(text), [2, 0, 10]);
    }
}
