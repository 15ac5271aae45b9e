//! Command-line tests of the real binary.
#![expect(clippy::unwrap_used, reason = "test harness")]

mod agent;
mod examples;
mod import;
mod log;
mod pasted;
mod send;
mod stage;
mod task;
mod tour;
mod undo;
mod workspace;

use drover_testkit::TestEnv;

/// A private home for the binary of this build.
fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_drover"))
}
