//! `drover task plan`, held against a checker of its own.

use std::collections::BTreeMap;

use drover_core::task::State;
use serde_json::Value;

use crate::env;
use crate::graphs::{Dice, Sketch, fill, id};

const WORKERS: usize = 3;

/// A task on a worker.
struct Run {
    position: usize,
    worker: u64,
    start: f64,
    finish: f64,
}

/// Days are told in millionths.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 5e-7
}

fn before(one: f64, other: f64) -> bool {
    one < other && !same(one, other)
}

fn random_graph(dice: &mut Dice) -> Vec<Sketch> {
    let states = [State::Done, State::Active, State::Parked, State::Rejected, State::Triage];
    let grounds = ["src/", "src/a", "src/a/b.rs", "src/ab", "docs/", "docs/x.md", "tests/"];
    let count = 3 + dice.roll(40);
    let graph = (0..count).map(|position| {
        let state = if dice.roll(5) == 0 { *dice.pick(&states) } else { State::Todo };
        let owns = (0..dice.roll(3)).map(|_| *dice.pick(&grounds)).collect();
        let wanted = if position == 0 { 0 } else { dice.roll(3) };
        let mut blockers: Vec<usize> = (0..wanted).map(|_| dice.roll(position)).collect();
        blockers.sort_unstable();
        blockers.dedup();
        Sketch { state, effort_days: *dice.pick(&[0.25, 0.5, 1.0, 1.5, 3.0, 0.1]), owns, blockers }
    });
    graph.collect()
}

/// Whether a task can ever run: it is open, and so is or was everything before it.
fn can_run(graph: &[Sketch], position: usize) -> bool {
    let task = &graph[position];
    matches!(task.state, State::Todo | State::Active)
        && task.blockers.iter().all(|it| graph[*it].state == State::Done || can_run(graph, *it))
}

fn overlap(one: &Sketch, other: &Sketch) -> bool {
    let parts = |path: &'static str| -> Vec<&'static str> {
        path.split('/').filter(|it| !it.is_empty()).collect()
    };
    one.owns.iter().any(|mine| {
        other.owns.iter().any(|theirs| {
            let (mine, theirs) = (parts(mine), parts(theirs));
            mine.starts_with(&theirs) || theirs.starts_with(&mine)
        })
    })
}

fn runs(plan: &Value) -> Vec<Run> {
    let items = plan["tasks"]["items"].as_array().unwrap();
    let run = |it: &Value| Run {
        position: it["id"].as_str().unwrap()[1..].parse().unwrap(),
        worker: it["worker"].as_u64().unwrap(),
        start: it["start"].as_f64().unwrap(),
        finish: it["finish"].as_f64().unwrap(),
    };
    items.iter().map(run).collect()
}

/// Fails unless the plan holds every task that can run, blockers first, on the workers there are,
/// on ground of its own, and no worker is idle while something could run.
fn check(graph: &[Sketch], plan: &Value) {
    let runs = runs(plan);
    let of: BTreeMap<usize, &Run> = runs.iter().map(|it| (it.position, it)).collect();
    let expected: Vec<usize> = (0..graph.len()).filter(|it| can_run(graph, *it)).collect();
    assert_eq!(of.keys().copied().collect::<Vec<_>>(), expected, "{graph:?}");
    let is_left = |it: &usize| !graph[*it].state.is_closed() && !can_run(graph, *it);
    let mut left: Vec<String> = (0..graph.len()).filter(is_left).map(id).collect();
    let unplanned = plan["unplanned"]["items"].as_array().unwrap();
    let mut named: Vec<&str> = unplanned.iter().map(|it| it["id"].as_str().unwrap()).collect();
    left.sort();
    named.sort_unstable();
    assert_eq!(named, left);
    for run in &runs {
        let task = &graph[run.position];
        assert!(same(run.finish - run.start, task.effort_days));
        assert!((1..=WORKERS as u64).contains(&run.worker));
        for blocker in task.blockers.iter().filter_map(|it| of.get(it)) {
            assert!(!before(run.start, blocker.finish), "t{} before a blocker", run.position);
        }
        let beside = |it: &&Run| before(it.start, run.finish) && before(run.start, it.finish);
        for other in runs.iter().filter(beside).filter(|it| it.position != run.position) {
            assert_ne!(other.worker, run.worker);
            assert!(!overlap(task, &graph[other.position]), "t{} overlaps", run.position);
        }
    }
    let moments = runs.iter().map(|it| it.finish).chain([0.0]);
    for moment in moments {
        let runs_then = |it: &&&Run| !before(moment, it.start) && before(moment, it.finish);
        let running: Vec<&Run> = of.values().filter(runs_then).copied().collect();
        assert!(running.len() <= WORKERS);
        if running.len() == WORKERS {
            continue;
        }
        for waiting in runs.iter().filter(|it| before(moment, it.start)) {
            let task = &graph[waiting.position];
            let is_free = task
                .blockers
                .iter()
                .filter_map(|it| of.get(it))
                .all(|it| !before(moment, it.finish));
            let has_ground = running.iter().all(|it| !overlap(task, &graph[it.position]));
            assert!(!(is_free && has_ground), "idle at {moment} beside t{}", waiting.position);
        }
    }
    let makespan = runs.iter().map(|it| it.finish).fold(0.0, f64::max);
    assert!(same(plan["makespan_days"].as_f64().unwrap(), makespan));
    assert!(!before(makespan, plan["critical_days"].as_f64().unwrap()));
}

