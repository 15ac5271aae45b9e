//! The test harness: a hermetic home, a private tmux server, waits with deadlines, a scripted agent, a model and the real programs; never shipped.
//!
//! A test starts with [`TestEnv::new`] and talks to the binary as a user would:
//!
//! ```no_run
//! use drover_testkit::TestEnv;
//!
//! // In `crates/drover/tests` the path is `env!("CARGO_BIN_EXE_drover")`.
//! let env = TestEnv::new("/path/to/drover");
//! env.drover(&["project", "init", "demo", "--json"]).ok();
//! let answer = env.drover(&["task", "add", "Write it", "-p", "demo", "--json"]).ok().json();
//! assert_eq!(answer["outcome"], "added");
//! env.drover(&["task", "claim", "nosuch", "-p", "demo", "--json"]).refused(3, "task_unknown");
//! ```

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a harness fails its test by panicking"
)]

pub mod digest;
pub mod document;
pub mod model;
pub mod processes;
pub mod real;
pub mod wait;

mod call;
mod env;
mod fake_agent;
mod repository;
mod tmux;

pub use call::{Background, Call, CommandOutput};
pub use env::TestEnv;
pub use fake_agent::{FAKE_AGENT_RULES, Recorded};
pub use model::FakeModel;
pub use real::Real;
pub use repository::Repository;
pub use rustix::process::Signal;
pub use tmux::{PaneEnd, PrivateTmux};
pub use wait::{wait_for, wait_until};
