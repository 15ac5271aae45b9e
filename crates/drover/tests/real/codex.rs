//! What only Codex does.
