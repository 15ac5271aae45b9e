//! Names, directories and commands that would be something else to a shell or to tmux.

use drover_testkit::{processes, wait_until};

use super::{LONG, in_pane, names, pane, pid, project, show, spawn};

const HOSTILE: &str = "a #(touch x) $(touch x) `touch x` \"it's\"; touch x;";

#[test]
fn a_hostile_directory_is_where_the_agent_starts_and_nothing_more() {
    let env = project();
    let directory = env.root().join(HOSTILE);
    std::fs::create_dir(&directory).unwrap();
    let agent = spawn(&env, "w1", &["--engine", "shell", "--cwd", directory.to_str().unwrap()]);
    let cwd = std::fs::read_link(format!("/proc/{}/cwd", pid(&agent))).unwrap();
    assert_eq!(cwd, directory);
    env.drover(&["agent", "restart", "w1"]).ok();
    env.drover(&["agent", "list"]).ok();
    assert_eq!(show(&env, "w1")["cwd"], directory.to_str().unwrap());
    no_x(&env);
}

#[test]
fn hostile_words_of_a_command_arrive_as_they_are() {
    let env = project();
    let command = format!("sleep 1000 '{}' ';' '#{{pane_id}}'", HOSTILE.replace('\'', ""));
    let agent = spawn(&env, "w1", &["--command", &format!("sh -c 'exec \"$@\"' sh {command}")]);
    assert_eq!(agent["command"][6], HOSTILE.replace('\'', ""));
    no_x(&env);
}

#[test]
fn a_hostile_state_directory_still_hears_of_deaths() {
    let mut env = project();
    let state = env.root().join(HOSTILE);
    env.set("DROVER_STATE_DIR", &state);
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "one"]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    processes::signal(pid(&agent), drover_testkit::Signal::KILL);
    let database = rusqlite::Connection::open(state.join("drover.db")).unwrap();
    let status = || -> String {
        database.query_row("SELECT status FROM tasks", [], |row| row.get(0)).unwrap()
    };
    wait_until("the task is open", LONG, || status() == "OPEN");
    no_x(&env);
}

#[test]
fn what_a_program_writes_on_its_screen_and_title_is_text() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let line = r"printf '\033]2;#(touch x)\007'; printf 'seen \033[31m\n'; tmux rename-window '##(touch x)'";
    in_pane(&env, pane(&agent), line);
    env.tmux_server().keys(pane(&agent), &[r"printf 'a\342\200\256b\n'", "Enter"]);
    wait_until("it is printed", LONG, || {
        env.drover(&["agent", "read", "w1"]).ok().stdout.contains(r"a\u{202e}b")
    });
    let read = env.drover(&["agent", "read", "w1", "-n", "20"]).ok().stdout;
    assert!(!read.chars().any(|it| it.is_control() && it != '\n' && it != '\t'), "{read:?}");
    env.drover(&["agent", "rename", "w1", "w2"]).ok();
    assert_eq!(names(&env), ["w2"]);
    no_x(&env);
}

/// The file that hostile text would make is nowhere.
#[track_caller]
fn no_x(env: &drover_testkit::TestEnv) {
    let mut open = vec![env.root().to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            assert_ne!(entry.file_name(), "x", "{}", entry.path().display());
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
        }
    }
}
