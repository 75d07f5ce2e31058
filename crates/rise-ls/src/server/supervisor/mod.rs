//! The supervisor process, which the client starts.
//!
//! It forwards messages between the client and a worker, a second process of this program. A worker
//! that crashes (by a stack overflow, an abort, or for lack of memory) is replaced by a new one,
//! which gets the same state: the parameters of `initialize`, the settings, the open documents,
//! whose texts are kept here, and the previews that the client shows. Unanswered requests fail with
//! an error. A document on which workers crash is withheld from them until its text changes
//! ([`session`]); `docs/decisions/0007-supervisor.md` explains why this needs processes.
//!
//! The worker ends at the end of its input, so that no process is left when this one is killed.

mod backoff;
mod client_process;
mod documents;
mod message_kind;
mod previews;
mod session;
mod worker;

use std::io::{self, BufReader, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::framing::{Frame, read_frame};
use super::message::Message;
use super::outbox::Outbox;
use super::transport::start_writer;
use super::{pool::STACK, signals};
use session::Session;
use worker::Worker;

pub use worker::{TOKEN, WORKER};

/// The time limit for the worker to end after the session.
const WORKER_END_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for the last messages to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub enum Event {
    /// A message of the client.
    Client {
        /// The parsed message.
        message: Message,
        /// The body of the message as received.
        body: Vec<u8>,
    },
    /// A message of the worker.
    Worker {
        /// The number of workers before this one.
        restarts: u32,
        /// The body of the message.
        body: Vec<u8>,
    },
    /// The worker has closed its output.
    WorkerGone {
        /// The number of workers before this one.
        restarts: u32,
    },
    /// The client has closed its stream, or a signal has requested the end of the process.
    HungUp,
}

/// Serves one client, and returns the exit status: 0 if the client has sent `shutdown` and `exit`,
/// else 1. With a token, programs only run for a client that sends it.
///
/// # Errors
/// Fails if the system creates no threads or processes.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    token: Option<String>,
) -> io::Result<u8> {
    let (events, receiver) = unbounded();
    let (outbox, messages) = Outbox::new();
    let hang_up = |events: &Sender<Event>| {
        let events = events.clone();
        move || drop(events.send(Event::HungUp))
    };
    let signal = signals::listen(hang_up(&events));
    let worker = Worker::start(0, token.as_deref(), &events)?;
    let writer = start_writer(output, messages, hang_up(&events))?;
    start_reader(input, events.clone(), outbox.clone())?;
    let session = Session::new(events, outbox.clone(), worker, token);
    let clean = thread::Builder::new()
        .name("rise:supervisor".into())
        .stack_size(STACK)
        .spawn(move || main_loop(session, &receiver))?
        .join()
        .unwrap_or_default();
    outbox.close();
    writer.flushed(FLUSH_TIMEOUT);
    signal.end();
    Ok(if clean { 0 } else { 1 })
}

fn start_reader(
    input: impl Read + Send + 'static,
    events: Sender<Event>,
    outbox: Outbox,
) -> io::Result<()> {
    let read = move || {
        let mut input = BufReader::with_capacity(1 << 16, input);
        while let Ok(Some(frame)) = read_frame(&mut input) {
            let read = match frame {
                Frame::Body(body) => Message::read(&body).map(|message| (message, body)),
                Frame::Refused(response) => Err(response),
            };
            match read {
                Ok((message, body)) => {
                    if events.send(Event::Client { message, body }).is_err() {
                        return;
                    }
                }
                Err(response) => outbox.send(response),
            }
        }
        let _ = events.send(Event::HungUp);
    };
    thread::Builder::new()
        .name("rise:read".into())
        .spawn(read)
        .map(drop)
}

/// Handles events until the session is over and its worker has ended, or a time limit for that is
/// exceeded. Returns true if the client has sent `shutdown` and `exit`.
fn main_loop(mut session: Session, events: &Receiver<Event>) -> bool {
    let mut deadline = None;
    loop {
        if session.is_over() {
            deadline.get_or_insert_with(|| Instant::now() + WORKER_END_TIMEOUT);
            if !session.has_worker() {
                return session.is_clean();
            }
        }
        let event = match deadline.or_else(|| session.next_deadline()) {
            Some(deadline) => events.recv_deadline(deadline),
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Ok(Event::Client { message, body }) => session.handle_client_message(message, body),
            Ok(Event::Worker { restarts, body }) => session.handle_worker_message(restarts, body),
            Ok(Event::WorkerGone { restarts }) => session.handle_worker_end(restarts),
            Ok(Event::HungUp) => session.hang_up(),
            Err(RecvTimeoutError::Timeout) if deadline.is_none() => {}
            // The worker has not ended in time.
            Err(_) => return session.is_clean(),
        }
        session.tick();
    }
}
