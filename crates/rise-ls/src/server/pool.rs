//! A thread pool with two queues: one for short requests at the cursor, one for the rest.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

/// The stack size in bytes of the threads; it is large because type inference recurses over terms
/// of any depth.
pub const STACK: usize = 64 << 20;
const LATENCY_THREADS: usize = 2;

pub type Job = Box<dyn FnOnce() + Send>;

/// The queue of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A queue for short work at one position, which does not wait for long work.
    Latency,
    /// A queue for work on whole documents.
    Worker,
}

/// The queues of the threads. The threads end when the pool is dropped and the queues are empty.
#[derive(Debug)]
pub struct Pool {
    latency: Sender<Job>,
    worker: Sender<Job>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// Fails if the system creates no thread.
    pub fn start() -> io::Result<Pool> {
        let workers = thread::available_parallelism()
            .map_or(2, usize::from)
            .max(2);
        Ok(Pool {
            latency: lane("rise:fast", LATENCY_THREADS)?,
            worker: lane("rise:work", workers)?,
        })
    }

    pub fn run(&self, lane: Lane, job: Job) {
        let queue = match lane {
            Lane::Latency => &self.latency,
            Lane::Worker => &self.worker,
        };
        // Sending cannot fail, because the threads run as long as the pool exists.
        let _ = queue.send(job);
    }
}

fn lane(name: &str, threads: usize) -> io::Result<Sender<Job>> {
    let (sender, receiver) = unbounded();
    for _ in 0..threads {
        let jobs: Receiver<Job> = receiver.clone();
        let run = move || {
            for job in jobs {
                // Jobs report their own panics; this only keeps the thread running.
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

/// A counter of jobs for whose end a change of the database waits.
#[derive(Clone, Debug, Default)]
pub struct WaitGroup(Arc<(Mutex<usize>, Condvar)>);

impl WaitGroup {
    /// Counts a job until the returned value is dropped.
    pub fn enter(&self) -> WaitGuard {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        WaitGuard(self.clone())
    }

    /// Waits until no job is counted, or the time limit ends.
    pub fn wait(&self, limit: Duration) {
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

#[derive(Debug)]
pub struct WaitGuard(WaitGroup);

impl Drop for WaitGuard {
    fn drop(&mut self) {
        let (count, changed) = &*self.0.0;
        *count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        changed.notify_all();
    }
}
