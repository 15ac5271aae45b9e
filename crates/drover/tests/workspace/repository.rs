//! `drover project init --repo`.

use std::os::unix::ffi::OsStringExt as _;

use serde_json::json;

use super::Crew;

#[test]
fn a_repository_is_recorded_with_its_head_and_gets_an_integration_branch() {
    let crew = Crew::new();
    let head = crew.repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(crew.trunk(), head);
    let shown = crew.drover(&["project", "show", "web"]).ok().data();
    let repository = &shown["project"]["repository"];
    assert_eq!(repository["path"], crew.repository.path().to_str().unwrap());
    assert_eq!(repository["base_branch"], "main");
    assert_eq!(
        (&repository["base_sha"], &repository["trunk"]),
        (&json!(head), &json!("drover/web/trunk"))
    );
    let text = crew.env.drover(&["project", "show", "web"]).ok().stdout;
    assert!(text.contains("Work lands on: drover/web/trunk"), "{text}");
}

#[test]
fn a_second_init_changes_nothing_and_one_that_was_cut_off_is_completed() {
    let crew = Crew::new();
    let path = crew.repository.path().to_str().unwrap();
    let base = crew.trunk();
    crew.repository.write("later", "x");
    crew.repository.commit("later");
    let again = crew.drover(&["project", "init", "web", "--repo", path]).ok().json();
    assert_eq!(again["outcome"], "exists");
    assert_eq!(crew.trunk(), base);
    crew.repository.git(&["branch", "-D", "drover/web/trunk"]);
    crew.drover(&["project", "init", "web", "--repo", path, "--key", "k"]).ok();
    assert_eq!(crew.trunk(), base);
    let repeated = crew.drover(&["project", "init", "web", "--repo", path, "--key", "k"]).ok();
    assert_eq!(repeated.json()["deduplicated"], true);
}

#[test]
fn a_project_without_a_repository_can_be_given_one_once() {
    let crew = Crew::new();
    crew.drover(&["project", "init", "app"]).ok();
    let other = crew.env.repository("other");
    let path = other.path().to_str().unwrap();
    let given = crew.drover(&["project", "init", "app", "--repo", path]).ok().json();
    assert_eq!(
        (&given["outcome"], &given["data"]["repository_added"]),
        (&json!("added"), &json!(true))
    );
    let refused = crew.drover(&["project", "init", "web", "--repo", path]);
    refused.refused(4, "other_repository");
}

#[test]
fn what_cannot_be_a_repository_is_refused_and_leaves_no_project() {
    let crew = Crew::new();
    let init = |path: &str| crew.drover(&["project", "init", "app", "--repo", path]);
    init(crew.env.home().to_str().unwrap()).refused(3, "not_a_repository");
    let empty = crew.env.root().join("empty");
    crew.env.call("git", &["init", "--quiet", empty.to_str().unwrap()]).run().ok();
    init(empty.to_str().unwrap()).refused(3, "no_commits");
    let blocked = crew.env.repository("blocked");
    blocked.git(&["branch", "drover"]);
    let refused = init(blocked.path().to_str().unwrap()).refused(4, "branch_blocked");
    assert_eq!(refused["data"]["blocker"], "drover");
    let taken = crew.env.repository("taken");
    taken.git(&["branch", "drover/app/trunk"]);
    taken.commit("moves on");
    init(taken.path().to_str().unwrap()).refused(4, "branch_exists");
    crew.drover(&["project", "show", "app"]).refused(3, "project_unknown");
}

#[test]
fn a_path_that_is_no_text_is_refused_with_the_reason() {
    let crew = Crew::new();
    let name = std::ffi::OsString::from_vec(b"caf\xe9".to_vec());
    let path = crew.env.root().join(name);
    std::fs::rename(crew.env.repository("plain").path(), &path).unwrap();
    let call = crew.env.drover_call(&["project", "init", "app", "--json", "--repo"]);
    let refused = call.argument(&path).run().refused(2, "usage");
    assert!(refused["error"].as_str().unwrap().contains("not valid UTF-8"));
}

#[test]
fn a_dry_run_of_init_makes_neither_project_nor_branch() {
    let crew = Crew::new();
    let other = crew.env.repository("other");
    let path = other.path().to_str().unwrap();
    let shown = crew.drover(&["project", "init", "app", "--repo", path, "--dry-run"]).ok().json();
    assert_eq!(shown["effects"].as_array().unwrap().len(), 1);
    crew.drover(&["project", "show", "app"]).refused(3, "project_unknown");
    assert_eq!(other.git(&["branch", "--list", "drover/*"]), "");
}

#[test]
fn a_linked_checkout_and_a_detached_head_stand_for_their_repository() {
    let crew = Crew::new();
    let linked = crew.env.root().join("linked");
    let other = crew.env.repository("other");
    other.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    let made =
        crew.drover(&["project", "init", "app", "--repo", linked.to_str().unwrap()]).ok().data();
    let repository = &made["project"]["repository"];
    assert_eq!(repository["path"], other.path().to_str().unwrap());
    assert_eq!(repository["base_branch"], serde_json::Value::Null);
}
