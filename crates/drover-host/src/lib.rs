//! Drover's hands: processes, multiplexer, git, clock, environment.

pub mod clock;
pub mod control;
pub mod env;
pub mod fifo;
pub mod files;
pub mod input;
pub mod keeping;
pub mod lock;
pub mod mux;
mod poll;
pub mod proc;
pub mod process;
pub mod random;
pub mod signals;
pub mod snapshot;
pub mod state_dir;
pub mod target;
pub mod tty;
pub mod usage;
pub mod variables;
pub mod watch;
pub mod workspace;
