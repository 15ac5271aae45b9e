//! Worktrees, merges and rescues on real repositories.
#![expect(clippy::unwrap_used, reason = "test harness")]

use std::path::PathBuf;

use drover_host::env::Env;
use drover_host::lock::Locks;
use drover_host::process::Command;
use drover_host::workspace::git::{
    self, Branch, Distance, GitError, Merge, NewWorktree, Oid, Operation, PrivateMerge, Refresh,
    RefreshBy, Removal,
};

struct Repo {
    directory: tempfile::TempDir,
    locks: Locks,
}

impl Repo {
    /// A repository with one commit and an ignored directory.
    fn new() -> Self {
        let repo = Self::empty();
        repo.write("main/file", "one\n");
        repo.write("main/.gitignore", "target/\n.env\n");
        repo.commit("main", "first");
        repo
    }

    fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("locks")).unwrap();
        let locks = Locks::new(directory.path().join("locks"));
        let repo = Self { directory, locks };
        std::fs::create_dir(repo.path("main")).unwrap();
        repo.git("main", &["init", "--quiet", "-b", "main"]);
        repo.git("main", &["config", "user.name", "Test"]);
        repo.git("main", &["config", "user.email", "test@localhost"]);
        repo
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn main(&self) -> PathBuf {
        self.path("main")
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn git(&self, directory: &str, words: &[&str]) -> String {
        let command = Command::new("git", self.path(directory)).args(words.iter().copied());
        command.run_ok().unwrap().text()
    }

    fn commit(&self, directory: &str, message: &str) -> Oid {
        git::commit_all(&self.path(directory), message).unwrap().unwrap()
    }

    fn head(&self, directory: &str) -> Oid {
        git::resolve(&self.path(directory), "HEAD").unwrap()
    }

    fn add(&self, name: &str, branch: &str) -> Result<git::Worktree, GitError> {
        let start = self.head("main");
        let branch = Branch::New { name: branch.to_owned(), start };
        let path = self.path(name);
        git::add_worktree(
            &self.locks,
            &NewWorktree { repository: &self.main(), path: &path, branch },
        )
    }

    fn branches(&self) -> String {
        self.git("main", &["for-each-ref", "--format=%(refname:short)", "refs/heads"])
    }
}

#[test]
fn a_repository_is_known_from_any_directory_of_it() {
    let repo = Repo::new();
    std::fs::create_dir(repo.path("main/inner")).unwrap();
    let found = git::repository(&repo.path("main/inner")).unwrap();
    assert_eq!(found.toplevel, repo.main());
    assert_eq!(found.git_common_dir, repo.path("main/.git"));
    assert_eq!((found.branch.as_deref(), found.head), (Some("main"), repo.head("main")));
    assert_eq!(git::origin_url(&repo.main()).unwrap(), None);
    repo.git("main", &["remote", "add", "origin", "https://localhost/x"]);
    assert_eq!(git::origin_url(&repo.main()).unwrap().as_deref(), Some("https://localhost/x"));
}

/// Fault W-13.
#[test]
fn what_is_not_a_usable_repository_is_named() {
    let repo = Repo::empty();
    assert!(matches!(git::repository(&repo.main()), Err(GitError::NoCommits { .. })));
    assert!(matches!(git::repository(&repo.path("locks")), Err(GitError::NotARepository { .. })));
    assert!(matches!(git::repository(&repo.path("none")), Err(GitError::NotARepository { .. })));
    repo.git("locks", &["init", "--quiet", "--bare"]);
    assert!(matches!(git::repository(&repo.path("locks")), Err(GitError::Bare { .. })));
}

/// Fault W-10.
#[test]
fn a_checkout_whose_repository_moved_names_what_is_missing() {
    let repo = Repo::new();
    repo.add("w", "drover/p/a").unwrap();
    std::fs::rename(repo.main(), repo.path("moved")).unwrap();
    let error = git::repository(&repo.path("w")).unwrap_err();
    assert!(matches!(error, GitError::RepositoryGone { .. }), "{error}");
}

