//! `drover agent approve`, and what is said of an agent that asks.

use drover_testkit::{CommandOutput, wait_for, wait_until};
use serde_json::Value;

use crate::habits::{Record, StandIns};
use crate::stage::SOON;

/// A stand-in of Claude Code in front of a dialog.
struct Asking {
    stand_ins: StandIns,
    record: Record,
}

impl Asking {
    fn new(switches: &[&str]) -> Self {
        let stand_ins = StandIns::new();
        let record = stand_ins.start("claude", "w1", switches);
        Self { stand_ins, record }
    }

    fn run(&self, words: &[&str]) -> CommandOutput {
        self.stand_ins.stage.env.drover(&[words, &["--json"]].concat())
    }

    fn approve(&self, words: &[&str]) -> CommandOutput {
        self.run(&[&["agent", "approve", "w1"], words].concat())
    }

    fn agent(&self) -> Value {
        self.run(&["agent", "show", "w1"]).ok().data()["agent"].take()
    }

    /// The digest of the dialog that stands there.
    fn digest(&self) -> String {
        wait_for("the dialog", SOON, || {
            self.agent()["dialog"]["digest"].as_str().map(str::to_owned)
        })
    }

    /// The answers that its dialogs got.
    fn answers(&self) -> Vec<String> {
        let recorded = self.record.read();
        let of = recorded.of("dialog_answered");
        of.iter().map(|it| it["choice"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// Fault H-06.
#[test]
fn a_dialog_is_shown_with_the_command_that_answers_exactly_it() {
    let asking = Asking::new(&["--dialog", "permission"]);
    let digest = asking.digest();
    let shown = asking.approve(&[]).refused(7, "dialog_stands");
    assert_eq!(shown["data"]["dialog"]["digest"], digest.as_str());
    assert_eq!(shown["data"]["dialog"]["choices"][0], "Yes");
    let command = shown["next"][0]["run"].as_str().unwrap();
    assert!(command.contains(&digest[..16]), "{command}");
    assert_eq!(asking.agent()["state"], "needs_permission");
    assert!(asking.answers().is_empty());
}

/// Fault H-06.
#[test]
fn an_answer_is_given_by_its_label_and_the_next_one_is_refused() {
    let asking = Asking::new(&["--dialog", "permission"]);
    let digest = asking.digest();
    let words = ["--choose", "yes, and don't", "--digest", &digest];
    let answered = asking.approve(&words).ok().data();
    assert_eq!(answered["answer"], "Yes, and don't ask again");
    wait_until("the answer", SOON, || !asking.answers().is_empty());
    assert_eq!(asking.answers(), ["Yes, and don't ask again"]);
    // Fault H-05: the first answer holds.
    asking.approve(&["--deny", "--digest", &digest]).refused(4, "dialog_changed");
    assert_eq!(asking.answers().len(), 1);
}

/// Faults H-05, H-06, S-06.
#[test]
fn an_answer_to_a_dialog_that_has_changed_types_nothing() {
    let asking = Asking::new(&["--dialog", "permission"]);
    asking.digest();
    let keys = asking.record.read().of("key").len();
    asking.approve(&["--digest", "0123456789abcdef"]).refused(4, "dialog_changed");
    asking.approve(&["--digest", "012"]).refused(2, "usage");
    let unknown = ["--choose", "perhaps", "--digest", &asking.digest()];
    asking.approve(&unknown).refused(3, "choice_unknown");
    assert_eq!(asking.record.read().of("key").len(), keys);
    assert!(asking.answers().is_empty());
}

/// Faults P-26, H-10.
#[test]
fn a_dialog_that_changes_the_program_or_the_account_is_for_a_person_in_its_pane() {
    for kind in ["limit", "trust"] {
        let asking = Asking::new(&["--dialog", kind]);
        let digest = asking.digest();
        asking.approve(&["--digest", &digest]).refused(7, "dialog_not_answerable");
        assert!(asking.answers().is_empty(), "{kind}");
    }
}

#[test]
fn an_agent_that_asks_nothing_has_nothing_to_answer() {
    let asking = Asking::new(&[]);
    asking.approve(&[]).refused(3, "no_dialog");
    asking.approve(&["--digest", "0123456789abcdef"]).refused(4, "dialog_changed");
}

/// Each state of a stand-in of each kind is explained by its source, its age and the rule that decided.
#[test]
fn must_show_02_10() {
    let explained = |stand_ins: &StandIns, name: &str, states: &[&str]| {
        let explain = || {
            let output = stand_ins.stage.env.drover(&["agent", "explain", name, "--json"]);
            Some(output.ok().data())
                .filter(|it| states.contains(&it["agent"]["state"].as_str().unwrap()))
        };
        let data = wait_for(states[0], SOON, explain);
        let source = data["agent"]["source"].as_str().unwrap();
        let rule = data["rule"].as_str().unwrap();
        let asked = data["asked"].as_array().unwrap();
        let said = asked.iter().find(|it| it["source"] == source).unwrap();
        let is_dated = said["since"].is_string() == said["age_seconds"].is_i64();
        assert!(is_dated && !rule.is_empty(), "{data}");
        let text = stand_ins.stage.env.drover(&["agent", "explain", name]).ok().stdout;
        for word in [source, rule, states[0]] {
            assert!(text.contains(word), "{word} {text}");
        }
        println!("{name}: {} by {rule} from {source}", states[0]);
    };
    for engine in ["pi", "codex", "claude"] {
        let stand_ins = StandIns::new();
        let send = |name: &str| {
            stand_ins.stage.env.drover(&["agent", "send", name, "x", "--json"]).ok();
        };
        stand_ins.start(engine, "works", &["--turn-ms", "60000"]);
        explained(&stand_ins, "works", &["idle"]);
        send("works");
        explained(&stand_ins, "works", &["working"]);
        // The terminal of the stand-in for Codex knows nothing of the server that speaks for it.
        if engine != "codex" {
            stand_ins.start(engine, "asks", &["--dialog", "permission"]);
            explained(&stand_ins, "asks", &["needs_permission", "needs_input"]);
        }
        let pid = stand_ins.stage.env.drover(&["agent", "show", "works", "--json"]).ok().data();
        let pid = pid["agent"]["pane"]["pid"].as_u64().unwrap();
        drover_testkit::processes::kill(u32::try_from(pid).unwrap());
        explained(&stand_ins, "works", &["exited"]);
    }
}
