//! `drover project rename`, `archive` and `unarchive`.

use drover_testkit::{Repository, TestEnv};
use serde_json::json;

use crate::env;

/// The project `web` with its repository and a task.
fn project() -> (TestEnv, Repository) {
    let env = env();
    let repository = env.repository("the #1 shop");
    let path = repository.path().to_str().unwrap().to_owned();
    env.drover(&["project", "init", "web", "--repo", &path]).ok();
    env.drover(&["task", "add", "One", "--id", "one", "-p", "web"]).ok();
    (env, repository)
}

fn branches(repository: &Repository) -> Vec<String> {
    let listed =
        repository.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/drover"]);
    listed.lines().map(str::to_owned).collect()
}

fn newest_group(env: &TestEnv) -> String {
    let listed = env.drover(&["undo", "-n", "1", "--json"]).ok().data();
    listed["items"][0]["group"].as_str().unwrap().to_owned()
}

#[test]
fn a_renamed_project_keeps_its_rows_and_its_branch_follows() {
    let (env, repository) = project();
    let dry = env.drover(&["project", "rename", "web", "shop", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["effects"].as_array().unwrap().len(), 1);
    assert_eq!(branches(&repository), ["drover/web/trunk"]);
    let answer = env.drover(&["project", "rename", "web", "shop", "--json"]).ok().json();
    assert_eq!(answer["outcome"], "renamed");
    assert_eq!(
        answer["data"],
        json!({ "name": "shop", "was": "web", "trunk": "drover/shop/trunk" })
    );
    assert_eq!(branches(&repository), ["drover/shop/trunk"]);
    env.drover(&["task", "show", "one", "-p", "shop"]).ok();
    let refused =
        env.drover(&["task", "list", "-p", "web", "--json"]).refused(3, "project_unknown");
    assert_eq!(refused["data"]["project"], "web");
    // Said again it is done already; the other way round it is another rename.
    let again = env.drover(&["project", "rename", "web", "shop", "--json"]).ok().json();
    assert_eq!(again["outcome"], "unchanged");
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["project", "rename", "shop", "web", "--json"]).refused(4, "project_exists");
    let shown = env.drover(&["project", "show", "web", "--json"]).ok().data();
    assert_eq!(shown["project"]["generation"], 2);
}

#[test]
fn a_rename_that_was_cut_off_before_its_branch_is_finished_by_its_repeat() {
    let (env, repository) = project();
    env.drover(&["project", "rename", "web", "shop"]).ok();
    repository.git(&["branch", "-m", "drover/shop/trunk", "drover/web/trunk"]);
    let answer = env.drover(&["project", "rename", "web", "shop", "--json"]).ok().json();
    assert_eq!(answer["outcome"], "renamed");
    assert_eq!(branches(&repository), ["drover/shop/trunk"]);
}

#[test]
fn a_branch_in_the_way_leaves_a_project_as_it_is() {
    let (env, repository) = project();
    repository.git(&["branch", "drover/shop/trunk"]);
    env.drover(&["project", "rename", "web", "shop", "--json"]).refused(4, "branch_exists");
    env.drover(&["project", "show", "web"]).ok();
    assert_eq!(branches(&repository), ["drover/shop/trunk", "drover/web/trunk"]);
}

#[test]
fn names_that_cannot_be_and_projects_with_agents_are_refused() {
    let (env, _repository) = project();
    for (from, to) in [("web", "scratch"), ("web", "Web"), ("web", ""), ("scratch", "web2")] {
        env.drover(&["project", "rename", from, to, "--json"]).refused(2, "invalid_name");
    }
    env.drover(&["project", "rename", "wbe", "shop", "--json"]).refused(3, "project_unknown");
    env.drover(&["agent", "spawn", "w1", "--engine", "shell", "-p", "web"]).ok();
    for words in [&["project", "rename", "web", "shop"][..], &["project", "archive", "web"]] {
        let refused = env.drover(&[words, &["--json"]].concat()).refused(4, "project_busy");
        assert_eq!(refused["next"][0]["run"], "drover agent close web/w1");
    }
    let shown = env.drover(&["project", "show", "web", "--json"]).ok().data();
    assert_eq!(
        (&shown["project"]["session"], &shown["project"]["session_alive"]),
        (&json!("drover-web"), &json!(true))
    );
    env.drover(&["agent", "close", "web/w1"]).ok();
    let shown = env.drover(&["project", "show", "web", "--json"]).ok().data();
    assert_eq!(shown["project"]["session_alive"], false);
    env.drover(&["project", "rename", "web", "shop"]).ok();
}