#[test]
fn a_new_worktree_is_registered_clean_and_on_its_own_branch() {
    let repo = Repo::new();
    let worktree = repo.add("deep/er/w", "drover/p/a").unwrap();
    assert_eq!(worktree.path, repo.path("deep/er/w"));
    assert_eq!(worktree.head, Some(repo.head("main")));
    assert_eq!(git::check_worktree(&worktree.path).unwrap(), worktree);
    assert_eq!(git::holder_of(&repo.main(), "drover/p/a").unwrap(), Some(worktree.path.clone()));
    let status = git::status(&worktree.path).unwrap();
    assert!(status.is_clean() && !status.is_detached());
    assert_eq!(repo.git("main", &["config", "--get-regexp", "^core.bare"]), "core.bare false");
    git::remove_worktree(&repo.locks, &repo.main(), &worktree.path, Removal::IfClean).unwrap();
    assert!(!worktree.path.exists());
    git::delete_branch_cas(&repo.main(), "drover/p/a", &repo.head("main")).unwrap();
    assert_eq!(repo.branches(), "main");
}

/// Fault W-04.
#[test]
fn eight_worktrees_at_once_are_all_made() {
    let repo = Repo::new();
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..8)
            .map(|it| {
                let repo = &repo;
                scope.spawn(move || repo.add(&format!("w{it}"), &format!("drover/p/a{it}")))
            })
            .collect();
        for maker in makers {
            maker.join().unwrap().unwrap();
        }
    });
    assert_eq!(git::worktrees(&repo.main()).unwrap().len(), 9);
}

/// Fault W-06.
#[test]
fn each_obstacle_has_its_own_name_and_nothing_is_left_behind() {
    let repo = Repo::new();
    std::fs::create_dir(repo.path("leftover")).unwrap();
    let check = |path: &str, branch: &str, is_expected: fn(&GitError) -> bool| {
        let error = repo.add(path, branch).unwrap_err();
        assert!(is_expected(&error), "{error:?}");
    };
    check("leftover", "drover/p/a", |it| matches!(it, GitError::DirectoryExists { .. }));
    check("w", "main", |it| matches!(it, GitError::BranchExists { .. }));
    check("w", "main/x", |it| matches!(it, GitError::BranchBlocked { .. }));
    check("w", "-x", |it| matches!(it, GitError::BadBranchName { .. }));
    check("w", "a..b", |it| matches!(it, GitError::BadBranchName { .. }));
    repo.add("taken", "drover/p/a").unwrap();
    check("w", "drover", |it| matches!(it, GitError::BranchBlocked { .. }));
    check("taken", "drover/p/b", |it| matches!(it, GitError::WorktreeExists { .. }));
    std::fs::remove_dir_all(repo.path("taken")).unwrap();
    check("taken", "drover/p/b", |it| matches!(it, GitError::DirectoryMissing { .. }));
    assert_eq!(repo.branches(), "drover/p/a\nmain");
    assert!(!repo.path("w").exists());

    git::forget_missing_worktree(&repo.locks, &repo.main(), &repo.path("taken")).unwrap();
    repo.add("taken", "drover/p/b").unwrap();
    let foreign = git::forget_missing_worktree(&repo.locks, &repo.main(), &repo.path("taken"));
    assert!(matches!(foreign, Err(GitError::DirectoryExists { .. })));
}

/// Fault W-09.
#[test]
fn a_checkout_spoilt_by_a_hook_is_taken_back() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::new();
    let hook = repo.path("main/.git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nrm -f file\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = repo.add("w", "drover/p/a").unwrap_err();
    assert!(matches!(error, GitError::BadCheckout { .. }), "{error}");
    assert!(!repo.path("w").exists());
    assert_eq!(repo.branches(), "main");
    assert_eq!(git::worktrees(&repo.main()).unwrap().len(), 1);
}

