//! A verb asks the database as often for a large graph as for a small one.

use std::collections::BTreeMap;

use drover_testkit::TestEnv;
use serde_json::{Value, json};

/// A ladder of `layers` layers with three tasks each, every task blocked by all of the layer before.
fn ladder(layers: usize) -> Value {
    let tasks = (0..layers).flat_map(|layer| {
        (0..3).map(move |at| {
            let before = layer.checked_sub(1);
            let blockers: Vec<String> = before
                .into_iter()
                .flat_map(|layer| (0..3).map(move |at| format!("t{layer}_{at}")))
                .collect();
            json!({ "id": format!("t{layer}_{at}"), "title": "A task", "blocked_by": blockers,
                "note": "What was decided" })
        })
    });
    json!({ "tasks": tasks.collect::<Vec<_>>() })
}

/// How many statements each verb asks on a ladder of so many layers.
fn asked(layers: usize) -> BTreeMap<&'static str, usize> {
    let mut env: TestEnv = crate::env();
    env.drover(&["project", "init", "web"]).ok();
    let plan = ladder(layers).to_string();
    env.drover_with_stdin(&["task", "import", "-", "-p", "web"], plan.as_bytes()).ok();
    let statements = env.root().join("statements");
    env.set("DROVER_TEST_STATEMENTS", &statements);
    let last = format!("t{}_0", layers - 1);
    let verbs: [(&str, &[&str]); 8] = [
        ("state", &["state"]),
        ("task list", &["task", "list"]),
        ("task next", &["task", "next", "-n", "0"]),
        ("task why", &["task", "why", &last]),
        ("task tree", &["task", "tree", &last]),
        ("task plan", &["task", "plan"]),
        ("task show", &["task", "show", &last]),
        ("log", &["log"]),
    ];
    let mut counts = BTreeMap::new();
    for (verb, words) in verbs {
        let _ = std::fs::remove_file(&statements);
        env.drover(&[words, &["-p", "web", "--json"]].concat()).ok();
        counts.insert(verb, std::fs::read_to_string(&statements).unwrap().lines().count());
    }
    counts
}

/// Fault G-20.
#[test]
fn a_view_of_a_graph_costs_as_many_statements_however_large_it_is() {
    assert_eq!(asked(20), asked(80));
}
