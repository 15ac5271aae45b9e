//! What stands above a pane, and windows that agents share.

use drover_testkit::{TestEnv, wait_until};
use serde_json::json;

use super::{LONG, pane, project, show, spawn};

fn label(env: &TestEnv, name: &str) -> String {
    env.tmux_server().format(pane(&show(env, name)), "#{@drover_label}")
}

#[test]
fn the_line_above_a_pane_names_the_agent_and_what_it_holds() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let of = |format: &str| env.tmux_server().format(pane(&agent), format);
    assert_eq!((of("#{@drover_label}"), of("#{pane_title}")), ("w1".to_owned(), "w1".to_owned()));
    assert_eq!(of("#{pane-border-status}"), "top");
    env.drover(&["task", "add", "Build it"]).ok();
    env.drover(&["task", "claim", "build_it", "--for", "w1"]).ok();
    assert_eq!(label(&env, "w1"), "w1 · build_it");
    env.drover(&["task", "add", "Test it"]).ok();
    env.drover(&["task", "claim", "test_it", "--for", "w1"]).ok();
    assert_eq!(label(&env, "w1"), "w1 · 2 tasks");
    env.drover(&["agent", "rename", "w1", "builder"]).ok();
    assert_eq!(of("#{@drover_label}"), "builder · 2 tasks");
    for task in ["build_it", "test_it"] {
        env.drover(&["task", "release", task]).ok();
    }
    assert_eq!(label(&env, "builder"), "builder");
}

#[test]
fn a_program_keeps_the_title_that_it_gives_itself() {
    let env = project();
    let title = r#"sh -c 'printf "\033]2;my own title\007"; exec sleep 1000'"#;
    let agent = spawn(&env, "w1", &["--command", title]);
    let of = |format: &str| env.tmux_server().format(pane(&agent), format);
    wait_until("it has a title", LONG, || of("#{pane_title}") == "my own title");
    assert_eq!(show(&env, "w1")["title"], "my own title");
    env.drover(&["agent", "list"]).ok();
    assert_eq!(
        (of("#{pane_title}"), of("#{@drover_label}")),
        ("my own title".to_owned(), "w1".to_owned())
    );
}

#[test]
fn agents_share_the_window_that_they_are_given_and_keep_it_over_a_restart() {
    let env = project();
    spawn(&env, "w1", &["--engine", "shell", "--tab", "crew #1"]);
    spawn(&env, "w2", &["--engine", "shell", "--tab", "crew #1"]);
    spawn(&env, "w3", &["--engine", "shell"]);
    let window = |name: &str| show(&env, name)["pane"]["window"].clone();
    assert_eq!(window("w1"), window("w2"));
    assert_ne!(window("w1"), window("w3"));
    assert_eq!(show(&env, "w2")["pane"]["tab"], "crew #1");
    let name = || env.tmux_server().format(pane(&show(&env, "w1")), "#{window_name}");
    assert_eq!(name(), "crew #1");
    env.drover(&["agent", "rename", "w2", "other"]).ok();
    assert_eq!(name(), "crew #1", "what is shared keeps its name");
    // Its pane is gone: it comes back beside the other.
    env.tmux(&["kill-pane", "-t", pane(&show(&env, "other"))]).ok();
    env.drover(&["agent", "restart", "other"]).ok();
    assert_eq!(window("other"), window("w1"));
    let refuse = |tab: &str| {
        let words = ["agent", "spawn", "w4", "--engine", "shell", "--json", "--tab", tab];
        env.drover(&words).refused(2, "usage");
    };
    refuse("");
    refuse("two\nlines");
    refuse(&"x".repeat(65));
}

#[test]
fn a_window_without_room_is_not_the_end() {
    let env = project();
    spawn(&env, "w1", &["--engine", "shell", "--tab", "crew"]);
    let place = pane(&show(&env, "w1")).to_owned();
    env.tmux(&["resize-window", "-t", &place, "-x", "20", "-y", "5"]).ok();
    for number in 2..6 {
        spawn(&env, &format!("w{number}"), &["--engine", "shell", "--tab", "crew"]);
    }
    let listed = env.drover(&["agent", "list", "--json"]).ok().data();
    let running =
        listed["items"].as_array().unwrap().iter().filter(|it| it["lifecycle"] == "running");
    assert_eq!(running.count(), 5);
    assert_eq!(listed["items"][4]["pane"]["tab"], json!("crew"));
}