/// Fault W-05.
#[test]
fn an_existing_branch_can_be_checked_out_again_but_only_once() {
    let repo = Repo::new();
    repo.add("w", "drover/p/a").unwrap();
    let (main, path) = (repo.main(), repo.path("again"));
    let branch = Branch::Existing { name: "drover/p/a".to_owned() };
    let new = NewWorktree { repository: &main, path: &path, branch };
    let error = git::add_worktree(&repo.locks, &new).unwrap_err();
    assert!(matches!(error, GitError::BranchCheckedOut { .. }));
    git::remove_worktree(&repo.locks, &main, &repo.path("w"), Removal::IfClean).unwrap();
    git::add_worktree(&repo.locks, &new).unwrap();
}

/// A repository with a submodule at a local address, which git refuses unless told otherwise.
fn with_submodule() -> Repo {
    let repo = Repo::new();
    std::fs::create_dir(repo.path("sub")).unwrap();
    repo.git("sub", &["init", "--quiet", "-b", "main"]);
    repo.write("sub/inner", "x\n");
    repo.commit("sub", "inner");
    let address = repo.path("sub").display().to_string();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &address, "sub"];
    repo.git("main", &add);
    repo.commit("main", "with a submodule");
    repo
}

/// Fault W-12.
#[test]
fn a_worktree_whose_submodules_cannot_be_fetched_is_taken_back() {
    let repo = with_submodule();
    let error = repo.add("w", "drover/p/a").unwrap_err();
    assert!(matches!(error, GitError::Submodules { .. }), "{error}");
    assert_eq!(repo.branches(), "main");
    assert!(!repo.path("w").exists());
}

#[test]
#[ignore = "run by the next test, in an environment that allows local addresses"]
fn submodules_are_fetched_inner() {
    let repo = with_submodule();
    repo.add("w", "drover/p/a").unwrap();
    assert!(repo.path("w/sub/inner").exists());
    git::remove_worktree(&repo.locks, &repo.main(), &repo.path("w"), Removal::IfClean).unwrap();
}

/// Fault W-12.
#[test]
fn submodules_are_fetched_and_do_not_hinder_removal() {
    let exe = drover_host::env::current_exe().unwrap();
    Command::new(exe, "/")
        .args(["--ignored", "--exact", "submodules_are_fetched_inner"])
        .env("GIT_ALLOW_PROTOCOL", "file")
        .run_ok()
        .unwrap();
}

#[test]
fn a_worktree_with_changes_is_removed_only_when_told_so() {
    let repo = Repo::new();
    repo.add("w", "drover/p/a").unwrap();
    repo.write("w/new", "x");
    let remove =
        |removal| git::remove_worktree(&repo.locks, &repo.main(), &repo.path("w"), removal);
    assert!(matches!(remove(Removal::IfClean), Err(GitError::Dirty { .. })));
    remove(Removal::WithChanges).unwrap();
    assert!(matches!(remove(Removal::WithChanges), Err(GitError::NotAWorktree { .. })));
}

/// Fault W-21.
#[test]
fn a_directory_inside_the_repository_is_not_a_worktree() {
    let repo = Repo::new();
    std::fs::create_dir(repo.path("main/inner")).unwrap();
    let error = git::check_worktree(&repo.path("main/inner")).unwrap_err();
    assert!(matches!(error, GitError::NotAWorktree { .. }));
}

#[test]
fn a_status_tells_staged_modified_untracked_and_ignored_apart() {
    let repo = Repo::new();
    repo.write("main/a b", "x");
    repo.git("main", &["add", "a b"]);
    repo.write("main/file", "two\n");
    repo.write("main/-x\n", "x");
    repo.write("main/.env", "x");
    std::fs::create_dir(repo.path("main/target")).unwrap();
    repo.write("main/target/out", "x");
    let status = git::status(&repo.main()).unwrap();
    assert_eq!(status.staged, [PathBuf::from("a b")]);
    assert_eq!(status.modified, [PathBuf::from("file")]);
    assert_eq!(status.untracked, [PathBuf::from("-x\n")]);
    assert_eq!(status.ignored, [PathBuf::from(".env"), PathBuf::from("target/")]);
    assert!(!status.is_clean());
}

