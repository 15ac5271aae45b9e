//! Errors of git in the user's words.

use drover_ops::GitError;
use drover_ops::words::quote;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &GitError) -> Spoken {
    match err {
        GitError::NotInstalled => {
            Spoken::new("program_missing", err).next("install it", "sudo apt-get install git")
        }
        GitError::JjNotInstalled | GitError::NoHistory { .. } | GitError::CopyInside { .. } => {
            other_kind(err)
        }
        GitError::NotARepository { .. }
        | GitError::Bare { .. }
        | GitError::RepositoryGone { .. }
        | GitError::NoCommits { .. }
        | GitError::Unsupported { .. } => no_repository(err),
        GitError::DirectoryExists { path } | GitError::WorktreeExists { path } => {
            Spoken::new("directory_exists", err)
                .data(json!({ "path": path }))
                .next("see whose it is", "drover workspace orphans")
        }
        GitError::DirectoryMissing { path } => Spoken::new("workspace_missing", err)
            .data(json!({ "path": path }))
            .next("see what is left of it", "drover workspace orphans"),
        GitError::NotAWorktree { path } => Spoken::new("not_a_checkout", err)
            .data(json!({ "path": path }))
            .next("see what is left of it", "drover workspace orphans"),
        GitError::BadCheckout { path, .. } | GitError::Submodules { path, .. } => {
            Spoken::new("checkout_failed", err).data(json!({ "path": path }))
        }
        GitError::UnknownRevision { name, repository } => Spoken::new("revision_unknown", err)
            .data(json!({ "revision": name, "repository": repository }))
            .next("see the branches", format!("git -C {} branch --all", quoted(repository))),
        GitError::Dirty { .. }
        | GitError::WouldOverwrite { .. }
        | GitError::InnerRepository { .. }
        | GitError::InProgress { .. } => unfinished(err),
        GitError::Moved { name, .. } => {
            Spoken::new("target_moved", err).data(json!({ "ref": name }))
        }
        GitError::BadBranchName { .. } | GitError::BadRef { .. } => Spoken::new("usage", err),
        GitError::Lock(_) => Spoken::new("locked", err),
        GitError::Io { path, .. } => Spoken::new("file_failed", err).data(json!({ "path": path })),
        GitError::Process(err) => super::process::speak(err),
        GitError::Unreadable { .. } => Spoken::new("failed", err),
        GitError::BranchExists { .. }
        | GitError::BranchBlocked { .. }
        | GitError::BranchCheckedOut { .. } => branch(err),
    }
}

/// Nothing can be made from what is there.
fn no_repository(err: &GitError) -> Spoken {
    match err {
        GitError::NotARepository { path } => Spoken::new("not_a_repository", err)
            .data(json!({ "path": path }))
            .next("make one", format!("git init {}", quoted(path)))
            .next(
                "or have agents work on copies",
                format!("drover project init <name> --repo {} --kind copy", quoted(path)),
            ),
        GitError::Bare { path } => Spoken::new("not_a_repository", err)
            .data(json!({ "path": path }))
            .next("use a clone with files", format!("git clone {} <directory>", quoted(path))),
        GitError::RepositoryGone { path, gitdir } => Spoken::new("repository_gone", err)
            .data(json!({ "path": path, "gitdir": gitdir }))
            .next(
                "if it was moved",
                format!("git -C <where it is now> worktree repair {}", quoted(path)),
            ),
        GitError::NoCommits { path } => {
            let at = quoted(path);
            Spoken::new("no_commits", err)
                .data(json!({ "path": path }))
                .next("make one", format!("git -C {at} commit --allow-empty -m \"first commit\""))
        }
        GitError::Unsupported { path, program } => Spoken::new("not_a_repository", err)
            .data(json!({ "path": path, "program": program }))
            .next(
                "have agents work on copies",
                format!("drover project init <name> --repo {} --kind copy", quoted(path)),
            ),
        other => Spoken::new("failed", other),
    }
}

/// What keeps the checkouts is not git.
fn other_kind(err: &GitError) -> Spoken {
    match err {
        GitError::JjNotInstalled => Spoken::new("program_missing", err)
            .next("install it", "cargo install --locked --bin jj jj-cli")
            .next("or use git alone", "drover project init <name> --repo <path> --kind git"),
        GitError::NoHistory { path } => {
            Spoken::new("no_history", err).data(json!({ "path": path }))
        }
        GitError::CopyInside { path, original } => Spoken::new("copy_inside", err)
            .data(json!({ "path": path, "source": original }))
            .next("see where the state is", "drover doctor"),
        other => Spoken::new("failed", other),
    }
}

/// A checkout holds what no commit does.
fn unfinished(err: &GitError) -> Spoken {
    match err {
        GitError::Dirty { path } => Spoken::new("workspace_dirty", err)
            .data(json!({ "path": path }))
            .next("see the changes", format!("git -C {} status", quoted(path))),
        GitError::WouldOverwrite { path, paths } => Spoken::new("workspace_dirty", err)
            .data(json!({ "path": path, "paths": paths }))
            .next("see them", format!("git -C {} status --ignored", quoted(path))),
        GitError::InnerRepository { path, paths } => Spoken::new("workspace_dirty", err)
            .data(json!({ "path": path, "paths": paths }))
            .next("name one", format!("git -C {} submodule add <address> <path>", quoted(path))),
        GitError::InProgress { path, operation } => Spoken::new("operation_in_progress", err)
            .data(json!({ "path": path, "operation": operation }))
            .next("see how it stands", format!("git -C {} status", quoted(path))),
        other => Spoken::new("failed", other),
    }
}

/// A branch is where another should be, or in use.
fn branch(err: &GitError) -> Spoken {
    match err {
        GitError::BranchExists { branch } => Spoken::new("branch_exists", err)
            .data(json!({ "branch": branch }))
            .next("move it out of the way", rename(branch)),
        GitError::BranchBlocked { branch, blocker } => Spoken::new("branch_blocked", err)
            .data(json!({ "branch": branch, "blocker": blocker }))
            .next("move it out of the way", rename(blocker)),
        GitError::BranchCheckedOut { branch, path } => Spoken::new("branch_checked_out", err)
            .data(json!({ "branch": branch, "path": path }))
            .next("let go of it there", format!("git -C {} switch --detach", quoted(path))),
        other => Spoken::new("failed", other),
    }
}

fn rename(branch: &str) -> String {
    format!("git branch -m {} <another name>", quote(branch))
}

fn quoted(path: &std::path::Path) -> String {
    quote(&path.to_string_lossy())
}
