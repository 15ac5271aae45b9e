//! `drover task note` and `task notes`.

use serde_json::{Value, json};

use crate::env;

fn texts(listed: &Value) -> Vec<&str> {
    listed["items"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect()
}

/// Fault S-22.
#[test]
fn a_note_is_taken_as_typed_from_words_standard_input_or_a_file() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    let odd = "it's `date` $HOME \\n --flag\n";
    env.drover(&["task", "note", "a", odd]).ok();
    env.drover(&["task", "note", "a", "--", "--not-a-flag"]).ok();
    env.drover_with_stdin(&["task", "note", "a", "-"], odd).ok();
    let file = env.root().join("note.txt");
    std::fs::write(&file, odd).unwrap();
    env.drover(&["task", "note", "a", "--file", file.to_str().unwrap()]).ok();
    let notes = env.drover(&["task", "notes", "a", "--json"]).ok().data();
    assert_eq!(texts(&notes), [odd, "--not-a-flag", odd, odd]);
}

/// Fault S-22.
#[test]
fn a_blank_note_is_refused_and_a_note_that_spilled_is_told_of_standard_input() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    env.drover(&["task", "note", "a", " \n", "--json"]).refused(2, "usage");
    env.drover(&["task", "note", "a", "--json"]).refused(2, "usage");
    for stdin in ["", " \t\n"] {
        env.drover_with_stdin(&["task", "note", "a", "-", "--json"], stdin).refused(2, "usage");
    }
    env.drover(&["task", "note", "a", "x", "--file", "y", "--json"]).refused(2, "usage");
    env.drover(&["task", "note", "a", "--file", "missing", "--json"]).refused(5, "file_failed");
    let spilled = env.drover(&["task", "note", "a", "it", "is", "--json"]).refused(2, "usage");
    assert_eq!(spilled["next"][0]["run"], "drover task note a - < <file>");
    assert_eq!(env.drover(&["task", "notes", "a", "--json"]).ok().data()["count"], 0);
}

#[test]
fn notes_are_cut_by_number_time_and_claim_with_evidence_in_line() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "a", "--note", "first"]).ok();
    env.drover(&["task", "notes", "a", "--since-claim", "--json"]).refused(3, "task_not_claimed");
    env.drover(&["task", "claim", "a", "--evidence", "mine"]).ok();
    env.drover(&["task", "note", "a", "second"]).ok();
    let notes = |words: &[&str]| {
        let mut call = vec!["task", "notes", "a", "--json"];
        call.extend(words);
        env.drover(&call).ok().data()
    };
    assert_eq!(texts(&notes(&[])), ["first", "mine", "second"]);
    assert_eq!(texts(&notes(&["--since-claim"])), ["mine", "second"]);
    let tail = notes(&["--tail", "1"]);
    assert_eq!((texts(&tail), &tail["total"]), (vec!["second"], &json!(3)));
    assert_eq!(notes(&["--since", "1h"])["count"], 3);
    assert_eq!(notes(&["--since", "2999-01-01"])["count"], 0);
    assert_eq!(notes(&["--since", "2020-01-01T00:00:00+02:00"])["count"], 3);
    for bad in [
        ["--since", "yesterday"],
        ["--since", "never"],
        ["--since", "-5m"],
        ["--tail", "0"],
        ["--tail", "1.5"],
    ] {
        let [flag, value] = bad;
        env.drover(&["task", "notes", "a", &format!("{flag}={value}"), "--json"])
            .refused(2, "usage");
    }
    env.drover(&["task", "notes", "a", "--since", "1h", "--since-claim", "--json"])
        .refused(2, "usage");
}

#[test]
fn a_note_on_a_closed_task_is_kept_and_a_keyed_one_is_written_once() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    env.drover(&["task", "close", "a"]).ok();
    env.drover(&["task", "note", "a", "x", "--dry-run"]).ok();
    for _ in 0..2 {
        env.drover(&["task", "note", "a", "x", "--key", "k"]).ok();
    }
    assert_eq!(env.drover(&["task", "notes", "web/a", "--json"]).ok().data()["count"], 1);
}
