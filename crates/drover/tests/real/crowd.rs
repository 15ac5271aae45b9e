//! Many agents at once.

use std::time::{Duration, Instant};

use drover_testkit::{FakeModel, Real, wait_until};
use serde_json::Value;

use super::LONG;
use crate::habits::StandIns;

/// How many stand-ins of each engine there are.
const EACH: usize = 10;

/// What one that says nothing may cost.
const SILENCE: Duration = Duration::from_secs(1);

/// Everything else that a listing of this many costs, on a busy machine.
const REST: Duration = Duration::from_secs(1);

fn list(stand_ins: &StandIns) -> (Vec<Value>, Duration) {
    let begun = Instant::now();
    let data = stand_ins.stage.env.drover(&["agent", "list", "--json"]).ok().data();
    (data["items"].as_array().unwrap().clone(), begun.elapsed())
}

/// The agents that are not idle.
fn others(listed: &[Value]) -> Vec<&Value> {
    listed.iter().filter(|it| it["state"] != "idle").collect()
}

/// A listing of thirty stand-ins and the real ones: one call of the multiplexer, all of them asked at once.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn must_show_02_5() {
    let model = FakeModel::start();
    let stand_ins = StandIns::new();
    let env = &stand_ins.stage.env;
    let repository = env.repository("site");
    let installed = Real::installed();
    for program in &installed {
        program.prepare(env, &model, &[repository.path()]);
    }
    for engine in ["pi", "codex", "claude"] {
        for number in 0..EACH {
            stand_ins.start(engine, &format!("{engine}-{number}"), &[]);
        }
    }
    let env = &stand_ins.stage.env;
    for program in &installed {
        let name = format!("real-{}", program.engine());
        let words = ["agent", "spawn", &name, "--engine", program.engine(), "--json", "--cwd"];
        env.drover_call(&words).argument(repository.path()).run().ok();
    }
    let count = 3 * EACH + installed.len();
    wait_until("all are idle", LONG, || {
        let (listed, _) = list(&stand_ins);
        listed.len() == count && others(&listed).is_empty()
    });
    let tmux = env.call("sh", &["-c", "command -v tmux"]).run().ok().stdout;
    let calls = env.root().join("calls");
    let counting = "#!/bin/sh\necho \"$*\" >>CALLS\nexec TMUX \"$@\"\n";
    let counting = counting.replace("CALLS", calls.to_str().unwrap()).replace("TMUX", tmux.trim());
    let shim = env.shim("tmux", &counting);
    let (listed, taken) = list(&stand_ins);
    assert!(others(&listed).is_empty(), "{:?}", others(&listed));
    let made = std::fs::read_to_string(&calls).unwrap();
    assert_eq!(made.lines().count(), 1, "{made}");
    assert!(taken < REST, "{taken:?}");
    std::fs::remove_file(shim).unwrap();
    println!("{count} agents listed in {taken:.0?} with one call of the multiplexer");
    one_is_silent(&stand_ins, count);
}

/// One that says nothing costs its bound once, and is unknown for a reason; the others are what they are.
fn one_is_silent(stand_ins: &StandIns, count: usize) {
    for engine in ["pi", "codex"] {
        stand_ins.start(engine, &format!("silent-{engine}"), &["--habit", "silent"]);
    }
    let (listed, taken) = list(stand_ins);
    assert_eq!(listed.len(), count + 2);
    let silent = others(&listed);
    assert_eq!(silent.len(), 2, "{silent:?}");
    for agent in silent {
        assert_eq!(agent["state"], "unknown", "{agent}");
        assert!(agent["reason"].as_str().is_some_and(|it| !it.is_empty()), "{agent}");
    }
    assert!(taken < SILENCE + REST, "{taken:?}");
}