#[test]
fn an_archived_project_is_out_of_the_way_and_comes_back_whole() {
    let (env, _repository) = project();
    let answer = env.drover(&["project", "archive", "web", "--json"]).ok().json();
    assert_eq!(
        (&answer["outcome"], &answer["data"]["open_tasks"]),
        (&json!("archived"), &json!(1))
    );
    assert_eq!(answer["data"]["trunk"], "drover/web/trunk");
    let refused =
        env.drover(&["task", "list", "-p", "web", "--json"]).refused(3, "project_archived");
    assert_eq!(refused["next"][0]["run"], "drover project unarchive web");
    env.drover(&["task", "list", "--json"]).refused(2, "project_unclear");
    assert_eq!(
        env.drover(&["project", "archive", "web", "--json"]).ok().json()["outcome"],
        "unchanged"
    );
    let listed = env.drover(&["project", "list", "--json"]).ok().data();
    assert_eq!(listed["items"][0]["state"], "archived");
    let back = env.drover(&["project", "unarchive", "web", "--json"]).ok().json();
    assert_eq!(back["outcome"], "unarchived");
    env.drover(&["task", "show", "one", "-p", "web"]).ok();
    assert_eq!(
        env.drover(&["project", "unarchive", "web", "--json"]).ok().json()["outcome"],
        "unchanged"
    );
    env.drover(&["project", "unarchive", "none", "--json"]).refused(3, "project_unknown");
}

#[test]
fn an_archived_project_whose_name_was_given_away_comes_back_under_another() {
    let (env, repository) = project();
    env.drover(&["project", "archive", "web"]).ok();
    let group = newest_group(&env);
    env.drover(&["project", "init", "web"]).ok();
    let refused =
        env.drover(&["project", "unarchive", "web", "--json"]).refused(4, "project_exists");
    assert_eq!(refused["next"][0]["run"], "drover project unarchive web --as <name>");
    // Taking the archiving back would leave two projects of one name.
    let refused = env.drover(&["undo", &group, "--yes", "--json"]).refused(4, "undo_superseded");
    let conflict = &refused["data"]["conflicts"]["items"][0];
    assert!(conflict["what"].as_str().unwrap().contains("web was given to another project"));
    env.drover(&["project", "unarchive", "web", "--as", "old-web"]).ok();
    assert_eq!(branches(&repository), ["drover/old-web/trunk"]);
    env.drover(&["task", "show", "one", "-p", "old-web"]).ok();
}

#[test]
fn a_branch_that_a_namesake_works_on_by_now_stays_its_own() {
    let (env, repository) = project();
    env.drover(&["project", "archive", "web"]).ok();
    let path = repository.path().to_str().unwrap().to_owned();
    env.drover(&["project", "init", "web", "--repo", &path]).ok();
    env.drover(&["project", "unarchive", "web", "--as", "old-web"]).ok();
    assert_eq!(branches(&repository), ["drover/old-web/trunk", "drover/web/trunk"]);
}

#[test]
fn undo_takes_an_archiving_back_and_names_the_verb_where_a_branch_would_be_left_behind() {
    let (env, _repository) = project();
    env.drover(&["project", "archive", "web"]).ok();
    env.drover(&["undo", &newest_group(&env), "--yes"]).ok();
    env.drover(&["task", "show", "one", "-p", "web"]).ok();
    env.drover(&["project", "rename", "web", "shop"]).ok();
    let group = newest_group(&env);
    let refused = env.drover(&["undo", &group, "--json"]).refused(3, "undo_local_only");
    assert!(refused.to_string().contains("drover project rename shop web"), "{refused}");
    env.drover(&["project", "rename", "shop", "web"]).ok();
    // Without a repository the name is all there is.
    env.drover(&["project", "init", "plain"]).ok();
    env.drover(&["project", "rename", "plain", "simple"]).ok();
    env.drover(&["undo", &newest_group(&env), "--yes"]).ok();
    env.drover(&["project", "show", "plain"]).ok();
}
