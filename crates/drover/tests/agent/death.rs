//! What becomes of an agent's tasks when it, its pane or its server is gone.

use std::time::{Duration, Instant};

use drover_testkit::{Signal, TestEnv, processes, wait_until};
use serde_json::Value;

use super::{LONG, in_pane, pane, panes, pid, project, show, spawn};

/// An agent that holds the task `one`.
fn worker(env: &TestEnv) -> Value {
    env.drover(&["task", "add", "one"]).ok();
    let agent = spawn(env, "w1", &["--engine", "shell"]);
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    agent
}

/// What the database says of a task, without a call that could reap.
fn task(env: &TestEnv, id: &str) -> (String, Option<String>, i64) {
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let sql = "SELECT status, last_claimed_by, attempt FROM tasks WHERE name=?1";
    database.query_row(sql, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
}

fn notes(env: &TestEnv) -> Vec<(String, String)> {
    let database = rusqlite::Connection::open(env.database()).unwrap();
    let mut statement = database.prepare("SELECT author, text FROM notes").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Kills an agent that holds `one`; returns how long it took until the task was open again.
fn killed_worker_gives_back(env: &TestEnv, agent: &Value) -> Duration {
    let killed = Instant::now();
    processes::signal(pid(agent), Signal::KILL);
    wait_until("the task is open", Duration::from_secs(1), || task(env, "one").0 == "OPEN");
    let took = killed.elapsed();
    let (_, last, attempt) = task(env, "one");
    assert!(last.unwrap().starts_with("w1@"));
    assert_eq!(attempt, 1);
    let [(author, text)] = notes(env).try_into().unwrap();
    assert_eq!(author, "reaper");
    assert!(text.starts_with("[reaper] w1") && text.contains("signal 9"), "{text}");
    let shown = show(env, "w1");
    assert_eq!((&shown["state"], &shown["exit_signal"]), (&"exited".into(), &9.into()));
    took
}

#[test]
fn a_killed_worker_gives_its_task_back_within_a_second() {
    let env = project();
    let agent = worker(&env);
    killed_worker_gives_back(&env, &agent);
}

/// An agent with a workspace in which work stands, killed while somebody waits for its task.
fn killed_worker_with_work() -> Duration {
    let env = crate::env();
    let repository = env.repository("repo");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    let agent = worker(&env);
    let checkout = std::path::PathBuf::from(agent["cwd"].as_str().unwrap());
    let git = |words: &[&str]| env.call("git", words).directory(&checkout).run().ok().stdout;
    std::fs::write(checkout.join("kept.txt"), "kept").unwrap();
    git(&["add", "kept.txt"]);
    git(&["commit", "--quiet", "--message", "work"]);
    std::fs::write(checkout.join("half.txt"), "half").unwrap();
    let tip = git(&["rev-parse", "HEAD"]);
    let waiting = env.drover_in_background(&["task", "wait", "one", "--json"]);
    crate::wait::until_watching(&waiting);
    let took = killed_worker_gives_back(&env, &agent);
    assert_eq!(waiting.wait().exit, 6);
    assert_eq!(repository.git(&["rev-parse", "drover/web/w1"]), tip.trim_end());
    assert_eq!(std::fs::read_to_string(checkout.join("half.txt")).unwrap(), "half");
    took
}

#[test]
fn must_show_01_7() {
    let took = killed_worker_with_work();
    stopped_server_reaps_nothing();
    hanging_server_reaps_nothing();
    used_pane_id_is_never_touched();
    println!("a killed worker's task was open again after {} ms", took.as_millis());
    println!("a stopped and a hanging server reap nothing; a pane id used again is not touched");
}

/// A server that takes calls and never answers: a tmux that hangs.
fn hanging_server_reaps_nothing() {
    let env = project();
    let agent = worker(&env);
    processes::signal(pid(&agent), Signal::STOP);
    let shim = env.shim("tmux", "#!/bin/sh\nexec sleep 1000\n");
    let begun = Instant::now();
    assert_eq!(show(&env, "w1")["state"], "unknown");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!(task(&env, "one").0, "IN_PROGRESS");
    std::fs::remove_file(shim).unwrap();
    processes::signal(pid(&agent), Signal::CONT);
    assert_eq!(show(&env, "w1")["state"], "idle");
    assert_eq!(task(&env, "one").0, "IN_PROGRESS");
}

#[test]
fn a_worker_that_ends_by_itself_shows_its_exit_code() {
    let env = project();
    let agent = worker(&env);
    env.tmux_server().keys(pane(&agent), &["exit 3", "Enter"]);
    wait_until("the task is open", LONG, || task(&env, "one").0 == "OPEN");
    assert_eq!(show(&env, "w1")["exit_status"], 3);
}

#[test]
fn a_stopped_server_reaps_nothing_and_nobody_waits_long_for_it() {
    stopped_server_reaps_nothing();
}

fn stopped_server_reaps_nothing() {
    let env = project();
    let agent = worker(&env);
    let server = env.tmux_server().server_pid().unwrap();
    processes::signal(server, Signal::STOP);
    processes::signal(pid(&agent), Signal::KILL);
    let begun = Instant::now();
    let shown = show(&env, "w1");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!((&shown["state"], &shown["source"]), (&"unknown".into(), &"pane".into()));
    env.drover(&["agent", "close", "w1", "--json"]).refused(5, "mux_silent");
    env.drover(&["agent", "restart", "w1", "--json"]).refused(5, "mux_silent");
    assert_eq!(task(&env, "one").0, "IN_PROGRESS");
    processes::signal(server, Signal::CONT);
    wait_until("the task is open", LONG, || task(&env, "one").0 == "OPEN");
}

#[test]
fn a_killed_server_gives_the_task_back_at_the_next_look() {
    let env = project();
    worker(&env);
    env.tmux_server().kill_server();
    wait_until("the server is gone", LONG, || env.tmux_server().server_pid().is_none());
    assert_eq!(show(&env, "w1")["state"], "exited");
    assert_eq!(task(&env, "one").0, "OPEN");
}

#[test]
fn a_pane_id_used_again_by_a_new_server_is_never_touched() {
    used_pane_id_is_never_touched();
}

fn used_pane_id_is_never_touched() {
    let env = project();
    let agent = worker(&env);
    env.tmux_server().kill_server();
    wait_until("the server is gone", LONG, || env.tmux_server().server_pid().is_none());
    let stranger = env.tmux_server().start_pane(&["sleep", "1000"]);
    assert_eq!(stranger, pane(&agent));
    assert_eq!(show(&env, "w1")["state"], "exited");
    env.drover(&["agent", "read", "w1", "--json"]).refused(3, "no_pane");
    env.drover(&["agent", "kick", "w1", "--json"]).refused(3, "not_running");
    env.drover(&["agent", "close", "w1"]).ok();
    assert_eq!(env.tmux_server().format(&stranger, "#{pane_dead}"), "0");
    assert_eq!(panes(&env), 1);
}

#[test]
fn a_pane_that_a_person_reuses_is_theirs() {
    let env = project();
    let agent = worker(&env);
    env.tmux(&["respawn-pane", "-k", "-t", pane(&agent), "sleep", "1000"]).ok();
    assert_eq!(show(&env, "w1")["state"], "exited");
    env.drover(&["agent", "close", "w1"]).ok();
    assert_eq!(env.tmux_server().format(pane(&agent), "#{pane_dead}"), "0");
}

#[test]
fn the_hooks_of_others_stay_and_a_state_directory_that_is_gone_is_not_made_anew() {
    let env = project();
    env.tmux_server().start_pane(&["sleep", "1000"]);
    env.tmux(&["set-hook", "-g", "pane-died", "display-message hello"]).ok();
    let agent = worker(&env);
    let hooks = env.tmux(&["show-hooks", "-g", "pane-died"]).ok().stdout;
    assert!(hooks.contains("display-message hello") && hooks.lines().count() == 2, "{hooks}");
    std::fs::remove_dir_all(env.state()).unwrap();
    let argv =
        ["pane-died", env.state().to_str().unwrap(), "socket", pane(&agent)].map(str::to_owned);
    env.drover(&argv).ok();
    assert!(!env.state().exists());
}

#[test]
fn a_shell_with_something_in_front_is_working() {
    let env = project();
    let agent = worker(&env);
    let marker = env.root().join("tmp").join("started");
    let line = format!("sh -c 'touch {}; exec sleep 1000'", marker.display());
    env.tmux_server().keys(pane(&agent), &[&line, "Enter"]);
    wait_until("it has started", LONG, || marker.exists());
    wait_until("it is seen", LONG, || show(&env, "w1")["evidence"] == "sleep is in the foreground");
    assert_eq!(show(&env, "w1")["state"], "working");
    let kicked = env.drover(&["agent", "kick", "w1", "--json"]).ok().data();
    assert_eq!(kicked["group"]["name"], "sleep");
    wait_until("it is idle", LONG, || show(&env, "w1")["state"] == "idle");
    let refused = env.drover(&["agent", "kick", "w1", "--json"]).refused(3, "nothing_to_kick");
    assert_eq!(refused["next"][1]["run"], "drover agent close web/w1");
    assert_eq!(in_pane(&env, pane(&agent), "echo alive"), "alive\n");
}
