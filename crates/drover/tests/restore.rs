//! `drover agent restore`: agents that have ended, back in their conversations, in a real tmux.

use std::path::PathBuf;

use drover_testkit::{CommandOutput, TestEnv, wait_until};
use serde_json::Value;

use crate::stage::SOON;

/// A program in the place of a chat agent: it writes down how it was started, and stays.
const PROGRAM: &str = r#"
printf '%s|%s|%s|%s\n' "$$" "$PWD" "$KEPT" "$*" >>"$RECORD"
[ ! -e "$RECORD.ends" ] || { echo "no conversation found"; exit 3; }
exec sleep 100000
"#;

/// A home with the project `web` and a program that stands for claude.
struct Home {
    env: TestEnv,
    record: PathBuf,
}

/// How the program was started: process, directory, variable, and words.
type Start = (u32, String, String, String);

impl Home {
    fn new() -> Self {
        let mut env = crate::env();
        let record = env.root().join("starts");
        let program =
            env.shim("stand-in", &format!("#!/bin/sh\nRECORD='{}'\n{PROGRAM}", record.display()));
        env.set("DROVER_ENGINE_CLAUDE", program.to_str().unwrap());
        env.drover(&["project", "init", "web"]).ok();
        Self { env, record }
    }

    fn run(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        self.env.drover(&all)
    }

    /// Starts an agent in a directory of its own.
    #[track_caller]
    fn spawn(&self, name: &str, words: &[&str]) -> Value {
        let cwd = self.env.root().join(format!("in-{name}"));
        std::fs::create_dir_all(&cwd).unwrap();
        let place = ["--cwd", cwd.to_str().unwrap(), "--env", "KEPT=one two"];
        let before = self.starts().len();
        let verb = ["agent", "spawn", name, "--engine", "claude"];
        let agent = self.run(&[&verb, &place[..], words].concat()).ok().data()["agent"].take();
        wait_until("it has started", SOON, || self.starts().len() > before);
        agent
    }

    fn show(&self, name: &str) -> Value {
        self.run(&["agent", "show", name, "-n", "0"]).ok().data()["agent"].take()
    }

    fn restore(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> =
            ["agent", "restore", "--timeout", "0.3s"].iter().chain(words).copied().collect();
        self.run(&all)
    }

    fn starts(&self) -> Vec<Start> {
        let text = std::fs::read_to_string(&self.record).unwrap_or_default();
        let start = |line: &str| {
            let parts: Vec<&str> = line.splitn(4, '|').collect();
            let [pid, cwd, kept, words] = parts.try_into().unwrap();
            (pid.parse().unwrap(), cwd.to_owned(), kept.to_owned(), words.to_owned())
        };
        text.lines().map(start).collect()
    }

    /// Kills the server with all its panes, and waits until an agent is seen to be gone.
    fn kill_server(&self, agent: &str) {
        self.env.tmux_server().kill_server();
        wait_until("it is gone", SOON, || self.show(agent)["state"] == "exited");
    }

    /// Lets the program end right after its start, or stay again.
    fn let_end(&self, ends: bool) {
        let file = self.record.with_extension("ends");
        if ends {
            std::fs::write(&file, "").unwrap();
        } else {
            std::fs::remove_file(&file).unwrap();
        }
    }
}

