//! `drover agent`, in a real tmux server of the test's own.

mod act;
mod adopt;
mod beside;
mod close;
mod death;
mod first;
mod hostile;
mod identity;
mod look;
mod spawn;
mod teardown;
mod view;
mod ways;

use std::path::PathBuf;
use std::time::Duration;

use drover_testkit::{CommandOutput, TestEnv, wait_until};
use serde_json::Value;

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// A home with the project `web`.
pub(crate) fn project() -> TestEnv {
    let env = crate::env();
    env.drover(&["project", "init", "web"]).ok();
    env
}

/// Starts an agent with more words behind its name.
#[track_caller]
pub(crate) fn spawn(env: &TestEnv, name: &str, words: &[&str]) -> Value {
    let all: Vec<&str> = ["agent", "spawn", name, "--json"].iter().chain(words).copied().collect();
    env.drover(&all).ok().data()["agent"].take()
}

/// What `agent show` says of an agent.
#[track_caller]
fn show(env: &TestEnv, name: &str) -> Value {
    env.drover(&["agent", "show", name, "-n", "0", "--json"]).ok().data()["agent"].take()
}

pub(crate) fn pane(agent: &Value) -> &str {
    agent["pane"]["id"].as_str().unwrap()
}

fn pid(agent: &Value) -> u32 {
    agent["pane"]["pid"].as_u64().unwrap().try_into().unwrap()
}

/// Runs a line in the shell of a pane and returns what it printed, once it has ended.
#[track_caller]
pub(crate) fn in_pane(env: &TestEnv, pane: &str, line: &str) -> String {
    let file = answer_file(env);
    let typed = format!("{{ {line}; }} >{0}.part 2>&1; mv {0}.part {0}", file.display());
    env.tmux(&["send-keys", "-t", pane, "-l", "--", &typed]).ok();
    env.tmux_server().keys(pane, &["Enter"]);
    wait_until("the line has run", LONG, || file.exists());
    std::fs::read_to_string(&file).unwrap()
}

/// A file that is not there yet.
fn answer_file(env: &TestEnv) -> PathBuf {
    let free = (0..).map(|number| env.root().join("tmp").join(format!("answer-{number}")));
    free.into_iter().find(|it| !it.exists()).unwrap()
}

/// How many panes the server has, 0 if there is no server.
fn panes(env: &TestEnv) -> usize {
    env.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]).stdout.lines().count()
}

/// The names that `agent list` gives.
#[track_caller]
fn names(env: &TestEnv) -> Vec<String> {
    let data = env.drover(&["agent", "list", "--json"]).ok().data();
    let items = data["items"].as_array().unwrap();
    items.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

/// Calls that run at the same time, started before any is waited for.
fn at_once(env: &TestEnv, calls: &[Vec<String>]) -> Vec<CommandOutput> {
    let running: Vec<_> = calls.iter().map(|it| env.drover_in_background(it)).collect();
    running.into_iter().map(drover_testkit::Background::wait).collect()
}
