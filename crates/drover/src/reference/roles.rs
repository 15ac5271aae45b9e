//! `docs/roles.md`: who may use which verb.

use std::fmt::Write as _;

use drover_ops::roles::{TABLE, Who, who};
use drover_testkit::document;

use super::{command, verbs};

const HEAD: &str = "# Roles

Who may use which verb. A call without an agent around it is a person's. What an agent may do is said by its
role: `operator` and `coordinator` lead their project, `worker` and `reviewer` work in it and see no other.
Written by a test; do not edit.

| verb | people | operator, coordinator | worker | reviewer |
| --- | --- | --- | --- | --- |
";

fn row(verb: &str, who: Who) -> [&'static str; 4] {
    match who {
        Who::Everyone => ["yes"; 4],
        Who::Within(within) => {
            ["yes", "yes", within.as_str(), bound_further(verb, within.as_str())]
        }
        Who::Workers(within) => ["yes", "yes", within.as_str(), "no"],
        Who::Leaders => ["yes", "yes", "no", "no"],
        Who::People => ["yes", "no", "no", "no"],
    }
}

fn bound_further(verb: &str, within: &'static str) -> &'static str {
    if verb == "task close" { "to reject a task it holds" } else { within }
}

#[test]
fn the_page_of_roles_is_the_table() {
    let mut text = HEAD.to_owned();
    for (verb, who) in TABLE {
        let _ = writeln!(text, "| `{verb}` | {} |", row(verb, *who).join(" | "));
    }
    document::hold("docs/roles.md", &text);
}

#[test]
fn every_verb_says_who_may_use_it() {
    for (name, command) in verbs(&command()) {
        if !command.has_subcommands() {
            assert!(who(&name).is_some(), "{name} is not in the table of roles");
        }
    }
}
