//! Workspaces of the real jj, from the spawn of an agent to the landing and the end of its work.

use std::path::{Path, PathBuf};

use drover_testkit::{CommandOutput, TestEnv};
use serde_json::{Value, json};

/// A project `web` on a repository of jj, at a path with blanks and letters that are not ASCII.
struct Colony {
    env: TestEnv,
    repository: PathBuf,
}

impl Colony {
    /// Made with these words behind `jj git init`.
    fn new(layout: &[&str]) -> Self {
        let mut env = crate::env();
        let path = path(&env);
        env.set("PATH", path);
        let config = "[user]\nname = \"Test Person\"\nemail = \"test@localhost\"\n";
        std::fs::create_dir_all(env.config().join("jj")).unwrap();
        std::fs::write(env.config().join("jj/config.toml"), config).unwrap();
        let repository = env.root().join("der süße #1 laden");
        std::fs::create_dir(&repository).unwrap();
        let colony = Self { env, repository };
        let words: Vec<&str> = ["git", "init"].iter().chain(layout).copied().collect();
        colony.jj(&colony.repository, &words);
        colony.write(&colony.repository, "shared.txt", "one\ntwo\nthree\n");
        colony.write(&colony.repository, ".gitignore", ".env\ntarget/\n");
        colony.jj(&colony.repository, &["commit", "--message", "first"]);
        colony.jj(&colony.repository, &["bookmark", "create", "main", "-r", "@-"]);
        let repository = colony.repository.to_str().unwrap();
        let made = colony.drover(&["project", "init", "web", "--repo", repository]).ok().data();
        let row = &made["project"]["repository"];
        assert_eq!((&row["kind"], &row["base_branch"]), (&json!("jj"), &json!("main")));
        colony
    }

    #[track_caller]
    fn jj(&self, directory: &Path, words: &[&str]) -> String {
        self.env.call("jj", words).directory(directory).run().ok().stdout
    }

    #[track_caller]
    fn drover(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        self.env.drover(&all)
    }

    fn write(&self, directory: &Path, name: &str, text: &str) {
        assert!(directory.starts_with(self.env.root()));
        std::fs::write(directory.join(name), text).unwrap();
    }

    /// Spawns an agent, and says where it works.
    #[track_caller]
    fn spawn(&self, name: &str) -> PathBuf {
        self.drover(&["agent", "spawn", name, "-p", "web", "--engine", "shell"]).ok();
        let found = self.drover(&["workspace", "path", name]).ok().data();
        assert_eq!((&found["kind"], &found["agent"]), (&json!("jj"), &json!(name)));
        PathBuf::from(found["path"].as_str().unwrap())
    }

    /// Writes a file and commits it, as an agent would; returns the commit.
    #[track_caller]
    fn work(&self, place: &Path, name: &str, text: &str) -> String {
        self.write(place, name, text);
        self.jj(place, &["commit", "--message", &format!("write {name}")]);
        self.jj(place, &["log", "--no-graph", "-r", "@-", "-T", "commit_id"])
    }

    #[track_caller]
    fn listed(&self, agent: &str) -> Value {
        let data = self.drover(&["workspace", "list"]).ok().data();
        let items = data["items"].as_array().unwrap().clone();
        items.into_iter().find(|it| it["agent"] == agent).unwrap()
    }

    /// Ends an agent, whose workspace stays, so that nothing works inside any more.
    #[track_caller]
    fn end(&self, name: &str) {
        let pid = self.drover(&["agent", "show", name]).ok().data();
        let pane = pid["agent"]["pane"]["id"].as_str().unwrap().to_owned();
        self.env.tmux(&["send-keys", "-t", &pane, "exit", "Enter"]);
        drover_testkit::wait_until("its end", super::LONG, || {
            self.drover(&["agent", "show", name]).ok().data()["agent"]["lifecycle"] == "exited"
        });
    }
}

