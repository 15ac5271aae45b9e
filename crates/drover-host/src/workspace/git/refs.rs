//! Refs: where they are, how far apart, and moving them only from where they were seen.

use std::path::Path;

use super::error::GitError;
use super::oid::Oid;
use super::run::{WRITE, failed, git, oid, yes_or_no};
use crate::process::Exit;

/// How many commits two lines have that the other lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distance {
    /// Commits of ours that they lack.
    pub ahead: u64,
    /// Commits of theirs that we lack.
    pub behind: u64,
}

/// Refuses a word that git would not take as the name of a branch.
pub fn check_branch_name(repository: &Path, name: &str) -> Result<(), GitError> {
    let bad = || GitError::BadBranchName { name: name.to_owned() };
    if name.starts_with('-') || name == "HEAD" {
        return Err(bad());
    }
    let full = format!("refs/heads/{name}");
    if yes_or_no(&git(repository).args(["check-ref-format", &full]))? { Ok(()) } else { Err(bad()) }
}

/// The commit a branch, tag or other revision names.
pub fn resolve(repository: &Path, revision: &str) -> Result<Oid, GitError> {
    let unknown = || GitError::UnknownRevision {
        name: revision.to_owned(),
        repository: repository.to_owned(),
    };
    if revision.is_empty() || revision.starts_with('-') {
        return Err(unknown());
    }
    let name = format!("{revision}^{{commit}}");
    let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
    let output = git(repository).args(words).run()?;
    Oid::parse(output.text().lines().next_back().unwrap_or_default()).ok_or_else(unknown)
}

/// The tree of a commit.
pub fn tree_of(repository: &Path, commit: &Oid) -> Result<Oid, GitError> {
    let tree = format!("{commit}^{{tree}}");
    oid(&git(repository).args(["rev-parse", "--verify", "--end-of-options", &tree]))
}

/// Whether `ancestor` is `commit` or one of its ancestors.
pub fn is_ancestor(repository: &Path, ancestor: &Oid, commit: &Oid) -> Result<bool, GitError> {
    let words = ["merge-base", "--is-ancestor", ancestor.as_str(), commit.as_str()];
    yes_or_no(&git(repository).args(words))
}

/// Whether a branch holds a commit. A branch that does not exist holds none.
pub fn is_reachable(repository: &Path, commit: &Oid, branch: &str) -> Result<bool, GitError> {
    match branch_tip(repository, branch)? {
        Some(tip) => is_ancestor(repository, commit, &tip),
        None => Ok(false),
    }
}

/// The best common ancestor of two commits, if they have one.
pub fn merge_base(repository: &Path, ours: &Oid, theirs: &Oid) -> Result<Option<Oid>, GitError> {
    let output = git(repository).args(["merge-base", ours.as_str(), theirs.as_str()]).run()?;
    Ok(Oid::parse(&output.text()))
}

/// How far two commits are apart.
pub fn ahead_behind(repository: &Path, ours: &Oid, theirs: &Oid) -> Result<Distance, GitError> {
    let range = format!("{ours}...{theirs}");
    let command = git(repository).args(["rev-list", "--left-right", "--count", &range]);
    let text = command.run_ok()?.text();
    let mut numbers = text.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(ahead)), Some(Ok(behind))) => Ok(Distance { ahead, behind }),
        _ => Err(GitError::Unreadable { command_line: command.command_line() }),
    }
}

/// Refuses the name of a branch that exists, or that another branch's name rules out.
pub fn check_branch_is_free(repository: &Path, name: &str) -> Result<(), GitError> {
    check_branch_name(repository, name)?;
    let exists = |branch: &str| {
        let full = format!("refs/heads/{branch}");
        yes_or_no(&git(repository).args(["show-ref", "--verify", "--quiet", "--", &full]))
    };
    if exists(name)? {
        return Err(GitError::BranchExists { branch: name.to_owned() });
    }
    let blocked = |blocker: &str| {
        Err(GitError::BranchBlocked { branch: name.to_owned(), blocker: blocker.to_owned() })
    };
    for (end, _) in name.match_indices('/') {
        let above = name.get(..end).unwrap_or_default();
        if exists(above)? {
            return blocked(above);
        }
    }
    let prefix = format!("refs/heads/{name}/");
    let words = ["for-each-ref", "--count=1", "--format=%(refname:short)", "--", &prefix];
    match git(repository).args(words).run_ok()?.text().as_str() {
        "" => Ok(()),
        below => blocked(below),
    }
}

/// The branches whose names begin so, a part up to a `/`.
pub fn branches(repository: &Path, below: &str) -> Result<Vec<String>, GitError> {
    let place = format!("refs/heads/{below}");
    let words = ["for-each-ref", "--format=%(refname:lstrip=2)", "--", &place];
    Ok(git(repository).args(words).run_ok()?.text().lines().map(str::to_owned).collect())
}

/// Where a branch is; none if it does not exist.
pub fn branch_tip(repository: &Path, name: &str) -> Result<Option<Oid>, GitError> {
    match resolve(repository, &format!("refs/heads/{name}")) {
        Ok(tip) => Ok(Some(tip)),
        Err(GitError::UnknownRevision { .. }) => Ok(None),
        Err(err) => Err(err),
    }
}

