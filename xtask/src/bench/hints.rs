//! Measures what performance hints cost: the latencies of typing, hovers and menus in the largest
//! example, without and with them.
//!
//! Hints are computed while no message waits, so that a keystroke may interrupt that.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Outcome;
use super::client::{Client, uri};
use super::preview::{Place, Program, Session, candidates, programs};
use super::table::{Row, Series, Table, Unit};

/// The pauses between keystrokes in turn. Hints are computed after 0.3 s without a message, so that
/// the keystrokes after the longer ones interrupt that at different points.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(80),
    Duration::from_millis(310),
    Duration::from_millis(330),
];
/// The number of keystrokes between requests.
const ASK_EVERY: usize = 5;

/// The names of the measurements.
const NAMES: [&str; 3] = ["keystroke to diagnostics", "hover", "menu"];

/// Measures typing in the largest example.
pub fn measure(root: &Path, binary: &Path, edits: usize, table: &mut Table) -> Outcome<()> {
    let programs = programs(root, binary)?;
    let longest = programs.iter().max_by_key(|program| program.text.len());
    let longest = longest.ok_or("there are no examples")?;
    for (what, shown) in [("without hints", false), ("with hints", true)] {
        let times = typed(root, binary, longest, edits, shown)?;
        for (name, times) in NAMES.into_iter().zip(times) {
            let name = format!("{name}, {what} ({})", longest.file);
            table.push(Row::new(&name, Unit::Milliseconds, times));
        }
    }
    Ok(())
}

/// Returns the milliseconds of keystrokes, hovers and menus.
fn typed(
    root: &Path,
    binary: &Path,
    program: &Program,
    edits: usize,
    shown: bool,
) -> Outcome<[Series; 3]> {
    let mut client = Client::start(binary, root)?;
    let settings = json!({"rise": {"diagnostics": {"performance": shown}}});
    client.notify(
        "workspace/didChangeConfiguration",
        &json!({"settings": settings}),
    )?;
    let mut session = Session {
        uri: uri(&root.join(&program.file)),
        client: &mut client,
        version: 1,
    };
    let document =
        json!({"uri": session.uri, "languageId": "rise", "version": 1, "text": program.text});
    (session.client).notify("textDocument/didOpen", &json!({"textDocument": document}))?;
    session.client.diagnostics(&session.uri, 1)?;
    let places = candidates(&program.text);
    let mut times: [Series; 3] = Default::default();
    for edit in 0..edits {
        let place = places[edit / 2 % places.len()];
        let word = [place.other, place.now][edit % 2];
        std::thread::sleep(PAUSES[edit % PAUSES.len()]);
        let start = Instant::now();
        session.put(place, word)?;
        let after = session.client.diagnostics(&session.uri, session.version)? - start;
        times[0].push(after.as_secs_f64() * 1e3);
        if edit % ASK_EVERY == 0 {
            for (method, times) in ["textDocument/hover", "textDocument/codeAction"]
                .into_iter()
                .zip(&mut times[1..])
            {
                times.push(asked(&mut session, method, place)?);
            }
        }
    }
    client.stop()?;
    Ok(times)
}

/// Returns the milliseconds of a request at a place.
fn asked(session: &mut Session<'_>, method: &str, place: Place) -> Outcome<f64> {
    let document = json!({"uri": session.uri});
    let position = json!({"line": place.line, "character": place.column});
    let params = json!({
        "textDocument": document,
        "position": position,
        "range": {"start": position, "end": position},
        "context": {"diagnostics": []},
    });
    let answer = session.client.request(method, &params)?;
    Ok(answer.after.as_secs_f64() * 1e3)
}