#[test]
fn must_show_01_10() {
    let env = env();
    let mut planned = 0;
    for seed in 0..40 {
        let graph = random_graph(&mut Dice::new(seed + 1));
        let project = format!("g{seed}");
        fill(&env, &project, &graph);
        let words = ["task", "plan", "--workers", "3", "-p", &project, "--json"];
        let plan = env.drover(&words).ok().data();
        check(&graph, &plan);
        planned += plan["tasks"]["count"].as_u64().unwrap();
    }
    println!("40 random graphs, {planned} planned tasks, 3 workers: every rule held");
}

#[test]
fn a_plan_says_what_is_critical_what_has_slack_and_what_is_left_out() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for words in [
        ["design", "1", ""],
        ["build", "3", "design"],
        ["docs", "0.5", "design"],
        ["release", "1", "build,docs"],
    ] {
        let [id, effort, blockers] = words;
        let mut call = vec!["task", "add", id, "-e", effort];
        if !blockers.is_empty() {
            call.extend(["-b", blockers]);
        }
        env.drover(&call).ok();
    }
    env.drover(&["task", "add", "idea", "--triage"]).ok();
    env.drover(&["task", "add", "after", "-b", "idea"]).ok();
    let plan = env.drover(&["task", "plan", "--workers", "2", "--json"]).ok().data();
    assert_eq!(plan["critical_path"], serde_json::json!(["design", "build", "release"]));
    assert_eq!((&plan["makespan_days"], &plan["critical_days"]), (&5.0.into(), &5.0.into()));
    let docs = &plan["tasks"]["items"][2];
    assert_eq!(
        (&docs["id"], &docs["slack"], &docs["critical"]),
        (&"docs".into(), &2.5.into(), &false.into())
    );
    assert_eq!(plan["width"]["items"][1], serde_json::json!({"from": 1.0, "tasks": 2}));
    let left = serde_json::json!([
        {"id": "after", "reason": "blocker_unplanned", "blocker": "idea"},
        {"id": "idea", "reason": "triage", "blocker": null}
    ]);
    assert_eq!(plan["unplanned"]["items"], left);
    let text = env.drover(&["task", "plan", "--workers", "2"]).ok().stdout;
    assert!(text.contains("Critical path: design > build > release"), "{text}");
    assert!(text.contains("Not planned: after (waits for idea, which is not planned)"), "{text}");
    assert!(text.lines().all(|it| it.chars().count() <= 100), "{text}");
}

#[test]
fn no_worker_is_a_usage_error() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for count in ["0", "-1", "two", "1.5", ""] {
        env.drover(&["task", "plan", &format!("--workers={count}"), "--json"]).refused(2, "usage");
    }
    env.drover(&["task", "plan", "--key", "k", "--json"]).refused(2, "usage");
}

#[test]
fn a_plan_is_drawn_into_a_file_of_its_own_and_never_over_another() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "Design <the> schema", "--id", "design"]).ok();
    let path = env.root().join("plan.svg");
    let draw = ["task", "plan", "--svg", path.to_str().unwrap(), "--json"];
    let dry = env.drover(&[&draw[..], &["--dry-run"]].concat()).ok().json();
    assert!(dry["effects"][0].as_str().unwrap().starts_with("write ") && !path.exists(), "{dry}");
    assert_eq!(env.drover(&draw).ok().data()["svg"], path.to_str().unwrap());
    let first = std::fs::read_to_string(&path).unwrap();
    assert!(first.contains("<svg ") && first.contains("design: worker 1, day 0 to 1, critical"));
    env.drover(&["task", "add", "Build", "-b", "design"]).ok();
    env.drover(&draw).ok();
    assert!(std::fs::read_to_string(&path).unwrap().contains("build: worker 1"));
    std::fs::write(&path, "mine").unwrap();
    env.drover(&draw).refused(4, "file_exists");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    let link = env.root().join("link.svg");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    env.drover(&["task", "plan", "--svg", link.to_str().unwrap(), "--json"])
        .refused(4, "file_exists");
    let nowhere = env.root().join("none/plan.svg");
    env.drover(&["task", "plan", "--svg", nowhere.to_str().unwrap(), "--json"])
        .refused(5, "file_failed");
}
