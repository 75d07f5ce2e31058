//! Runs tower-lsp's server in a worker, and writes the messages of an outbox.

use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Order};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use futures::{Sink, future, sink, stream};
use tokio::io::{AsyncRead, ReadBuf, Stdin};
use tokio::sync::Notify;
use tower_lsp::jsonrpc::{Request, Response};
use tower_lsp::{Loopback, Server};

use super::event::Event;
use super::framing::header;
use super::ordering::{Ordering, RunningRequests};
use super::outbox::{Outbox, Outgoing};
use super::router;

/// The time limit for the last answers after the client has closed its stream.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Serves the client on standard input until it sends `exit` or closes its stream, or until
/// `hung_up`.
///
/// # Errors
/// Fails if the runtime cannot be started.
pub fn serve(events: Sender<Event>, outbox: &Outbox, hung_up: &Arc<HungUp>) -> io::Result<()> {
    let running = RunningRequests::default();
    let service = router::service(events.clone(), running.clone());
    let service = Ordering::new(service, outbox.clone(), running);
    let input = Input {
        stdin: tokio::io::stdin(),
        hung_up: hung_up.clone(),
    };
    let answers = sink::unfold((), move |(), response| {
        // Sending fails if the main loop has ended.
        let _ = events.send(Event::Response(response));
        future::ready(Ok::<_, Infallible>(()))
    });
    let transport = Server::new(input, tokio::io::sink(), ClientAnswers(answers));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        let session = transport.concurrency_level(usize::MAX >> 1).serve(service);
        let deadline = async {
            hung_up.wait().await;
            tokio::time::sleep(LAST_ANSWERS).await;
        };
        tokio::select! {
            () = session => {}
            () = deadline => {}
        }
    });
    // The thread that reads the input may wait for bytes that never arrive.
    runtime.shutdown_background();
    Ok(())
}

/// A flag that is set once, when one of the two sides has ended the session.
#[derive(Debug, Default)]
pub struct HungUp {
    happened: AtomicBool,
    waiting: Notify,
}

impl HungUp {
    /// Sets the flag.
    pub fn happen(&self) {
        self.happened.store(true, Order::Release);
        self.waiting.notify_one();
    }

    async fn wait(&self) {
        while !self.happened.load(Order::Acquire) {
            self.waiting.notified().await;
        }
    }
}

/// Standard input, whose end hangs up.
struct Input {
    stdin: Stdin,
    hung_up: Arc<HungUp>,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stdin).poll_read(context, buffer);
        if read.is_ready() && buffer.filled().len() == before {
            self.hung_up.happen();
        }
        read
    }
}

/// The sink of the client's answers to requests of the server. The requests themselves are sent by
/// the outbox.
struct ClientAnswers<S>(S);

impl<S: Sink<Response> + Unpin> Loopback for ClientAnswers<S> {
    type RequestStream = stream::Pending<Request>;
    type ResponseSink = S;

    fn split(self) -> (Self::RequestStream, S) {
        (stream::pending(), self.0)
    }
}

/// The thread that writes messages.
#[derive(Debug)]
pub struct Writer {
    flushed: Receiver<()>,
}

impl Writer {
    /// Waits until everything is written, or the time limit ends.
    pub fn flushed(&self, limit: Duration) {
        let _ = self.flushed.recv_timeout(limit);
    }
}

/// Starts a thread that writes messages, and calls `hang_up` when writing fails.
///
/// # Errors
/// Fails if the system creates no thread.
pub fn start_writer(
    mut output: impl Write + Send + 'static,
    messages: Outgoing,
    hang_up: impl FnOnce() + Send + 'static,
) -> io::Result<Writer> {
    let (done, flushed) = bounded(1);
    let write = move || {
        if write_all(&mut output, &messages).is_err() {
            hang_up();
        }
        let _ = output.flush();
        let _ = done.send(());
    };
    thread::Builder::new()
        .name("rise:write".into())
        .spawn(write)?;
    Ok(Writer { flushed })
}

fn write_all(output: &mut impl Write, messages: &Outgoing) -> io::Result<()> {
    while let Ok(Some(body)) = messages.recv() {
        output.write_all(header(&body).as_bytes())?;
        output.write_all(&body)?;
        if messages.is_empty() {
            output.flush()?;
        }
    }
    Ok(())
}
