//! `drover task close --verify`.

use drover_testkit::{Repository, TestEnv};

use crate::env;

/// A project `web` on a repository, with a task that a file `done` proves.
fn project() -> (TestEnv, Repository) {
    let env = env();
    let repository = env.repository("repository");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    env.drover(&["task", "add", "one", "--verify", "test -f done"]).ok();
    (env, repository)
}

/// Faults E-01 and E-04.
#[test]
fn a_task_with_a_verify_command_closes_as_done_only_by_passing_it() {
    let (env, repository) = project();
    env.drover(&["task", "close", "one", "--json"]).refused(3, "verify_required");
    let refused =
        env.drover(&["task", "close", "one", "--verify", "--json"]).refused(3, "verify_failed");
    let log = std::fs::read_to_string(refused["data"]["log"].as_str().unwrap()).unwrap();
    assert_eq!(log, "");
    repository.write("done", "yes");
    let commit = repository.commit("done");
    env.drover(&["task", "close", "one", "--verify"]).ok();
    let proof = env.drover(&["task", "show", "one", "--proof", "--json"]).ok().data();
    let evidence = proof["evidence"]["items"]
        .as_array()
        .or_else(|| proof["evidence"].as_array())
        .unwrap()
        .clone();
    let kinds: Vec<&str> = evidence.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["failed", "verified"]);
    assert_eq!(
        (evidence[1]["commit"].as_str(), evidence[1]["exit"].as_i64()),
        (Some(commit.as_str()), Some(0))
    );
}

/// Fault E-04.
#[test]
fn the_exit_code_of_the_whole_pipeline_counts() {
    let (env, _) = project();
    env.drover(&["task", "update", "one", "--verify", "false | true"]).ok();
    env.drover(&["task", "close", "one", "--verify", "--json"]).refused(3, "verify_failed");
    env.drover(&["task", "update", "one", "--verify", "kill -9 $$"]).ok();
    let refused =
        env.drover(&["task", "close", "one", "--verify", "--json"]).refused(3, "verify_failed");
    assert!(refused["error"].as_str().unwrap().contains("signal 9"), "{refused}");
}

#[test]
fn nothing_is_verified_on_changes_that_are_not_committed() {
    let (env, repository) = project();
    repository.write("done", "yes");
    let refused =
        env.drover(&["task", "close", "one", "--verify", "--json"]).refused(3, "workspace_dirty");
    assert_eq!(refused["data"]["changed"][0], "done");
}

#[test]
fn another_command_of_the_callers_choice_does_not_stand_in_for_the_tasks_own() {
    let (env, _) = project();
    env.drover(&["task", "close", "one", "--verify=true", "--json"]).refused(3, "verify_required");
    env.drover(&["task", "add", "two"]).ok();
    env.drover(&["task", "close", "two", "--verify", "--json"]).refused(3, "nothing_to_verify");
    env.drover(&["task", "close", "two", "--verify=true"]).ok();
    env.drover(&["project", "set", "verify", "true"]).ok();
    env.drover(&["task", "add", "three"]).ok();
    env.drover(&["task", "close", "three", "--verify"]).ok();
}

#[test]
fn a_command_that_came_with_a_plan_runs_only_when_it_is_trusted() {
    let (env, _) = project();
    let plan = r#"{"tasks":[{"id":"planned","title":"p","impact":1,"effort_days":1,"blocked_by":[],"verify":"touch ran"}]}"#;
    env.drover_with_stdin(&["task", "import", "-"], plan).ok();
    env.drover(&["task", "close", "planned", "--verify", "--json"]).refused(7, "not_trusted");
    env.drover(&["project", "trust", "--yes"]).ok();
    env.drover(&["task", "close", "planned", "--verify"]).ok();
}

#[test]
fn a_dry_run_runs_nothing_and_says_that_it_cannot_know() {
    let (env, repository) = project();
    env.drover(&["task", "update", "one", "--verify", "touch ran"]).ok();
    let shown =
        env.drover(&["task", "close", "one", "--verify", "--dry-run", "--json"]).ok().json();
    assert_eq!(shown["outcome"], "preview");
    assert!(shown["effects"][0].as_str().unwrap().contains("touch ran"));
    assert!(!repository.path().join("ran").exists());
}
