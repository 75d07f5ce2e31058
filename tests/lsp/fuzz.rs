//! Tests a short run of `cargo xtask fuzz --text` and `--lsp`.

use std::path::Path;
use std::time::Duration;

use session_fuzzer::{Kind, Options, run};

fn survives(kind: Kind, count: u64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let options = Options {
        server: env!("CARGO_BIN_EXE_rise-ls").into(),
        root,
        kind,
        seed: 1_000_000,
        count,
        limit: Duration::from_secs(60),
        jobs: 2,
        keep: Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz"),
    };
    let summary = run(&options).expect("the server starts");
    assert_eq!(summary.tried, count);
    assert!(summary.answered > count, "{}", summary.answered);
    assert!(
        summary.failures.is_empty(),
        "{}",
        summary.failures.join("\n")
    );
}

#[test]
fn the_server_survives_mutated_files() {
    survives(Kind::Files, 40);
}

#[test]
fn the_server_survives_mutated_sessions() {
    survives(Kind::Sessions, 20);
}
