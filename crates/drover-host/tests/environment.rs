//! `docs/environment.md`: every variable that the program reads or sets, held against the sources.
#![expect(clippy::unwrap_used, reason = "test harness")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use drover_host::env::{AGENT, DENIED, DENIED_PREFIXES, GIT, PROGRAM};
use drover_host::variables::{Role, TEST_BUILDS, VARIABLES, Variable};
use drover_testkit::document;
use regex::Regex;

/// Variables that a library reads for us, so that no source of ours names them.
const BY_LIBRARIES: [&str; 6] = ["CI", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM"];

const HEAD: &str = "# Environment

Every variable that Drover reads or sets. Written by a test; do not edit.
";

fn variables() -> impl Iterator<Item = &'static Variable> {
    VARIABLES.iter().chain(TEST_BUILDS)
}

fn page() -> String {
    let mut text = HEAD.to_owned();
    let parts = [
        (Role::Setting, "Settings", "A person sets them."),
        (
            Role::Surroundings,
            "Surroundings",
            "The system, the terminal and the multiplexer set them.",
        ),
        (
            Role::Given,
            "Given",
            "Drover sets them for agents, and removes any that it was called with.",
        ),
        (Role::TestBuilds, "Test builds", "The released program does not know them."),
    ];
    for (role, title, whose) in parts {
        let _ = write!(
            text,
            "\n## {title}\n\n{whose}\n\n| name | effect | when unset |\n| --- | --- | --- |\n"
        );
        for variable in variables().filter(|it| it.role == role) {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} |",
                variable.name, variable.effect, variable.unset
            );
        }
    }
    text.push_str("\n## What others see\n\nNothing is inherited unless it stands here.\n\n");
    let list = |names: &[&str], after: &[&str]| {
        let names = names.iter().chain(after).map(|it| format!("`{it}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let families = ["XDG_*", "GIT_CONFIG_KEY_*", "GIT_CONFIG_VALUE_*"];
    let programs: Vec<&str> = PROGRAM.iter().chain(GIT).copied().collect();
    let denied: Vec<String> = DENIED_PREFIXES.iter().map(|it| format!("{it}*")).collect();
    let denied: Vec<&str> = denied.iter().map(String::as_str).collect();
    let _ = write!(
        text,
        "Programs that Drover runs, such as git and tmux, see these and `LC_ALL=C`: {}.\n\n\
         Agents see the same without that locale, these, and the variables that their profile names: {}.\n\n\
         No child sees these, named or not, unless they stand above: {}. Agents get the variables under *Given* afresh.\n",
        list(&programs, &families),
        list(AGENT, &["LC_*"]),
        list(DENIED, &denied),
    );
    text
}

/// The names that shipped code reads, and every name of ours that it holds.
fn named_in_sources() -> BTreeSet<String> {
    let read = Regex::new(r#"\.(?:get|text|base|directory)\(\s*"([A-Z][A-Z0-9_]*)""#).unwrap();
    let ours = Regex::new(r#""(DROVER_[A-Z_]*[A-Z](?:_\{name\})?)""#).unwrap();
    let mut names = BTreeSet::new();
    for (path, text) in document::rust_files() {
        let is_shipped = path.contains("/src/")
            && !path.ends_with("/tests.rs")
            && ![
                "crates/drover-testkit/",
                "crates/drover/src/reference/",
                "crates/drover-host/src/variables.rs",
            ]
            .iter()
            .any(|it| path.starts_with(it));
        if !is_shipped {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for regex in [&read, &ours] {
            let found = regex.captures_iter(code).map(|it| it[1].replace("{name}", "<NAME>"));
            names.extend(found);
        }
    }
    names
}

#[test]
fn the_environment_page_is_the_table() {
    document::hold("docs/environment.md", &page());
}

#[test]
fn the_table_names_every_variable_that_is_read_and_no_other() {
    let named = named_in_sources();
    let listed: BTreeSet<String> = variables().map(|it| it.name.to_owned()).collect();
    assert_eq!(listed.len(), variables().count(), "a name stands twice");
    let missing: Vec<_> = named.difference(&listed).collect();
    assert!(missing.is_empty(), "add to VARIABLES in drover-host/src/variables.rs: {missing:?}");
    let unknown: Vec<_> =
        listed.difference(&named).filter(|it| !BY_LIBRARIES.contains(&it.as_str())).collect();
    assert!(unknown.is_empty(), "nothing reads {unknown:?}");
}

#[test]
fn within_a_role_names_are_in_order() {
    let order: Vec<_> = variables().map(|it| (it.role as u8, it.name)).collect();
    assert!(order.is_sorted(), "{order:?}");
}
