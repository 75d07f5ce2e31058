//! `rise-ls`: the RISE language server, and its checker for the command line.

mod cli;
mod executable;
mod loader;
mod memory;
mod roots;
mod run;
mod select;
mod server;

use std::process::ExitCode;
use std::thread;

/// Checking allocates many small values and frees few of them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Deep terms are walked by recursion; only what is used of this becomes memory.
const STACK: usize = 256 << 20;

/// The status after a bug in this program.
const BUG: u8 = 101;

fn main() -> ExitCode {
    let status = match thread::Builder::new()
        .name("rise-ls".into())
        .stack_size(STACK)
        .spawn(cli::run)
    {
        Ok(thread) => thread.join(),
        // A machine that does not give so much stack gets along with the usual one.
        Err(_) => std::panic::catch_unwind(cli::run),
    };
    ExitCode::from(status.unwrap_or(BUG))
}
