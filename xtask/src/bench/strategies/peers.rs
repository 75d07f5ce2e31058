//! Compares the fastest matrix product with TVM's of the same schedule and with OpenBLAS.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use super::{FASTEST, subject, versions};
use crate::bench::Outcome;
use crate::bench::table::{Row, Series, Table, Unit};

/// A script with TVM's schedule, NumPy's product, and the loop that calls all of them in turns.
const SCRIPT: &str = include_str!("peers.py");
/// The number of turns, with one call of each.
const TURNS: usize = 31;
/// The target of the speed relative to TVM.
const WANTED: f64 = 0.95;

/// Measures on one and on two threads, each in a separate process.
pub fn measure(root: &Path, table: &mut Table) -> Outcome<()> {
    let (title, name) = FASTEST;
    let subject = subject(title)?;
    let schedule = subject.schedules.iter().find(|one| one.name == name);
    let schedule = schedule.ok_or("there is no such schedule")?;
    let (text, _) = versions::text(root, subject, schedule)?;
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("version.c");
    std::fs::write(&source, text)?;
    let script = folder.path().join("peers.py");
    std::fs::write(&script, SCRIPT)?;
    for threads in ["1", "2"] {
        let output = Command::new("python3")
            .arg(&script)
            .arg(&source)
            .arg(TURNS.to_string())
            .env("OMP_NUM_THREADS", threads)
            .env("OPENBLAS_NUM_THREADS", threads)
            .env("TVM_NUM_THREADS", threads)
            // TVM would bind its threads, and threads of the others that start later, to one core
            // each.
            .env("TVM_BIND_THREADS", "0")
            // The threads of OpenBLAS would spin during the calls of the others.
            .env("OPENBLAS_THREAD_TIMEOUT", "4")
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err("peers.py failed: it needs Python with `apache-tvm` and `numpy`".into());
        }
        rows(threads, &serde_json::from_slice(&output.stdout)?, table);
    }
    Ok(())
}

fn rows(threads: &str, said: &Json, table: &mut Table) {
    let times = |who: &str| -> Vec<f64> {
        let all = said[who].as_array().into_iter().flatten();
        all.filter_map(Json::as_f64).collect()
    };
    let own = times("rise");
    let who = [
        ("rise", "rise-ls"),
        ("tvm", "TVM, the same schedule"),
        ("openblas", "OpenBLAS"),
    ];
    for (key, title) in who {
        let series = times(key).into_iter().map(|seconds| seconds * 1e3);
        let name = format!("gemm 1024, {threads} threads, {title}");
        table.push(Row::new(&name, Unit::Milliseconds, series.collect()));
    }
    let ratio = |key: &str| -> Series {
        let pairs = times(key).into_iter().zip(&own);
        pairs.map(|(theirs, own)| theirs / own).collect()
    };
    let name = |peer: &str| format!("gemm 1024, {threads} threads, {peer} by rise-ls");
    table.push(Row::new(&name("TVM"), Unit::Ratio, ratio("tvm")).at_least(WANTED));
    table.push(Row::new(&name("OpenBLAS"), Unit::Ratio, ratio("openblas")));
}
