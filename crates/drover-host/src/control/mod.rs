//! Sockets that agents serve themselves: what is asked and told there, bounded in time.

pub mod codex;
