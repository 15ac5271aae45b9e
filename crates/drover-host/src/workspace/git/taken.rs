//! Whether a line of work holds what another one did, though not its commits: squashed, picked, or typed in again.

use std::ffi::OsString;
use std::path::Path;

use super::error::GitError;
use super::oid::Oid;
use super::refs::{is_ancestor, merge_base, tree_of};
use super::run::{git, parts, path};

/// How many commits are searched for the same change.
const SEARCHED: &str = "--max-count=500";
/// With more files than this a change is looked for as a whole tree only.
const MOST_FILES: usize = 500;

/// Whether `target` holds the work of a commit: the commit itself, or all that it changed.
///
/// What cannot be told is not held, so that nobody lets go of it.
pub fn holds(repository: &Path, target: &Oid, work: &Oid) -> Result<bool, GitError> {
    if is_ancestor(repository, work, target)? {
        return Ok(true);
    }
    let Some(base) = merge_base(repository, work, target)? else { return Ok(false) };
    if tree_of(repository, &base)? == tree_of(repository, work)? {
        // It changed nothing, so nothing can speak for it but its commits.
        return Ok(false);
    }
    // A history too long to be read tells nothing.
    Ok(adds_nothing(repository, target, work)?
        || has_same_change(repository, (&base, work), target).unwrap_or(false))
}

/// Whether merging the work would leave the target's tree as it is. An old git cannot say.
fn adds_nothing(repository: &Path, target: &Oid, work: &Oid) -> Result<bool, GitError> {
    let words = ["merge-tree", "--write-tree", "--no-messages", target.as_str(), work.as_str()];
    let output = git(repository).args(words).run()?;
    let tree = tree_of(repository, target)?;
    Ok(output.status.is_success() && output.text().trim() == tree.as_str())
}

/// Whether one commit of the target made the whole change of the work, and none took it back since.
fn has_same_change(
    repository: &Path,
    (base, work): (&Oid, &Oid),
    target: &Oid,
) -> Result<bool, GitError> {
    let plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--full-index"];
    let ends = [base.as_str(), work.as_str()];
    let names = git(repository).arg("diff").args(plain).args(["--name-only", "-z"]).args(ends);
    let names = names.arg("--").run_ok()?.stdout;
    let files: Vec<OsString> = parts(&names).map(literally).collect();
    if files.len() > MOST_FILES {
        return Ok(false);
    }
    let change = |ends: [&str; 2]| -> Result<Option<String>, GitError> {
        let diff = git(repository).arg("diff").args(plain).args(ends).arg("--");
        Ok(patches(repository, diff.run_ok()?.stdout)?.into_iter().next())
    };
    let Some(made) = change(ends)? else { return Ok(false) };
    let taken_back = change([work.as_str(), base.as_str()])?;
    let range = format!("{base}..{target}");
    let log = git(repository).args(["log", "-p", "--no-merges", SEARCHED]).args(plain);
    let log = log.args([range.as_str(), "--"]).args(files);
    // Newest first: the later of the two says how it stands.
    let found = patches(repository, log.run_ok()?.stdout)?;
    let last = found.into_iter().find(|it| *it == made || taken_back.as_ref() == Some(it));
    Ok(last.is_some_and(|it| it == made))
}

/// A path as git takes it for itself and nothing else.
fn literally(name: &[u8]) -> OsString {
    let mut place = OsString::from(":(top,literal)");
    place.push(path(name));
    place
}

/// The ids of the changes in a text of differences, by which a change is known again wherever it was made.
fn patches(repository: &Path, differences: Vec<u8>) -> Result<Vec<String>, GitError> {
    if differences.is_empty() {
        return Ok(Vec::new());
    }
    let output = git(repository).args(["patch-id", "--stable"]).stdin(differences).run_ok()?;
    let first = |line: &str| line.split(' ').next().map(str::to_owned);
    Ok(output.text().lines().filter_map(first).collect())
}
