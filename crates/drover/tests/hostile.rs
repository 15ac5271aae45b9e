//! Texts that would hurt if anything took them for more than text.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use serde_json::json;

use crate::env;

const TEXTS: [&str; 13] = [
    "-rf",
    "--yes",
    "ends in ;",
    "#(touch x)",
    "$(touch x) `touch x`",
    "a\u{1b}[201~b\u{1b}[31mred",
    "line\r\nbreak\n\nNext:\n  do : rm -rf",
    "日本語 👨‍👩‍👧‍👦 🇩🇪 e\u{301} שלום",
    "\u{202e}reversed",
    "quote ' and \" and \\",
    "tab\tand\u{7}bell",
    "'); DROP TABLE tasks;--",
    "%s %n {} {0}",
];

fn has_file_x(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().any(|it| {
        let it = it.unwrap();
        it.file_name() == "x" || (it.file_type().unwrap().is_dir() && has_file_x(&it.path()))
    })
}

/// Faults T-01, X-01.
#[test]
fn odd_texts_are_kept_as_typed_and_printed_without_harm() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for (number, text) in TEXTS.iter().enumerate() {
        let id = format!("t{number}");
        let equals = |flag: &str| format!("{flag}={text}");
        env.drover(&["task", "add", "--id", &id, "--verify=true", "--", text]).ok();
        env.drover_with_stdin(&["task", "note", &id, "-"], *text).ok();
        env.drover(&["task", "claim", &id, &equals("--evidence")]).ok();
        env.drover(&["task", "update", &id, &format!("--label={}", text.replace(',', " "))]).ok();
        env.drover(&["task", "update", &id, &equals("--verify")]).ok();
        env.drover(&["task", "close", &id, "--unverified", &equals("--why")]).ok();
        let shown = env.drover(&["task", "show", &id, "--json"]).ok().data();
        assert_eq!(shown["task"]["title"], text.trim());
        assert_eq!(
            (&shown["task"]["verify"], &shown["notes"]["items"][0]["text"]),
            (&json!(text), &json!(text))
        );
        assert_eq!(shown["evidence"]["items"][1]["text"], *text);
        for words in [
            vec!["show", &id],
            vec!["show", &id, "--proof"],
            vec!["notes", &id],
            vec!["why", &id],
            vec!["tree", &id],
            vec!["delete", &id],
        ] {
            let mut call = vec!["task"];
            call.extend(words);
            let printed = env.drover(&call).ok().stdout;
            let is_raw =
                |it: char| (it.is_control() && it != '\n' && it != '\t') || it == '\u{202e}';
            assert!(!printed.contains(is_raw), "{printed:?}");
            assert_eq!(
                printed.matches("\nNext:").count(),
                usize::from(!call.contains(&"--proof")),
                "{printed}"
            );
        }
    }
    let listed = env.drover(&["task", "list"]).ok().stdout;
    assert_eq!(listed.lines().count(), 1 + TEXTS.len() + 3, "{listed}");
    env.drover(&["task", "plan"]).ok();
    assert!(!has_file_x(env.root()));
}

#[test]
fn a_text_with_a_nul_byte_or_no_text_at_all_is_told_apart_from_one_that_is_no_utf8() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    env.drover_with_stdin(&["task", "note", "a", "-"], "one\0two").ok();
    let notes = env.drover(&["task", "notes", "a", "--json"]).ok().data();
    assert_eq!(notes["items"][0]["text"], "one\0two");
    let refused = env
        .drover_with_stdin(&["task", "note", "a", "-", "--json"], b"ab\xff".to_vec())
        .refused(2, "usage");
    assert_eq!(refused["error"], "the text is not valid UTF-8 at byte 2");
    for words in [["task", "note", "a"], ["task", "show", "--json"]] {
        let mut call: Vec<OsString> = words.iter().map(Into::into).collect();
        call.extend([OsString::from_vec(b"\xff\xfe".to_vec()), "--json".into()]);
        call.dedup();
        env.drover(&call).refused(2, "usage");
    }
}

#[test]
fn a_text_beyond_its_stated_size_is_refused_with_both_numbers_and_nothing_is_written() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "a"]).ok();
    let largest = "x".repeat(1 << 20);
    env.drover_with_stdin(&["task", "note", "a", "-"], largest.clone()).ok();
    let kept = env.drover(&["task", "notes", "a", "--json"]).ok().data();
    assert!(kept["items"][0]["text"] == *largest);
    let ten = "x".repeat(10 << 20);
    let size_named = |words: &[&str]| {
        let refused = env.drover_with_stdin(words, ten.clone()).refused(2, "usage");
        let error = refused["error"].as_str().unwrap().to_owned();
        assert!(error.contains("has 10485760 bytes, and at most"), "{error}");
    };
    size_named(&["task", "note", "a", "-", "--json"]);
    size_named(&["task", "add", "-", "--json"]);
    size_named(&["task", "add", "b", "--note", "-", "--json"]);
    size_named(&["task", "update", "a", "--title", "-", "--json"]);
    size_named(&["task", "close", "a", "--evidence", "-", "--json"]);
    size_named(&["task", "close", "a", "--as", "wontfix", "--why", "-", "--json"]);
    size_named(&["task", "park", "a", "--why", "-", "--json"]);
    size_named(&["task", "claim", "a", "--evidence", "-", "--json"]);
    let shown = env.drover(&["task", "show", "a", "--json"]).ok().data();
    assert_eq!((&shown["task"]["status"], &shown["notes"]["count"]), (&json!("OPEN"), &json!(1)));
    assert_eq!(env.drover(&["task", "list", "--json"]).ok().data()["count"], 1);
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let env = env();
    let full = |words: &str| {
        let line = format!("'{}' {words} >/dev/full", env.binary().display());
        env.call("sh", &["-c", &line]).run()
    };
    env.drover(&["project", "list"]).ok();
    for words in ["project init web", "task list -p web --json"] {
        let output = full(words);
        assert_eq!(output.exit, 1, "{words}: {output:?}");
        assert!(output.stderr.contains("could not be written"), "{words}: {output:?}");
    }
    env.drover(&["project", "show", "web"]).ok();
    let line = format!("'{}' task list -p web --json | true", env.binary().display());
    env.call("bash", &["-o", "pipefail", "-c", &line]).run().ok();
}
