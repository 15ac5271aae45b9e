//! Workspaces that are plain copies of a directory without a history.

use std::path::PathBuf;

use drover_testkit::{CommandOutput, TestEnv};
use serde_json::{Value, json};

/// A project `notes` on a directory that nothing keeps, with one agent's row.
struct Notes {
    env: TestEnv,
    source: PathBuf,
}

impl Notes {
    fn new() -> Self {
        let env = crate::env();
        let source = env.root().join("die #1 notizen");
        std::fs::create_dir_all(source.join("sub dir")).unwrap();
        let notes = Self { env, source };
        notes.write("a", "one\ntwo\n");
        notes.write("sub dir/größe", "x\n");
        let path = notes.source.to_str().unwrap();
        let refused = notes.drover(&["project", "init", "notes", "--repo", path]);
        let refused = refused.refused(3, "not_a_repository");
        assert!(refused["next"].to_string().contains("--kind copy"), "{refused}");
        let init = ["project", "init", "notes", "--repo", path, "--kind", "copy"];
        let made = notes.drover(&init).ok().data();
        let row = &made["project"]["repository"];
        assert_eq!((&row["kind"], &row["trunk"]), (&json!("copy"), &Value::Null));
        assert_eq!(notes.drover(&init).ok().json()["outcome"], "exists");
        notes
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.source.join(name), text).unwrap();
    }

    #[track_caller]
    fn drover(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        self.env.drover(&all)
    }

    /// Spawns an agent and ends it, so that its copy is left.
    #[track_caller]
    fn copy(&self, name: &str) -> PathBuf {
        self.drover(&["agent", "spawn", name, "-p", "notes", "--engine", "shell"]).ok();
        let shown = self.drover(&["agent", "show", name]).ok().data();
        let pane = shown["agent"]["pane"]["id"].as_str().unwrap();
        self.env.tmux(&["kill-pane", "-t", pane]);
        let found = self.drover(&["workspace", "path", name]).ok().data();
        assert_eq!(found["kind"], "copy");
        let path = PathBuf::from(found["path"].as_str().unwrap());
        drover_testkit::wait_until("its end", std::time::Duration::from_secs(30), || {
            !self.drover(&["workspace", "free", name, "--dry-run"]).stdout.contains("live_process")
        });
        path
    }

    #[track_caller]
    fn listed(&self, agent: &str) -> Value {
        let data = self.drover(&["workspace", "list", "--disk"]).ok().data();
        let items = data["items"].as_array().unwrap().clone();
        items.into_iter().find(|it| it["agent"] == agent).unwrap()
    }
}

#[test]
fn a_copy_shows_what_was_changed_is_brought_up_and_goes_only_when_nothing_is_lost() {
    let notes = Notes::new();
    let path = notes.copy("alice");
    assert_eq!(std::fs::read_to_string(path.join("sub dir/größe")).unwrap(), "x\n");
    let listed = notes.listed("alice");
    assert_eq!((&listed["kind"], &listed["dirty"]), (&json!("copy"), &json!([])));
    assert_eq!((&listed["from_trunk"], &listed["unlanded"]), (&Value::Null, &json!(0)));
    assert!(listed["disk_bytes"].as_u64().unwrap() > 0, "{listed}");
    for words in [&["workspace", "commits", "alice"][..], &["workspace", "land", "alice"]] {
        let refused = notes.drover(words).refused(3, "no_history");
        assert!(refused["next"].to_string().contains("drover workspace diff alice"), "{refused}");
    }

    std::fs::write(path.join("a"), "one\nmine\n").unwrap();
    std::fs::write(path.join("new"), "new\n").unwrap();
    std::fs::create_dir(path.join("target")).unwrap();
    std::fs::write(path.join("target/out"), "made again\n").unwrap();
    assert_eq!(notes.listed("alice")["dirty"], json!(["a", "new"]));
    let difference = notes.drover(&["workspace", "diff", "alice"]).ok().data();
    let file = json!({ "path": "a", "added": 1, "removed": 1 });
    assert_eq!(
        (&difference["files"]["items"], &difference["untracked"]),
        (&json!([file]), &json!(["new"]))
    );
    assert!(difference["diff"].as_str().unwrap().contains("+mine"), "{difference}");

    notes.write("later", "x\n");
    let done = notes.drover(&["workspace", "refresh", "alice"]).ok().json();
    assert_eq!(done["outcome"], "refreshed");
    assert!(path.join("later").is_file());
    assert_eq!(notes.listed("alice")["dirty"], json!(["a", "new"]));
    assert_eq!(notes.drover(&["workspace", "refresh", "alice"]).ok().json()["outcome"], "current");
    notes.write("a", "theirs\n");
    let refused = notes.drover(&["workspace", "refresh", "alice"]).refused(4, "workspace_conflict");
    assert_eq!(refused["data"]["files"], json!(["a"]));
    assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), "one\nmine\n");

    let refused = notes.drover(&["workspace", "free", "alice"]).refused(3, "workspace_not_safe");
    let losses = &refused["data"]["losses"]["items"];
    assert_eq!((&losses[0]["kind"], &losses[1]["kind"]), (&json!("modified"), &json!("untracked")));
    let gone = notes.drover(&["workspace", "free", "alice", "--discard", "--yes"]).ok().data();
    let trash = PathBuf::from(gone["rescue"]["trash_path"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(trash.join("a")).unwrap(), "one\nmine\n");
    assert_eq!(std::fs::read_to_string(trash.join("new")).unwrap(), "new\n");
    assert!(!path.exists());
    assert_eq!(notes.drover(&["workspace", "orphans"]).ok().data()["count"], 0);
    let left = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn what_holds_the_state_or_the_home_is_not_copied_and_sapling_is_named() {
    let notes = Notes::new();
    let root = notes.env.root().to_str().unwrap().to_owned();
    notes
        .drover(&["project", "init", "all", "--repo", &root, "--kind", "copy"])
        .refused(3, "copy_inside");
    let home = notes.env.home().to_str().unwrap().to_owned();
    notes
        .drover(&["project", "init", "home", "--repo", &home, "--kind", "copy"])
        .refused(3, "copy_inside");
    notes
        .drover(&["project", "init", "gone", "--repo", "/nonexistent", "--kind", "copy"])
        .refused(3, "not_a_repository");
    notes.drover(&["project", "init", "odd", "--kind", "copy"]).refused(2, "usage");
    std::fs::create_dir(notes.source.join(".sl")).unwrap();
    let path = notes.source.join("sub dir").to_str().unwrap().to_owned();
    let refused = notes.drover(&["project", "init", "sapling", "--repo", &path]);
    let refused = refused.refused(3, "not_a_repository");
    assert!(refused["error"].as_str().unwrap().contains("Sapling"), "{refused}");
}
