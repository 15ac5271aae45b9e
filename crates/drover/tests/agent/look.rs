//! `drover agent list`, `show`, `read` and `explain`.

use super::{in_pane, pane, project, spawn};

#[test]
fn a_project_without_agents_says_so() {
    let env = project();
    let text = env.drover(&["agent", "list"]).ok().stdout;
    assert!(text.starts_with("The project web has no agents."), "{text}");
    assert_eq!(env.drover(&["agent", "list", "--json"]).ok().data()["count"], 0);
}

#[test]
fn an_unknown_agent_is_refused_with_the_nearest_names() {
    let env = project();
    spawn(&env, "builder", &["--engine", "shell"]);
    let refused = env.drover(&["agent", "show", "bilder", "--json"]).refused(3, "agent_unknown");
    assert_eq!(refused["data"]["nearest"][0], "builder");
}

#[test]
fn every_source_is_explained_with_the_rule_that_decided() {
    let env = project();
    spawn(&env, "w1", &["--engine", "shell"]);
    spawn(&env, "w2", &["--command", "sleep 1000"]);
    let data = env.drover(&["agent", "explain", "w1", "--json"]).ok().data();
    assert_eq!(data["rule"], "foreground_process");
    let sources: Vec<&str> =
        data["asked"].as_array().unwrap().iter().map(|it| it["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["row", "pane", "foreground"]);
    let data = env.drover(&["agent", "explain", "w2", "--json"]).ok().data();
    assert_eq!(
        (&data["rule"], &data["agent"]["state"]),
        (&"nothing_says".into(), &"unknown".into())
    );
    let text = env.drover(&["agent", "explain", "w1"]).ok().stdout;
    assert!(text.contains("foreground_process"), "{text}");
}

#[test]
fn a_screen_is_read_from_its_end() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    in_pane(&env, pane(&agent), "for i in 1 2 3; do echo line $i >/dev/tty; done");
    let data = env.drover(&["agent", "read", "w1", "-n", "2", "--json"]).ok().data();
    let screen = data["screen"].as_str().unwrap();
    assert!(screen.lines().count() == 2 && screen.contains("line 3"), "{screen:?}");
    let shown = env.drover(&["agent", "show", "web/w1", "-n", "3"]).ok().stdout;
    assert!(shown.contains("line 3") && shown.contains("web/w1: idle"), "{shown}");
    let other = env.drover(&["agent", "show", "web/w1", "-p", "other", "--json"]);
    other.refused(2, "usage");
}

#[test]
fn a_listing_costs_one_call_of_the_multiplexer() {
    let env = project();
    for name in ["w1", "w2", "w3"] {
        spawn(&env, name, &["--engine", "shell"]);
    }
    let tmux = env.call("sh", &["-c", "command -v tmux"]).run().ok().stdout;
    let calls = env.root().join("tmp").join("calls");
    let counting =
        format!("#!/bin/sh\necho \"$*\" >>{}\nexec {} \"$@\"\n", calls.display(), tmux.trim());
    env.shim("tmux", &counting);
    assert_eq!(env.drover(&["agent", "list", "--json"]).ok().data()["count"], 3);
    let made = std::fs::read_to_string(&calls).unwrap();
    assert_eq!(made.lines().count(), 1, "{made}");
}
