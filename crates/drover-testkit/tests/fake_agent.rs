//! The scripted agent under a real private tmux: each switch does what its help says.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::time::Duration;

use drover_testkit::{
    FAKE_AGENT_RULES, PaneEnd, Recorded, TestEnv, processes, wait_for, wait_until,
};
use regex::Regex;
use rustix::process::Signal;
use serde_json::Value;

const SOON: Duration = Duration::from_secs(20);

/// An agent in a pane of its own server.
struct Stage {
    env: TestEnv,
    pane: String,
    record: PathBuf,
}

impl Stage {
    /// Starts the agent and waits until it has taken the terminal over.
    #[track_caller]
    fn new(switches: &[&str]) -> Self {
        let stage = Self::not_waiting(switches);
        stage.wait_for_event("boot");
        stage
    }

    fn not_waiting(switches: &[&str]) -> Self {
        let env = TestEnv::without_binary();
        let record = env.root().join("record");
        let path = record.to_str().unwrap();
        // A first pane keeps the server up and its options set before the agent starts.
        env.tmux_server().start_pane(&["sleep", "600"]);
        env.tmux(&["set-option", "-g", "remain-on-exit", "on"]).ok();
        let mut words = vec![env!("CARGO_BIN_EXE_fake-agent"), "--record", path];
        words.extend(switches);
        let pane = env.tmux_server().start_pane(&words);
        Self { env, pane, record }
    }

    fn recorded(&self) -> Recorded {
        Recorded::read(&self.record)
    }

    #[track_caller]
    fn wait_for_event(&self, event: &str) -> Value {
        wait_for(event, SOON, || self.recorded().of(event).first().map(|it| (*it).clone()))
    }

    #[track_caller]
    fn wait_for_count(&self, event: &str, count: usize) {
        wait_until(event, SOON, || self.recorded().of(event).len() >= count);
    }

    fn paste(&self, text: &[u8]) {
        self.env.tmux_server().paste(&self.pane, text);
    }

    fn keys(&self, keys: &[&str]) {
        self.env.tmux_server().keys(&self.pane, keys);
    }

    fn screen(&self) -> String {
        self.env.tmux_server().screen(&self.pane)
    }

    #[track_caller]
    fn wait_for_screen(&self, text: &str) {
        wait_until(text, SOON, || self.screen().contains(text));
    }

    #[track_caller]
    fn wait_for_state(&self, expected: &str) {
        wait_until(expected, SOON, || state(&self.screen()) == expected);
    }

    #[track_caller]
    fn wait_for_end(&self, status: Option<i32>, signal: Option<i32>) {
        let end = wait_for("its end", SOON, || self.env.tmux_server().pane_end(&self.pane));
        assert_eq!(end, PaneEnd { status, signal });
    }
}

/// What the rules say of a screen: a dialog's label, or the list that matched.
fn state(screen: &str) -> String {
    let rules: toml::Table = FAKE_AGENT_RULES.parse().unwrap();
    let rules = &rules["engine"]["fake-agent"]["screen"];
    let matches = |pattern: &str| Regex::new(pattern).unwrap().is_match(screen);
    for rule in rules["dialog"].as_array().unwrap() {
        if matches(rule["pattern"].as_str().unwrap()) {
            return rule["label"].as_str().unwrap().to_owned();
        }
    }
    let any = |list: &str| {
        rules[list].as_array().unwrap().iter().any(|rule| matches(rule.as_str().unwrap()))
    };
    let lists = ["busy", "empty", "composer"];
    lists.into_iter().find(|list| any(list)).unwrap_or("unknown").to_owned()
}

fn pid_in(event: &Value, key: &str) -> u32 {
    event[key].as_u64().unwrap().try_into().unwrap()
}

#[test]
fn a_paste_and_enter_are_one_submit_and_one_turn() {
    let stage = Stage::new(&[]);
    stage.wait_for_state("empty");
    stage.paste(b"fix the bug;");
    stage.wait_for_state("composer");
    stage.keys(&["Enter"]);
    stage.wait_for_event("turn_end");
    let recorded = stage.recorded();
    assert_eq!(recorded.of("submit")[0]["text"], "fix the bug;");
    let kinds = ["boot", "paste", "keys", "submit", "turn_start", "turn_end"];
    assert_eq!(recorded.kinds(), kinds);
    assert_eq!(recorded.of("keys")[0]["hex"], "0d");
    stage.wait_for_state("empty");
}

#[test]
fn a_mebibyte_arrives_whole_and_is_shown_as_a_placeholder() {
    let stage = Stage::new(&["--turn-ms", "60000"]);
    let letter = |place: u32| if place % 64 == 63 { b'\n' } else { b'x' };
    let text: Vec<u8> = (0..1_048_576).map(letter).collect();
    stage.paste(&text);
    let paste = stage.wait_for_event("paste");
    assert_eq!(paste["bytes"], 1_048_576);
    stage.wait_for_screen("> [Pasted text #1 +16384 lines]");
    stage.keys(&["Enter"]);
    assert_eq!(stage.wait_for_event("submit")["sha256"], paste["sha256"]);
    stage.wait_for_state("busy");
    stage.keys(&["Escape"]);
    stage.wait_for_event("interrupted");
    stage.wait_for_state("empty");
}

