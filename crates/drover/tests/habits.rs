//! Stand-ins of the real agents with every bad habit: a receipt never claims more than happened.

use std::time::{Duration, Instant};

use drover_testkit::{FAKE_AGENT_RULES, Recorded, wait_until};
use serde_json::Value;

use crate::stage::{SOON, Stage};

/// What an agent that answers nothing may cost a sender, beyond the time he gave it.
const BOUND: Duration = Duration::from_secs(25);

const TEXT: &str = "update the docs";

/// How many are sent to at the same time: mostly they wait.
const AT_ONCE: usize = 4;

/// A way to speak badly beside a well-behaved terminal.
const SPOKEN: &[&str] = &[
    "silent",
    "garbage",
    "half-a-line",
    "other-version",
    "other-agent",
    "hangs-up",
    "claims-too-much",
    "refuses",
    "twice",
    "old-status",
];

/// A terminal that makes a sender's life hard, below a protocol that is spoken well.
const TYPED: &[&[&str]] = &[
    &[],
    &["--boot-delay", "0.5"],
    &["--paste-burst", "120ms"],
    &["--no-2004"],
    &["--late-2004", "0.2"],
    &["--drop-paste", "1"],
    &["--attach-over", "5"],
    &["--draft", "half typed"],
    &["--dialog", "permission"],
    &["--dialog", "question"],
    &["--dialog", "trust"],
    &["--late-dialog", "0.3"],
    &["--instant-turn"],
    &["--queue-forever"],
    &["--claim-done"],
    &["--die", "9"],
    &["--die", "3", "--die-after-paste"],
    &["--fork-orphans"],
    &["--slow-read", "20B/s"],
    &["--swallow-enter", "1"],
    &["--swallow-enter", "99"],
    &["--limit", "resets 7:30pm (Europe/Amsterdam)"],
];

/// Stand-ins on a stage of their own.
pub(crate) struct StandIns {
    pub(crate) stage: Stage,
}

impl StandIns {
    pub(crate) fn new() -> Self {
        let stage = Stage::new();
        let rules = FAKE_AGENT_RULES.replace("engine.fake-agent", "engine.claude");
        let config = stage.env.config().join("drover/config.toml");
        std::fs::write(config, format!("{FAKE_AGENT_RULES}\n{rules}")).unwrap();
        Self { stage }
    }

    /// Starts one as an agent of the engine it stands in for; returns what it records.
    #[track_caller]
    pub(crate) fn start(&self, engine: &str, name: &str, switches: &[&str]) -> Record {
        let env = &self.stage.env;
        let record = env.root().join(format!("{name}.record"));
        // What a launch adds comes behind the switches, whichever part of the engine it starts.
        let switches: Vec<String> = switches.iter().map(|it| crate::stage::quoted(it)).collect();
        let script = format!(
            "#!/bin/sh\nexec '{}' --record '{}' --speak {engine} {} \"$@\"\n",
            env.fake_agent().display(),
            record.display(),
            switches.join(" ")
        );
        let program = env.shim(&format!("{engine}-{name}"), &script);
        let words = ["agent", "spawn", name, "--engine", engine, "--json"];
        let variable = format!("DROVER_ENGINE_{}", engine.to_uppercase());
        env.drover_call(&words).variable(&variable, program).run().ok();
        let record = Record(record);
        wait_until("its start", SOON, || !record.read().of("boot").is_empty());
        record
    }
}

/// What a stand-in records.
pub(crate) struct Record(std::path::PathBuf);

impl Record {
    pub(crate) fn read(&self) -> Recorded {
        Recorded::read(&self.0)
    }
}

/// Sends one text to a stand-in and holds the receipt against what it recorded.
#[expect(clippy::print_stdout, reason = "the receipts are shown")]
fn check(stand_ins: &StandIns, engine: &str, name: &str, switches: &[&str]) {
    let record = stand_ins.start(engine, name, switches);
    let begun = Instant::now();
    let words = ["agent", "send", name, TEXT, "--timeout", "2s", "--json"];
    let output = stand_ins.stage.env.drover(&words);
    let taken = begun.elapsed();
    let shown = format!("{engine} {switches:?}: {output}");
    assert!(taken < BOUND, "{taken:?} {shown}");
    let answer = output.json();
    let level = answer["data"]["message"]["level"].as_str().unwrap_or("refused");
    let recorded = record.read();
    let submits: Vec<&Value> =
        recorded.of("submit").into_iter().filter(|it| it["text"] == TEXT).collect();
    assert_eq!(submits.len(), recorded.of("submit").len(), "something else was sent: {shown}");
    let (pastes, submits) = (recorded.of("paste").len(), submits.len());
    let (most_pastes, allowed) = match level {
        "received" | "submitted" => (1, 1..=1),
        "typed" | "uncertain" => (1, 0..=1),
        "queued" | "refused" => (0, 0..=0),
        other => panic!("{other}: {shown}"),
    };
    assert!(pastes <= most_pastes && allowed.contains(&submits), "{pastes} {submits} {shown}");
    assert_eq!(output.exit == 0, level == "received", "exit 0 says that it is proven: {shown}");
    println!("{engine:6} {switches:?}: {level} in {taken:.1?} ({})", answer["outcome"]);
}

/// Faults S-04, S-05, S-06.
#[test]
fn must_show_02_3() {
    let stand_ins = StandIns::new();
    let spoken = ["pi", "codex", "claude"]
        .into_iter()
        .flat_map(|engine| SPOKEN.iter().map(move |habit| (engine, vec!["--habit", *habit])));
    let typed = TYPED.iter().map(|switches| ("claude", switches.to_vec()));
    let all: Vec<(&str, Vec<&str>)> = spoken.chain(typed).collect();
    std::thread::scope(|scope| {
        for part in 0..AT_ONCE {
            let (stand_ins, all) = (&stand_ins, &all);
            scope.spawn(move || {
                for (number, (engine, switches)) in
                    all.iter().enumerate().skip(part).step_by(AT_ONCE)
                {
                    check(stand_ins, engine, &format!("a{number}"), switches);
                }
            });
        }
    });
}
