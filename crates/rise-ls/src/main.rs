//! `rise-ls`: the language server for RISE, and its command line.

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

/// The allocator of the process. The checker allocates many small values and frees few of them, for
/// which mimalloc is fast.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The size in bytes of the stack of the thread that runs the command. Deep terms are traversed
/// recursively; the system only commits the pages that are used.
const STACK: usize = 256 << 20;

/// The exit status after a panic.
const PANIC: u8 = 101;

fn main() -> ExitCode {
    let status = match thread::Builder::new()
        .name("rise-ls".into())
        .stack_size(STACK)
        .spawn(cli::run)
    {
        Ok(thread) => thread.join(),
        // If the system refuses a stack of this size, the usual one is used.
        Err(_) => std::panic::catch_unwind(cli::run),
    };
    ExitCode::from(status.unwrap_or(PANIC))
}