/// The path, with the place where `./dev test` installs jj: `<target>/parts/jj/bin`.
fn path(env: &TestEnv) -> std::ffi::OsString {
    let exe = PathBuf::from(env!("CARGO_BIN_EXE_drover"));
    let parts = exe.ancestors().map(|it| it.join("parts/jj/bin")).find(|it| it.is_dir());
    let own = env.root().join("bin");
    let before = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(parts).chain(std::env::split_paths(&before)))
        .unwrap()
}

/// Fault W-18.
#[test]
#[ignore = "needs the real jj: ./dev test"]
fn must_show_03_6() {
    for layout in [&["--colocate"][..], &["--no-colocate"]] {
        from_spawn_to_end(&Colony::new(layout));
        println!("jj {}: spawn, commits, refresh, conflict, land, free", layout[0]);
    }
}

fn from_spawn_to_end(colony: &Colony) {
    let (alice, bob) = (colony.spawn("alice"), colony.spawn("bob"));
    assert!(alice.join(".jj").is_dir() && !alice.join(".git").exists());

    let first = colony.work(&alice, "a", "alice\n");
    let data = colony.drover(&["workspace", "commits", "alice"]).ok().data();
    assert_eq!((&data["kind"], &data["count"]), (&json!("jj"), &json!(1)));
    assert_eq!(data["items"][0]["commit"], first.as_str());
    assert_eq!(data["items"][0]["author"], "Test Person");

    colony.write(&alice, "shared.txt", "changed\n");
    let refused = colony.drover(&["workspace", "land", "alice"]).refused(3, "workspace_dirty");
    assert_eq!(refused["data"]["paths"], json!(["shared.txt"]));
    let difference = colony.drover(&["workspace", "diff", "alice"]).ok().data();
    assert_eq!(difference["files"]["count"], 2);
    colony.jj(&alice, &["commit", "--message", "write shared.txt"]);
    let landed = colony.drover(&["workspace", "land", "alice"]).ok().data();
    assert!(landed["fast_forward"].as_str().unwrap().starts_with("jj -R "), "{landed}");

    // What landed is not made anew, and a workspace that lacks it is brought onto it.
    let rewrite = ["describe", "-r", "@-", "-m", "too late"];
    let refusal = colony.env.call("jj", &rewrite).directory(&alice).run();
    assert!(refusal.stderr.contains("immutable"), "{}", refusal.stderr);
    colony.work(&bob, "b", "bob\n");
    assert_eq!(colony.listed("bob")["from_trunk"], json!({ "ahead": 1, "behind": 3 }));
    let done = colony.drover(&["workspace", "refresh", "bob"]).ok().data();
    assert_eq!((&done["kind"], done["brought"].as_array().unwrap().len()), (&json!("jj"), 3));
    assert_eq!(std::fs::read_to_string(bob.join("shared.txt")).unwrap(), "changed\n");
    assert_eq!(std::fs::read_to_string(bob.join("b")).unwrap(), "bob\n");
    assert_eq!(colony.drover(&["workspace", "refresh", "bob"]).ok().json()["outcome"], "current");

    conflicts(colony, (&alice, &bob));
    ends(colony, &bob);
}

/// A conflict is forecast, refused, and changes nothing; the agent resolves it by itself.
fn conflicts(colony: &Colony, (alice, bob): (&Path, &Path)) {
    let own = colony.work(bob, "shared.txt", "bob\n");
    colony.work(alice, "shared.txt", "alice\n");
    let forecast = colony.listed("bob")["conflicts"].clone();
    assert_eq!(forecast, json!([{ "with": "drover/web/alice", "files": ["shared.txt"] }]));
    colony.drover(&["workspace", "land", "alice"]).ok();
    let before = colony.listed("bob");
    for verb in ["refresh", "land"] {
        let refused = colony.drover(&["workspace", verb, "bob"]).refused(4, "workspace_conflict");
        assert_eq!(refused["data"]["files"], json!(["shared.txt"]));
    }
    assert_eq!(colony.listed("bob"), before);
    assert_eq!(std::fs::read_to_string(bob.join("shared.txt")).unwrap(), "bob\n");
    colony.jj(bob, &["new", own.trim(), "drover/web/trunk", "-m", "merge"]);
    let refused = colony.drover(&["workspace", "land", "bob"]).refused(3, "workspace_dirty");
    assert_eq!(refused["data"]["paths"], json!(["shared.txt"]));
    colony.write(bob, "shared.txt", "alice\nbob\n");
    colony.jj(bob, &["new"]);
    colony.drover(&["workspace", "land", "bob"]).ok();
}

