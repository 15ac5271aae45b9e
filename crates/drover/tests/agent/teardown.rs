//! `drover project teardown`.

use drover_testkit::{TestEnv, processes};

use super::{in_pane, pane, panes, pid, project, spawn};
use serde_json::Value;

fn hooks(env: &TestEnv) -> String {
    env.tmux(&["show-hooks", "-g", "pane-died"]).stdout
}

#[test]
fn without_yes_it_only_says_what_would_go() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let answer = env.drover(&["project", "teardown", "web", "--json"]).ok().json();
    assert_eq!((&answer["outcome"], &answer["data"]["tasks"]), (&"preview".into(), &1.into()));
    assert_eq!(answer["data"]["agents"], serde_json::json!(["w1"]));
    assert!(processes::is_running(pid(&agent)));
}

#[test]
fn it_ends_agents_session_rows_and_hook_and_leaves_a_persons_pane() {
    let env = project();
    let agents = ["w1", "w2"].map(|name| spawn(&env, name, &["--engine", "shell"]));
    let own =
        env.tmux(&["new-window", "-P", "-F", "#{pane_id}", "-t", "drover-web:", "sleep", "1000"]);
    let own = own.ok().stdout.trim().to_owned();
    assert!(hooks(&env).contains("pane-died ") || hooks(&env).contains("pane-died["));
    let answer = env.drover(&["project", "teardown", "web", "--yes", "--json"]).ok().json();
    assert_eq!(answer["outcome"], "torn_down");
    assert!(agents.iter().all(|it| !processes::is_running(pid(it))));
    assert_eq!((panes(&env), env.tmux_server().format(&own, "#{pane_dead}").as_str()), (1, "0"));
    assert!(!hooks(&env).contains("@drover_state"), "{}", hooks(&env));
    env.drover(&["project", "show", "web", "--json"]).refused(3, "project_unknown");
    env.drover(&["project", "init", "web"]).ok();
    assert_eq!(env.drover(&["agent", "list", "--json", "-p", "web"]).ok().data()["count"], 0);
}

#[test]
fn the_hook_stays_while_another_project_has_agents() {
    let env = project();
    env.drover(&["project", "init", "other"]).ok();
    spawn(&env, "w1", &["--engine", "shell", "-p", "web"]);
    spawn(&env, "w1", &["--engine", "shell", "-p", "other"]);
    env.drover(&["project", "teardown", "web", "--yes"]).ok();
    assert!(hooks(&env).contains("@drover_state"));
    env.drover(&["agent", "close", "other/w1"]).ok();
    env.drover(&["project", "teardown", "other", "--yes"]).ok();
    assert!(!hooks(&env).contains("@drover_state"));
}

#[test]
fn it_is_for_people() {
    let env = project();
    for (name, role, word) in
        [("lead", "coordinator", "people_only"), ("w1", "worker", "role_forbids")]
    {
        let agent = spawn(&env, name, &["--engine", "shell", "--role", role]);
        let line = format!("{} project teardown web --yes --json", env.binary().display());
        let refused: Value = serde_json::from_str(&in_pane(&env, pane(&agent), &line)).unwrap();
        assert_eq!((&refused["outcome"], &refused["exit"]), (&word.into(), &3.into()));
    }
    assert_eq!(panes(&env), 2);
}

#[test]
fn work_that_is_not_landed_forbids_it_and_stays() {
    let env = crate::env();
    let repository = env.repository("repo");
    let path = repository.path().to_str().unwrap();
    env.drover(&["project", "init", "web", "--repo", path]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let checkout = std::path::PathBuf::from(agent["cwd"].as_str().unwrap());
    assert!(checkout.starts_with(env.state().join("workspaces")));
    std::fs::write(checkout.join("new.txt"), "work").unwrap();
    let preview = env.drover(&["project", "teardown", "web", "--json"]).ok().data();
    assert_eq!(preview["losses"]["items"][0]["losses"][0]["kind"], "untracked");
    env.drover(&["project", "teardown", "web", "--yes", "--json"]).refused(3, "work_would_be_lost");
    assert!(processes::is_running(pid(&agent)) && checkout.join("new.txt").exists());
    std::fs::remove_file(checkout.join("new.txt")).unwrap();
    let torn = env.drover(&["project", "teardown", "web", "--yes", "--json"]).ok().data();
    assert_eq!(torn["branches"], serde_json::json!(["drover/web/trunk"]));
    assert!(!checkout.exists());
}