#[test]
fn all_changes_are_committed_under_some_identity() {
    let repo = Repo::new();
    assert_eq!(git::commit_all(&repo.main(), "nothing").unwrap(), None);
    repo.git("main", &["config", "--unset", "user.name"]);
    repo.git("main", &["config", "--unset", "user.email"]);
    let base = repo.head("main");
    repo.write("main/-new", "x");
    std::fs::remove_file(repo.path("main/file")).unwrap();
    let message = "t1: # title\n\nDrover-Task: u\n";
    let oid = git::commit_all(&repo.main(), message).unwrap().unwrap();
    assert!(git::status(&repo.main()).unwrap().is_clean());
    let commits = git::commits(&repo.main(), &base).unwrap();
    let [commit] = commits.as_slice() else { panic!("{commits:?}") };
    assert_eq!((&commit.oid, commit.subject.as_str()), (&oid, "t1: # title"));
    if !git::has_identity(&repo.main()).unwrap() {
        assert_eq!(commit.author, "Drover");
    }
    assert_eq!(
        repo.git("main", &["log", "-1", "--format=%(trailers:key=Drover-Task,valueonly)"]),
        "u"
    );
}

#[test]
fn an_inner_repository_that_nothing_names_is_neither_committed_nor_overlooked() {
    let repo = Repo::new();
    std::fs::create_dir(repo.path("main/inner")).unwrap();
    repo.git("main/inner", &["init", "--quiet", "-b", "main"]);
    repo.write("main/inner/work", "x");
    repo.commit("main/inner", "work");
    let before = repo.head("main");
    repo.write("main/other", "x");
    let inner = [PathBuf::from("inner")];
    let error = git::commit_all(&repo.main(), "all").unwrap_err();
    assert!(
        matches!(&error, GitError::InnerRepository { paths, .. } if *paths == inner),
        "{error}"
    );
    assert_eq!(repo.head("main"), before);
    assert_eq!(git::status(&repo.main()).unwrap().untracked, [PathBuf::from("inner/")]);
    repo.git("main", &["add", "--all"]);
    repo.git("main", &["commit", "--quiet", "--message", "by hand"]);
    assert!(git::status(&repo.main()).unwrap().is_clean());
    assert_eq!(git::submodules_with_work(&repo.main()).unwrap(), inner);
    assert_eq!(git::unnamed_repositories(&repo.main()).unwrap(), inner);
}

/// Main and the worktree `w` have one commit each on top of the first.
fn forked(ours: (&str, &str), theirs: (&str, &str)) -> Repo {
    let repo = Repo::new();
    repo.add("w", "drover/p/a").unwrap();
    repo.write(&format!("w/{}", ours.0), ours.1);
    repo.commit("w", "ours");
    repo.write(&format!("main/{}", theirs.0), theirs.1);
    repo.commit("main", "theirs");
    repo
}

#[test]
fn distance_and_base_follow_from_the_commits() {
    let repo = forked(("a", "x"), ("b", "y"));
    let (ours, theirs) = (repo.head("w"), repo.head("main"));
    let distance = git::ahead_behind(&repo.main(), &ours, &theirs).unwrap();
    assert_eq!(distance, Distance { ahead: 1, behind: 1 });
    let base = git::merge_base(&repo.main(), &ours, &theirs).unwrap().unwrap();
    assert!(git::is_ancestor(&repo.main(), &base, &ours).unwrap());
    assert!(!git::is_ancestor(&repo.main(), &ours, &theirs).unwrap());
    assert!(git::is_reachable(&repo.main(), &ours, "drover/p/a").unwrap());
    assert!(!git::is_reachable(&repo.main(), &ours, "main").unwrap());
    assert!(!git::is_reachable(&repo.main(), &ours, "none").unwrap());
    assert!(matches!(git::resolve(&repo.main(), "-x"), Err(GitError::UnknownRevision { .. })));
}

