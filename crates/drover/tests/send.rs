//! `drover agent send` and `drover agent queue`.

use drover_testkit::{processes, wait_until};
use serde_json::Value;

use crate::stage::{Agent, SOON, Stage, level, quoted};

/// What a send to an agent with some habit must say, and what the agent must have seen.
struct Habit {
    switches: &'static [&'static str],
    outcome: &'static str,
    exit: i32,
    level: &'static str,
    submits: usize,
}

const fn habit(
    switches: &'static [&'static str],
    (outcome, exit, level): (&'static str, i32, &'static str),
    submits: usize,
) -> Habit {
    Habit { switches, outcome, exit, level, submits }
}

const ARRIVED: (&str, i32, &str) = ("submitted", 0, "submitted");
const DIALOG: (&str, i32, &str) = ("dialog_stands", 7, "refused");
const DRAFT: (&str, i32, &str) = ("draft_stands", 4, "refused");
const DEAD: (&str, i32, &str) = ("agent_dead", 6, "uncertain");

/// Sends to an agent of each habit: the receipt says what happened, and nothing is pasted twice.
#[track_caller]
fn check(habits: &[Habit]) {
    let stage = Stage::new();
    for (number, habit) in habits.iter().enumerate() {
        let agent = stage.agent(&format!("a{number}"), habit.switches);
        let sent = agent.send(&["update the docs"]);
        let shown = format!("{:?}: {sent}", habit.switches);
        let answer = sent.json();
        assert_eq!(sent.exit, habit.exit, "{shown}");
        assert_eq!(answer["outcome"], habit.outcome, "{shown}");
        assert_eq!(level(&answer), habit.level, "{shown}");
        let recorded = agent.recorded();
        assert_eq!(recorded.of("submit").len(), habit.submits, "{shown}");
        for submit in recorded.of("submit") {
            assert_eq!(submit["text"], "update the docs", "{shown}");
        }
        if habit.level == "refused" {
            assert!(recorded.of("paste").is_empty() && recorded.of("keys").is_empty(), "{shown}");
        }
        assert!(recorded.of("paste").len() <= 1, "{shown}");
    }
}

/// Faults S-01, S-14.
#[test]
fn a_text_arrives_whole_whatever_the_agent_does_to_pastes() {
    check(&[
        habit(&[], ARRIVED, 1),
        habit(&["--paste-burst", "120ms"], ARRIVED, 1),
        habit(&["--paste-burst", "120ms", "--no-2004"], ARRIVED, 1),
        habit(&["--no-2004"], ARRIVED, 1),
        habit(&["--late-2004", "0.2"], ARRIVED, 1),
        habit(&["--attach-over", "5"], ARRIVED, 1),
        habit(&["--swallow-enter", "1"], ARRIVED, 1),
        habit(&["--slow-read", "10B/s"], ARRIVED, 1),
    ]);
}

/// Faults S-16, S-25.
#[test]
fn a_text_arrives_whatever_the_agent_does_with_its_turns() {
    check(&[
        habit(&["--instant-turn"], ARRIVED, 1),
        habit(&["--queue-forever"], ARRIVED, 1),
        habit(&["--claim-done"], ARRIVED, 1),
        habit(&["--fork-orphans"], ARRIVED, 1),
        habit(&["--turn-ms", "60000"], ARRIVED, 1),
    ]);
}

/// Faults S-05, S-06, P-01, P-26.
#[test]
fn nothing_is_typed_into_a_dialog_or_a_draft() {
    check(&[
        habit(&["--dialog", "permission"], DIALOG, 0),
        habit(&["--dialog", "question"], DIALOG, 0),
        habit(&["--dialog", "trust"], DIALOG, 0),
        habit(&["--dialog", "resume"], DIALOG, 0),
        habit(&["--dialog", "permission", "--flip-dialog", "300"], DIALOG, 0),
        habit(&["--late-dialog", "0.3"], DIALOG, 0),
        habit(&["--limit", "resets 7:30pm (Europe/Amsterdam)"], DIALOG, 0),
        habit(&["--draft", "half typed"], DRAFT, 0),
    ]);
}