/// When a checkout was last moved to another commit, in seconds of Unix time; none where git keeps no
/// record of it.
pub fn head_moved_at(checkout: &Path) -> Result<Option<i64>, GitError> {
    let words = ["log", "--walk-reflogs", "-1", "--date=unix", "--format=%gd", "HEAD"];
    let output = git(checkout).args(words).run()?;
    // `HEAD@{1700000000}`
    let text = output.text();
    let second = text.split_once("@{").and_then(|it| it.1.strip_suffix('}'));
    Ok(second.and_then(|it| it.parse().ok()))
}

/// Fetches what is new at a remote; no branch of one's own is touched.
pub fn fetch(repository: &Path, remote: &str) -> Result<(), GitError> {
    let words = ["fetch", "--quiet", "--no-recurse-submodules", "--end-of-options", remote];
    git(repository).args(words).timeout(WRITE).run_ok()?;
    Ok(())
}

/// The remote branch that a branch follows, as far as it was fetched; none where it follows nothing.
pub fn upstream(repository: &Path, branch: &str) -> Result<Option<String>, GitError> {
    let place = format!("refs/heads/{branch}");
    let words = ["for-each-ref", "--format=%(upstream:short)", "--", &place];
    let text = git(repository).args(words).run_ok()?.text();
    Ok(text.lines().find(|it| !it.is_empty()).map(str::to_owned))
}

/// Where a branch is, or else a remote branch; none if there is neither.
pub fn line_tip(repository: &Path, name: &str) -> Result<Option<Oid>, GitError> {
    if let Some(tip) = branch_tip(repository, name)? {
        return Ok(Some(tip));
    }
    match resolve(repository, &format!("refs/remotes/{name}")) {
        Ok(tip) => Ok(Some(tip)),
        Err(GitError::UnknownRevision { .. }) => Ok(None),
        Err(err) => Err(err),
    }
}

/// The ref that a branch is only another name of; none for a branch that holds a commit itself.
pub fn stands_for(repository: &Path, branch: &str) -> Result<Option<String>, GitError> {
    let command = git(repository).args(["symbolic-ref", "--quiet", "--"]);
    let command = command.arg(format!("refs/heads/{branch}"));
    let output = command.run()?;
    match output.status {
        Exit::Code(0) => Ok(Some(output.text())),
        Exit::Code(1) => Ok(None),
        _ => Err(failed(&command, &output)),
    }
}

/// Makes a branch that must not exist, without checking it out.
pub fn create_branch(repository: &Path, name: &str, at: &Oid) -> Result<(), GitError> {
    check_branch_is_free(repository, name)?;
    create_ref(repository, &format!("refs/heads/{name}"), at)
}

/// Gives a branch another name, which must be free; checkouts of it follow.
pub fn rename_branch(repository: &Path, from: &str, to: &str) -> Result<(), GitError> {
    check_branch_name(repository, from)?;
    check_branch_is_free(repository, to)?;
    git(repository).args(["branch", "--move", "--", from, to]).run_ok()?;
    Ok(())
}

/// Makes a ref that must not exist.
pub fn create_ref(repository: &Path, name: &str, at: &Oid) -> Result<(), GitError> {
    check_ref(repository, name)?;
    let nothing = "0".repeat(at.as_str().len());
    git(repository).args(["update-ref", "--", name, at.as_str(), &nothing]).run_ok()?;
    Ok(())
}

/// Puts a ref at a commit, wherever it was.
pub(crate) fn set_ref(repository: &Path, name: &str, at: &Oid) -> Result<(), GitError> {
    check_ref(repository, name)?;
    git(repository).args(["update-ref", "--", name, at.as_str()]).run_ok()?;
    Ok(())
}

/// Moves a ref, if it still is where it was seen.
pub fn update_ref_cas(repository: &Path, name: &str, new: &Oid, old: &Oid) -> Result<(), GitError> {
    check_ref(repository, name)?;
    let words = ["update-ref", "--no-deref", "-m", "drover: moved", "--", name];
    let words: Vec<&str> = words.into_iter().chain([new.as_str(), old.as_str()]).collect();
    compare_and_set(repository, name, old, &words)
}

/// Deletes a ref, if it still is where it was seen.
pub(crate) fn delete_ref_cas(repository: &Path, name: &str, old: &Oid) -> Result<(), GitError> {
    check_ref(repository, name)?;
    // Without it, the ref that a symbolic one stands for would go.
    let words = ["update-ref", "-d", "--no-deref", "--", name, old.as_str()];
    compare_and_set(repository, name, old, &words)
}

fn compare_and_set(
    repository: &Path,
    name: &str,
    old: &Oid,
    words: &[&str],
) -> Result<(), GitError> {
    let command = git(repository).args(words.iter().copied());
    let output = command.run()?;
    if output.status.is_success() {
        return Ok(());
    }
    // git says in words why it refused; where the ref is now says it without them.
    let show = git(repository).args(["rev-parse", "--verify", "--quiet", "--end-of-options", name]);
    match oid(&show) {
        Ok(current) if current == *old => Err(failed(&command, &output)),
        _ => Err(GitError::Moved { name: name.to_owned(), expected: old.clone() }),
    }
}

fn check_ref(repository: &Path, name: &str) -> Result<(), GitError> {
    let is_full = name.starts_with("refs/");
    if is_full && yes_or_no(&git(repository).args(["check-ref-format", name]))? {
        return Ok(());
    }
    Err(GitError::BadRef { name: name.to_owned() })
}
