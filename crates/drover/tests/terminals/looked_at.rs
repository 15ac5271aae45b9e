//! Looking at agents: what it costs, what it changes, and what it shows.

use drover_testkit::wait_until;

use super::{LONG, counted_calls};
use crate::agent::{pane, project, spawn};
use crate::stage::{Stage, level};

/// Writes a line for each time its terminal is resized, and reads what it is told.
const WATCHES_ITS_SIZE: &str =
    "trap 'echo resized >>SIZES' WINCH; echo ready; while :; do read line; done";

/// What an agent that draws on the whole terminal does: the other screen, colours, a title, a link.
const DRAWS: &str = r"printf 'before\n\033[?1049h\033[2J\033[Hdrawn \033[1;31mred\033[0m\n'
printf '\033]0;a title\007\033]8;;http://localhost/\033\\link\033]8;;\033\\ 日本 e\314\201\n'
read line
printf '\033[?1049lafter \033[4mline\033[0m\n'
exec cat";

/// Fault T-02.
#[test]
fn a_look_costs_one_call_and_one_for_all_screens_and_a_task_verb_none() {
    let stage = Stage::new();
    for number in 0..4 {
        stage.agent(&format!("scripted-{number}"), &[]);
        spawn(&stage.env, &format!("shell-{number}"), &["--engine", "shell"]);
    }
    stage.env.drover(&["task", "add", "One", "--id", "one"]).ok();
    let calls = counted_calls(&stage.env);
    for words in [&["agent", "list"][..], &["state"]] {
        stage.env.drover(words).ok();
        let made = calls();
        assert!(made <= 2, "{words:?}: {made}");
    }
    for words in [
        &["task", "list"][..],
        &["task", "next"],
        &["task", "show", "one"],
        &["task", "tree", "one"],
        &["log"],
    ] {
        stage.env.drover(words).ok();
        assert_eq!(calls(), 0, "{words:?}");
    }
}

/// Fault T-04.
#[test]
fn a_look_never_changes_the_size_of_what_it_looks_at() {
    let env = project();
    let sizes = env.root().join("sizes");
    let script = WATCHES_ITS_SIZE.replace("SIZES", sizes.to_str().unwrap());
    let path = env.root().join("sized.sh");
    std::fs::write(&path, script).unwrap();
    let agent = spawn(&env, "w1", &["--command", &format!("sh {}", path.display())]);
    let pane = pane(&agent);
    wait_until("it is ready", LONG, || env.tmux_server().screen(pane).contains("ready"));
    let size = env.tmux_server().format(pane, "#{pane_width}x#{pane_height}");
    for (columns, lines) in [("1", "1"), ("40", "10"), ("300", "100")] {
        for words in [
            &["agent", "read", "w1", "-n", "200"][..],
            &["agent", "show", "w1"],
            &["agent", "list"],
            &["agent", "explain", "w1"],
            &["agent", "attach", "w1"],
            &["state"],
            &["agent", "send", "w1", "a text"],
        ] {
            let call = env.drover_call(words);
            call.variable("COLUMNS", columns).variable("LINES", lines).run().ok();
        }
    }
    assert_eq!(env.tmux_server().format(pane, "#{pane_width}x#{pane_height}"), size);
    assert!(!sizes.exists());
    // It would have been written: a person may resize it.
    env.tmux(&["resize-window", "-t", pane, "-x", "77", "-y", "20"]).ok();
    wait_until("it is resized", LONG, || sizes.exists());
}

/// Fault T-05.
#[test]
fn what_is_read_is_text_whatever_screen_was_drawn_on() {
    let env = project();
    let path = env.root().join("draws.sh");
    std::fs::write(&path, DRAWS).unwrap();
    spawn(&env, "w1", &["--command", &format!("sh {}", path.display())]);
    let read = || {
        let data = env.drover(&["agent", "read", "w1", "-n", "200", "--json"]).ok().data();
        data["screen"].as_str().unwrap().to_owned()
    };
    let is_text = |it: &str| !it.chars().any(|sign| sign.is_control() && sign != '\n');
    wait_until("it has drawn", LONG, || read().contains("link"));
    let drawn = read();
    assert!(is_text(&drawn), "{drawn:?}");
    for part in ["drawn red", "link 日本 e\u{301}"] {
        assert!(drawn.contains(part), "{drawn:?}");
    }
    env.drover(&["agent", "send", "w1", "go on"]).ok();
    wait_until("it has left the other screen", LONG, || read().contains("after line"));
    let left = read();
    assert!(is_text(&left) && left.contains("before") && !left.contains("drawn"), "{left:?}");
    let shown = env.drover(&["agent", "read", "w1", "-n", "200"]).ok().stdout;
    assert!(is_text(&shown), "{shown:?}");
}

#[test]
fn a_terminal_of_a_few_cells_is_written_to_without_harm() {
    let env = project();
    spawn(&env, "a-name-that-is-long", &["--engine", "shell"]);
    env.drover(&["task", "add", "日本語 👨‍👩‍👧‍👦 a long title that does not fit", "--id", "one"]).ok();
    let ended = env.root().join("ended");
    let verbs = [
        "state",
        "agent list",
        "task list",
        "task show one",
        "task plan",
        "log",
        "doctor",
        "agent read a-name-that-is-long",
        "--help",
    ];
    for (columns, rows) in [(1, 1), (2, 2), (10, 3), (20, 5), (33, 2)] {
        let lines: Vec<String> = verbs
            .iter()
            .map(|verb| {
                format!(
                    "'{}' {verb} || echo '{verb}' failed >>'{}'",
                    env.binary().display(),
                    ended.display()
                )
            })
            .collect();
        let socket = env.tmux_server().socket().display();
        let script = format!(
            "export DROVER_STATE_DIR='{}' DROVER_TMUX_SOCKET='{socket}'\nstty cols {columns} rows {rows}\n{}\necho ended >>'{}'\n",
            env.state().display(),
            lines.join("\n"),
            ended.display()
        );
        std::fs::write(env.root().join("small.sh"), script).unwrap();
        let script = env.root().join("small.sh");
        env.tmux(&["new-session", "-d", "-x", "80", "-y", "24", "sh", script.to_str().unwrap()])
            .ok();
        wait_until("all are shown", LONG, || {
            std::fs::read_to_string(&ended).is_ok_and(|it| it.ends_with("ended\n"))
        });
        assert_eq!(std::fs::read_to_string(&ended).unwrap(), "ended\n", "{columns}x{rows}");
        std::fs::remove_file(&ended).unwrap();
    }
}

#[test]
fn into_a_pane_of_a_few_cells_a_text_is_typed_once_or_not_at_all() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &[]);
    for (number, (columns, rows)) in [(4, 2), (12, 4), (30, 6)].into_iter().enumerate() {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        stage.env.tmux(&["resize-window", "-t", &agent.pane, "-x", &columns, "-y", &rows]).ok();
        let text = format!("text {number}");
        let sent = agent.send(&[&text, "--timeout", "3"]);
        let answer = sent.json();
        let level = level(&answer);
        assert!(
            ["submitted", "queued", "uncertain", "typed", "refused"].contains(&level),
            "{sent}"
        );
        let listed = stage.env.drover(&["agent", "list", "--json"]).ok().data();
        assert_ne!(listed["items"][0]["state"], "exited", "{listed}");
        let submitted = agent
            .recorded()
            .of("submit")
            .iter()
            .filter(|it| it.to_string().contains(&text))
            .count();
        assert!(submitted <= 1, "{sent}");
    }
}
