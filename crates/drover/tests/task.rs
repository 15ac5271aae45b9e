//! `drover task`.

use serde_json::Value;

use crate::env;

fn ids(listed: &Value) -> Vec<&str> {
    listed["items"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

/// Fault G-04.
#[test]
fn a_blocked_task_waits_for_its_blocker_and_is_claimed_only_by_force() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "Design the schema", "--id", "design"]).ok();
    env.drover(&["task", "add", "Build it", "--id", "build", "--blocked-by", "design"]).ok();
    assert_eq!(ids(&env.drover(&["task", "next", "-n", "0", "--json"]).ok().data()), ["design"]);
    let refused = env.drover(&["task", "claim", "build", "--json"]).refused(3, "task_blocked");
    assert_eq!(refused["data"]["blockers"][0], "design");
    let claimed = env.drover(&["task", "claim", "build", "--force", "--json"]).ok().data();
    assert_eq!(claimed["passed_over"][0], "design");
}

#[test]
fn next_claim_never_returns_a_task_that_is_held() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "one"]).ok();
    let first = env.drover(&["task", "next", "--claim", "--json"]).ok().data();
    assert_eq!(first["task"]["status"], "IN_PROGRESS");
    let again = env.drover(&["task", "claim", "one", "--json"]).ok().data();
    assert_eq!(again["repeated"], true);
    assert_eq!(
        env.drover(&["task", "next", "--claim", "--json"]).ok().json()["outcome"],
        "nothing_ready"
    );
    env.drover(&["task", "claim", "one", "--actor", "bob", "--json"])
        .refused(4, "task_already_owned");
}

#[test]
fn an_unknown_task_is_refused_with_the_nearest_ids() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "build it"]).ok();
    let refused = env.drover(&["task", "claim", "bild_it", "--json"]).refused(3, "task_unknown");
    assert_eq!(refused["data"]["nearest"][0], "build_it");
}

/// Fault G-10.
#[test]
fn a_repeated_key_returns_the_same_answer_and_another_request_under_it_is_refused() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let add = ["task", "add", "one", "--key", "k", "--json"];
    let (first, second) = (env.drover(&add).ok().json(), env.drover(&add).ok().json());
    assert_eq!(first["data"], second["data"]);
    assert_eq!(
        (&first["deduplicated"], &second["deduplicated"]),
        (&Value::Bool(false), &Value::Bool(true))
    );
    env.drover(&["task", "add", "two", "--key", "k", "--json"]).refused(4, "key_conflict");
    assert_eq!(ids(&env.drover(&["task", "next", "-n", "0", "--json"]).ok().data()), ["one"]);
}

#[test]
fn a_dry_run_changes_nothing() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let shown = env.drover(&["task", "add", "one", "--dry-run", "--json"]).ok().json();
    assert_eq!(
        (&shown["dry_run"], &shown["data"]["task"]["id"]),
        (&Value::Bool(true), &Value::from("one"))
    );
    assert_eq!(env.drover(&["task", "next", "--json"]).ok().json()["outcome"], "nothing_ready");
}

/// Fault X-06.
#[test]
fn secrets_reach_neither_title_nor_id_nor_database() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let added = env
        .drover(&["task", "add", &format!("rotate {secret}"), "--note", secret, "--json"])
        .ok()
        .json();
    assert_eq!(added["warnings"].as_array().unwrap().len(), 2);
    assert!(!added.to_string().contains(secret));
    for entry in std::fs::read_dir(env.state()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|it| it == secret.as_bytes()));
    }
}
