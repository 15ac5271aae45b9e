//! `drover task close`, `release`, `open`, `park`, `unpark`, `admit`.

use drover_testkit::TestEnv;
use serde_json::{Value, json};

use crate::env;

fn project() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "base"]).ok();
    env.drover(&["task", "add", "top", "-b", "base"]).ok();
    env
}

fn task(env: &TestEnv, id: &str) -> Value {
    env.drover(&["task", "show", id, "--json"]).ok().data()
}

#[test]
fn only_done_lets_dependents_start_and_every_other_way_names_the_ways_on() {
    let env = project();
    env.drover(&["task", "close", "base", "--as", "wontfix", "--json"]).refused(2, "usage");
    let closed = env
        .drover(&["task", "close", "base", "--as", "wontfix", "--why", "no time", "--json"])
        .ok()
        .json();
    assert_eq!(closed["data"]["left_blocked"], json!(["top"]));
    let ways: Vec<&str> =
        closed["next"].as_array().unwrap().iter().map(|it| it["run"].as_str().unwrap()).collect();
    assert!(
        ways[0].contains("--release-dependents")
            && ways[1].contains("task reparent")
            && ways[2].contains("task close web/top")
    );
    env.drover(&["task", "claim", "top", "--json"]).refused(3, "task_blocked");
    assert_eq!(task(&env, "base")["notes"]["items"][0]["text"], "WONTFIX: no time");
    let released =
        env.drover(&["task", "close", "base", "--release-dependents", "--json"]).ok().data();
    assert_eq!((&released["changed"], &released["unblocked"]), (&json!(false), &json!(["top"])));
    assert_eq!(released["task"]["substate"], "wontfix");
    env.drover(&["task", "claim", "top"]).ok();
}

/// Fault E-06.
#[test]
fn a_bare_repeat_changes_nothing_and_records_nothing() {
    let env = project();
    env.drover(&["task", "close", "base", "--as", "rejected", "--why", "no"]).ok();
    let again = env.drover(&["task", "close", "base", "--evidence", "works", "--json"]).ok().json();
    assert_eq!(
        (&again["outcome"], &again["data"]["task"]["substate"]),
        (&json!("unchanged"), &json!("rejected"))
    );
    assert_eq!(again["warnings"].as_array().unwrap().len(), 1);
    let shown = task(&env, "base");
    assert_eq!((&shown["evidence"]["count"], &shown["notes"]["count"]), (&json!(0), &json!(1)));
    let done = env
        .drover(&["task", "close", "base", "--as", "done", "--evidence", "works", "--json"])
        .ok()
        .json();
    assert_eq!(done["data"]["unblocked"], json!(["top"]));
    assert_eq!(task(&env, "base")["evidence"]["items"][0]["text"], "works");
}

#[test]
fn a_duplicate_hands_its_dependents_to_the_task_that_says_the_same() {
    let env = project();
    env.drover(&["task", "add", "same"]).ok();
    env.drover(&["task", "add", "far", "-b", "top"]).ok();
    env.drover(&["task", "close", "base", "--as", "duplicate", "--by", "far", "--json"])
        .refused(3, "cycle");
    assert_eq!(task(&env, "base")["task"]["status"], "OPEN");
    env.drover(&["task", "close", "base", "--as", "duplicate", "--by", "base", "--json"])
        .refused(2, "usage");
    let moved = env
        .drover(&["task", "close", "base", "--as", "duplicate", "--by", "same", "--json"])
        .ok()
        .data();
    assert_eq!(
        (&moved["released"], &moved["moved_to"], &moved["left_blocked"]),
        (&json!(["top"]), &json!("same"), &json!([]))
    );
    assert_eq!(task(&env, "top")["blockers"]["gating"]["items"][0]["id"], "same");
    assert_eq!(task(&env, "base")["notes"]["items"][0]["text"], "DUPLICATE: by same");
    env.drover(&["task", "close", "same", "--release-dependents", "--json"]).refused(2, "usage");
}

/// Fault E-01.
#[test]
fn a_task_with_a_verify_command_is_not_closed_as_done_on_a_word() {
    let env = project();
    env.drover(&["task", "update", "base", "--verify", "make test"]).ok();
    let refused = env
        .drover(&["task", "close", "base", "--evidence", "trust me", "--json"])
        .refused(3, "verify_required");
    assert_eq!(refused["data"]["verify"], "make test");
    assert_eq!(refused["next"][0]["run"], "drover task close web/base --verify");
    env.drover(&["task", "close", "base", "--unverified", "--json"]).refused(2, "usage");
    env.drover(&["task", "close", "top", "--unverified", "--why", "x", "--json"])
        .refused(2, "usage");
    assert_eq!(task(&env, "base")["evidence"]["count"], 0);
    env.drover(&["task", "close", "base", "--unverified", "--why", "no runner", "--json"]).ok();
    let evidence = task(&env, "base")["evidence"]["items"][0].clone();
    assert_eq!(
        (&evidence["kind"], &evidence["text"], &evidence["command"]),
        (&json!("unverified"), &json!("no runner"), &json!("make test"))
    );
}

