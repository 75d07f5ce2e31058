//! The pauses between the starts of workers that crash repeatedly.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time for which a crash counts towards the pause before the next start of a worker.
const CRASH_WINDOW: Duration = Duration::from_secs(60);
/// The largest number of recent crashes after which a worker is started without a pause.
const MAX_CRASHES_WITHOUT_PAUSE: usize = 3;
/// The first pause before a start of a worker, which doubles with each further crash.
pub const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// The times of recent crashes, for an exponential backoff.
#[derive(Debug, Default)]
pub struct Backoff {
    crashes: VecDeque<Instant>,
}

impl Backoff {
    /// Counts a crash, and returns the pause before the next start.
    pub fn crashed(&mut self, now: Instant) -> Duration {
        self.crashes.push_back(now);
        while self
            .crashes
            .front()
            .is_some_and(|&at| at + CRASH_WINDOW < now)
        {
            self.crashes.pop_front();
        }
        let excess = self.crashes.len().saturating_sub(MAX_CRASHES_WITHOUT_PAUSE);
        match excess {
            0 => Duration::ZERO,
            _ => FIRST_PAUSE
                .saturating_mul(1 << (excess - 1).min(16))
                .min(MAX_PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_from_the_fourth_recent_crash_on() {
        let mut backoff = Backoff::default();
        let start = Instant::now();
        let pauses: Vec<_> = (0..6).map(|_| backoff.crashed(start)).collect();
        let zero = Duration::ZERO;
        assert_eq!(
            pauses,
            [
                zero,
                zero,
                zero,
                FIRST_PAUSE,
                2 * FIRST_PAUSE,
                4 * FIRST_PAUSE
            ]
        );
        let later = start + 2 * CRASH_WINDOW;
        assert_eq!(backoff.crashed(later), zero);
    }
}
