//! Normal forms of terms, with a memory of what is normal already.