/// Faults P-12, P-17.
#[test]
fn a_killed_server_is_no_loss_of_the_conversation_the_profile_or_the_task() {
    let home = Home::new();
    let before = home.spawn("w1", &["--model", "m1", "--unattended"]);
    home.spawn("w2", &[]);
    for id in ["mine", "taken", "old"] {
        home.run(&["task", "add", id, "--id", id]).ok();
        home.run(&["task", "claim", id, "--for", "w1"]).ok();
    }
    home.run(&["task", "release", "old"]).ok();
    home.kill_server("w1");
    home.run(&["task", "claim", "taken"]).ok();
    let preview = home.restore(&["--all", "--dry-run"]).ok().json();
    assert_eq!(preview["dry_run"], true);
    assert_eq!((home.starts().len(), home.show("w1")["state"].clone()), (2, "exited".into()));
    let restored = home.restore(&["--all", "--key", "k"]).ok().json();
    assert_eq!(restored["outcome"], "restored");
    let items = restored["data"]["agents"]["items"].as_array().unwrap();
    assert_eq!((&items[0]["name"], &items[1]["name"]), (&"w1".into(), &"w2".into()));
    assert_eq!(items[0]["claimed"], serde_json::json!(["mine"]));
    let told = items[0]["differences"].to_string();
    assert!(told.contains("it held taken, which is with user:"), "{told}");
    assert!(!told.contains("conversation"), "{told}");
    wait_until("both run", SOON, || home.starts().len() == 4);
    let again = home.show("w1");
    for field in ["uid", "conversation", "model", "unattended", "cwd", "command", "env_names"] {
        assert_eq!(again[field], before[field], "{field}");
    }
    assert_eq!((&again["exit_signal"], &again["ended_at"]), (&Value::Null, &Value::Null));
    let starts = home.starts();
    let of = |name: &str| -> Vec<_> {
        let is_its = |it: &&Start| it.1.ends_with(&format!("in-{name}"));
        starts.iter().filter(is_its).map(|it| it.2.clone()).collect()
    };
    assert_eq!(
        (of("w1"), of("w2")),
        (vec!["one two".to_owned(); 2], vec!["one two".to_owned(); 2])
    );
    let mine = home.run(&["task", "show", "mine"]).ok().data()["task"].take();
    assert_eq!((&mine["status"], &mine["attempt"]), (&"IN_PROGRESS".into(), &1.into()));
    assert_eq!(home.restore(&["--all", "--key", "k"]).ok().json()["deduplicated"], true);
    assert_eq!(home.restore(&["--all"]).ok().data()["agents"]["count"], 0);
    assert_eq!(home.starts().len(), 4);
}

/// Fault P-13.
#[test]
fn nothing_is_resumed_twice() {
    let home = Home::new();
    let agent = home.spawn("w1", &[]);
    let refused = home.restore(&["w1"]).refused(3, "still_running");
    let pane = agent["pane"]["id"].as_str().unwrap();
    assert!(refused["error"].as_str().unwrap().contains(&format!("the pane {pane} of ")));
    assert_eq!(refused["next"][1]["run"], "drover agent attach web/w1");
    home.kill_server("w1");
    let words = ["agent", "restore", "w1", "--timeout", "0.3s", "--json"];
    let calls: Vec<_> = (0..4).map(|_| home.env.drover_in_background(&words)).collect();
    let mut exits: Vec<i32> = calls.into_iter().map(|it| it.wait().exit).collect();
    exits.sort_unstable();
    assert_eq!(exits, [0, 3, 3, 3]);
    wait_until("it runs", SOON, || home.starts().len() == 2);
    let pane = u32::try_from(home.show("w1")["pane"]["pid"].as_u64().unwrap()).unwrap();
    // A server that is gone while its program stays: the conversation goes on in that one.
    let database = rusqlite::Connection::open(home.env.database()).unwrap();
    let writer = "INSERT INTO writer(one,actor,intent,grp,machine,now_hlc,at,mode)
        SELECT 1,'t','t','t',machine_uid||'.'||incarnation,1,created_at,'log' FROM identity";
    database.execute(writer, []).unwrap();
    database.execute("UPDATE agents SET lifecycle='exited'", []).unwrap();
    database.execute("DELETE FROM writer", []).unwrap();
    let refused = home.restore(&["w1"]).refused(3, "still_running");
    assert!(refused["error"].as_str().unwrap().contains(&format!("its process {pane} lives on")));
    assert_eq!(home.starts().len(), 2);
}