#[test]
fn a_draft_stands_until_ctrl_u_takes_it_away() {
    let stage = Stage::new(&["--draft", "half typed"]);
    stage.wait_for_screen("> half typed");
    assert_eq!(state(&stage.screen()), "composer");
    stage.keys(&["C-u"]);
    stage.wait_for_state("empty");
}

#[test]
fn enter_right_after_fast_text_is_a_line_feed_but_not_after_a_bracketed_paste() {
    let stage = Stage::new(&["--paste-burst", "5000ms"]);
    stage.keys(&["abc", "Enter"]);
    stage.wait_for_event("enter_as_newline");
    assert!(stage.recorded().submitted().is_empty());
    let stage = Stage::new(&["--paste-burst", "5000ms"]);
    stage.paste(b"abc");
    stage.keys(&["Enter"]);
    assert_eq!(stage.wait_for_event("submit")["text"], "abc");
}

#[test]
fn without_brackets_each_line_of_a_paste_is_typed() {
    let stage = Stage::new(&["--no-2004"]);
    stage.paste(b"one\rtwo\r");
    stage.wait_for_count("submit", 2);
    assert!(stage.recorded().of("paste").is_empty());
}

#[test]
fn brackets_can_come_late() {
    let stage = Stage::new(&["--late-2004", "0.5"]);
    stage.paste(b"x");
    stage.wait_for_event("keys");
    wait_until("a bracketed paste", SOON, || {
        stage.paste(b"x");
        !stage.recorded().of("paste").is_empty()
    });
}

#[test]
fn every_nth_paste_is_dropped() {
    let stage = Stage::new(&["--drop-paste", "2"]);
    for text in [b"one ", b"two ", b"six "] {
        stage.paste(text);
    }
    stage.wait_for_count("paste", 3);
    stage.keys(&["Enter"]);
    assert_eq!(stage.wait_for_event("submit")["text"], "one six ");
}

#[test]
fn a_long_attachment_needs_a_second_enter() {
    let stage = Stage::new(&["--attach-over", "5"]);
    stage.paste(b"longer than five");
    stage.keys(&["Enter"]);
    stage.wait_for_event("attached");
    assert!(stage.recorded().submitted().is_empty());
    stage.keys(&["Enter"]);
    stage.wait_for_event("submit");
}

#[test]
fn enter_can_be_swallowed() {
    let stage = Stage::new(&["--swallow-enter", "1"]);
    stage.paste(b"hello");
    stage.keys(&["Enter"]);
    stage.wait_for_event("enter_swallowed");
    stage.keys(&["Enter"]);
    assert_eq!(stage.wait_for_event("submit")["text"], "hello");
}

#[test]
fn each_dialog_is_recognised_and_enter_takes_its_first_row() {
    for kind in ["permission", "question", "trust", "limit", "resume", "update"] {
        let stage = Stage::new(&["--dialog", kind, "--limit", "resets 7:30pm"]);
        stage.wait_for_state(kind);
        stage.paste(b"please also update the docs");
        assert_eq!(stage.wait_for_event("paste")["into"], "dialog");
        stage.keys(&["Enter"]);
        assert_eq!(stage.wait_for_event("dialog_answered")["kind"], kind);
        stage.wait_for_screen("limit reached · resets 7:30pm");
        assert_eq!(state(&stage.screen()), "limit");
    }
}

#[test]
fn a_dialog_can_be_answered_by_digit_arrow_or_escape() {
    for (keys, choice) in [(&["3"][..], "No"), (&["Down", "Enter"], "Yes, and don't ask again")] {
        let stage = Stage::new(&["--dialog", "permission"]);
        stage.keys(keys);
        assert_eq!(stage.wait_for_event("dialog_answered")["choice"], choice);
    }
    let stage = Stage::new(&["--dialog", "trust"]);
    stage.keys(&["Escape"]);
    assert_eq!(stage.wait_for_event("dialog_answered")["choice"], "cancel");
    stage.wait_for_end(Some(1), None);
}

#[test]
fn a_dialog_can_come_late_and_turn_into_another_one() {
    let switches = ["--late-dialog", "0.2", "--dialog", "permission", "--flip-dialog", "200"];
    let stage = Stage::new(&switches);
    stage.wait_for_event("dialog_flipped");
    stage.wait_for_screen("❯ 1. No");
    assert_eq!(state(&stage.screen()), "permission");
    stage.keys(&["Enter"]);
    assert_eq!(stage.wait_for_event("dialog_answered")["choice"], "No");
    stage.wait_for_state("empty");
}

