//! Workers and texts in the shells that people log in with.

use std::path::PathBuf;

use drover_testkit::{TestEnv, wait_until};

use super::{LONG, installed};

/// Signs in the path of the program that shells read differently.
const DIRECTORY: &str = "it's a \\ #1! $HOME";

/// A home whose Drover lies in a directory of that name; both are gone with what is returned.
fn home() -> (TestEnv, tempfile::TempDir) {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let directory = place.path().join(DIRECTORY);
    std::fs::create_dir(&directory).unwrap();
    let binary = directory.join("drover");
    std::fs::hard_link(env!("CARGO_BIN_EXE_drover"), &binary).unwrap();
    (TestEnv::new(binary), place)
}

/// Gives the shells start-up files, so that none takes the person for a new one.
fn settle(env: &TestEnv) {
    let fish = env.config().join("fish");
    std::fs::create_dir_all(&fish).unwrap();
    std::fs::write(fish.join("config.fish"), "set -g fish_greeting\n").unwrap();
    // Without it the first fish reads every manual page, in front of its terminal.
    std::fs::create_dir_all(env.root().join("data/fish/generated_completions")).unwrap();
    for file in [".bashrc", ".zshrc", ".tcshrc"] {
        std::fs::write(env.home().join(file), "").unwrap();
    }
}

fn state(env: &TestEnv) -> String {
    let data = env.drover(&["agent", "show", "w1", "-n", "0", "--json"]).ok().data();
    data["agent"]["state"].as_str().unwrap().to_owned()
}

fn is_closed(env: &TestEnv, id: &str) -> bool {
    let data = env.drover(&["task", "show", id, "--json"]).ok().data();
    data["task"]["status"] == "CLOSED"
}

fn file(env: &TestEnv, name: &str) -> PathBuf {
    env.home().join(name)
}

fn begin(env: &TestEnv) {
    env.drover(&["project", "init", "web"]).ok();
    let work = ["--engine", "shell", "--work", "touch worked"];
    let words: Vec<&str> = ["agent", "spawn", "w1"].into_iter().chain(work).collect();
    env.drover(&words).ok();
    env.drover(&["task", "add", "Write it", "--id", "it"]).ok();
}

/// A worker in this shell is told to work, and a text is run in it as it was written.
fn check(program: &str) {
    let (mut env, _place) = home();
    let Some(path) = installed(&env, program) else { return };
    env.set("SHELL", &path);
    settle(&env);
    begin(&env);
    wait_until("it is idle", LONG, || state(&env) == "idle");
    let handed = env.drover(&["dispatch", "--json"]).ok().data();
    assert_eq!(handed["pass"]["handed"]["count"], 1, "{handed}");
    wait_until("it has worked", LONG, || is_closed(&env, "it"));
    assert!(file(&env, "worked").exists());
    let text = "echo 'it is' \"sent; ok\" > sent.part && mv sent.part sent";
    env.drover(&["agent", "send", "w1", "--run", text]).ok();
    wait_until("the text has run", LONG, || file(&env, "sent").exists());
    assert_eq!(std::fs::read_to_string(file(&env, "sent")).unwrap(), "it is sent; ok\n");
    let pid =
        env.drover(&["agent", "show", "w1", "--json"]).ok().data()["agent"]["pane"]["pid"].take();
    env.drover(&["agent", "close", "w1", "--json"]).ok();
    let pid = pid.as_u64().unwrap().try_into().unwrap();
    wait_until("it has ended", LONG, || !drover_testkit::processes::is_running(pid));
}

#[test]
fn bash_works_from_a_directory_of_any_name() {
    check("bash");
}

#[test]
fn zsh_works_from_a_directory_of_any_name() {
    check("zsh");
}

#[test]
fn fish_works_from_a_directory_of_any_name() {
    check("fish");
}

#[test]
fn tcsh_works_from_a_directory_of_any_name() {
    check("tcsh");
}

/// Fault P-01.
#[test]
fn nothing_is_typed_into_a_shell_that_asks_a_question_before_its_prompt() {
    let mut env = crate::env();
    let Some(path) = installed(&env, "bash") else { return };
    env.set("SHELL", &path);
    let script = "read -rn 1 -p 'Update now? [y/n] ' answer; echo \"$answer\" >answer\n";
    std::fs::write(file(&env, ".bashrc"), script).unwrap();
    begin(&env);
    wait_until("it asks", LONG, || state(&env) == "needs_input");
    let pass = env.drover(&["dispatch", "--json"]).ok().data()["pass"].take();
    assert_eq!(pass["handed"]["count"], 0, "{pass}");
    let words = ["agent", "send", "w1", "--run", "echo no", "--json"];
    env.drover(&words).refused(7, "dialog_stands");
    let needs = env.drover(&["state", "--json"]).ok().data();
    assert!(needs.to_string().contains("asks for a key"), "{needs}");
    assert!(!file(&env, "answer").exists());

    let data = env.drover(&["agent", "show", "w1", "--json"]).ok().data();
    env.tmux_server().keys(data["agent"]["pane"]["id"].as_str().unwrap(), &["y"]);
    wait_until("it is idle", LONG, || state(&env) == "idle");
    assert_eq!(std::fs::read_to_string(file(&env, "answer")).unwrap(), "y\n");
    env.drover(&["dispatch"]).ok();
    wait_until("it has worked", LONG, || is_closed(&env, "it"));
}

#[test]
fn a_shell_that_reads_a_line_before_its_prompt_is_at_work() {
    let mut env = crate::env();
    let Some(path) = installed(&env, "bash") else { return };
    env.set("SHELL", &path);
    std::fs::write(file(&env, ".bashrc"), "read -rp 'Passphrase: ' answer\n").unwrap();
    begin(&env);
    let data = env.drover(&["agent", "show", "w1", "--json"]).ok().data();
    let pane = data["agent"]["pane"]["id"].as_str().unwrap();
    wait_until("it asks", LONG, || env.tmux_server().screen(pane).contains("Passphrase"));
    assert_eq!(state(&env), "working");
    env.tmux_server().keys(pane, &["x", "Enter"]);
    wait_until("it is idle", LONG, || state(&env) == "idle");
}

#[test]
fn a_shell_that_only_refuses_a_login_is_not_run() {
    let mut env = crate::env();
    env.set("SHELL", "/usr/sbin/nologin");
    begin(&env);
    let data = env.drover(&["agent", "show", "w1", "--json"]).ok().data();
    assert_eq!(data["agent"]["command"][0], "/bin/sh");
}