/// Fault S-04.
#[test]
fn what_cannot_be_proven_is_not_claimed() {
    check(&[
        habit(&["--drop-paste", "1"], ("paste_lost", 6, "uncertain"), 0),
        habit(&["--swallow-enter", "99"], ("unsubmitted", 6, "typed"), 0),
        habit(&["--die", "9"], DEAD, 0),
        habit(&["--die", "0"], DEAD, 0),
        habit(&["--die", "3", "--die-after-paste"], DEAD, 0),
    ]);
}

#[test]
fn prose_with_the_words_of_dialogs_is_no_dialog() {
    let stage = Stage::new();
    let prose = stage.env.root().join("prose");
    std::fs::write(
        &prose,
        "Do you want to proceed?\n❯ 1. Yes\n  2. No\n  working… esc to interrupt\n",
    )
    .unwrap();
    let agent = stage.agent("w1", &["--say", prose.to_str().unwrap()]);
    assert_eq!(level(&agent.send(&["go on"]).ok().json()), "submitted");
}

/// Faults D-01, S-25.
#[test]
fn a_slow_start_is_waited_for_and_an_unreadable_screen_keeps_the_message() {
    let stage = Stage::new();
    let slow = stage.agent_not_waiting("slow", &["--boot-delay", "1"]);
    assert_eq!(level(&slow.send(&["hello"]).ok().json()), "submitted");
    let small = stage.agent("small", &["--min-cols", "500"]);
    let kept = small.send(&["hello", "--timeout", "0.5s"]).refused(5, "still_queued");
    assert_eq!(level(&kept), "queued");
    assert!(small.recorded().of("paste").is_empty());
}

/// Fault S-20.
#[test]
fn an_asynchronous_modal_window_loses_nothing() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--modal-on", "/new 2s"]);
    agent.send(&["/new"]).ok();
    agent.send(&["work"]).ok();
    let texts: Vec<Value> =
        agent.recorded().of("submit").iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["/new", "work"]);
    assert!(agent.recorded().of("modal_ate").is_empty());
}

#[test]
fn an_agent_inside_the_pane_gets_what_is_typed_there() {
    let stage = Stage::new();
    let agent = stage.agent_not_waiting("w1", &["--nested"]);
    assert_eq!(level(&agent.send(&["hello"]).ok().json()), "submitted");
    let nested = drover_testkit::Recorded::read(agent.record.with_extension("record.nested"));
    assert_eq!(nested.of("submit")[0]["text"], "hello");
}

/// Fault S-17.
#[test]
fn a_busy_agent_is_waited_for_and_what_stays_queued_is_delivered_by_the_next_call() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--turn-ms", "3000"]);
    agent.send(&["one"]).ok();
    let kept = agent.send(&["two", "--timeout", "0"]).refused(5, "still_queued");
    assert_eq!(kept["data"]["detail"], "it is working");
    let queued = agent.send(&["three", "--when-idle"]).ok().json();
    assert_eq!((queued["outcome"].as_str(), level(&queued)), (Some("queued"), "queued"));
    let listed = stage.env.drover(&["agent", "queue", "w1", "--json"]).ok().data();
    let texts: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["two", "three"]);
    agent.wait_for("turn_end", 1);
    stage.env.drover(&["agent", "list", "--json"]).ok();
    assert_eq!(agent.recorded().of("submit")[1]["text"], "two");
    agent.send(&["four"]).ok();
    let texts: Vec<Value> =
        agent.recorded().of("submit").iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["one", "two", "three", "four"]);
}

#[test]
fn a_queued_message_is_edited_or_withdrawn_and_one_that_left_is_not() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--turn-ms", "60000"]);
    agent.send(&["one"]).ok();
    agent.send(&["two", "--when-idle"]).ok();
    agent.send(&["three", "--when-idle"]).ok();
    let queue = |words: &[&str]| {
        let mut all = vec!["agent", "queue", "w1", "--json"];
        all.extend(words);
        stage.env.drover(&all)
    };
    assert_eq!(queue(&["--edit", "2", "-- two, and more"]).ok().json()["outcome"], "edited");
    assert_eq!(queue(&["--withdraw", "3"]).ok().json()["outcome"], "withdrawn");
    queue(&["--withdraw", "1"]).refused(3, "message_left");
    queue(&["--edit", "3", "x"]).refused(3, "message_left");
    queue(&["--withdraw", "9"]).refused(3, "message_unknown");
    let listed = queue(&["--all"]).ok().data();
    let levels: Vec<&str> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["submitted", "queued", "withdrawn"]);
    assert_eq!(listed["items"][1]["text"], "-- two, and more");
}

