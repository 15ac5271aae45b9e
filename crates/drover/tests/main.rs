//! Command-line tests of the real binary.
#![expect(clippy::unwrap_used, reason = "test harness")]
#![cfg_attr(
    feature = "crash-walk",
    expect(clippy::print_stdout, reason = "the walk prints its steps")
)]

mod agent;
mod approve;
mod claims;
#[cfg(feature = "crash-walk")]
mod crash;
mod database;
mod delegate;
mod dispatch;
mod doctor;
mod examples;
mod faces;
mod field;
mod fixture;
mod graphs;
mod habits;
mod hooks;
mod hostile;
mod import;
mod link;
mod log;
mod many;
mod mcp;
mod me;
mod mu;
mod one_line;
mod pasted;
mod pi;
mod plans;
mod policy;
mod project_names;
mod real;
mod released;
mod restore;
mod roles;
mod run;
#[cfg(feature = "crash-walk")]
mod scale;
mod send;
mod shells;
mod sql;
mod stage;
mod state;
mod state_view;
mod task;
mod task_closing;
mod task_decisions;
mod task_edges;
mod task_graph;
mod task_list;
mod task_notes;
mod task_plan;
mod task_verify;
mod terminals;
mod texts;
mod tour;
mod undo;
mod usage;
mod wait;
mod workspace;

use drover_testkit::TestEnv;

/// A private home for the binary of this build.
fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_drover"))
}
