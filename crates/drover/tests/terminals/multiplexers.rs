//! Multiplexers of other versions, and configured in other ways.

use drover_testkit::{TestEnv, processes, wait_until};
use serde_json::Value;

use super::{LONG, before_tmux};
use crate::agent::{pane, spawn};
use crate::stage::{Stage, level};

/// What makes windows and panes other than Drover would find them by number, ends sessions, and puts
/// windows of its own beside ours.
const CONFIGURATION: &str = "
set -g base-index 1
setw -g pane-base-index 1
set -g renumber-windows on
set -g destroy-unattached on
set -g default-command 'exec sleep 1001'
set -g remain-on-exit on
set -g automatic-rename on
set -g allow-rename on
set -g history-limit 10
set -g status off
set-hook -g after-new-session 'new-window'
set-hook -g after-new-window 'split-window'
";

/// 3.0 as far as a script can tell: what came later is unknown to it.
const OLD: &str = r#"
case $1 in -V) echo 'tmux 3.0a'; exit ;; esac
refuse() { echo "$1: unknown option -- $2" >&2; exit 1; }
command= expects=command
count=$#
for word; do
    case $expects,$word in
    command,-[SLf]) expects=value ;;
    value,*) expects=command ;;
    command,-*) ;;
    *,';') expects=command ;;
    command,*) command=$word expects=words ;;
    esac
    case $command,$word in
    new-session,-e | new-session,-X) refuse "$command" "$word" ;;
    copy-mode,-q | copy-mode,-[eH]) refuse "$command" "$word" ;;
    capture-pane,-[NTM] | list-panes,-f | list-sessions,-f) refuse "$command" "$word" ;;
    run-shell,-[Cdc] | load-buffer,-w | display-message,-[INl] | send-keys,-[FHKc]) refuse "$command" "$word" ;;
    respawn-pane,-e | set-option,-U | set-hook,-[Bpw] | attach-session,-[fx]) refuse "$command" "$word" ;;
    display-popup,* | display-menu,* | server-access,*) echo "unknown command: $command" >&2; exit 1 ;;
    esac
    case $word in
    *hook_pane* | *pane_dead_signal* | *pane_dead_time*)
        word=$(printf '%s' "$word" | sed 's/hook_pane/not_known/g; s/pane_dead_signal/not_known/g; s/pane_dead_time/not_known/g') ;;
    esac
    set -- "$@" "$word"
done
shift "$count"
exec TMUX_ "$@"
"#;

fn read(env: &TestEnv, name: &str) -> String {
    let data = env.drover(&["agent", "read", name, "--json"]).ok().data();
    data["screen"].as_str().unwrap().to_owned()
}

fn states(env: &TestEnv) -> Vec<String> {
    let data = env.drover(&["agent", "list", "--json"]).ok().data();
    let items = data["items"].as_array().unwrap();
    items
        .iter()
        .map(|it| format!("{} {}", it["name"].as_str().unwrap(), it["state"].as_str().unwrap()))
        .collect()
}

/// Fault P-02.
#[test]
fn panes_are_found_however_a_person_numbers_and_arranges_them() {
    let mut env = crate::env();
    std::fs::write(env.home().join(".tmux.conf"), CONFIGURATION).unwrap();
    env.unset("DROVER_TMUX_SOCKET");
    env.set("TMUX_TMPDIR", env.root().join("tmp"));
    env.drover(&["project", "init", "web"]).ok();
    let agents: Vec<Value> = ["w1", "w2", "w3"]
        .iter()
        .map(|name| spawn(&env, name, &["--command", &format!("sh -c 'echo I am {name}; cat'")]))
        .collect();
    let tmux = |words: &[&str]| env.call("tmux", words).run();
    // The person goes to a window of their own.
    let session = agents[0]["pane"]["session"].as_str().unwrap();
    tmux(&["new-window", "-t", &format!("{session}:"), "exec sleep 1000"]).ok();
    let numbers = tmux(&["list-panes", "-a", "-F", "#{window_index}.#{pane_index}"]).ok().stdout;
    assert!(numbers.lines().all(|it| !it.starts_with('0') && !it.ends_with(".0")), "{numbers}");

    assert_eq!(states(&env), ["w1 unknown", "w2 unknown", "w3 unknown"]);
    for name in ["w1", "w2", "w3"] {
        wait_until("it has spoken", LONG, || read(&env, name).contains(&format!("I am {name}")));
        env.drover(&["agent", "send", name, &format!("only {name}")]).ok();
        wait_until("the text is there", LONG, || {
            read(&env, name).contains(&format!("only {name}"))
        });
        assert_eq!(read(&env, name).matches("only w").count() % 2, 0, "{}", read(&env, name));
    }
    env.drover(&["agent", "close", "w2"]).ok();
    assert_eq!(states(&env), ["w1 unknown", "w3 unknown"]);
    assert!(read(&env, "w3").contains("only w3"));
    let panes = tmux(&["list-panes", "-a", "-F", "#{pane_id}"]).ok().stdout;
    for (agent, is_there) in agents.iter().zip([true, false, true]) {
        assert_eq!(panes.lines().any(|it| it == pane(agent)), is_there, "{panes}");
    }
    tmux(&["kill-server"]).ok();
}

/// Fault I-02.
#[test]
fn an_old_multiplexer_is_asked_for_nothing_that_it_does_not_know() {
    let stage = Stage::new();
    before_tmux(&stage.env, OLD);
    let agent = stage.agent("w1", &[]);
    assert_eq!(level(&agent.send(&["hello"]).ok().json()), "submitted");
    stage.env.tmux(&["copy-mode", "-t", &agent.pane]).ok();
    assert_eq!(level(&agent.send(&["out of copy mode"]).ok().json()), "submitted");
    assert_eq!(agent.recorded().of("submit").len(), 2);
    processes::kill(agent.pid());
    wait_until("its end is seen", LONG, || states(&stage.env) == ["w1 exited"]);
    let doctor = stage.env.drover(&["doctor"]).stdout;
    assert!(doctor.contains("3.0"), "{doctor}");
    stage.env.drover(&["agent", "close", "w1"]).ok();
    assert_eq!(states(&stage.env), [""; 0]);
}

/// Fault I-02.
#[test]
fn versions_are_taken_or_refused_before_anything_is_written() {
    let env = crate::agent::project();
    let words = ["agent", "spawn", "w1", "--command", "sleep 1000", "--json"];
    for version in ["tmux 2.6", "tmux 2.9a", "garbage", "", "tmux"] {
        before_tmux(
            &env,
            &format!("case $1 in -V) echo '{version}'; exit ;; esac\nexec TMUX_ \"$@\"\n"),
        );
        env.drover(&words).refused(5, "mux_too_old");
        assert_eq!((states(&env).len(), env.tmux_server().server_pid()), (0, None), "{version}");
    }
    for (number, version) in
        ["tmux 3.0a", "tmux 3.1c", "tmux next-3.7", "tmux openbsd-7.5"].iter().enumerate()
    {
        before_tmux(
            &env,
            &format!("case $1 in -V) echo '{version}'; exit ;; esac\nexec TMUX_ \"$@\"\n"),
        );
        spawn(&env, &format!("new-{number}"), &["--command", "sleep 1000"]);
    }
    assert_eq!(states(&env).len(), 4);
}
