//! The language of `.elevate` files: scopes, types, checks, and evaluation to strategies.
