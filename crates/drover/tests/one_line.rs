//! Under `--json` standard output is one JSON object on one line, whatever is called, in whatever world.

use drover_testkit::{TestEnv, document};
use serde_json::Value;

use crate::env;

/// Verbs that answer in a way of their own.
const OF_THEIR_OWN: &[&str] = &["mcp"];

/// The examples of the page, as the words behind `drover`.
fn examples() -> Vec<String> {
    let page = document::read("docs/cli.md");
    let lines = page.lines().filter_map(|it| it.trim_start().strip_prefix("drover "));
    let is_call = |it: &&str| !OF_THEIR_OWN.iter().any(|verb| it.starts_with(verb));
    let mut found: Vec<String> = lines.filter(is_call).map(str::to_owned).collect();
    found.dedup();
    assert!(found.len() > 60, "the examples of the page are not found");
    found
}

/// What a call printed is one JSON object, ended by the only line break.
#[track_caller]
fn is_one_object(env: &TestEnv, words: &str) {
    let line = format!("exec {} {words} --json </dev/null", env.binary().display());
    let call = env.call("sh", &["-c", &line]).directory(env.home());
    let output = call.variable("RUST_LOG", "debug").variable("RUST_BACKTRACE", "1").run();
    let printed = &output.stdout;
    assert_eq!(printed.matches('\n').count(), 1, "{words}: {output}");
    let answer: Value =
        serde_json::from_str(printed).unwrap_or_else(|_| panic!("{words}: {output}"));
    assert_eq!(answer["schema"], 1, "{words}: {output}");
    assert_eq!(answer["ok"].as_bool(), Some(output.exit == 0), "{words}: {output}");
    assert!(answer["outcome"].is_string() && answer["data"].is_object(), "{words}: {output}");
    assert!(output.exit != 1 && output.exit < 8, "{words}: {output}");
}

fn each(prepare: impl Fn(&TestEnv), is_meant: impl Fn(&str) -> bool) {
    let env = env();
    prepare(&env);
    for words in examples().iter().filter(|it| is_meant(it)) {
        // A redirection and a pipe are the shell's, and come last; a placeholder is in quotes.
        let ends = [" <", " > ", " | "].iter().filter_map(|it| words.find(it));
        let call = ends.min().and_then(|it| words.get(..it)).unwrap_or(words);
        assert!(!words[call.len()..].contains(';'), "{words}");
        is_one_object(&env, call);
    }
}

/// What would start a crew of its own; it is tried where it is refused.
fn is_small(words: &str) -> bool {
    !["demo", "run ", "dispatch", "agent delegate"].iter().any(|it| words.starts_with(it))
}

/// Fault G-08.
#[test]
fn without_anything_there_every_verb_answers_in_one_object() {
    each(|_| {}, is_small);
}

/// Fault G-08.
#[test]
fn on_an_empty_project_every_verb_answers_in_one_object() {
    each(|env| drop(env.drover(&["project", "init", "web"]).ok()), is_small);
}

/// Fault G-08.
#[test]
fn with_settings_that_cannot_be_read_every_verb_answers_in_one_object() {
    let spoil = |env: &TestEnv| {
        let directory = env.config().join("drover");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("config.toml"), "no such = [setting\n\0").unwrap();
    };
    each(spoil, is_small);
}

/// Fault G-08.
#[test]
fn on_a_database_that_cannot_be_opened_every_verb_answers_in_one_object() {
    let spoil = |env: &TestEnv| {
        env.drover(&["project", "init", "web"]).ok();
        std::fs::write(env.database(), "no database").unwrap();
    };
    each(spoil, |_| true);
}

/// Fault G-08.
#[test]
fn words_that_are_off_help_and_the_version_are_answered_in_one_object() {
    let env = env();
    let calls = [
        "",
        "task",
        "--help",
        "task add --help",
        "--version",
        "nonsense",
        "task nonsense",
        "task add",
    ];
    for words in calls {
        let line = format!("exec {} {words} --json", env.binary().display());
        let output = env.call("sh", &["-c", &line]).run();
        let answer: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(output.stdout.matches('\n').count(), 1, "{words}: {output}");
        assert_eq!(answer["ok"].as_bool(), Some(output.exit == 0), "{words}: {output}");
    }
}

#[test]
fn a_text_that_looks_like_the_flag_is_a_text() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "one"]).ok();
    let noted = env.drover(&["task", "note", "one", "--", "--json"]).ok().stdout;
    assert!(noted.starts_with("Noted on one"), "{noted}");
}