/// Fault P-18.
#[test]
fn what_cannot_be_brought_back_keeps_its_conversation_and_can_be_tried_again() {
    let home = Home::new();
    let conversation = home.spawn("w1", &[])["conversation"].clone();
    assert!(conversation.is_string(), "{conversation}");
    home.run(&["agent", "spawn", "sh", "--engine", "shell"]).ok();
    home.kill_server("w1");
    home.restore(&["nobody"]).refused(3, "agent_unknown");
    let shell = home.restore(&["sh"]).refused(3, "cannot_resume");
    assert_eq!(shell["next"][0]["run"], "drover agent restart web/sh");
    let (cwd, aside) = (home.env.root().join("in-w1"), home.env.root().join("aside"));
    std::fs::rename(&cwd, &aside).unwrap();
    home.restore(&["w1"]).refused(3, "directory_unusable");
    std::fs::rename(&aside, &cwd).unwrap();
    home.let_end(true);
    let refused = home.run(&["agent", "restore", "w1"]).refused(6, "not_started");
    assert!(refused["error"].as_str().unwrap().contains("no conversation found"), "{refused}");
    let shown = home.show("w1");
    assert_eq!((&shown["conversation"], &shown["state"]), (&conversation, &"exited".into()));
    home.let_end(false);
    let part = home.restore(&["--all"]);
    assert_eq!((part.exit, &part.json()["outcome"]), (6, &"restored_in_part".into()));
    let items = part.data()["agents"]["items"].clone();
    let outcomes = [&items[0]["outcome"], &items[1]["outcome"]];
    assert_eq!(outcomes, ["cannot_resume", "restored"]);
    assert_eq!(home.show("w1")["conversation"], conversation);
    home.kill_server("w1");
    home.run(&["agent", "restart", "w1"]).ok();
    assert_ne!(home.show("w1")["conversation"], conversation, "a restart begins a new one");
}

/// Fault P-14.
#[test]
fn a_lost_server_is_told_once_however_often_its_agents_are_looked_at() {
    let home = Home::new();
    for name in ["w1", "w2", "w3"] {
        home.spawn(name, &[]);
    }
    home.kill_server("w1");
    home.run(&["agent", "list"]).ok();
    let changes = || {
        let database = rusqlite::Connection::open(home.env.database()).unwrap();
        let count = "SELECT count(*) FROM ops";
        database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let before = changes();
    for _ in 0..10 {
        home.run(&["agent", "list"]).ok();
        home.run(&["state"]).ok();
    }
    assert_eq!(changes(), before);
    assert_eq!(home.starts().len(), 3, "nothing is started by looking");
}

#[test]
fn a_restore_that_was_cut_off_is_taken_back_by_the_next_call() {
    let home = Home::new();
    let conversation = home.spawn("w1", &[])["conversation"].clone();
    home.kill_server("w1");
    let real = home.env.call("sh", &["-c", "command -v tmux"]).run().ok().stdout;
    let kills = "case \" $* \" in *' new-session '*) kill -KILL $PPID; exit 1;; esac";
    let script = format!("#!/bin/sh\n{kills}\nexec {} \"$@\"\n", real.trim());
    let shim = home.env.shim("tmux", &script);
    let cut_off = home.restore(&["w1"]);
    assert_eq!(cut_off.exit, 128 + 9, "{cut_off}");
    std::fs::remove_file(shim).unwrap();
    let database = rusqlite::Connection::open(home.env.database()).unwrap();
    let lifecycle = "SELECT lifecycle FROM agents";
    let lifecycle: String = database.query_row(lifecycle, [], |row| row.get(0)).unwrap();
    assert_eq!(lifecycle, "restoring");
    let shown = home.show("w1");
    assert_eq!((&shown["state"], &shown["conversation"]), (&"exited".into(), &conversation));
    home.restore(&["w1"]).ok();
    assert_eq!(home.show("w1")["lifecycle"], "running");
}
