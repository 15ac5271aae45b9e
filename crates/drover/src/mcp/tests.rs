//! The tools hold to the command line.

use std::fmt::Write as _;

use clap::error::ErrorKind;
use drover_core::agent::Role;
use drover_ops::roles;
use drover_testkit::document;
use serde_json::{Map, Value, json};

use super::table::{BOUNDS, LEFT_OUT, LEFT_OUT_ARGUMENTS, READ_ONLY};
use super::tools::{self, Verb};
use super::words;
use crate::cli;
use crate::verb::Effect;

const HEAD: &str = "# Tools of `drover mcp`

Each verb that answers and ends is a tool, with the arguments of the command line; it answers with the JSON of \
`--json`. Who is shown which: an operator is whoever is no agent. Written by a test; do not edit.

| tool | shown to | arguments |
| --- | --- | --- |
";

fn arguments(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

fn words_of(tool: &str, value: Value) -> Result<String, String> {
    let verb = tools::find(tool).unwrap_or_else(|| panic!("no tool {tool}"));
    words::of(verb, &arguments(value)).map(|it| {
        let words: Vec<String> =
            it.words.iter().skip(1).map(|it| it.to_string_lossy().into_owned()).collect();
        words.join(" ")
    })
}

#[test]
fn arguments_become_words_that_no_text_can_leave() {
    let check = |tool: &str, value: Value, expected: Result<&str, &str>| {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(words_of(tool, value), expected);
    };
    check("task_claim", json!({ "id": "--force" }), Ok("task claim --json -- --force"));
    check(
        "task_close",
        json!({ "id": "a", "verify": true, "why": "--as=done" }),
        Ok("task close --json --why=--as=done --verify -- a"),
    );
    check(
        "task_close",
        json!({ "id": "a", "verify": "make test" }),
        Ok("task close --json --verify=make test -- a"),
    );
    check(
        "task_add",
        json!({ "title": "t", "impact": 80, "owns": ["a", "b/"], "triage": false, "note": null }),
        Ok("task add --json --impact=80 --owns=a --owns=b/ -- t"),
    );
    check("task_update", json!({ "id": "a", "owns": [] }), Ok("task update --json --owns= -- a"));
    check("task_wait", json!({ "ids": ["a", "b"] }), Ok("task wait --json -- a b"));
    check("run", json!({}), Ok("run --json --timeout=10m"));
    check("run", json!({ "timeout": "never" }), Ok("run --json --timeout=never"));
}

#[test]
fn what_is_not_as_the_schema_says_is_named() {
    let check = |tool: &str, value: Value, expected: &str| {
        assert_eq!(words_of(tool, value), Err(expected.to_owned()));
    };
    check("task_add", json!({ "title": 5 }), "\"title\" must be a string, and is a number");
    check("task_add", json!({}), "task_add needs the argument \"title\"");
    check(
        "task_add",
        json!({ "title": "t", "actor": "me" }),
        "task_add takes no argument \"actor\"",
    );
    check(
        "task_add",
        json!({ "title": "t", "impact": 5.5 }),
        "\"impact\" must be an integer, and is a number",
    );
    check("task_wait", json!({ "ids": "a" }), "\"ids\" must be an array, and is a string");
    check("task_add", json!({ "title": "a\u{0}b" }), "\"title\" holds a null byte");
    check(
        "agent_queue",
        json!({ "name": "w", "all": "yes" }),
        "\"all\" must be a boolean, and is a string",
    );
    check("log", json!({ "tail": true }), "log takes no argument \"tail\"");
    check("project_trust", json!({ "yes": true }), "project_trust takes no argument \"yes\"");
}

#[test]
fn a_call_with_all_it_needs_is_a_call_of_the_command_line() {
    for verb in tools::all() {
        let call = words::of(verb, &filled(verb)).unwrap();
        match cli::parse(&call.words) {
            Ok(parsed) => assert_eq!(parsed.verb.map(|it| it.name()), Some(verb.name.as_str())),
            // A word that has to be one of a few, a number in a range, or one of two that are needed.
            Err(err) => assert!(
                matches!(
                    err.kind(),
                    ErrorKind::InvalidValue
                        | ErrorKind::ValueValidation
                        | ErrorKind::MissingRequiredArgument
                ),
                "{}: {err}",
                verb.name
            ),
        }
    }
}

/// Something for every argument that has to be there.
fn filled(verb: &Verb) -> Map<String, Value> {
    let schema = serde_json::to_value(verb.told()).unwrap();
    let properties = &schema["inputSchema"]["properties"];
    let required = schema["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
    let names = required.iter().filter_map(Value::as_str);
    let filled = names.map(|name| {
        let value = match properties[name]["type"].as_str() {
            Some("array") => json!(["x"]),
            Some("integer" | "number") => json!(1),
            _ => json!("x"),
        };
        (name.to_owned(), value)
    });
    filled.collect()
}

#[test]
fn every_schema_says_what_each_argument_is() {
    for verb in tools::all() {
        let told = serde_json::to_value(verb.told()).unwrap();
        let is_name = |it: char| it.is_ascii_lowercase() || it == '_';
        assert!(verb.tool.chars().all(is_name) && verb.tool.len() <= 40, "{}", verb.tool);
        assert!(told["description"].as_str().is_some_and(|it| !it.is_empty()), "{told}");
        let properties = told["inputSchema"]["properties"].as_object().unwrap();
        for (name, schema) in properties {
            assert!(name.chars().all(is_name), "{}: {name}", verb.name);
            let text = schema["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{}: {name} has no description", verb.name);
            assert!(!schema["type"].is_null(), "{}: {name} has no type", verb.name);
        }
    }
}

#[test]
fn what_is_left_out_or_bounded_is_there_on_the_command_line() {
    let mut root = cli::command();
    root.build();
    let find = |verb: &str| {
        verb.split(' ')
            .filter(|it| !it.is_empty())
            .try_fold(&root, |it, word| it.find_subcommand(word))
    };
    for (verb, reason) in LEFT_OUT {
        assert!(find(verb).is_some() && !reason.is_empty(), "{verb}");
    }
    let named = LEFT_OUT_ARGUMENTS.iter().chain(BOUNDS);
    for (verb, argument, reason) in named {
        let command = find(verb).unwrap_or_else(|| panic!("no verb {verb}"));
        let has_it = command.get_arguments().any(|it| it.get_id() == *argument);
        assert!(has_it && !reason.is_empty(), "{verb}: {argument}");
    }
}

#[test]
fn verbs_that_only_read_are_known_as_such() {
    let mut root = cli::command();
    root.build();
    for verb in tools::all() {
        let command = verb.name.split(' ').try_fold(&root, |it, word| it.find_subcommand(word));
        let after = command.and_then(clap::Command::get_after_help).map(ToString::to_string);
        let example = after.unwrap_or_default();
        let line = example.split("Example:\n").nth(1).and_then(|it| it.lines().next());
        let line = line.unwrap_or_default();
        let call = line.get(line.find("drover").unwrap_or(0)..).unwrap_or_default();
        let call = call.split(['|', '<', '>', ')']).next().unwrap_or_default();
        let words = drover_ops::words::split(call.trim()).unwrap();
        let words: Vec<_> = words.into_iter().map(Into::into).collect();
        let effect = cli::parse(&words).unwrap().verb.unwrap().effect();
        // These read or change, as they are called.
        let is_both = [
            "agent delegate",
            "agent queue",
            "doctor",
            "log",
            "project trust",
            "task next",
            "undo",
        ]
        .contains(&verb.name.as_str());
        let is_read_only = READ_ONLY.contains(&verb.name.as_str());
        assert!(is_both || (effect == Effect::Reads) == is_read_only, "{}: {call}", verb.name);
    }
}

/// The page that lists the tools.
fn page() -> String {
    let mut text = HEAD.to_owned();
    for verb in tools::all() {
        let mut roles = Role::ALL.into_iter().filter(|role| roles::may(*role, &verb.name));
        let who: Vec<&str> = roles.by_ref().map(Role::as_str).collect();
        let takes: Vec<&str> = verb.properties.iter().map(|it| it.name.as_str()).collect();
        let _ = writeln!(text, "| `{}` | {} | {} |", verb.tool, who.join(", "), takes.join(", "));
    }
    text.push_str("\n## Verbs that are no tools\n\nThose that only people may use, and:\n\n");
    for (verb, reason) in LEFT_OUT {
        let _ = writeln!(text, "- `{verb}`: {reason}");
    }
    text.push_str("\n## Arguments that no tool takes\n\n");
    for (verb, argument, reason) in LEFT_OUT_ARGUMENTS {
        let of = if verb.is_empty() { String::new() } else { format!(" of `{verb}`") };
        let _ = writeln!(text, "- `--{argument}`{of}: {reason}");
    }
    text.push_str("\n## Other defaults\n\n");
    for (verb, argument, default) in BOUNDS {
        let _ = writeln!(text, "- `--{argument}` of `{verb}`: {default}");
    }
    text
}

#[test]
fn each_role_is_shown_what_it_may_use() {
    document::hold("docs/mcp.md", &page());
}