#[test]
fn a_modal_window_opens_after_its_command_and_eats_enter() {
    let stage = Stage::new(&["--modal-on", "/new 2s"]);
    stage.paste(b"/new");
    stage.keys(&["Enter"]);
    stage.wait_for_event("modal_opened");
    stage.wait_for_state("unknown");
    stage.paste(b"work");
    stage.keys(&["Enter"]);
    stage.wait_for_event("modal_closed");
    stage.wait_for_state("empty");
    let recorded = stage.recorded();
    assert_eq!(recorded.of("paste")[1]["into"], "modal");
    assert_eq!(recorded.of("modal_ate").len(), 1);
    assert_eq!(recorded.submitted().len(), 1);
}

#[test]
fn a_message_to_a_busy_agent_waits_for_the_turn_or_for_ever() {
    let stage = Stage::new(&["--turn-ms", "300"]);
    for text in [b"one", b"two"] {
        stage.paste(text);
        stage.keys(&["Enter"]);
    }
    stage.wait_for_count("turn_end", 2);
    let stage = Stage::new(&["--queue-forever"]);
    stage.paste(b"one");
    stage.keys(&["Enter"]);
    stage.wait_for_event("queued");
    stage.wait_for_screen("1 queued");
    assert!(stage.recorded().of("turn_start").is_empty());
}

#[test]
fn prose_that_looks_like_a_dialog_is_no_dialog() {
    let said = tempfile::NamedTempFile::new().unwrap();
    let prose = "Do you want to proceed?\n❯ 1. Yes\n  2. No\n  working… esc to interrupt\n";
    std::fs::write(said.path(), prose).unwrap();
    let path = said.path().to_str().unwrap();
    let stage = Stage::new(&["--say", path, "--claim-done", "--instant-turn"]);
    stage.wait_for_state("empty");
    assert!(stage.screen().contains("❯ 1. Yes"));
    stage.paste(b"go");
    stage.keys(&["Enter"]);
    stage.wait_for_screen("everything is committed");
}

#[test]
fn it_dies_as_told() {
    for (death, status, signal) in
        [("9", None, Some(9)), ("0", Some(0), None), ("3", Some(3), None)]
    {
        let stage = Stage::new(&["--die", death]);
        stage.paste(b"text");
        stage.keys(&["Enter"]);
        stage.wait_for_end(status, signal);
        assert!(stage.recorded().submitted().is_empty());
    }
    let stage = Stage::new(&["--die", "3", "--die-after-paste"]);
    stage.paste(b"text");
    stage.wait_for_end(Some(3), None);
}

#[test]
fn it_leaves_orphans_that_go_with_the_environment() {
    let stage = Stage::new(&["--fork-orphans"]);
    let recorded = stage.recorded();
    let orphans: Vec<u32> =
        recorded.of("orphan").iter().map(|event| pid_in(event, "orphan")).collect();
    assert_eq!(orphans.len(), 2);
    stage.env.tmux_server().kill_server();
    let agent = pid_in(recorded.of("boot")[0], "pid");
    wait_until("the agent's end", SOON, || !processes::is_running(agent));
    assert!(orphans.iter().all(|pid| processes::is_running(*pid)));
    drop(stage);
    assert!(!orphans.iter().any(|pid| processes::is_running(*pid)));
}

#[test]
fn an_agent_inside_the_agent_has_the_terminal_until_it_ends() {
    let stage = Stage::not_waiting(&["--nested"]);
    let nested = stage.record.with_extension("nested");
    let boot = wait_for("the nested agent", SOON, || {
        Recorded::read(&nested).of("boot").first().map(|it| (*it).clone())
    });
    let pane_pid = stage.env.tmux_server().format(&stage.pane, "#{pane_pid}").parse().unwrap();
    assert_eq!(processes::descendants(pane_pid), [pid_in(&boot, "pid")]);
    processes::signal(pid_in(&boot, "pid"), Signal::KILL);
    assert_eq!(pid_in(&stage.wait_for_event("boot"), "pid"), pane_pid);
}

#[test]
fn a_slow_reader_gets_everything_in_the_end() {
    let stage = Stage::new(&["--slow-read", "20000B/s"]);
    stage.paste(&vec![b'y'; 20_000]);
    stage.keys(&["Enter"]);
    let submit = stage.wait_for_event("submit");
    assert_eq!(submit["bytes"], 20_000);
    assert!(submit["at_ms"].as_u64().unwrap() > 700, "{submit}");
}

#[test]
fn a_late_start_finds_what_was_typed_before() {
    let stage = Stage::not_waiting(&["--boot-delay", "0.5"]);
    stage.keys(&["early"]);
    stage.wait_for_screen("> early");
}

#[test]
fn a_small_pane_is_refused() {
    let stage = Stage::new(&["--min-cols", "200"]);
    stage.wait_for_screen("needs 200 columns");
    assert_eq!(state(&stage.screen()), "unknown");
}
