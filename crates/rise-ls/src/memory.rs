//! Returns freed memory of the allocator to the system.

/// The length in bytes of a text or message from which on [`release_unused`] is called when it is
/// freed.
pub const LARGE: usize = 4 << 20;

#[allow(
    unsafe_code,
    reason = "the crate of the allocator has no safe function for this"
)]
mod allocator {
    // SAFETY: the allocator's documentation allows this call at any time, on any thread.
    unsafe extern "C" {
        /// Frees the memory that the allocator keeps for the calling thread and for ended threads,
        /// and that is not in use.
        pub safe fn mi_collect(force: bool);
    }
}

/// Returns freed memory to the system. The allocator only does so itself during later allocations,
/// which do not happen in an idle process.
pub fn release_unused() {
    allocator::mi_collect(true);
}
