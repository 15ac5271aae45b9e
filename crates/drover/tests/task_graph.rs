//! `drover task why` and `task tree`: every surface tells the same of one graph.

use std::collections::BTreeSet;
use std::time::Instant;

use drover_core::task::State;
use serde_json::Value;

use crate::env;
use crate::graphs::{Dice, Sketch, fill, id};

fn ids(list: &Value) -> BTreeSet<String> {
    let items = list.as_array().unwrap().iter();
    items.map(|it| it.as_str().or_else(|| it["id"].as_str()).unwrap().to_owned()).collect()
}

fn open_blockers(graph: &[Sketch], position: usize) -> BTreeSet<String> {
    let blockers = graph[position].blockers.iter();
    blockers.filter(|it| graph[**it].state != State::Done).map(|it| id(*it)).collect()
}

/// Faults G-01, G-04.
#[test]
fn next_list_show_why_and_tree_agree_on_random_graphs() {
    let env = env();
    for seed in 0..6 {
        let mut dice = Dice::new(seed + 100);
        let graph: Vec<Sketch> = (0..12)
            .map(|position| {
                let blockers: BTreeSet<usize> = (0..dice.roll(4))
                    .filter(|_| position > 0)
                    .map(|_| dice.roll(position.max(1)))
                    .collect();
                let state = if dice.roll(2) == 0 { *dice.pick(&State::ALL) } else { State::Todo };
                Sketch { state, ..Sketch::todo(&blockers.into_iter().collect::<Vec<_>>()) }
            })
            .collect();
        let project = format!("g{seed}");
        fill(&env, &project, &graph);
        let data = |words: &[&str]| {
            let mut call = words.to_vec();
            call.extend(["-p", &project, "--json"]);
            env.drover(&call).ok().data()
        };
        let ready = ids(&data(&["task", "next", "-n", "0"])["items"]);
        let listed = data(&["task", "list", "-n", "0"]);
        for (position, sketch) in graph.iter().enumerate() {
            let id = id(position);
            let open = open_blockers(&graph, position);
            let is_ready = sketch.state == State::Todo && open.is_empty();
            assert_eq!(ready.contains(&id), is_ready, "next, {id} of {graph:?}");
            let row = listed["items"]
                .as_array()
                .unwrap()
                .iter()
                .find(|it| it["id"] == id.as_str())
                .unwrap();
            assert_eq!(row["ready"], is_ready, "list, {id}");
            assert_eq!(row["open_blockers"], open.len(), "list, {id}");
            let shown = data(&["task", "show", &id]);
            assert_eq!(ids(&shown["blockers"]["gating"]["items"]), open, "show, {id}");
            let why = data(&["task", "why", &id]);
            assert_eq!(why["standing"] == "ready", is_ready, "why, {id}");
            let chain = why["chain"]["items"].as_array().unwrap();
            let first = chain.iter().filter(|it| it["depth"] == 1).cloned().collect::<Value>();
            let expected = if sketch.state.is_closed() { BTreeSet::new() } else { open };
            assert_eq!(ids(&first), expected, "why, {id}");
            let tree = data(&["task", "tree", &id]);
            let children = tree["items"].as_array().unwrap().iter().filter(|it| it["depth"] == 1);
            let all: BTreeSet<String> =
                sketch.blockers.iter().map(|it| crate::graphs::id(*it)).collect();
            assert_eq!(ids(&children.cloned().collect::<Value>()), all, "tree, {id}");
        }
    }
}

/// Fault G-05.
#[test]
fn a_ladder_of_thirty_layers_and_a_chain_of_ten_thousand_are_told_in_one_look() {
    let env = env();
    let ladder: Vec<Sketch> = (0..60)
        .map(|position| {
            let layer = position / 2;
            Sketch::todo(&if layer == 0 { vec![] } else { vec![layer * 2 - 2, layer * 2 - 1] })
        })
        .collect();
    fill(&env, "ladder", &ladder);
    let chain: Vec<Sketch> = (0..10_000)
        .map(|it: usize| Sketch::todo(&it.checked_sub(1).into_iter().collect::<Vec<_>>()))
        .collect();
    fill(&env, "chain", &chain);
    let started = Instant::now();
    let why = env.drover(&["task", "why", "ladder/t59", "--json"]).ok().data();
    assert_eq!(why["act_on"], serde_json::json!(["t0", "t1"]));
    assert_eq!(why["chain"]["count"], 2 * (2 * 28 + 1));
    let tree = env.drover(&["task", "tree", "ladder/t0", "--down", "--json"]).ok().data();
    assert_eq!(tree["count"], 1 + 2 * (2 * 28 + 1));
    let near = env.drover(&["task", "why", "chain/t9999", "--json"]).ok().data();
    assert_eq!((&near["chain"]["count"], &near["cut"]), (&499.into(), &true.into()));
    assert_eq!(near["act_on"], serde_json::json!([]));
    let why = env.drover(&["task", "why", "chain/t9999", "-n", "0", "--json"]).ok().data();
    assert_eq!(
        (&why["chain"]["count"], &why["act_on"]),
        (&9_999.into(), &serde_json::json!(["t0"]))
    );
    let text = env.drover(&["task", "tree", "chain/t9999", "-n", "0"]).ok().stdout;
    assert!(text.contains("… and 9800 more lines"), "{text}");
    env.drover(&["task", "block", "ladder/t59", "--by", "t0", "--json"]).ok();
    let refused =
        env.drover(&["task", "block", "chain/t0", "--by", "t9999", "--json"]).refused(3, "cycle");
    assert_eq!(refused["data"]["path"].as_array().unwrap().len(), 10_001);
    let refused =
        env.drover(&["task", "block", "ladder/t0", "--by", "t59", "--json"]).refused(3, "cycle");
    assert_eq!(refused["data"]["path"], serde_json::json!(["t59", "t0", "t59"]));
    let took = started.elapsed();
    assert!(took.as_secs() < 20, "seven calls took {took:?}");
}

#[test]
fn why_names_the_chain_down_to_what_can_be_acted_on_and_the_command_for_it() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "idea", "--triage"]).ok();
    env.drover(&["task", "add", "old"]).ok();
    env.drover(&["task", "add", "build", "-b", "idea"]).ok();
    env.drover(&["task", "add", "release", "-b", "build"]).ok();
    let why = env.drover(&["task", "why", "release", "--json"]).ok().json();
    assert_eq!(
        (&why["data"]["standing"], &why["data"]["act_on"]),
        (&"blocked".into(), &serde_json::json!(["idea"]))
    );
    assert_eq!(why["next"][0]["run"], "drover task admit web/idea");
    env.drover(&["task", "admit", "idea"]).ok();
    let text = env.drover(&["task", "why", "release"]).ok().stdout;
    assert!(
        text.starts_with("release: blocked\n  build: blocked  build\n    idea: ready  idea\n"),
        "{text}"
    );
    env.drover(&["task", "close", "idea", "--as", "rejected", "--why", "no"]).ok();
    let why = env.drover(&["task", "why", "release", "--json"]).ok().json();
    assert_eq!(why["next"][0]["run"], "drover task close web/idea --release-dependents");
    env.drover(&["task", "claim", "old"]).ok();
    let why = env.drover(&["task", "why", "old", "--json"]).ok().data();
    assert_eq!(why["standing"], "held");
    assert!(why["holder"].as_str().unwrap().starts_with("user:tester@"));
}
