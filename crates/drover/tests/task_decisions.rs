//! Decisions on tasks: closing only what is ready, reasons that weigh little, and what they name.

use drover_testkit::TestEnv;
use serde_json::{Value, json};

use crate::agent::{in_pane, pane, spawn};
use crate::env;

fn project() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "base"]).ok();
    env.drover(&["task", "add", "top", "-b", "base"]).ok();
    env
}

#[track_caller]
fn answer(env: &TestEnv, words: &[&str]) -> Value {
    let all: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
    env.drover(&all).ok().json()
}

fn notes(env: &TestEnv, id: &str) -> Vec<String> {
    let data = answer(env, &["task", "show", id])["data"].take();
    let items = data["notes"]["items"].as_array().unwrap();
    items.iter().map(|it| it["text"].as_str().unwrap().to_owned()).collect()
}

fn runs(answer: &Value) -> Vec<&str> {
    answer["next"].as_array().unwrap().iter().map(|it| it["run"].as_str().unwrap()).collect()
}

#[test]
fn a_close_that_asks_for_readiness_leaves_a_blocked_task_and_says_what_it_waits_for() {
    let env = project();
    env.drover(&["task", "add", "idea", "--triage"]).ok();
    env.drover(&["task", "block", "top", "--by", "idea"]).ok();
    let close = ["task", "close", "top", "--if-ready", "--evidence", "seen"];
    let skipped = answer(&env, &close);
    let said = (&skipped["outcome"], &skipped["data"]["changed"], &skipped["data"]["blockers"]);
    assert_eq!(said, (&json!("skipped"), &json!(false), &json!(["base", "idea"])));
    assert_eq!(
        runs(&skipped),
        [
            "drover task admit web/idea",
            "drover task wait web/base web/idea",
            "drover task why web/top"
        ]
    );
    let shown = answer(&env, &["task", "show", "top"])["data"].take();
    assert_eq!(
        (&shown["task"]["status"], &shown["evidence"]["count"]),
        (&json!("OPEN"), &json!(0))
    );
    // Closed otherwise is not done.
    env.drover(&["task", "close", "idea", "--as", "wontfix", "--why", "no"]).ok();
    env.drover(&["task", "close", "base"]).ok();
    assert_eq!(answer(&env, &close)["data"]["blockers"], json!(["idea"]));
    env.drover(&["task", "unblock", "top", "--by", "idea"]).ok();
    assert_eq!(answer(&env, &close)["outcome"], "closed");
    assert_eq!(answer(&env, &close)["outcome"], "unchanged");
}

#[test]
fn a_verify_command_is_not_run_for_a_task_that_is_not_ready() {
    let env = project();
    let mark = env.root().join("ran");
    let command = format!("--verify=touch {}", mark.display());
    let skipped = answer(&env, &["task", "close", "top", "--if-ready", &command]);
    assert_eq!((&skipped["outcome"], mark.exists()), (&json!("skipped"), false));
}

#[test]
fn a_proposal_decided_on_little_is_decided_and_warned_of() {
    let long = "nobody has asked for it in a year, and it costs a day every month";
    let decisions: [(&[&str], usize); 7] = [
        (&["admit", "idea"], 1),
        (&["admit", "idea", "--evidence", long], 0),
        (&["close", "idea", "--as", "rejected", "--why", "no"], 1),
        (&["close", "idea", "--as", "wontfix", "--why", long], 0),
        (&["close", "idea", "--as", "duplicate", "--why", "said before"], 1),
        (&["close", "idea", "--as", "duplicate", "--why", "same as base"], 0),
        (&["close", "idea", "--as", "duplicate", "--by", "base"], 0),
    ];
    for (words, warnings) in decisions {
        let env = project();
        env.drover(&["task", "add", "idea", "--triage"]).ok();
        let words: Vec<&str> = ["task"].iter().chain(words).copied().collect();
        let decided = answer(&env, &words);
        assert_eq!(decided["data"]["changed"], true, "{decided}");
        assert_eq!(decided["warnings"].as_array().unwrap().len(), warnings, "{words:?}: {decided}");
    }
    let env = project();
    for (verdict, warnings) in
        [("VERDICT: right", 0), ("looked\nREFUTER a: no", 0), ("a VERDICT: no", 1)]
    {
        let id = env.drover(&["task", "add", "An idea", "--triage", "--json"]).ok().data();
        let id = id["task"]["id"].as_str().unwrap();
        env.drover(&["task", "note", id, verdict]).ok();
        let admitted = answer(&env, &["task", "admit", id]);
        assert_eq!(admitted["warnings"].as_array().unwrap().len(), warnings, "{verdict}");
    }
    // What was admitted long ago is no proposal any more.
    let closed = answer(&env, &["task", "close", "base", "--as", "rejected", "--why", "no"]);
    assert_eq!(closed["warnings"], json!([]));
}

#[test]
fn a_reason_spells_out_the_tasks_it_names() {
    let env = project();
    env.drover(&["task", "update", "top", "--title", "Build the\tpage"]).ok();
    let why = "see top, base.rs and unknown";
    env.drover(&["task", "close", "base", "--as", "superseded", "--why", why]).ok();
    assert_eq!(notes(&env, "base"), ["SUPERSEDED: see top (Build the page), base.rs and unknown"]);
    env.drover(&["task", "close", "top", "--as", "wontfix", "--why", "as base"]).ok();
    assert_eq!(notes(&env, "top"), ["WONTFIX: as base"]);
}

#[test]
fn a_note_of_dashes_is_kept_and_warned_of() {
    let env = project();
    let noted =
        env.drover_with_stdin(&["task", "note", "base", "-", "--json"], b"--\n").ok().json();
    assert_eq!(noted["warnings"].as_array().unwrap().len(), 1);
    assert_eq!(notes(&env, "base"), ["--\n"]);
    env.drover_with_stdin(&["task", "note", "base", "-", "--json"], b" \n").refused(2, "usage");
}

#[test]
fn an_agent_that_closes_with_uncommitted_work_is_told_how_to_commit_it() {
    let env = env();
    let repository = env.repository("repo");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    for id in ["one", "two"] {
        env.drover(&["task", "add", id]).ok();
    }
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let call = |words: &str| -> Value {
        let line = format!("{} {words} --json", env.binary().display());
        serde_json::from_str(&in_pane(&env, pane(&agent), &line)).unwrap()
    };
    let is_told = |answer: &Value| runs(answer).iter().any(|it| it.contains("commit -m"));
    for id in ["one", "two"] {
        assert_eq!(call(&format!("task claim {id}"))["ok"], true);
    }
    assert!(!is_told(&call("task close one")));
    in_pane(&env, pane(&agent), "echo work >new.txt");
    assert!(is_told(&call("task close two")));
}