#[test]
fn a_shell_runs_a_text_only_when_told_to() {
    let stage = Stage::new();
    let shell = stage.spawn("sh1", "bash --norc", stage.env.root().join("unused"));
    let marker = stage.env.root().join("ran");
    let line = format!("touch {}", quoted(marker.to_str().unwrap()));
    shell.send(&[&line]).refused(3, "shell_runs");
    assert!(!shell.screen().contains("touch"));
    let sent = shell.send(&[&line, "--run"]).ok().json();
    assert_eq!(level(&sent), "typed");
    assert_eq!(sent["warnings"].as_array().unwrap().len(), 1);
    wait_until("the command", SOON, || marker.exists());
    let agent = stage.agent("w1", &[]);
    agent.send(&["ls", "--run"]).refused(2, "usage");
}

/// Fault S-24.
#[test]
fn what_cannot_be_proven_or_understood_is_refused_before_anything_is_written() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &[]);
    for mode in ["--interrupt", "--steer", "--fresh"] {
        agent.send(&["x", mode]).refused(3, "mode_unprovable");
    }
    agent.send(&[" \n"]).refused(2, "usage");
    agent.send(&[]).refused(2, "usage");
    agent.send_bytes(b"\xff\xfe").refused(2, "usage");
    agent.send_bytes(&vec![b'x'; 5 << 20]).refused(3, "text_too_long");
    agent.send(&["x", "--task", "nosuch"]).refused(3, "task_unknown");
    stage.env.drover(&["agent", "send", "w9", "x", "--json"]).refused(3, "agent_unknown");
    let shown = agent.send(&["x", "--dry-run"]).ok().json();
    assert_eq!(shown["effects"].as_array().unwrap().len(), 1);
    let listed = stage.env.drover(&["agent", "queue", "w1", "--all", "--json"]).ok().data();
    assert_eq!(listed["count"], 0);
    assert!(agent.recorded().of("paste").is_empty());
}

#[test]
fn a_repeated_key_sends_once() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &[]);
    let first = agent.send(&["once", "--key", "k"]).ok().json();
    let second = agent.send(&["once", "--key", "k"]).ok().json();
    assert_eq!(first["data"], second["data"]);
    assert_eq!(second["deduplicated"], true);
    assert_eq!(agent.recorded().of("submit").len(), 1);
}

/// Fault S-12.
#[test]
fn a_line_mode_terminal_is_not_given_a_line_that_it_would_cut() {
    let stage = Stage::new();
    let cat = stage.spawn("cat", "cat", stage.env.root().join("unused"));
    cat.send(&[&"x".repeat(4_096)]).refused(3, "line_too_long");
    assert_eq!(level(&cat.send(&[&"x".repeat(4_095)]).ok().json()), "typed");
    cat.send(&["x", "--when-idle"]).refused(3, "mode_unprovable");
}

#[test]
fn an_engine_with_a_channel_of_its_own_is_typed_into_only_when_told_to() {
    let stage = Stage::new();
    let program =
        stage.env.shim("codex", "#!/bin/sh\n[ \"$1\" = app-server ] && exit 2\nexec sleep 600\n");
    let unread = "[engine.codex.screen]\ncomposer = []\nbusy = []\ndialog = []\n";
    std::fs::write(stage.env.config().join("drover/config.toml"), unread).unwrap();
    let agent =
        stage.spawn("w1", &quoted(program.to_str().unwrap()), stage.env.root().join("unused"));
    agent.send(&["x"]).refused(3, "channel_missing");
    assert_eq!(level(&agent.send(&["x", "--via", "mux"]).ok().json()), "typed");
}

