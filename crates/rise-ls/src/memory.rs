//! Settings of the allocator: memory that is taken from the system and given back.

/// The length in bytes from which on a text is worth giving its memory back at once.
pub const LARGE: usize = 4 << 20;

#[allow(
    unsafe_code,
    reason = "the crate of the allocator has no safe function for this"
)]
mod allocator {
    // SAFETY: the allocator's documentation allows this call at any time, on any thread.
    unsafe extern "C" {
        /// Frees what the calling thread and threads that have ended hold without need.
        pub safe fn mi_collect(force: bool);
    }
}

/// Returns freed memory to the system. The allocator does so itself while further memory is
/// allocated, which does not happen in a process that waits.
pub fn give_back() {
    allocator::mi_collect(true);
}