/// An empty workspace goes, work is kept, and nothing of either is left behind.
fn ends(colony: &Colony, bob: &Path) {
    let refused = colony.drover(&["workspace", "free", "bob"]).refused(3, "workspace_not_safe");
    assert_eq!(refused["data"]["losses"]["items"][0]["kind"], "live_process");
    for name in ["alice", "bob"] {
        colony.end(name);
    }
    // An open commit without a change is no work.
    colony.drover(&["workspace", "free", "alice"]).ok();
    colony.write(bob, "open", "not committed\n");
    colony.write(bob, ".env", "KEY=1\n");
    colony.drover(&["workspace", "free", "bob"]).refused(3, "workspace_not_safe");
    let gone = colony.drover(&["workspace", "free", "bob", "--discard", "--yes"]).ok().data();
    let (prefix, trash) = (&gone["rescue"]["ref_prefix"], &gone["rescue"]["trash_path"]);
    let tree = format!("{}/tree:open", prefix.as_str().unwrap());
    let store = colony.jj(&colony.repository, &["git", "root"]);
    let show = ["--git-dir", store.trim(), "show", &tree];
    assert_eq!(colony.env.call("git", &show).run().ok().stdout, "not committed\n");
    let kept = Path::new(trash.as_str().unwrap()).join(".env");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "KEY=1\n");
    assert!(!bob.exists());
    let names = colony.jj(&colony.repository, &["workspace", "list", "-T", "name ++ \"\\n\""]);
    assert_eq!(names, "default\n");
    assert_eq!(colony.drover(&["workspace", "orphans"]).ok().data()["count"], 0);
    let trunk =
        colony.jj(&colony.repository, &["file", "show", "-r", "drover/web/trunk", "shared.txt"]);
    assert_eq!(trunk, "alice\nbob\n");
    for name in ["alice", "bob"] {
        colony.drover(&["agent", "close", name]).ok();
    }
}

/// Tasks of an agent that takes them as commands are committed, landed, and put back where they fail.
#[test]
#[ignore = "needs the real jj: ./dev test"]
fn work_on_tasks_is_committed_and_landed_and_a_failed_try_is_put_aside() {
    let colony = Colony::new(&["--colocate"]);
    let plan = colony.env.root().join("plan.json");
    let tasks = json!({ "tasks": [
        { "id": "good", "title": "A good one" }, { "id": "bad", "title": "A bad one" }
    ] });
    std::fs::write(&plan, tasks.to_string()).unwrap();
    let work = "sh -c 'echo \"$DROVER_TASK\" > \"$DROVER_TASK.txt\"; test \"$DROVER_TASK\" = good'";
    colony.drover(&["project", "set", "attempts", "1", "-p", "web"]).ok();
    let spawn = ["agent", "spawn", "w1", "-p", "web", "--engine", "shell", "--work", work];
    colony.drover(&spawn).ok();
    colony.drover(&["task", "import", plan.to_str().unwrap(), "-p", "web"]).ok();
    let watch = ["dispatch", "-p", "web", "--watch", "--timeout", "60s"];
    colony.drover(&watch);
    let shown = colony.drover(&["task", "show", "good", "-p", "web"]).ok().data();
    assert_eq!(shown["task"]["substate"], "done", "{shown}");
    let trunk = colony.jj(&colony.repository, &["file", "list", "-r", "drover/web/trunk"]);
    assert!(trunk.contains("good.txt") && !trunk.contains("bad.txt"), "{trunk}");
    let listed = colony.listed("w1");
    assert_eq!((&listed["dirty"], &listed["unlanded"]), (&json!([]), &json!(0)));
    let bad = colony.drover(&["task", "show", "bad", "-p", "web"]).ok().data();
    assert_eq!(bad["task"]["attempt"], 1, "{bad}");
}
