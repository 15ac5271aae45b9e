//! `drover log` and `drover since`.

use std::time::Duration;

use drover_testkit::{TestEnv, wait_for, wait_until};
use serde_json::{Value, json};

use crate::env;

const SOON: Duration = Duration::from_secs(20);

fn two_projects() -> TestEnv {
    let env = env();
    for project in ["web", "api"] {
        env.drover(&["project", "init", project]).ok();
        env.drover(&["task", "add", "Design it", "--id", "design", "-p", project, "--note", "n"])
            .ok();
    }
    env
}

fn words(listed: &Value) -> Vec<String> {
    let items = listed["items"].as_array().unwrap();
    items.iter().map(|it| it["words"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_project_reads_its_own_part_and_no_project_reads_everything() {
    let env = two_projects();
    env.drover(&[
        "task",
        "add",
        "Build it",
        "--id",
        "build",
        "-p",
        "web",
        "--blocked-by",
        "design",
    ])
    .ok();
    let web = env.drover(&["log", "-p", "web", "--json"]).ok().data();
    assert_eq!(
        words(&web),
        [
            "project `web` added: web",
            "task `design` added: Design it",
            "note on `design` added: user:tester: n",
            "task `build` added: Build it",
            "edge design blocks build added",
        ]
    );
    assert!(web["items"].as_array().unwrap().iter().all(|it| it["project"] == "web"));
    assert_eq!(env.drover(&["log", "--json"]).ok().data()["count"], 8);
    assert_eq!(env.drover(&["log", "--all", "-p", "web", "--json"]).ok().data()["count"], 8);
    env.drover(&["log", "-p", "wep", "--json"]).refused(3, "project_unknown");
}

#[test]
fn a_filter_narrows_what_is_read() {
    let env = two_projects();
    env.drover(&["task", "claim", "web/design", "--actor", "bob"]).ok();
    let read = |words: &[&str]| {
        let mut call = vec!["log", "--json"];
        call.extend(words);
        env.drover(&call).ok().data()
    };
    let claim = read(&["--source", "bob"]);
    assert_eq!(claim["count"], 1);
    let item = &claim["items"][0];
    assert!(
        item["words"]
            .as_str()
            .unwrap()
            .starts_with("task `design`: status OPEN → IN_PROGRESS, claimed_by none → user:bob@")
    );
    assert_eq!(
        (&item["old"]["status"], &item["new"]["status"]),
        (&json!("OPEN"), &json!("IN_PROGRESS"))
    );
    assert_eq!(read(&["--source", "user:bob"])["count"], 1);
    assert_eq!(read(&["--kind", "note"])["count"], 2);
    assert_eq!(read(&["--intent", "task.claim"])["count"], 1);
    let group = item["group"].as_str().unwrap();
    assert_eq!(read(&["--group", &group[..10]])["count"], 1);
    env.drover(&["log", "--group", "zz", "--json"]).refused(3, "group_unknown");
    assert_eq!(read(&["-n", "2"])["count"], 2);
    let seq = item["seq"].as_i64().unwrap();
    assert_eq!(read(&["--since", &(seq - 1).to_string()])["items"][0]["seq"], seq);
    assert_eq!(read(&["--since", "0", "-n", "1"])["items"][0]["entity"], "project");
    assert_eq!(read(&["--since", "1h"])["count"], read(&["-n", "0"])["count"]);
    assert_eq!(read(&["--since", "2999-01-01"])["count"], 0);
    env.drover(&["log", "--since", "soon", "--json"]).refused(2, "usage");
    env.drover(&["log", "--key", "k", "--json"]).refused(2, "usage");
}

#[test]
fn a_filter_takes_several_words_and_a_noun_stands_for_its_verbs() {
    let env = two_projects();
    env.drover(&["task", "claim", "web/design", "--actor", "bob"]).ok();
    env.drover(&["task", "update", "web/design", "--impact", "60", "--actor", "ann"]).ok();
    env.drover(&["log", "-p", "web", "seen 3", "--kind", "ledger"]).ok();
    let read = |words: &[&str]| {
        let mut call = vec!["log", "-p", "web", "--json"];
        call.extend(words);
        let items = env.drover(&call).ok().data()["items"].clone();
        let intents = items.as_array().unwrap().iter().map(|it| it["intent"].as_str().unwrap());
        intents.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(read(&["--source", "bob,ann", "--kind", "task"]), ["task.claim", "task.update"]);
    assert_eq!(read(&["--source", "bob", "--source", "ann", "-n", "1"]), ["task.update"]);
    assert_eq!(read(&["--kind", "project,ledger"]), ["project.init", "log.append"]);
    assert_eq!(read(&["--intent", "project,log.append"]), ["project.init", "log.append"]);
    assert_eq!(
        read(&["--intent", "task", "--kind", "task"]),
        ["task.add", "task.claim", "task.update"]
    );
    assert!(read(&["--intent", "tas"]).is_empty(), "a noun is a whole word");
    for flag in ["--kind", "--source", "--intent"] {
        env.drover(&["log", flag, "a, ", "--json"]).refused(2, "usage");
    }
    env.drover(&["log", "-p", "web", "x", "--kind", "a,b", "--json"]).refused(2, "usage");
}

#[test]
fn a_project_that_is_torn_down_is_still_known_to_the_log_by_its_name() {
    let env = two_projects();
    env.drover(&["project", "teardown", "web", "--yes"]).ok();
    let gone = env.drover(&["log", "-p", "web", "-n", "0", "--json"]).ok().data();
    let items = gone["items"].as_array().unwrap();
    assert!(items.iter().all(|it| it["project"] == "web"));
    assert_eq!(items.last().unwrap()["words"], "project `web` deleted");
    let groups = env.drover(&["undo", "-p", "web", "--json"]).ok().data();
    assert_eq!(groups["items"][0]["intents"], json!(["project.teardown"]));
    env.drover(&["log", "-p", "wep", "--json"]).refused(3, "project_unknown");
}

#[test]
fn rows_of_several_projects_name_theirs() {
    let env = two_projects();
    let all = env.drover(&["log", "--all"]).ok().stdout;
    assert!(all.contains("task `design` added: Design it [web]\n"), "{all}");
    let one = env.drover(&["log", "-p", "web"]).ok().stdout;
    assert!(one.contains("task `design` added: Design it\n"), "{one}");
}

#[test]
fn a_long_absence_is_told_in_numbers_and_the_latest_of_each_kind() {
    let env = two_projects();
    for count in 0..120 {
        env.drover(&["log", "-p", "web", &format!("line {count}")]).ok();
    }
    let told = env.drover(&["since", "-p", "web", "--json"]).ok().data();
    let said = told["happenings"]["items"].as_array().unwrap().last().unwrap();
    assert_eq!((&said["kind"], &said["total"]), (&json!("said"), &json!(120)));
    assert_eq!(said["changes"]["count"], 100);
    assert_eq!(said["changes"]["items"][99]["new"]["text"], "line 119");
    let card = env.drover(&["since", "1h", "-p", "web"]).ok().stdout;
    assert!(card.contains("  120 said\n    … 115 before\n    message: line 115"), "{card}");
}

/// Fault X-06.
#[test]
fn a_line_is_added_under_its_kind_and_found_again() {
    let env = two_projects();
    env.drover(&["log", "hello", "--json"]).refused(2, "project_unclear");
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let added = env
        .drover(&["log", "-p", "web", &format!("state: {secret}"), "--kind", "ledger", "--json"])
        .ok();
    let added = added.json();
    assert_eq!(
        (&added["data"]["kind"], &added["warnings"]),
        (&json!("ledger"), &json!(["redacted: 1"]))
    );
    let found =
        env.drover(&["log", "-p", "web", "--kind", "ledger", "-n", "1", "--json"]).ok().data();
    assert_eq!(found["items"][0]["new"]["text"], "state: [redacted]");
    env.drover_with_stdin(&["log", "-", "-p", "web"], "from stdin").ok();
    for (text, kind) in [(" ", "message"), ("x", "Not A Word"), ("x", "")] {
        env.drover(&["log", "-p", "web", text, "--kind", kind, "--json"]).refused(2, "usage");
    }
    env.drover(&["log", "x", "--tail", "--json"]).refused(2, "usage");
}

#[test]
fn a_deleted_row_keeps_its_project_and_its_name() {
    let env = two_projects();
    env.drover(&["task", "delete", "web/design", "--yes"]).ok();
    let gone = env.drover(&["log", "-p", "web", "--intent", "task.delete", "--json"]).ok().data();
    assert_eq!(words(&gone), ["note on `design` deleted", "task `design` deleted"]);
}

#[test]
fn control_characters_of_stored_text_are_shown_not_sent() {
    let env = two_projects();
    env.drover(&["log", "-p", "web", "red \u{1b}[31m alert"]).ok();
    let shown = env.drover(&["log", "-p", "web"]).ok().stdout;
    assert!(!shown.contains('\u{1b}') && shown.contains("red \\u{1b}[31m alert"), "{shown}");
}

#[test]
fn a_tail_prints_each_change_as_it_is_committed_and_ends_on_an_interrupt() {
    let env = two_projects();
    let tail = env.drover_in_background(&["log", "--tail", "-p", "web", "--json", "--since", "0"]);
    wait_until("what was there", SOON, || tail.stdout_so_far().lines().count() == 3);
    env.drover(&["task", "claim", "api/design"]).ok();
    env.drover(&["task", "claim", "web/design"]).ok();
    let line =
        wait_for("the claim", SOON, || tail.stdout_so_far().lines().nth(3).map(str::to_owned));
    let object: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&object["ok"], &object["outcome"]), (&json!(true), &json!("logged")));
    assert_eq!(object["data"]["change"]["intent"], "task.claim");
    assert!(tail.is_running());
    env.call("kill", &["-INT", &tail.pid().to_string()]).run().ok();
    let ended = tail.wait();
    assert_eq!((ended.exit, ended.stdout.lines().count()), (130, 4));
}

#[test]
fn a_tail_starts_at_the_end() {
    let env = two_projects();
    let tail = env.drover_in_background(&["log", "--tail"]);
    wait_until("the watch to stand", SOON, || {
        env.drover(&["log", "-p", "web", "x"]).ok();
        !tail.stdout_so_far().is_empty()
    });
    let text = tail.stdout_so_far();
    assert!(text.contains("log.append: message: x") && !text.contains("project.init"), "{text}");
}

#[test]
fn since_tells_by_project_and_kind_and_last_goes_on_from_the_callers_last_call() {
    let env = two_projects();
    let told = env.drover(&["since", "--json"]).ok().data();
    assert_eq!(told["first_call"], true);
    let kinds: Vec<(&str, &str)> = told["happenings"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["project"].as_str().unwrap(), it["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [("api", "added"), ("api", "noted"), ("web", "added"), ("web", "noted")]);
    env.drover(&["task", "claim", "web/design", "--actor", "bob"]).ok();
    let dry = env.drover(&["since", "last", "--dry-run", "--json"]).ok().data();
    let told = env.drover(&["since", "last", "--json"]).ok().data();
    assert_eq!(dry, told, "a dry run moves no cursor");
    assert_eq!(
        (&told["happenings"]["count"], &told["happenings"]["items"][0]["kind"]),
        (&json!(1), &json!("claimed"))
    );
    let nothing = env.drover(&["since"]).ok().stdout;
    assert!(nothing.contains("Nothing happened."), "{nothing}");
    assert_eq!(
        env.drover(&["since", "last", "--actor", "bob", "--json"]).ok().data()["first_call"],
        true
    );
    assert_eq!(
        env.drover(&["since", "1h", "-p", "api", "--json"]).ok().data()["happenings"]["count"],
        2
    );
    env.drover(&["since", "yesterday-ish", "--json"]).refused(2, "usage");
}
