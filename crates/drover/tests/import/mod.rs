//! `drover task import` and `task export`: one file for each form of a file.

mod beads;
mod plan;

use std::path::PathBuf;

use drover_testkit::{CommandOutput, TestEnv};
use serde_json::Value;

use crate::env;

/// A private home with the project `web`.
fn project() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env
}

/// Imports a text, whose form shows by itself.
fn import(env: &TestEnv, text: &impl ToString) -> CommandOutput {
    env.drover_with_stdin(&["task", "import", "-", "--json"], text.to_string())
}

/// The ids of what can start, best first.
fn ready(env: &TestEnv) -> Vec<String> {
    let listed = env.drover(&["task", "next", "-n", "0", "--json"]).ok().data();
    strings(&listed["items"], "id")
}

/// One field of every item.
fn strings(items: &Value, field: &str) -> Vec<String> {
    let items = items.as_array().unwrap();
    items.iter().map(|it| it[field].as_str().unwrap().to_owned()).collect()
}

/// A file that is stored with the tests.
fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
