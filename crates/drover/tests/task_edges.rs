//! `drover task block`, `unblock`, `reparent`, `update`, `rename`, `delete`.

use drover_testkit::TestEnv;
use serde_json::{Value, json};

use crate::env;

fn project() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for id in ["a", "b", "c"] {
        env.drover(&["task", "add", id]).ok();
    }
    env
}

fn data(env: &TestEnv, words: &[&str]) -> Value {
    let mut call = words.to_vec();
    call.push("--json");
    env.drover(&call).ok().data()
}

fn blockers(env: &TestEnv, id: &str) -> Vec<String> {
    let shown = data(env, &["task", "show", id]);
    let items = shown["blockers"]["gating"]["items"].as_array().unwrap();
    items.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn block_adds_all_edges_or_none() {
    let env = project();
    let added = data(&env, &["task", "block", "c", "--by", "a,b,a"]);
    assert_eq!((&added["edges"]["count"], &added["changed"]), (&json!(2), &json!(2)));
    assert_eq!(blockers(&env, "c"), ["a", "b"]);
    let again = env.drover(&["task", "block", "c", "--by", "a", "--json"]).ok().json();
    assert_eq!((&again["outcome"], &again["data"]["changed"]), (&json!("unchanged"), &json!(0)));
    env.drover(&["task", "block", "a", "--by", "nosuch", "--json"]).refused(3, "task_unknown");
    env.drover(&["task", "add", "d"]).ok();
    env.drover(&["task", "block", "a", "--by", "d,c", "--json"]).refused(3, "cycle");
    assert!(blockers(&env, "a").is_empty(), "half of a refused call was kept");
}

#[test]
fn a_cycle_is_refused_with_its_whole_path_and_a_diamond_is_none() {
    let env = project();
    env.drover(&["task", "block", "b", "--by", "a"]).ok();
    env.drover(&["task", "block", "c", "--by", "b"]).ok();
    let refused = env.drover(&["task", "block", "a", "--by", "c", "--json"]).refused(3, "cycle");
    assert_eq!(refused["data"]["path"], json!(["c", "a", "b", "c"]));
    assert_eq!(refused["error"], "c cannot block a: c blocks a blocks b blocks c");
    let own = env.drover(&["task", "block", "a", "--by", "a", "--json"]).refused(3, "cycle");
    assert_eq!(own["data"]["path"], json!(["a", "a"]));
    env.drover(&["task", "block", "c", "--by", "a"]).ok();
    assert_eq!(data(&env, &["task", "next", "-n", "0"])["items"][0]["id"], "a");
}

/// Fault G-16.
#[test]
fn edges_stay_in_one_project_and_the_own_project_comes_first() {
    let env = project();
    env.drover(&["project", "init", "api"]).ok();
    env.drover(&["task", "add", "a", "-p", "api"]).ok();
    env.drover(&["task", "add", "only", "-p", "api"]).ok();
    env.drover(&["task", "block", "web/b", "--by", "a"]).ok();
    assert_eq!(data(&env, &["task", "show", "api/a"])["dependents"]["count"], 0);
    for by in ["api/a", "only"] {
        let refused = env
            .drover(&["task", "block", "web/b", "--by", by, "--json"])
            .refused(3, "cross_project_edge");
        assert_eq!(refused["data"]["blocker_project"], "api");
    }
}

#[test]
fn unblock_passes_over_what_is_not_there() {
    let env = project();
    env.drover(&["task", "block", "c", "--by", "a"]).ok();
    let removed = data(&env, &["task", "unblock", "c", "--by", "a,b"]);
    assert_eq!(removed["changed"], 1);
    assert_eq!(
        env.drover(&["task", "unblock", "c", "--by", "a", "--json"]).ok().json()["outcome"],
        "unchanged"
    );
    env.drover(&["task", "unblock", "c", "--by", "x", "--json"]).refused(3, "task_unknown");
}

#[test]
fn reparent_replaces_all_blockers_or_none() {
    let env = project();
    env.drover(&["task", "block", "c", "--by", "a"]).ok();
    env.drover(&["task", "reparent", "c", "--blocked-by", "b,c", "--json"]).refused(3, "cycle");
    assert_eq!(blockers(&env, "c"), ["a"]);
    let moved = data(&env, &["task", "reparent", "c", "--blocked-by", "b"]);
    assert_eq!((&moved["added"], &moved["removed"]), (&json!(["b"]), &json!(["a"])));
    assert_eq!(
        env.drover(&["task", "reparent", "c", "--blocked-by", "b", "--json"]).ok().json()["outcome"],
        "unchanged"
    );
    assert_eq!(data(&env, &["task", "reparent", "c", "--blocked-by", ""])["blocked_by"], json!([]));
}

/// Fault G-17.
#[test]
fn a_blank_part_of_a_list_is_refused_and_widens_nothing() {
    let env = project();
    for words in [
        vec!["task", "block", "c", "--by", "a,"],
        vec!["task", "unblock", "c", "--by", " "],
        vec!["task", "reparent", "c", "--blocked-by", "a, ,b"],
        vec!["task", "add", "x", "--blocked-by", ""],
        vec!["task", "add", "x", "--label", "a,,b"],
        vec!["task", "update", "c", "--owns", "src/,"],
    ] {
        let mut call = words;
        call.push("--json");
        env.drover(&call).refused(2, "usage");
    }
}

#[test]
fn update_writes_what_differs_and_says_what_that_was() {
    let env = project();
    let words = [
        "task",
        "update",
        "a",
        "--title",
        "New",
        "--impact",
        "90",
        "--owns",
        "src/,docs/x.md",
        "--label",
        "x",
        "--verify",
        "true",
    ];
    let updated = data(&env, &words);
    assert_eq!(updated["changed"], json!(["title", "impact", "owns", "labels", "verify"]));
    assert_eq!(updated["task"]["owns"], json!(["src/", "docs/x.md"]));
    let same = env.drover(&["task", "update", "a", "--impact", "90", "--json"]).ok().json();
    assert_eq!((&same["outcome"], &same["data"]["changed"]), (&json!("unchanged"), &json!([])));
    assert_eq!(
        data(&env, &["task", "update", "a", "--no-verify", "--owns", ""])["changed"],
        json!(["owns", "verify"])
    );
    for bad in [
        vec![],
        vec!["--impact", "101"],
        vec!["--effort-days", "0"],
        vec!["--effort-days", "NaN"],
        vec!["--title", " "],
        vec!["--owns", "/etc"],
        vec!["--verify", ""],
    ] {
        let mut call = vec!["task", "update", "a", "--json"];
        call.extend(bad);
        env.drover(&call).refused(2, "usage");
    }
}

#[test]
fn rename_keeps_edges_notes_and_claim() {
    let env = project();
    env.drover(&["task", "block", "b", "--by", "a"]).ok();
    env.drover(&["task", "note", "a", "kept"]).ok();
    env.drover(&["task", "claim", "a"]).ok();
    env.drover(&["task", "rename", "a", "b", "--json"]).refused(4, "task_exists");
    env.drover(&["task", "rename", "a", "A b", "--json"]).refused(2, "invalid_name");
    env.drover(&["task", "rename", "web/a", "alpha"]).ok();
    let shown = data(&env, &["task", "show", "alpha"]);
    assert_eq!(
        (&shown["notes"]["count"], &shown["dependents"]["items"][0]["id"]),
        (&json!(1), &json!("b"))
    );
    assert_eq!(shown["task"]["status"], "IN_PROGRESS");
    env.drover(&["task", "show", "a", "--json"]).refused(3, "task_unknown");
    assert_eq!(
        env.drover(&["task", "rename", "alpha", "alpha", "--json"]).ok().json()["outcome"],
        "unchanged"
    );
}

/// Fault G-06.
#[test]
fn delete_previews_first_and_frees_what_waited() {
    let env = project();
    env.drover(&["task", "block", "b", "--by", "a"]).ok();
    env.drover(&["task", "block", "c", "--by", "a,b"]).ok();
    env.drover(&["task", "note", "a", "one"]).ok();
    let preview = env.drover(&["task", "delete", "a", "--json"]).ok().json();
    assert_eq!(
        (&preview["outcome"], &preview["data"]["edges"], &preview["data"]["notes"]),
        (&json!("preview"), &json!(2), &json!(1))
    );
    assert_eq!(preview["next"][0]["run"], "drover task delete web/a --yes");
    assert_eq!(data(&env, &["task", "list"])["count"], 3);
    let dry = env.drover(&["task", "delete", "a", "--yes", "--dry-run", "--json"]).ok().json();
    assert_eq!(
        (&dry["outcome"], data(&env, &["task", "list"])["count"].as_u64()),
        (&json!("deleted"), Some(3))
    );
    let deleted = data(&env, &["task", "delete", "a", "--yes"]);
    assert_eq!((&deleted["deleted"], &deleted["unblocked"]), (&json!(true), &json!(["b"])));
    assert_eq!(blockers(&env, "c"), ["b"]);
    env.drover(&["task", "block", "c", "--by", "b"]).ok();
    env.drover(&["task", "close", "b"]).ok();
    assert_eq!(data(&env, &["task", "next"])["items"][0]["id"], "c");
    env.drover(&["task", "delete", "a", "--yes", "--json"]).refused(3, "task_unknown");
}

/// Fault G-02.
#[test]
fn a_parent_that_waits_for_its_children_keeps_them_ready_and_no_way_of_adding_an_edge_makes_a_deadlock()
 {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for words in [&["top"][..], &["parent", "-b", "top"], &["c1"], &["c2"], &["c3"]] {
        env.drover(&[&["task", "add"], words].concat()).ok();
    }
    env.drover(&["task", "block", "parent", "--by", "c1,c2,c3"]).ok();
    let ready = data(&env, &["task", "next", "-n", "0"]);
    let ids: Vec<&str> =
        ready["items"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["top", "c1", "c2", "c3"]);
    // A child that waits for what its parent leads to would never start.
    env.drover(&["task", "add", "end", "-b", "parent"]).ok();
    env.drover(&["task", "add", "other"]).ok();
    let before = data(&env, &["log", "-n", "1000"])["count"].clone();
    let plan = r#"{"tasks":[{"id":"an_end","title":"x","blocked_by":["a_parent"]},
        {"id":"a_parent","title":"x","blocked_by":["an_end"]}]}"#;
    let tries: [&[&str]; 5] = [
        &["task", "block", "c1", "--by", "end"],
        &["task", "reparent", "c2", "--blocked-by", "other,end"],
        &["task", "close", "top", "--as", "superseded", "--by", "end"],
        &["task", "block", "top", "--by", "parent"],
        &["task", "import", "-"],
    ];
    for words in tries {
        let call: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        let output = env.drover_with_stdin(&call, plan.as_bytes());
        let refused = output.json();
        assert_eq!(refused["ok"], false, "{words:?}: {refused}");
        assert_ne!(refused["exit"], 1, "{words:?}: {refused}");
        let error = refused["error"].as_str().unwrap();
        assert!(
            error.contains("parent") && error.contains("end") || words[2] == "top",
            "{refused}"
        );
    }
    assert_eq!(data(&env, &["log", "-n", "1000"])["count"], before);
    // What can never be done is no cycle, and is named all the same.
    env.drover(&["task", "close", "c1", "--as", "wontfix", "--why", "no"]).ok();
    let why = data(&env, &["task", "why", "end"]);
    assert!(why["act_on"].as_array().unwrap().contains(&json!("c1")), "{why}");
}