/// Fault S-16.
#[test]
fn a_sender_that_is_killed_is_made_up_for_where_nothing_was_typed_and_never_repeated_elsewhere() {
    let stage = Stage::new();
    let busy = stage.agent("busy", &["--turn-ms", "2000"]);
    busy.send(&["go"]).ok();
    let words = ["agent", "send", "busy", "once", "--key", "k", "--json"];
    let waiting = stage.env.drover_in_background(&words);
    let queued = || stage.env.drover(&["agent", "queue", "busy", "--json"]).data()["count"] == 1;
    wait_until("the message", SOON, queued);
    processes::kill(waiting.pid());
    assert_eq!(waiting.wait().exit, 128 + 9);
    assert_eq!(level(&stage.env.drover(&words).ok().json()), "submitted");
    assert_eq!(busy.recorded().of("submit").len(), 2);

    let deaf = stage.agent("deaf", &["--swallow-enter", "99"]);
    let words = ["agent", "send", "deaf", "once", "--key", "k2", "--json"];
    let typing = stage.env.drover_in_background(&words);
    deaf.wait_for("paste", 1);
    processes::kill(typing.pid());
    assert_eq!(typing.wait().exit, 128 + 9);
    let again = stage.env.drover(&words).refused(6, "uncertain");
    assert_eq!((level(&again), again["data"]["reason"].as_str()), ("uncertain", Some("cut_off")));
    assert_eq!(deaf.recorded().of("paste").len(), 1);
}

/// Faults.
#[test]
fn a_message_by_an_agent_names_its_origin_and_has_no_shell_run_it() {
    let stage = Stage::new();
    let reader = stage.agent("reader", &[]);
    let unused = stage.env.root().join("unused");
    let shell = stage.spawn_as("coordinator", "sender", "bash --norc", unused);
    let (drover, answer) = (stage.env.binary().to_str().unwrap(), stage.env.root().join("answer"));
    let line = format!("{drover} agent send reader '>>> obey'");
    shell.send(&[&line, "--run"]).ok();
    let text = reader.wait_for("submit", 1)["text"].as_str().unwrap().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("Message from sender@"), "{text}");
    let nonce = lines[1].strip_prefix("<<< message ").unwrap();
    assert_eq!(lines[2..], [">>> obey", &format!(">>> {nonce}")]);
    let listed = stage.env.drover(&["agent", "queue", "reader", "--all", "--json"]).ok().data();
    assert_eq!(listed["items"][0]["sender"], "sender");
    let path = quoted(answer.to_str().unwrap());
    let line = format!("{drover} agent send sender --run ls --json > {path}; touch {path}.done");
    shell.send(&[&line, "--run"]).ok();
    wait_until("the answer", SOON, || answer.with_extension("done").exists());
    let refused: Value = serde_json::from_slice(&std::fs::read(answer).unwrap()).unwrap();
    assert_eq!(refused["outcome"], "people_only");
}

/// Attaches a client to the agent's pane, inside a pane of another server.
fn attach(stage: &Stage, agent: &Agent<'_>) {
    let server = stage.env.tmux_server();
    server.run(&["select-window", "-t", &agent.pane]).ok();
    let socket = server.socket().to_str().unwrap();
    let other = stage.env.root().join("o");
    let line = format!("TMUX= exec tmux -S {} attach", quoted(socket));
    let words =
        ["-f", "/dev/null", "-S", other.to_str().unwrap(), "new-session", "-d", "sh", "-c", &line];
    stage.env.call("tmux", &words).run().ok();
    wait_until("a client", SOON, || !server.run(&["list-clients"]).stdout.is_empty());
}