#[test]
fn release_gives_back_and_reopen_opens_what_was_closed() {
    let env = project();
    let idle = env.drover(&["task", "release", "base", "--evidence", "x", "--json"]).ok().json();
    assert_eq!((&idle["outcome"], &idle["data"]["changed"]), (&json!("unchanged"), &json!(false)));
    env.drover(&["task", "claim", "base", "--actor", "ann"]).ok();
    let released =
        env.drover(&["task", "release", "base", "--evidence", "no key", "--json"]).ok().json();
    assert_eq!(
        (&released["outcome"], &released["data"]["was"]),
        (&json!("released"), &json!("IN_PROGRESS/active"))
    );
    assert!(released["data"]["was_held_by"].as_str().unwrap().starts_with("user:ann@"));
    let shown = task(&env, "base");
    assert_eq!(
        (&shown["task"]["status"], &shown["task"]["claimed_by"]),
        (&json!("OPEN"), &Value::Null)
    );
    assert_eq!(shown["evidence"]["items"][0]["verb"], "release");
    env.drover(&["task", "close", "base"]).ok();
    env.drover(&["task", "release", "base"]).ok();
    assert_eq!(task(&env, "base")["task"]["status"], "CLOSED");
    let opened = env.drover(&["task", "release", "base", "--reopen", "--json"]).ok().data();
    assert_eq!(
        (&opened["task"]["status"], &opened["blocked_again"]),
        (&json!("OPEN"), &json!(["top"]))
    );
}

#[test]
fn open_keeps_the_holder_and_says_so() {
    let env = project();
    env.drover(&["task", "claim", "base"]).ok();
    env.drover(&["task", "close", "base"]).ok();
    let opened = env.drover(&["task", "open", "base", "--json"]).ok().json();
    assert_eq!(
        (&opened["outcome"], &opened["data"]["blocked_again"]),
        (&json!("opened"), &json!(["top"]))
    );
    assert!(opened["data"]["task"]["claimed_by"].as_str().unwrap().starts_with("user:tester@"));
    assert_eq!(opened["next"][0]["run"], "drover task release web/base");
    assert_eq!(env.drover(&["task", "open", "base", "--json"]).ok().json()["outcome"], "unchanged");
}

#[test]
fn parked_and_proposed_tasks_do_not_start_until_they_are_taken_up_or_let_in() {
    let env = project();
    env.drover(&["task", "park", "base", "--why", " ", "--json"]).refused(2, "usage");
    env.drover(&["task", "park", "base", "--why", "later"]).ok();
    assert_eq!(
        env.drover(&["task", "park", "base", "--why", "later", "--json"]).ok().json()["outcome"],
        "unchanged"
    );
    assert_eq!(task(&env, "base")["notes"]["count"], 1);
    env.drover(&["task", "claim", "base", "--json"]).refused(3, "task_not_startable");
    assert_eq!(
        env.drover(&["task", "unpark", "base", "--json"]).ok().json()["outcome"],
        "unparked"
    );
    env.drover(&["task", "claim", "base"]).ok();
    env.drover(&["task", "park", "base", "--why", "x", "--json"]).refused(3, "task_in_progress");
    env.drover(&["task", "close", "base"]).ok();
    env.drover(&["task", "park", "base", "--why", "x", "--json"]).refused(3, "task_closed");
    env.drover(&["task", "add", "idea", "--triage"]).ok();
    assert_eq!(
        env.drover(&["task", "accept", "idea", "--json"]).ok().json()["outcome"],
        "admitted"
    );
    assert_eq!(
        env.drover(&["task", "admit", "idea", "--json"]).ok().json()["outcome"],
        "unchanged"
    );
}

#[test]
fn a_person_closes_what_another_holds_and_the_record_names_both() {
    let env = project();
    env.drover(&["task", "claim", "base", "--actor", "ann"]).ok();
    let text =
        env.drover(&["task", "close", "base", "--actor", "bob", "--evidence", "seen"]).ok().stdout;
    assert!(text.contains("It was held by user:ann@"), "{text}");
    let shown = task(&env, "base");
    assert!(shown["task"]["claimed_by"].as_str().unwrap().starts_with("user:ann@"));
    assert_eq!(shown["evidence"]["items"][0]["said_by"], "user:bob");
}

#[test]
fn a_dry_run_closes_nothing_and_a_key_closes_once() {
    let env = project();
    let dry = env.drover(&["task", "close", "base", "--dry-run", "--json"]).ok().json();
    assert_eq!((&dry["dry_run"], &dry["data"]["unblocked"]), (&json!(true), &json!(["top"])));
    assert_eq!(task(&env, "base")["task"]["status"], "OPEN");
    let close = ["task", "close", "base", "--key", "k", "--json"];
    env.drover(&close).ok();
    env.drover(&["task", "open", "base"]).ok();
    assert_eq!(env.drover(&close).ok().json()["deduplicated"], true);
    assert_eq!(task(&env, "base")["task"]["status"], "OPEN");
}

/// The one that says the same may have waited itself; it waits for nothing then, least of all for itself.
#[test]
fn a_duplicate_of_what_waited_for_it_lets_that_go() {
    let env = project();
    env.drover(&["task", "add", "other", "-b", "base"]).ok();
    let words = ["task", "close", "base", "--as", "duplicate", "--by", "top", "--key", "k"];
    let closed = env.drover(&words).ok().stdout;
    assert!(closed.contains("\nLet go: top\n"), "{closed}");
    assert!(closed.contains("\nNow waiting for top: other\n"), "{closed}");
    assert_eq!(task(&env, "top")["blockers"]["gating"]["count"], 0);
    let again = env.drover(&words).ok();
    assert_eq!(again.stdout, closed);
    assert!(again.stderr.starts_with("note: this is the answer that the first call"), "{again}");
}
