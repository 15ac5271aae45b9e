//! The contract over the real jj, and the corners that are jj's own.
//!
//! jj keeps settings in the home of the person, so these run again in a process with a home of its own.
//! They are not part of a plain `cargo test`: `./dev test` installs jj and runs them.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use drover_host::workspace::git::{self, GitError, Operation, Refresh};
use drover_host::workspace::{Kind, ground, repository};

use crate::contract;
use crate::world::{World, refused, run, write};

const INSIDE: &str = "DROVER_TEST_HOME_IS_PRIVATE";

/// Runs a part with a private home and jj on its path; it is the test of this name run again.
fn inside(test: &str, part: impl Fn()) {
    if std::env::var_os(INSIDE).is_some() {
        return part();
    }
    let home = tempfile::tempdir().unwrap();
    let jj = "[user]\nname = \"Test\"\nemail = \"test@localhost\"\n";
    write(home.path(), ".config/jj/config.toml", jj);
    write(home.path(), ".gitconfig", "[user]\nname = Test\nemail = test@localhost\n");
    let exe = std::env::current_exe().unwrap();
    let output = Process::new(&exe)
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("PATH", path(&exe))
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path().join(".config"))
        .env(INSIDE, "yes")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The path, with the place where `./dev test` installs jj: `<target>/parts/jj/bin`.
fn path(exe: &Path) -> std::ffi::OsString {
    let parts = exe.ancestors().map(|it| it.join("parts/jj/bin")).find(|it| it.is_dir());
    let before = std::env::var_os("PATH").unwrap_or_default();
    let all: Vec<PathBuf> = parts.into_iter().chain(std::env::split_paths(&before)).collect();
    std::env::join_paths(all).unwrap()
}

#[test]
#[ignore = "needs the real jj"]
fn jj_keeps_the_contract() {
    inside("jj::jj_keeps_the_contract", || contract::all(Kind::Jj));
}

/// Fault W-18.
#[test]
#[ignore = "needs the real jj"]
fn a_store_of_its_own_one_agent_name_in_two_projects_and_an_empty_open_commit_are_no_trouble() {
    inside(
        "jj::a_store_of_its_own_one_agent_name_in_two_projects_and_an_empty_open_commit_are_no_trouble",
        || {
            let world = World::with_layout(Kind::Jj, &["--no-colocate"]);
            assert!(!world.source().join(".git").exists());
            let alice = world.made("alice");
            let mut other = world.checkout("alice of another project");
            other.branch = "drover/other/alice".to_owned();
            world.backend().add(&world.locks, &other.place()).unwrap();
            run(&alice.path, "jj", &["new"]);
            run(&alice.path, "jj", &["new"]);
            run(&alice.path, "jj", &["describe", "-m", "said and not done"]);
            assert!(alice.status().is_clean());
            run(&alice.path, "jj", &["new", "drover/web/alice"]);
            assert_eq!(alice.status().head, Some(alice.base.clone()));
            let own = alice.work("own", "x");
            assert_eq!((alice.tip(), other.tip()), (Some(own), Some(other.base.clone())));
            world.backend().take_back(&world.locks, &other.place()).unwrap();
            assert!(alice.status().is_clean());
        },
    );
}

#[test]
#[ignore = "needs the real jj"]
fn a_rewritten_commit_takes_its_branch_along_and_one_on_the_trunk_cannot_be_rewritten() {
    inside(
        "jj::a_rewritten_commit_takes_its_branch_along_and_one_on_the_trunk_cannot_be_rewritten",
        || {
            let world = World::new(Kind::Jj);
            let alice = world.made("alice");
            let first = alice.work("own", "x");
            run(&alice.path, "jj", &["describe", "-r", "@-", "-m", "better words"]);
            let second = alice.status().head.unwrap();
            assert_ne!(first, second);
            assert_eq!(alice.tip(), Some(second.clone()));
            git::create_branch(&alice.source, "drover/web/trunk", &second).unwrap();
            world.backend().branches_moved(&alice.place()).unwrap();
            let words = ["describe", "-r", "@-", "-m", "too late"];
            let command = drover_host::process::Command::new("jj", &alice.path).args(words);
            let refusal = command.run().unwrap();
            assert!(!refusal.status.is_success());
            assert!(refusal.error_text().contains("immutable"), "{}", refusal.error_text());
            assert_eq!(alice.tip(), Some(second));
        },
    );
}

#[test]
#[ignore = "needs the real jj"]
fn conflicts_stale_files_and_files_that_jj_leaves_out_are_seen() {
    inside("jj::conflicts_stale_files_and_files_that_jj_leaves_out_are_seen", || {
        let world = World::new(Kind::Jj);
        let alice = world.made("alice");
        let own = alice.work("file", "alice\n");
        alice.write("large", &"x".repeat(2 << 20));
        assert_eq!(alice.changed(), ["large"]);
        assert_eq!(alice.status().untracked, [PathBuf::from("large")]);
        assert!(ground(&alice.path).unwrap().unwrap().changed.is_empty());
        std::fs::remove_file(alice.path.join("large")).unwrap();
        write(&world.source(), "file", "other\n");
        let newest = world.advance("newer");
        // The agent merges by itself, and the conflict is committed, as jj does it.
        run(&alice.path, "jj", &["new", own.as_str(), newest.as_str()]);
        run(&alice.path, "jj", &["new"]);
        let status = alice.status();
        assert_eq!(status.unmerged, [PathBuf::from("file")]);
        assert!(!status.is_clean());
        let refusal = refused(world.backend().commit_all(&alice.place(), "work"));
        assert!(matches!(refusal, GitError::InProgress { .. }), "{refusal}");
        run(&alice.path, "jj", &["new", own.as_str()]);
        // Somebody makes its commits anew from another workspace.
        run(&world.source(), "jj", &["describe", "-r", own.as_str(), "-m", "reworded"]);
        run(&world.source(), "jj", &["new", "root()"]);
        let status = alice.status();
        if status.operation == Some(Operation::Rewrite) {
            refused(world.backend().refresh(&alice.place(), &newest));
            run(&alice.path, "jj", &["workspace", "update-stale"]);
        }
        assert_eq!(
            world.backend().refresh(&alice.place(), &newest).unwrap(),
            Refresh::Conflict(vec!["file".into()])
        );
    });
}

#[test]
#[ignore = "needs the real jj"]
fn a_directory_of_both_is_jjs_unless_git_is_asked_for_and_one_inside_is_gits() {
    inside("jj::a_directory_of_both_is_jjs_unless_git_is_asked_for_and_one_inside_is_gits", || {
        let world = World::new(Kind::Jj);
        assert_eq!(repository(&world.source(), None).unwrap().0, Kind::Jj);
        let (kind, found) = repository(&world.source(), Some(Kind::Git)).unwrap();
        assert_eq!((kind, found.head), (Kind::Git, world.newest()));
        let inner = world.source().join("inner");
        std::fs::create_dir(&inner).unwrap();
        run(&inner, "git", &["init", "--quiet"]);
        write(&inner, "file", "x");
        run(&inner, "git", &["add", "--all"]);
        run(&inner, "git", &["commit", "--quiet", "-m", "inner"]);
        assert_eq!(repository(&inner, None).unwrap().0, Kind::Git);
        let alice = world.made("alice");
        assert_eq!(repository(&alice.path, None).unwrap().1.toplevel, world.source());
        let below = ground(&alice.path).unwrap().unwrap();
        assert_eq!((below.head, below.root), (alice.base.clone(), alice.path.clone()));
    });
}
