//! The ways out that a refused ending of a workspace names: each works with the agent alive.

use std::path::PathBuf;

use drover_testkit::{CommandOutput, Repository, TestEnv, processes};
use serde_json::{Value, json};

use super::{pid, spawn};

/// A living agent `w1` with a workspace, and a shell that knows `drover`.
struct Living {
    env: TestEnv,
    repository: Repository,
    agent: Value,
    checkout: PathBuf,
}

impl Living {
    fn new() -> Self {
        let env = crate::env();
        std::os::unix::fs::symlink(env.binary(), env.root().join("bin/drover")).unwrap();
        let repository = env.repository("repo");
        repository.write(".gitignore", ".env\n");
        repository.commit("begin");
        env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
        let agent = spawn(&env, "w1", &["--engine", "shell"]);
        let checkout = PathBuf::from(agent["cwd"].as_str().unwrap());
        Self { env, repository, agent, checkout }
    }

    fn write(&self, name: &str) {
        std::fs::write(self.checkout.join(name), "work\n").unwrap();
    }

    /// With a commit that is not landed.
    fn with_commit() -> Self {
        let it = Self::new();
        it.write("new.txt");
        it.git(&["add", "--all"]);
        it.git(&["commit", "--quiet", "--message", "new"]);
        it
    }

    fn git(&self, words: &[&str]) {
        self.env.call("git", words).directory(&self.checkout).run().ok();
    }

    fn paste(&self, line: &str) -> CommandOutput {
        self.env.call("sh", &["-ec", line]).directory(self.env.home()).run()
    }

    fn is_alive(&self) -> bool {
        processes::is_running(pid(&self.agent))
    }
}

fn runs(answer: &Value) -> Vec<&str> {
    answer["next"].as_array().unwrap().iter().map(|it| it["run"].as_str().unwrap()).collect()
}

const CLOSE: &[&str] = &["agent", "close", "w1", "--json"];
const DISCARD: &str = "drover agent close web/w1 --discard --yes";
const KEEP: &str = "drover agent close web/w1 --keep-branch";

#[test]
fn every_way_out_of_a_close_that_would_lose_commits_works_while_the_agent_lives() {
    for at in 0..3 {
        let living = Living::with_commit();
        let refused = living.env.drover(CLOSE).refused(3, "workspace_not_safe");
        assert_eq!(runs(&refused), ["drover workspace land w1 -p web", KEEP, DISCARD]);
        assert!(living.is_alive());
        living.paste(runs(&refused)[at]).ok();
        living.env.drover(CLOSE).ok();
        assert!(!living.is_alive() && !living.checkout.exists());
    }
}

#[test]
fn a_commit_off_its_branch_is_landed_by_the_commands_that_refusals_name() {
    let living = Living::new();
    living.git(&["switch", "--quiet", "--detach"]);
    living.write("new.txt");
    living.git(&["add", "--all"]);
    living.git(&["commit", "--quiet", "--message", "new"]);
    let keep = ["agent", "close", "w1", "--keep-branch", "--json"];
    let refused = living.env.drover(&keep).refused(3, "workspace_not_safe");
    assert!(!runs(&refused).contains(&KEEP), "{refused}");
    let refused = living.env.drover(CLOSE).refused(3, "workspace_not_safe");
    let land = runs(&refused)[0];
    let off = living.paste(&format!("{land} --json")).refused(3, "workspace_off_branch");
    living.paste(runs(&off)[0]).ok();
    living.env.drover(CLOSE).refused(3, "workspace_not_safe");
    living.paste(land).ok();
    living.env.drover(CLOSE).ok();
    assert_eq!(living.repository.git(&["show", "drover/web/trunk:new.txt"]), "work");
}

#[test]
fn changes_are_committed_or_discarded_but_not_landed_as_they_are() {
    let living = Living::new();
    living.write("new.txt");
    let refused = living.env.drover(CLOSE).refused(3, "workspace_not_safe");
    let preview = living.env.drover(&["project", "teardown", "web", "--json"]).ok().json();
    assert_eq!(runs(&preview), runs(&refused));
    let [look, commit, keep, discard] = runs(&refused)[..] else { panic!("{refused}") };
    assert_eq!((keep, discard), (KEEP, DISCARD));
    for line in [look, commit, keep] {
        living.paste(line).ok();
    }
    assert!(!living.is_alive());
    assert_eq!(living.repository.git(&["show", "drover/web/w1:new.txt"]), "work");
}

