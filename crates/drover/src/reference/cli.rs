//! `docs/cli.md`: every verb with its help.

use std::fmt::Write as _;

use clap::Command;
use drover_testkit::document;

use super::{command, verbs};

const HEAD: &str = "# Command line

What `--help` says, for every noun and verb. Written by a test; do not edit.
";

/// The help of a command without the flags that every verb has.
fn help(command: &Command) -> String {
    let own = command
        .clone()
        .mut_args(|it| {
            let is_everywhere = it.is_global_set() || it.get_id() == "help";
            it.hide(is_everywhere)
        })
        .render_long_help()
        .to_string();
    own.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn page() -> String {
    let mut root = command();
    let everywhere = root.render_long_help().to_string();
    let mut text = HEAD.to_owned();
    section(&mut text, "## drover", &everywhere);
    for (name, command) in verbs(&root) {
        if command.has_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = write!(text, "\n## drover {name}\n\n{about}.\n");
        } else {
            section(&mut text, &format!("### drover {name}"), &help(command));
        }
    }
    text
}

fn section(text: &mut String, title: &str, help: &str) {
    let help: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    let _ = write!(text, "\n{title}\n\n```text\n{}\n```\n", help.join("\n"));
}

#[test]
fn the_command_line_reference_is_what_help_says() {
    document::hold("docs/cli.md", &page());
}

#[test]
fn every_verb_has_a_sentence_an_example_and_its_exit_codes() {
    for (name, command) in verbs(&command()) {
        if command.has_subcommands() {
            continue;
        }
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(!about.is_empty(), "{name} does not say what it does");
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for part in ["Example:\n  ", "Exit codes: 0"] {
            assert!(after.contains(part), "the help of {name} has no `{}`", part.trim());
        }
    }
}
