//! `drover agent restart`, `rename` and `attach`.

use drover_testkit::{processes, wait_until};

use super::{LONG, names, pane, panes, pid, project, show, spawn};

#[test]
fn a_restart_keeps_profile_pane_and_name_and_gives_tasks_back() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let words = ["--engine", "shell", "--work", "make", "--env", "A=b", "--model", "big"];
    let before = spawn(&env, "w1", &words);
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    let data = env.drover(&["agent", "restart", "w1", "--json"]).ok().data();
    let after = &data["agent"];
    for field in ["name", "uid", "command", "work", "cwd", "model", "role"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert_eq!((pane(&before), &after["restarts"]), (pane(after), &1.into()));
    assert_ne!(pid(&before), pid(after));
    assert_eq!(processes::environment(pid(after))[std::ffi::OsStr::new("A")], "b");
    assert_eq!(data["released"], serde_json::json!(["one"]));
    assert_eq!((show(&env, "w1")["state"].as_str(), panes(&env)), (Some("idle"), 1));
    assert!(!processes::is_running(pid(&before)));
}

#[test]
fn an_agent_that_has_ended_or_lost_its_pane_is_started_anew() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    processes::signal(pid(&agent), drover_testkit::Signal::KILL);
    wait_until("it has ended", LONG, || show(&env, "w1")["state"] == "exited");
    env.drover(&["agent", "restart", "w1"]).ok();
    assert_eq!((show(&env, "w1")["state"].as_str(), panes(&env)), (Some("idle"), 1));
    env.tmux_server().kill_server();
    wait_until("the server is gone", LONG, || env.tmux_server().server_pid().is_none());
    env.drover(&["agent", "restart", "w1"]).ok();
    assert_eq!((show(&env, "w1")["state"].as_str(), panes(&env)), (Some("idle"), 1));
}

#[test]
fn a_new_name_stands_on_tasks_and_window() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    spawn(&env, "w2", &["--engine", "shell"]);
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    env.drover(&["agent", "rename", "w1", "w2", "--json"]).refused(4, "agent_exists");
    env.drover(&["agent", "rename", "w1", "W", "--json"]).refused(2, "invalid_name");
    env.drover(&["agent", "rename", "w1", "builder"]).ok();
    assert_eq!(names(&env), ["builder", "w2"]);
    assert_eq!(env.tmux_server().format(pane(&agent), "#{window_name}"), "builder");
    let again = env.drover(&["task", "claim", "one", "--for", "builder", "--json"]).ok().data();
    assert_eq!(again["repeated"], true);
    assert!(again["task"]["claimed_by"].as_str().unwrap().starts_with("builder@"));
}

#[test]
fn without_a_terminal_attach_prints_the_command() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let command = env.drover(&["agent", "attach", "w1"]).ok().stdout;
    let session = agent["pane"]["session"].as_str().unwrap();
    assert!(command.contains("attach-session -t") && command.contains(session), "{command}");
    let socket = env.tmux_server().socket().to_str().unwrap().to_owned();
    let inside =
        env.drover_call(&["agent", "attach", "w1"]).variable("TMUX", format!("{socket},1,0"));
    assert!(inside.run().ok().stdout.contains("switch-client"));
}

#[test]
fn a_dry_run_renames_restarts_and_signals_nothing() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    for words in [&["restart", "w1"][..], &["rename", "w1", "w2"], &["kick", "w1"]] {
        let all: Vec<&str> =
            ["agent"].iter().chain(words).chain(&["--dry-run", "--json"]).copied().collect();
        let answer = env.drover(&all).ok().json();
        assert_eq!(answer["dry_run"], true, "{words:?}");
        assert!(!answer["effects"].as_array().unwrap().is_empty(), "{words:?}");
    }
    let after = show(&env, "w1");
    assert_eq!(
        (pid(&after), &after["restarts"], &after["state"]),
        (pid(&agent), &0.into(), &"idle".into())
    );
}

#[test]
fn a_repeated_key_restarts_once() {
    let env = project();
    spawn(&env, "w1", &["--engine", "shell"]);
    let words = ["agent", "restart", "w1", "--key", "k", "--json"];
    let (first, second) = (env.drover(&words).ok().json(), env.drover(&words).ok().json());
    assert_eq!(first["data"]["agent"]["pane"], second["data"]["agent"]["pane"]);
    assert_eq!((&second["deduplicated"], &show(&env, "w1")["restarts"]), (&true.into(), &1.into()));
}