/// Fault W-16.
#[test]
fn a_refresh_brings_newer_work_in_by_rebase_or_merge() {
    for by in [RefreshBy::Rebase, RefreshBy::Merge] {
        let repo = forked(("a", "x"), ("b", "y"));
        let onto = repo.head("main");
        let Refresh::Moved(head) = git::refresh(&repo.path("w"), &onto, by).unwrap() else {
            panic!("not moved");
        };
        assert_eq!(head, repo.head("w"));
        assert!(repo.path("w/b").exists());
        assert_eq!(git::refresh(&repo.path("w"), &onto, by).unwrap(), Refresh::UpToDate);
    }
}

/// Fault W-16.
#[test]
fn a_refresh_that_conflicts_leaves_everything_as_it_was() {
    for by in [RefreshBy::Rebase, RefreshBy::Merge] {
        let repo = forked(("file", "ours\n"), ("file", "theirs\n"));
        let (before, onto) = (repo.head("w"), repo.head("main"));
        let result = git::refresh(&repo.path("w"), &onto, by).unwrap();
        assert_eq!(result, Refresh::Conflict(vec![PathBuf::from("file")]));
        let status = git::status(&repo.path("w")).unwrap();
        assert!(status.is_clean());
        assert_eq!(status.head, Some(before));
        assert_eq!(status.branch.as_deref(), Some("drover/p/a"));
    }
}

#[test]
fn a_refresh_writes_over_no_file_that_git_ignores() {
    for by in [RefreshBy::Rebase, RefreshBy::Merge] {
        let repo = forked(("a", "x"), ("b", "y"));
        repo.write("main/.env", "theirs\n");
        repo.git("main", &["add", "--force", ".env"]);
        let onto = repo.commit("main", "theirs, tracked");
        repo.write("w/.env", "ours\n");
        let before = repo.head("w");
        let error = git::refresh(&repo.path("w"), &onto, by).unwrap_err();
        assert!(
            matches!(&error, GitError::WouldOverwrite { paths, .. } if *paths == [PathBuf::from(".env")]),
            "{error}"
        );
        assert_eq!(repo.head("w"), before);
        assert_eq!(std::fs::read_to_string(repo.path("w/.env")).unwrap(), "ours\n");
        std::fs::remove_file(repo.path("w/.env")).unwrap();
        assert!(matches!(git::refresh(&repo.path("w"), &onto, by).unwrap(), Refresh::Moved(_)));
    }
}

/// Fault W-20.
#[test]
fn a_refresh_aborts_nothing_it_did_not_start() {
    let repo = forked(("file", "ours\n"), ("file", "theirs\n"));
    let onto = repo.head("main");
    let rebase = Command::new("git", repo.path("w")).args(["rebase", onto.as_str()]);
    assert!(!rebase.run().unwrap().status.is_success());
    let error = git::refresh(&repo.path("w"), &onto, RefreshBy::Merge).unwrap_err();
    assert!(matches!(error, GitError::InProgress { operation: "rebase", .. }));
    let commit = git::commit_all(&repo.path("w"), "x").unwrap_err();
    assert!(matches!(commit, GitError::InProgress { .. }));
    let status = git::status(&repo.path("w")).unwrap();
    assert_eq!(status.operation, Some(Operation::Rebase));
    assert_eq!(status.unmerged, [PathBuf::from("file")]);
    assert!(status.is_detached());
}

fn merge(repo: &Repo) -> Merge {
    let (target, source) = (repo.head("main"), repo.head("w"));
    let request = PrivateMerge {
        repository: &repo.main(),
        directory: &repo.path("private"),
        target: &target,
        source: &source,
        message: "land a\n",
    };
    git::merge_in_private_worktree(&repo.locks, &request).unwrap()
}

