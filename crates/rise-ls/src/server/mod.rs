//! The language server.
//!
//! The process that the editor starts forwards messages to a worker process, and restarts it after
//! a crash ([`supervisor`]). In the worker, tower-lsp calls the handlers of [`router`], which pass
//! the typed parameters, in the order of the stream ([`ordering`]), to the main loop on one thread,
//! which owns the database and applies changes as they arrive ([`session`]). Requests become jobs
//! on a thread pool, each of which reads a snapshot ([`snapshot`]). Before a change is applied,
//! jobs that are nearly done may finish; the others are cancelled. `docs/lsp.md` describes the
//! behaviour that clients see.

mod capabilities;
mod client;
mod config;
mod crash;
mod devices;
mod estimates;
mod event;
mod framing;
mod handlers;
mod import_roots;
mod lifecycle;
mod message;
mod ordering;
mod outbox;
mod pool;
mod positions;
mod previews;
mod progress;
mod publish;
mod pull_diagnostics;
mod requests;
mod router;
mod run_progress;
mod run_request;
mod run_threads;
mod session;
mod signals;
mod snapshot;
mod status;
mod supervisor;
mod sync;
#[cfg(test)]
mod tests;
mod to_proto;
mod transport;
mod uri;
mod workspace;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded, unbounded};

use client::Client;
use event::Event;
use outbox::Outbox;
use pool::{Pool, STACK};
use requests::panic_message;
use session::Session;
pub use supervisor::WORKER;
use transport::{HungUp, start_writer};

/// Serves one client: on standard input and output, or one that connects to the address
/// (`HOST:PORT`). The address is printed on standard error, with the port that the system selects
/// if it was 0. Returns the exit status: 0 if the client has sent `shutdown` and `exit`, else 1.
///
/// # Errors
/// Fails if the address cannot be bound, or the system creates no threads or processes.
pub fn run(listen: Option<&str>) -> io::Result<u8> {
    let Some(address) = listen else {
        return supervisor::run(io::stdin(), io::stdout(), None);
    };
    let listener = TcpListener::bind(address)?;
    let local = listener.local_addr()?;
    eprintln!("rise-ls listens on {local}");
    let token = (!local.ip().is_loopback()).then(token);
    if let Some(token) = &token {
        eprintln!(
            "warning: whoever reaches {local} can read the files of a workspace; programs run only for a client whose `initializationOptions` have `\"token\": \"{token}\"`"
        );
    }
    let (stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    supervisor::run(stream.try_clone()?, stream, token)
}

/// Returns an unpredictable token. The keys of the standard library's hash functions are random
/// numbers from the system.
fn token() -> String {
    let part = || RandomState::new().hash_one(());
    format!("{:016x}{:016x}", part(), part())
}

/// Runs the worker process of a session, which follows `restarts` crashed ones.
///
/// # Errors
/// Fails if the system creates no threads.
pub fn work(restarts: u32) -> io::Result<u8> {
    let (events, receiver) = unbounded();
    let (outbox, messages) = Outbox::new();
    let client = Client::new(outbox.clone(), restarts);
    let hung_up = Arc::new(HungUp::default());
    let hang_up = events.clone();
    let signal = signals::listen(move || drop(hang_up.send(Event::HungUp)));
    // Removes temporary files of killed servers, in the background.
    thread::Builder::new()
        .name("rise:clean".into())
        .spawn(runtime::temp_dir::remove_abandoned)?;
    let token = std::env::var(supervisor::TOKEN).ok();
    let session = Session::new(client, events.clone(), Pool::start()?, restarts, token);
    let end = EndOfMainLoop(hung_up.clone());
    let (ended, main_loop_end) = bounded(1);
    thread::Builder::new()
        .name("rise:main".into())
        .stack_size(STACK)
        .spawn(move || {
            main_loop(session, &receiver);
            drop(end);
            let _ = ended.send(());
        })?;
    let lost = hung_up.clone();
    let writer = start_writer(io::stdout(), messages, move || lost.happen())?;
    transport::serve(events.clone(), &outbox, &hung_up)?;
    outbox.close();
    writer.flushed(END_TIMEOUT);
    // Without effect if the main loop has ended.
    let _ = events.send(Event::HungUp);
    let _ = main_loop_end.recv_timeout(END_TIMEOUT);
    signal.end();
    Ok(0)
}

/// The time limit for the last messages to be written, and then again for the main loop to end,
/// which stops the runs.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// Notifies the transport when the main loop ends, even by a panic.
struct EndOfMainLoop(Arc<HungUp>);

impl Drop for EndOfMainLoop {
    fn drop(&mut self) {
        self.0.happen();
    }
}

/// Handles events until the client's messages end.
fn main_loop(mut session: Session, events: &Receiver<Event>) {
    /// The pause after the last event before estimates are computed: a keystroke would have to wait
    /// until they are interrupted.
    const IDLE: Duration = Duration::from_millis(300);
    loop {
        let event = match session.estimates_are_due() {
            true => events.recv_timeout(IDLE),
            false => events.recv().map_err(RecvTimeoutError::from),
        };
        let mut next = match event {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => {
                guarded(&mut session, Session::start_estimates);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        while let Some(event) = next {
            guarded(&mut session, |session| session.handle(event));
            if session.is_over() {
                return;
            }
            next = events.try_recv().ok();
        }
        guarded(&mut session, Session::start_background_jobs);
    }
}

/// Logs a panic in an event handler, and continues the session.
fn guarded(session: &mut Session, act: impl FnOnce(&mut Session)) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| act(session))) {
        session.report_failure(panic_message(&*panic));
    }
}
