//! `drover task import` and `task export`: one file for each form of a file.

mod beads;
mod export;
mod hostile;
mod markdown;
mod plan;
mod taskwarrior;

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

/// Each value on a line.
fn json_lines(values: impl Iterator<Item = Value>) -> String {
    values.fold(String::new(), |lines, it| lines + &it.to_string() + "\n")
}

/// A file that is stored with the tests.
fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Imports a text into a project, and says what came of it.
#[track_caller]
fn import_into(env: &TestEnv, project: &str, text: &str) -> Value {
    env.drover_with_stdin(&["task", "import", "-", "-p", project, "--json"], text).ok().data()
}

/// The text of an export.
#[track_caller]
fn export(env: &TestEnv, project: &str, format: &str) -> String {
    env.drover(&["task", "export", "-p", project, "--format", format, "--quiet"]).ok().stdout
}

/// All that a project's tasks say of themselves, without who wrote notes and when.
fn snapshot(env: &TestEnv, project: &str) -> Vec<Value> {
    let words = ["task", "export", "-p", project, "--json"];
    let mut tasks = env.drover(&words).ok().data()["document"]["tasks"].take();
    for task in tasks.as_array_mut().unwrap() {
        task.as_object_mut().unwrap().shift_remove("created_at");
        for note in task["notes"].as_array_mut().into_iter().flatten() {
            *note = note["text"].take();
        }
    }
    tasks.as_array().unwrap().clone()
}