/// Fault W-05.
#[test]
fn a_private_merge_touches_no_checkout_and_is_landed_by_compare_and_set() {
    let repo = forked(("a", "x"), ("b", "y"));
    let (target, source) = (repo.head("main"), repo.head("w"));
    let Merge::Merged { commit, worktree, .. } = merge(&repo) else { panic!("not merged") };
    assert!(worktree.path().join("a").exists() && worktree.path().join("b").exists());
    assert_eq!(repo.head("main"), target);
    assert!(!repo.path("main/a").exists());
    drop(worktree);
    assert!(!repo.path("private").exists());
    assert_eq!(git::worktrees(&repo.main()).unwrap().len(), 2);

    git::create_ref(&repo.main(), "refs/heads/trunk", &target).unwrap();
    let moved = git::update_ref_cas(&repo.main(), "refs/heads/trunk", &commit, &source);
    assert!(matches!(moved, Err(GitError::Moved { .. })));
    git::update_ref_cas(&repo.main(), "refs/heads/trunk", &commit, &target).unwrap();
    assert!(git::is_reachable(&repo.main(), &source, "trunk").unwrap());
    assert!(git::update_ref_cas(&repo.main(), "-x", &commit, &target).is_err());
    assert!(git::create_ref(&repo.main(), "refs/heads/trunk", &target).is_err());
}

#[test]
fn a_merge_is_never_a_fast_forward_and_not_made_twice() {
    let repo = Repo::new();
    repo.add("w", "drover/p/a").unwrap();
    assert!(matches!(merge(&repo), Merge::AlreadyContained));
    repo.write("w/a", "x");
    let source = repo.commit("w", "ours");
    let Merge::Merged { commit, .. } = merge(&repo) else { panic!("not merged") };
    assert_ne!(commit, source);
    assert_eq!(repo.git("main", &["log", "-1", "--format=%s", commit.as_str()]), "land a");
}

#[test]
fn conflicts_are_found_with_and_without_a_checkout() {
    let repo = forked(("file", "ours\n"), ("file", "theirs\n"));
    let (ours, theirs) = (repo.head("w"), repo.head("main"));
    let expected = [PathBuf::from("file")];
    assert_eq!(git::conflicts(&repo.main(), &ours, &theirs).unwrap(), expected);
    assert_eq!(git::conflicts(&repo.main(), &ours, &ours).unwrap(), Vec::<PathBuf>::new());
    let Merge::Conflict(files) = merge(&repo) else { panic!("no conflict") };
    assert_eq!(files, expected);
    assert!(!repo.path("private").exists());
}

#[test]
fn a_rescue_keeps_head_index_and_files_and_changes_nothing() {
    let repo = Repo::new();
    repo.add("w", "drover/p/a").unwrap();
    repo.write("w/staged", "index\n");
    repo.git("w", &["add", "staged"]);
    repo.write("w/staged", "tree\n");
    repo.write("w/untracked", "new\n");
    repo.write("w/.env", "ignored\n");
    let before = git::status(&repo.path("w")).unwrap();
    let rescue = git::rescue(&repo.path("w"), "refs/drover/rescue/t1").unwrap();
    assert_eq!(git::status(&repo.path("w")).unwrap(), before);
    let show = |name: &str| repo.git("main", &["show", name]);
    assert_eq!(show(&format!("{}:staged", rescue.index.unwrap())), "index");
    assert_eq!(show(&format!("{}:staged", rescue.tree)), "tree");
    assert_eq!(show(&format!("{}:untracked", rescue.tree)), "new");
    assert_eq!(git::resolve(&repo.main(), &rescue.head).unwrap(), repo.head("w"));
    assert!(git::resolve(&repo.main(), &format!("{}:.env", rescue.tree)).is_err());
}

