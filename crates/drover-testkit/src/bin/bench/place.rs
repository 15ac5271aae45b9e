//! A private state directory and tmux server to measure in.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use drover_testkit::TestEnv;

/// The release binary beside this one.
pub(crate) fn binary() -> PathBuf {
    let own = std::env::current_exe().expect("the path of this program");
    let binary = own.with_file_name("drover");
    assert!(binary.is_file(), "there is no {}: build it first", binary.display());
    binary
}

/// A private place with a project `bench`.
pub(crate) fn place() -> TestEnv {
    let env = TestEnv::new(binary());
    env.drover(&["project", "init", "bench"]).ok();
    env
}

/// Fills the project with a plan of so many tasks, half of them in chains of three.
pub(crate) fn fill(env: &TestEnv, tasks: usize) {
    let tasks: Vec<serde_json::Value> = (0..tasks)
        .map(|number| {
            let blockers: Vec<String> = if number % 6 < 3 || number == 0 {
                vec![]
            } else {
                vec![format!("t{}", number - 1)]
            };
            serde_json::json!({
                "id": format!("t{number}"), "title": format!("task {number}"),
                "impact": 1 + number % 100, "effort_days": 1.0, "blocked_by": blockers,
            })
        })
        .collect();
    let plan = serde_json::json!({ "tasks": tasks }).to_string();
    env.drover_with_stdin(&["task", "import", "-", "-p", "bench"], plan.as_bytes()).ok();
}

/// How long a program of this place takes from start to end, its output read.
pub(crate) fn time(command: &mut Command) -> Duration {
    let started = Instant::now();
    let output = run(command);
    let took = started.elapsed();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    took
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().expect("the program runs")
}
