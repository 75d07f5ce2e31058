//! Threads for jobs: some for what a person waits for at the cursor, some for the rest.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

/// Inference recurses over programs that people write by hand and over those that tools write.
pub const STACK: usize = 64 << 20;
const LATENCY_THREADS: usize = 2;

/// Something to do.
pub type Job = Box<dyn FnOnce() + Send>;

/// Which threads run a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Short work about one place, which never waits behind long work.
    Latency,
    /// Work about whole documents.
    Worker,
}

/// The threads. They end when the pool is dropped and their jobs are done.
#[derive(Debug)]
pub struct Pool {
    latency: Sender<Job>,
    worker: Sender<Job>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system gives none.
    pub fn start() -> io::Result<Pool> {
        let workers = thread::available_parallelism()
            .map_or(2, usize::from)
            .max(2);
        Ok(Pool {
            latency: lane("rise:fast", LATENCY_THREADS)?,
            worker: lane("rise:work", workers)?,
        })
    }

    /// Runs a job, some time.
    pub fn run(&self, lane: Lane, job: Job) {
        let queue = match lane {
            Lane::Latency => &self.latency,
            Lane::Worker => &self.worker,
        };
        // The threads live as long as the pool.
        let _ = queue.send(job);
    }
}

fn lane(name: &str, threads: usize) -> io::Result<Sender<Job>> {
    let (sender, receiver) = unbounded();
    for _ in 0..threads {
        let jobs: Receiver<Job> = receiver.clone();
        let run = move || {
            for job in jobs {
                // Jobs report their own failures; this one keeps the thread.
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
        };
        thread::Builder::new()
            .name(name.into())
            .stack_size(STACK)
            .spawn(run)?;
    }
    Ok(sender)
}

/// Counts jobs that are about to answer, so that a change can let them.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<(Mutex<usize>, Condvar)>);

impl Gauge {
    /// One job more, until the value that is returned is dropped.
    pub fn enter(&self) -> InFlight {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        InFlight(self.clone())
    }

    /// Waits until there is no job, but not longer than `limit`.
    pub fn settle(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let (count, changed) = &*self.0;
        let mut running = count.lock().unwrap_or_else(PoisonError::into_inner);
        while *running > 0 {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return;
            };
            running = changed
                .wait_timeout(running, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// A job that a [`Gauge`] counts.
#[derive(Debug)]
pub struct InFlight(Gauge);

impl Drop for InFlight {
    fn drop(&mut self) {
        let (count, changed) = &*self.0.0;
        *count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        changed.notify_all();
    }
}
