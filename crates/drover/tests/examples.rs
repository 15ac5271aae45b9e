//! Every example of `docs/cli.md` runs as it stands, in a prepared project, and asks the database for no more than it needs.

use std::collections::{BTreeMap, BTreeSet};

use drover_testkit::document;

use crate::pasted::Pasted;
use crate::plans;

/// What stands before each example: a project, a repository with a plan and a script, and a few tasks.
const GROUND: &str = r#"
printf '%s\n' '{"tasks":[{"id":"plan_it","title":"Plan it","impact":50,"effort_days":1}]}' > plan.json
printf '%s\n' '#!/bin/sh' 'echo "$DROVER_TASK" > done.txt' > work.sh
chmod +x work.sh
git add plan.json work.sh
git commit -q -m "A plan and a script"
drover project init web --repo .
drover task add "Design the schema"
drover task add "Build the page" --blocked-by design_the_schema
drover task add "Write the guide"
"#;

/// What examples need besides, by verb or by noun; the verb's own line wins.
const PREPARED: &[(&str, &str)] = &[
    ("agent", AN_AGENT),
    ("agent adopt", A_PANE),
    ("agent kick", A_BUSY_AGENT),
    ("agent list", ""),
    ("agent queue", A_QUEUE),
    ("agent send", "drover agent spawn w1 --command cat"),
    ("agent spawn", ""),
    ("agent wait", TWO_AGENTS),
    ("project unarchive", "drover project archive web"),
    ("run", "cp work.sh worker.sh && git add worker.sh && git commit -q -m 'A worker'"),
    ("task close", A_CLAIM),
    ("task release", A_CLAIM),
    ("task wait", A_CLOSED_TASK),
    ("workspace", AN_AGENT),
    ("workspace free", A_DEAD_AGENT),
    ("workspace orphans", ""),
];

const AN_AGENT: &str = "drover agent spawn w1 --engine shell --work ./work.sh";
const A_PANE: &str = r#"
drover agent spawn w1 --engine shell
tmux -S "$DROVER_TMUX_SOCKET" new-window -d -t drover-web: cat
"#;
const TWO_AGENTS: &str =
    "drover agent spawn w1 --engine shell; drover agent spawn w2 --engine shell";
const A_BUSY_AGENT: &str = r#"
drover agent spawn w1 --engine shell
pane=$(tmux -S "$DROVER_TMUX_SOCKET" list-panes -a -F '#{pane_id}')
tmux -S "$DROVER_TMUX_SOCKET" send-keys -t "$pane" 'cat' Enter
until [ "$(tmux -S "$DROVER_TMUX_SOCKET" display-message -p -t "$pane" '#{pane_current_command}')" = cat ]
do :; done
"#;
const A_QUEUE: &str = r#"
drover agent spawn w1 --engine shell
pane=$(tmux -S "$DROVER_TMUX_SOCKET" list-panes -a -F '#{pane_id}')
tmux -S "$DROVER_TMUX_SOCKET" send-keys -t "$pane" 'cat' Enter
until [ "$(tmux -S "$DROVER_TMUX_SOCKET" display-message -p -t "$pane" '#{pane_current_command}')" = cat ]
do :; done
for text in one two three; do drover agent send w1 "$text" --when-idle --run; done
"#;
const A_DEAD_AGENT: &str = r#"
drover agent spawn w1 --engine shell
tmux -S "$DROVER_TMUX_SOCKET" kill-server
"#;
const A_CLAIM: &str = "drover task claim design_the_schema";
const A_CLOSED_TASK: &str = r#"
drover task claim design_the_schema
drover task close design_the_schema --evidence "the schema is in the repository"
"#;

/// Examples that cannot run here, by their verb, each with its reason.
const SKIPPED: &[(&str, &str)] = &[
    ("agent delegate", "it needs a chat agent; tests of `delegate` do that"),
    ("agent abort", "it needs an agent with a channel of its own; tests of `wait` do that"),
    ("agent approve", "it needs an agent that asks; tests of `approve` do that"),
    ("project import", "it needs a database of mu; tests of `mu` do that"),
    ("me work", "it is typed into an agent's own pane; tests of `me` and `run` do that"),
];

/// The examples of the page: the verb, and the lines to paste.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for section in page.split("\n### drover ").skip(1) {
        let verb = section.lines().next().unwrap_or_default();
        let example = section.split("Example:\n").nth(1).unwrap_or_default();
        let lines: Vec<&str> =
            example.lines().map_while(|it| it.strip_prefix("  ")).map(str::trim).collect();
        assert!(!lines.is_empty(), "{verb} has no example");
        found.push((verb.to_owned(), lines.join("\n")));
    }
    found
}

fn of<'a>(table: &[(&str, &'a str)], verb: &str) -> Option<&'a str> {
    table.iter().find(|it| it.0 == verb).map(|it| it.1)
}

/// Fault Z-02.
#[test]
fn every_example_runs() {
    let (mut failed, mut statements, mut database) = (Vec::new(), BTreeMap::new(), None);
    for (verb, lines) in examples(&document::read("docs/cli.md")) {
        if let Some(reason) = of(SKIPPED, &verb) {
            println!("{verb}: skipped, {reason}");
            continue;
        }
        let pasted = Pasted::new();
        pasted.run(GROUND).ok();
        let noun = verb.split(' ').next().unwrap_or_default();
        let prepared = of(PREPARED, &verb).or_else(|| of(PREPARED, noun));
        pasted.run(prepared.unwrap_or_default()).ok();
        let output = pasted.run(&lines);
        if output.exit != 0 {
            failed.push(format!("{verb}: {output}"));
        }
        for sql in pasted.statements() {
            statements.entry(sql).or_insert_with(BTreeSet::new).insert(verb.clone());
        }
        database = Some(pasted);
    }
    let walks = database.map(|it| plans::walks(&it.database(), &statements)).unwrap_or_default();
    assert!(walks.is_empty(), "{}", walks.join("\n"));
    let cure = "if they need more, say so in PREPARED of tests/examples.rs";
    assert!(failed.is_empty(), "{} failed; {cure}\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn what_is_skipped_is_the_example_of_a_verb() {
    let known = examples(&document::read("docs/cli.md"));
    for (verb, _) in SKIPPED {
        assert!(known.iter().any(|it| it.0 == *verb), "there is no verb {verb}");
    }
}
