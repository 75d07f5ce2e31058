//! Runs tower-lsp's server between two byte streams, with a thread for each.

use std::io::{self, BufReader, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};
use futures::Sink;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{Notify, mpsc};
use tower_lsp::jsonrpc::{Request, Response};
use tower_lsp::{Loopback, LspService, Server};

use super::event::Event;
use super::framing::{Frame, frame, read_frame};
use super::ingress::{Ingress, Lifecycle};
use super::wire::{Chunk, Outbox};

/// The capacity of the queue of received messages.
const QUEUE: usize = 64;
/// The time limit for the last answers after the client has closed its stream.
const GRACE: Duration = Duration::from_secs(1);

/// Serves one client until it sends `exit`, or closes its stream.
///
/// # Errors
/// Fails if the threads or the runtime cannot be started.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    events: Sender<Event>,
    (chunks, to_writer): (Sender<Chunk>, Receiver<Chunk>),
    hung_up: &Arc<HungUp>,
) -> io::Result<()> {
    let (frames, reader_end) = mpsc::channel(QUEUE);
    start_reader(input, frames, chunks.clone(), hung_up.clone())?;
    let lost = hung_up.clone();
    let writer = start_writer(output, to_writer, move || lost.happen())?;
    let (service, _) = LspService::new(|_| Lifecycle);
    let ingress = Ingress::new(service, events.clone(), Outbox::new(chunks.clone()));
    let loopback = FromClient(ToLoop(events));
    let server = Server::new(FrameReader::new(reader_end), ChunkWriter(chunks), loopback);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        let session = server.concurrency_level(usize::MAX >> 1).serve(ingress);
        let deadline = async {
            hung_up.wait().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            () = session => {}
            () = deadline => {}
        }
    });
    drop(runtime);
    // The writer ends when the last sender of chunks is dropped. The reader has one while it blocks
    // on input that may never arrive.
    writer.flushed(GRACE);
    Ok(())
}

/// A flag that is set once, when one of the two sides has ended the session.
#[derive(Debug, Default)]
pub struct HungUp {
    happened: AtomicBool,
    waiting: Notify,
}

impl HungUp {
    /// Sets the flag. Messages that were sent before may still arrive.
    pub fn happen(&self) {
        self.happened.store(true, Ordering::Release);
        self.waiting.notify_one();
    }

    async fn wait(&self) {
        while !self.happened.load(Ordering::Acquire) {
            self.waiting.notified().await;
        }
    }
}

fn start_reader(
    input: impl Read + Send + 'static,
    frames: mpsc::Sender<Vec<u8>>,
    refusals: Sender<Chunk>,
    hung_up: Arc<HungUp>,
) -> io::Result<()> {
    let read = move || {
        let mut input = BufReader::with_capacity(1 << 16, input);
        while let Ok(Some(found)) = read_frame(&mut input) {
            let passed = match found {
                // The supervisor only forwards messages that tower-lsp can parse.
                Frame::Body(body) => {
                    let framed = frame(&body);
                    drop(body);
                    frames.blocking_send(framed).is_ok()
                }
                Frame::Refused(response) => refusals.send(Chunk::Bytes(response)).is_ok(),
            };
            if !passed {
                break;
            }
        }
        drop(frames);
        hung_up.happen();
    };
    thread::Builder::new()
        .name("rise:read".into())
        .spawn(read)
        .map(drop)
}

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

/// Starts a thread that writes messages, and calls `hung_up` when writing fails.
///
/// # Errors
/// Fails if the system creates no thread.
pub fn start_writer(
    mut output: impl Write + Send + 'static,
    chunks: Receiver<Chunk>,
    hung_up: impl FnOnce() + Send + 'static,
) -> io::Result<Writer> {
    let (done, flushed) = crossbeam_channel::bounded(1);
    let write = move || {
        while let Ok(Chunk::Bytes(chunk)) = chunks.recv() {
            let written = output.write_all(&chunk);
            if written
                .and_then(|()| {
                    if chunks.is_empty() {
                        output.flush()
                    } else {
                        Ok(())
                    }
                })
                .is_err()
            {
                hung_up();
                break;
            }
        }
        let _ = output.flush();
        let _ = done.send(());
    };
    thread::Builder::new()
        .name("rise:write".into())
        .spawn(write)?;
    Ok(Writer { flushed })
}

/// A byte stream (`AsyncRead`) of whole messages.
struct FrameReader {
    frames: mpsc::Receiver<Vec<u8>>,
    frame: Vec<u8>,
    read: usize,
}

impl FrameReader {
    fn new(frames: mpsc::Receiver<Vec<u8>>) -> Self {
        FrameReader {
            frames,
            frame: Vec::new(),
            read: 0,
        }
    }
}

impl AsyncRead for FrameReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.read == self.frame.len() {
            match self.frames.poll_recv(context) {
                Poll::Ready(Some(frame)) => (self.frame, self.read) = (frame, 0),
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
            }
        }
        let count = buffer.remaining().min(self.frame.len() - self.read);
        buffer.put_slice(&self.frame[self.read..self.read + count]);
        self.read += count;
        if self.read == self.frame.len() {
            (self.frame, self.read) = (Vec::new(), 0);
        }
        Poll::Ready(Ok(()))
    }
}

/// A byte sink (`AsyncWrite`) that passes tower-lsp's output, which consists of whole messages, to
/// the writer.
struct ChunkWriter(Sender<Chunk>);

impl AsyncWrite for ChunkWriter {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = self.0.send(Chunk::Bytes(bytes.to_vec()));
        Poll::Ready(
            sent.map(|()| bytes.len())
                .map_err(|_| io::ErrorKind::BrokenPipe.into()),
        )
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Drop for ChunkWriter {
    fn drop(&mut self) {
        let _ = self.0.send(Chunk::Close);
    }
}

/// The channel for the client's answers to the server's requests, which bypass tower-lsp.
struct FromClient(ToLoop);

impl Loopback for FromClient {
    type RequestStream = futures::stream::Pending<Request>;
    type ResponseSink = ToLoop;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        (futures::stream::pending(), self.0)
    }
}

/// Forwards the client's answers to the main loop.
struct ToLoop(Sender<Event>);

impl Sink<Response> for ToLoop {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, response: Response) -> io::Result<()> {
        self.0
            .send(Event::Response(response))
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