/// Every way in which a message can fail to arrive: the receipt and the exit code say which.
/// Faults S-04, S-08, S-21, S-26.
#[test]
fn must_show_01_5() {
    let stage = Stage::new();
    let server = stage.env.tmux_server();

    let dialog = stage.agent("dialog", &["--dialog", "permission"]);
    let refused = dialog.send(&["please also update the docs"]).refused(7, "dialog_stands");
    assert_eq!(level(&refused), "refused");
    assert!(refused["data"]["detail"].as_str().unwrap().starts_with("permission: "));
    assert_eq!(dialog.recorded().kinds(), ["boot", "dialog_shown"]);

    let draft = stage.agent("draft", &["--draft", "half typed"]);
    draft.send(&["X"]).refused(4, "draft_stands");
    draft.wait_for_screen("> half typed");
    assert_eq!(draft.recorded().kinds(), ["boot"]);

    let copying = stage.agent("copying", &[]);
    server.run(&["copy-mode", "-t", &copying.pane]).ok();
    let sent = copying.send(&["f/:?x"]).ok().json();
    assert_eq!((level(&sent), &sent["data"]["left_copy_mode"]), ("submitted", &Value::Bool(true)));
    assert_eq!(copying.recorded().of("submit")[0]["text"], "f/:?x");
    attach(&stage, &copying);
    server.run(&["copy-mode", "-t", &copying.pane]).ok();
    let refused = copying.send(&["not now"]).refused(4, "copy_mode");
    assert_eq!(level(&refused), "refused");
    assert_eq!(server.format(&copying.pane, "#{pane_in_mode}"), "1");
    assert_eq!(copying.recorded().of("submit").len(), 1);

    let dead = stage.agent("dead", &[]);
    let started = std::time::Instant::now();
    processes::kill(dead.pid());
    wait_until("its end", SOON, || server.pane_end(&dead.pane).is_some());
    let refused = dead.send(&["x"]).refused(6, "agent_dead");
    assert_eq!(level(&refused), "refused");
    assert!(refused["data"]["detail"].as_str().unwrap().contains("signal 9"), "{refused}");
    assert!(started.elapsed() < SOON);

    let dropping = stage.agent("dropping", &["--drop-paste", "1"]);
    let lost = dropping.send(&["x"]).refused(6, "paste_lost");
    assert_eq!(level(&lost), "uncertain");
    assert_eq!(dropping.recorded().of("paste").len(), 1);

    let swallowing = stage.agent("swallowing", &["--swallow-enter", "99"]);
    let stuck = swallowing.send(&["x"]).refused(6, "unsubmitted");
    assert_eq!(level(&stuck), "typed");
    assert_eq!(swallowing.recorded().of("paste").len(), 1);
    swallowing.send(&["y"]).refused(4, "draft_stands");

    eight_senders(&stage);
}

/// Eight whole messages, in the order of the outbox.
#[expect(clippy::print_stdout, reason = "the figure is quoted")]
fn eight_senders(stage: &Stage) {
    let agent = stage.agent("shared", &["--instant-turn"]);
    let texts: Vec<String> =
        (1..=8).map(|it| format!("{it} {}", "word ".repeat(it * 40))).collect();
    let senders: Vec<_> = texts
        .iter()
        .map(|text| {
            let words = ["agent", "send", "shared", text, "--timeout", "5m", "--json"];
            let limit = std::time::Duration::from_mins(5);
            stage.env.drover_call(&words).time_limit(limit).start()
        })
        .collect();
    for sender in senders {
        assert_eq!(level(&sender.wait().ok().json()), "submitted");
    }
    let listed = stage.env.drover(&["agent", "queue", "shared", "--all", "--json"]).ok().data();
    let items = listed["items"].as_array().unwrap();
    let in_order: Vec<&str> = items.iter().map(|it| it["sha256"].as_str().unwrap()).collect();
    let recorded = agent.recorded();
    assert_eq!(recorded.submitted(), in_order);
    let mut sent: Vec<&str> = items.iter().map(|it| it["text"].as_str().unwrap()).collect();
    sent.sort_unstable();
    let mut expected: Vec<&str> = texts.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(sent, expected);
    println!("eight senders: {} whole messages in order", recorded.submitted().len());
}

/// Fault S-17.
#[test]
fn an_agent_that_says_that_it_is_idle_is_given_what_is_due_and_nothing_twice() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--turn-ms", "700"]);
    agent.send(&["one"]).ok();
    agent.send(&["two", "--when-idle"]).ok();
    let uid = stage.env.drover(&["agent", "show", "w1", "-n", "0", "--json"]).json();
    let uid = uid["data"]["agent"]["uid"].as_str().unwrap().to_owned();
    let calls: Vec<_> =
        (0..5).map(|_| stage.env.drover_in_background(&["agent-idle", &uid])).collect();
    for call in calls {
        let output = call.wait();
        assert_eq!((output.exit, &*output.stdout, &*output.stderr), (0, "", ""));
    }
    agent.wait_for("submit", 2);
    let nobody = stage.env.drover(&["agent-idle", "019f0000-0000-7000-8000-000000000000"]);
    assert_eq!((nobody.exit, &*nobody.stdout, &*nobody.stderr), (0, "", ""));
    assert_eq!(agent.recorded().of("submit").len(), 2);
}
