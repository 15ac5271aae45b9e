//! Keeping what a worktree holds, as commits under refs, before it is removed by force.

use std::path::{Path, PathBuf};

use super::commit::as_drover;
use super::error::GitError;
use super::oid::Oid;
use super::refs::{resolve, set_ref};
use super::run::{WRITE, git, oid, path_text};
use super::status::hidden;

/// The refs that keep a worktree's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// Keeps the commit that was checked out.
    pub head: String,
    /// Keeps the index; none while a merge has left paths undecided, as such an index is no tree.
    pub index: Option<String>,
    /// Keeps the files, untracked ones too, ignored ones not.
    pub tree: String,
    /// Keep what only files of git's own name: where an operation began, what it stashed by itself.
    pub begun: Vec<String>,
}

/// Keeps head, index and files of a worktree under `<prefix>/head`, `/index` and `/tree`.
///
/// Works on a copy of the index: the worktree, its index and its branch are not touched. Refs that
/// are there already are moved, so a rescue that was cut off is simply done again.
pub fn rescue(path: &Path, prefix: &str) -> Result<Rescue, GitError> {
    let head = resolve(path, "HEAD")?;
    let io = |source| GitError::Io { path: path.to_owned(), source };
    let index = path.join(path_text(path, ["rev-parse", "--git-path", "index"])?);
    let copy = Copy::of(&index).map_err(io)?;
    let with_copy = || git(path).env("GIT_INDEX_FILE", &copy.path).timeout(WRITE);
    // Written before anything is added to the copy.
    let staged = oid(&with_copy().arg("write-tree")).ok();
    let mut names = Vec::new();
    for name in hidden(path)? {
        names.extend_from_slice(name.as_os_str().as_encoded_bytes());
        names.push(0);
    }
    for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
        let unhide = with_copy().args(["update-index", flag, "-z", "--stdin"]);
        unhide.stdin(names.clone()).run_ok()?;
    }
    with_copy().args(["add", "--all", "--sparse", "--", ":/"]).run_ok()?;
    let files = oid(&with_copy().arg("write-tree"))?;

    let keep = |name: &str, commit: &Oid| {
        let full = format!("{prefix}/{name}");
        set_ref(path, &full, commit).map(|()| full)
    };
    let index = match staged {
        Some(tree) => Some(keep("index", &commit(path, &tree, &head, "index")?)?),
        None => None,
    };
    let tree = keep("tree", &commit(path, &files, &head, "files")?)?;
    let begun = begun(path)?;
    let begun = begun.iter().map(|(name, commit)| keep(name, commit)).collect::<Result<_, _>>()?;
    // Last: where it is, all of them are.
    Ok(Rescue { head: keep("head", &head)?, index, tree, begun })
}

/// A copy of an index beside it, so that one left by a process that was cut off has a place, and
/// goes with the worktree.
struct Copy {
    path: PathBuf,
}

impl Copy {
    fn of(index: &Path) -> std::io::Result<Self> {
        let copy = Self { path: index.with_file_name("drover-rescue") };
        copy.remove();
        if index.exists() {
            std::fs::copy(index, &copy.path)?;
        }
        drover_core::step::reached("file");
        Ok(copy)
    }

    /// Removes it, with the lock that git takes to write it.
    fn remove(&self) {
        for path in [&self.path, &self.path.with_extension("lock")] {
            // What cannot be removed now is written over by the next rescue.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Files of git's own that name commits which nothing else may hold, and the refs that keep those.
const BEGUN: [(&str, &str); 8] = [
    ("MERGE_AUTOSTASH", "merge-autostash"),
    ("rebase-merge/autostash", "autostash"),
    ("rebase-merge/orig-head", "rebase-orig-head"),
    ("rebase-apply/autostash", "apply-autostash"),
    ("rebase-apply/orig-head", "apply-orig-head"),
    ("ORIG_HEAD", "orig-head"),
    ("MERGE_HEAD", "merge-head"),
    ("CHERRY_PICK_HEAD", "cherry-pick-head"),
];

/// The commits that such files name, each with its place below the prefix.
fn begun(path: &Path) -> Result<Vec<(String, Oid)>, GitError> {
    let mut found = Vec::new();
    for (file, name) in BEGUN {
        let file = path.join(path_text(path, ["rev-parse", "--git-path", file])?);
        let text = std::fs::read_to_string(file).unwrap_or_default();
        // A merge of several branches names one a line.
        for (number, commit) in text.lines().filter_map(|it| Oid::parse(it.trim())).enumerate() {
            let name = if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) };
            match resolve(path, commit.as_str()) {
                Ok(commit) => found.push((name, commit)),
                // Long forgotten, and collected since.
                Err(GitError::UnknownRevision { .. }) => {}
                Err(err) => return Err(err),
            }
        }
    }
    Ok(found)
}

/// Keeps the tip of a branch under `<prefix>/branch`.
pub fn rescue_branch(repository: &Path, prefix: &str, tip: &Oid) -> Result<String, GitError> {
    let full = format!("{prefix}/branch");
    set_ref(repository, &full, tip).map(|()| full)
}

/// Puts a worktree's branch, index and files back to a commit; ignored files stay.
///
/// What is thrown away must have been kept before, as by [`rescue`].
pub fn set_back(path: &Path, to: &Oid) -> Result<(), GitError> {
    git(path).args(["reset", "--quiet", "--hard", to.as_str(), "--"]).timeout(WRITE).run_ok()?;
    git(path).args(["clean", "--quiet", "--force", "-d", "--", ":/"]).timeout(WRITE).run_ok()?;
    Ok(())
}

fn commit(path: &Path, tree: &Oid, parent: &Oid, what: &str) -> Result<Oid, GitError> {
    let message = format!("{what} of {}", path.display());
    let words = ["commit-tree", "--no-gpg-sign", "-p", parent.as_str(), "-m", &message];
    oid(&as_drover(git(path)).args(words).arg(tree.as_str()))
}
