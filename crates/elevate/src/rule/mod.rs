//! Rules: two sides in RISE, inferred under one assignment of their metavariables.
