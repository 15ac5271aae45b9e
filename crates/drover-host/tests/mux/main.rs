//! The multiplexer backends keep the contract, against real servers.
#![expect(clippy::unwrap_used, reason = "test harness")]

mod contract;
mod server;
mod tmux;