#[test]
fn a_workspace_in_which_its_agent_works_is_freed_by_the_close_that_the_refusal_names() {
    let living = Living::new();
    let free = ["workspace", "free", "w1", "--json"];
    let refused = living.env.drover(&free).refused(3, "workspace_not_safe");
    assert_eq!(runs(&refused), ["drover agent close web/w1"]);
    let free = ["workspace", "free", "w1", "--keep-branch", "--json"];
    assert_eq!(runs(&living.env.drover(&free).refused(3, "workspace_not_safe")), [KEEP]);
    living.write("new.txt");
    let preview = living.env.drover(&["workspace", "free", "w1", "--discard", "--json"]).ok();
    let preview = preview.json();
    assert_eq!(preview["data"]["losses"]["items"][0]["kind"], "untracked");
    assert_eq!(preview["data"]["losses"]["count"], 1);
    assert_eq!(preview["data"]["held"]["items"][0]["kind"], "live_process");
    assert_eq!(runs(&preview), [DISCARD]);
    let text = living.env.drover(&["workspace", "free", "w1", "--discard"]).ok().stdout;
    assert!(text.contains("Refused while there is 1 process inside"), "{text}");
    assert!(!text.contains("do it"), "{text}");
    let free = ["workspace", "free", "w1", "--discard", "--yes", "--json"];
    let refused = living.env.drover(&free).refused(3, "workspace_held");
    living.paste(runs(&refused)[0]).ok();
    assert!(!living.is_alive() && !living.checkout.exists());
}

#[test]
fn a_dry_run_of_a_close_does_not_mind_the_processes_it_would_end() {
    let living = Living::new();
    let words = ["agent", "close", "w1", "--dry-run", "--json"];
    let effects = living.env.drover(&words).ok().json()["effects"].to_string();
    assert!(effects.contains("remove the checkout"), "{effects}");
    assert!(living.is_alive() && living.checkout.exists());
    let words = ["project", "teardown", "web", "--yes", "--dry-run", "--json"];
    living.env.drover(&words).ok();
    assert!(living.is_alive() && living.checkout.exists());
}

#[test]
fn a_process_of_somebody_else_is_the_only_one_that_a_close_names() {
    let living = Living::new();
    let inside = living.env.call("cat", &["/dev/zero"]).directory(&living.checkout).start();
    let look = format!("ps -fp {}", inside.pid());
    let refused = living.env.drover(CLOSE).refused(3, "workspace_not_safe");
    assert_eq!(runs(&refused), [&look, "drover agent close web/w1"]);
    let preview = living.env.drover(&["agent", "close", "w1", "--discard", "--json"]).ok().json();
    assert_eq!(preview["data"]["losses"], json!({ "items": [], "count": 0 }));
    assert_eq!(runs(&preview), [&look, DISCARD]);
    let words = ["agent", "close", "w1", "--discard", "--yes", "--json"];
    assert_eq!(runs(&living.env.drover(&words).refused(3, "workspace_held")), [&look, DISCARD]);
    drop(inside);
    living.env.drover(CLOSE).ok();
}

#[test]
fn a_discard_says_where_all_that_it_kept_is() {
    let living = Living::with_commit();
    living.write(".env");
    let text = living.paste(DISCARD).ok().stdout;
    let left = living.env.drover(&["agent", "list", "--json"]).ok();
    assert_eq!(left.data()["count"], 0);
    let prefix = text.split_whitespace().find(|it| it.starts_with("refs/drover/rescue/web/w1/"));
    let kept = living.repository.git(&["show", &format!("{}/head:new.txt", prefix.unwrap())]);
    assert_eq!(kept, "work");
    let trash = living.env.state().join("trash");
    let named = text.split_whitespace().find(|it| it.starts_with(trash.to_str().unwrap()));
    assert!(PathBuf::from(named.unwrap()).join(".env").exists(), "{text}");
}