#[test]
fn a_rescue_keeps_files_that_git_is_told_to_take_for_unchanged() {
    let repo = Repo::new();
    repo.write("main/other", "one\n");
    repo.commit("main", "second");
    repo.git("main", &["update-index", "--assume-unchanged", "file"]);
    repo.git("main", &["update-index", "--skip-worktree", "other"]);
    repo.write("main/file", "two\n");
    repo.write("main/other", "two\n");
    let files = [PathBuf::from("file"), PathBuf::from("other")];
    assert!(git::status(&repo.main()).unwrap().is_clean());
    assert_eq!(git::hidden(&repo.main()).unwrap(), files);
    let rescue = git::rescue(&repo.main(), "refs/drover/rescue/t1").unwrap();
    for file in ["file", "other"] {
        assert_eq!(repo.git("main", &["show", &format!("{}:{file}", rescue.tree)]), "two");
    }
    assert_eq!(git::hidden(&repo.main()).unwrap(), files);
}

#[test]
fn a_rescue_keeps_what_an_unfinished_operation_began_with_and_stashed() {
    for (words, expected) in [
        (["rebase", "--autostash", "main"], vec!["autostash", "rebase-orig-head", "orig-head"]),
        (["merge", "--autostash", "main"], vec!["merge-autostash", "merge-head"]),
        (["cherry-pick", "--no-gpg-sign", "main"], vec!["cherry-pick-head"]),
    ] {
        let repo = Repo::new();
        repo.write("main/other", "one\n");
        repo.commit("main", "second");
        repo.add("w", "drover/p/a").unwrap();
        repo.write("w/file", "ours\n");
        let ours = repo.commit("w", "ours");
        repo.write("main/file", "theirs\n");
        repo.commit("main", "theirs");
        if words[1] == "--autostash" {
            repo.write("w/other", "not committed\n");
        }
        Command::new("git", repo.path("w")).args(words).run().unwrap();
        let kept = git::rescue(&repo.path("w"), "refs/drover/rescue/t1").unwrap().begun;
        for name in expected {
            let full = format!("refs/drover/rescue/t1/{name}");
            assert!(kept.contains(&full), "{words:?}: {kept:?}");
            if name.ends_with("autostash") {
                let text = repo.git("main", &["show", &format!("{full}:other")]);
                assert_eq!(text, "not committed");
            }
            if name == "rebase-orig-head" {
                assert_eq!(git::resolve(&repo.main(), &full).unwrap(), ours);
            }
        }
    }
}

#[test]
fn a_branch_is_deleted_only_from_where_it_was_seen_and_not_under_a_checkout() {
    let repo = Repo::new();
    repo.add("w", "drover/p/a").unwrap();
    let first = repo.head("main");
    let delete = |at: &Oid| git::delete_branch_cas(&repo.main(), "drover/p/a", at);
    assert!(matches!(delete(&first), Err(GitError::BranchCheckedOut { .. })));
    repo.write("w/a", "x");
    repo.commit("w", "more");
    git::remove_worktree(&repo.locks, &repo.main(), &repo.path("w"), Removal::IfClean).unwrap();
    assert!(matches!(delete(&first), Err(GitError::Moved { .. })));
}

#[test]
fn a_branch_that_stands_for_another_goes_without_it() {
    let repo = Repo::new();
    let first = repo.head("main");
    repo.git("main", &["branch", "other"]);
    repo.git("main", &["symbolic-ref", "refs/heads/alias", "refs/heads/other"]);
    let stands_for = git::stands_for(&repo.main(), "alias").unwrap();
    assert_eq!(stands_for.as_deref(), Some("refs/heads/other"));
    assert_eq!(git::stands_for(&repo.main(), "other").unwrap(), None);
    git::delete_branch_cas(&repo.main(), "alias", &first).unwrap();
    assert_eq!(repo.branches(), "main\nother");
}

#[test]
fn a_callers_git_directory_does_not_redirect_us() {
    let mut env = Env::default();
    env.set("GIT_DIR", "/elsewhere");
    env.set("GIT_INDEX_FILE", "/elsewhere");
    assert_eq!(env.for_program().get("GIT_DIR"), None);
    assert_eq!(env.for_program().get("GIT_INDEX_FILE"), None);
}
