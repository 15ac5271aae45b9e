//! What a checkout holds besides its commit.

use std::fmt;
use std::path::{Path, PathBuf};

use super::error::GitError;
use super::oid::Oid;
use super::run::{git, parts, path as path_of, path_text, yes_or_no};

/// Something begun in a checkout and not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A merge.
    Merge,
    /// A rebase, or patches being applied.
    Rebase,
    /// A cherry-pick.
    CherryPick,
    /// A revert.
    Revert,
    /// A bisection.
    Bisect,
    /// Its commits were made anew elsewhere, and its files have not followed.
    Rewrite,
}

impl Operation {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Rebase => "rebase",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Bisect => "bisect",
            Self::Rewrite => "rewrite",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A checkout's state. A path can be staged and modified at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The commit checked out; none before the first.
    pub head: Option<Oid>,
    /// The branch checked out; none on a detached head.
    pub branch: Option<String>,
    /// Paths whose index differs from the commit.
    pub staged: Vec<PathBuf>,
    /// Paths whose file differs from the index.
    pub modified: Vec<PathBuf>,
    /// Paths that a merge left for somebody to decide.
    pub unmerged: Vec<PathBuf>,
    /// Paths git does not know.
    pub untracked: Vec<PathBuf>,
    /// Paths git is told to ignore; a directory ignored whole ends in `/`.
    pub ignored: Vec<PathBuf>,
    /// What is in progress.
    pub operation: Option<Operation>,
}

impl Status {
    /// Whether index and tree equal the commit and nothing is in progress; ignored files aside.
    pub fn is_clean(&self) -> bool {
        self.operation.is_none() && self.changed().next().is_none()
    }

    /// Every path that is not as the commit has it, ignored files aside.
    pub fn changed(&self) -> impl Iterator<Item = &Path> {
        [&self.staged, &self.modified, &self.unmerged, &self.untracked]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
    }

    /// Whether a commit is checked out without a branch.
    pub fn is_detached(&self) -> bool {
        self.branch.is_none()
    }
}

/// Reads a checkout's state without changing it, not even its index.
pub fn status(path: &Path) -> Result<Status, GitError> {
    let command = git(path).args([
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--untracked-files=all",
        "--ignored=matching",
        "--no-renames",
    ]);
    let output = command.run_ok()?;
    let mut status = parse(&output.stdout)
        .ok_or_else(|| GitError::Unreadable { command_line: command.command_line() })?;
    status.operation = operation(path)?;
    Ok(status)
}

/// The files of a checkout that git is told to take for unchanged, whatever is in them.
pub fn hidden(checkout: &Path) -> Result<Vec<PathBuf>, GitError> {
    let output = git(checkout).args(["ls-files", "-v", "-z"]).run_ok()?;
    let is_hidden = |tag: &u8| tag.is_ascii_lowercase() || *tag == b'S';
    let of_entry = |entry: &[u8]| {
        let (tag, path) = entry.split_at_checked(2)?;
        tag.first().is_some_and(is_hidden).then(|| path_of(path))
    };
    let paths = parts(&output.stdout).filter_map(of_entry);
    // A sparse checkout says so of what it leaves out.
    Ok(paths.filter(|it| checkout.join(it).symlink_metadata().is_ok()).collect())
}

/// Whether git is told to ignore a path of a checkout.
pub fn is_ignored(checkout: &Path, path: &Path) -> Result<bool, GitError> {
    yes_or_no(&git(checkout).args(["check-ignore", "--quiet", "--"]).arg(path))
}

/// What is in progress in a checkout.
pub(super) fn operation(path: &Path) -> Result<Option<Operation>, GitError> {
    let directory = path_text(path, ["rev-parse", "--absolute-git-dir"])?;
    let marks = [
        ("rebase-merge", Operation::Rebase),
        ("rebase-apply", Operation::Rebase),
        ("MERGE_HEAD", Operation::Merge),
        ("CHERRY_PICK_HEAD", Operation::CherryPick),
        ("REVERT_HEAD", Operation::Revert),
        ("BISECT_LOG", Operation::Bisect),
    ];
    Ok(marks.into_iter().find(|(mark, _)| directory.join(mark).exists()).map(|(_, it)| it))
}

/// Reads porcelain v2 with NUL between entries, renames switched off so that each has one path.
fn parse(bytes: &[u8]) -> Option<Status> {
    let mut status = Status::default();
    for entry in parts(bytes) {
        let (kind, rest) = entry.split_at_checked(2)?;
        match kind {
            b"# " => header(&mut status, &String::from_utf8_lossy(rest)),
            b"? " => status.untracked.push(path_of(rest)),
            b"! " => status.ignored.push(path_of(rest)),
            b"1 " => {
                // XY, submodule, three modes, two objects, path.
                let path = path_of(field(rest, 7)?);
                if rest.first().is_some_and(|it| *it != b'.') {
                    status.staged.push(path.clone());
                }
                if rest.get(1).is_some_and(|it| *it != b'.') {
                    status.modified.push(path);
                }
            }
            // XY, submodule, four modes, three objects, path.
            b"u " => status.unmerged.push(path_of(field(rest, 9)?)),
            _ => return None,
        }
    }
    Some(status)
}

fn header(status: &mut Status, line: &str) {
    match line.split_once(' ') {
        Some(("branch.oid", oid)) => status.head = Oid::parse(oid),
        Some(("branch.head", name)) if name != "(detached)" => {
            status.branch = Some(name.to_owned());
        }
        _ => {}
    }
}

/// The rest of an entry after so many blanks; the path, last, may hold more of them.
fn field(entry: &[u8], number: usize) -> Option<&[u8]> {
    entry.splitn(number + 1, |byte| *byte == b' ').nth(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_by_what_they_say_and_paths_keep_their_bytes() {
        let oid = "a".repeat(40);
        let text = format!(
            "# branch.oid {oid}\0# branch.head main\0\
             1 M. N... 100644 100644 100644 {oid} {oid} a b\0\
             1 .D N... 100644 100644 000000 {oid} {oid} c\0\
             u UU N... 100644 100644 100644 100644 {oid} {oid} {oid} d e\0? f\ng\0! target/\0"
        );
        let status = parse(text.as_bytes()).unwrap();
        assert_eq!(status.head, Oid::parse(&oid));
        assert_eq!(status.branch.as_deref(), Some("main"));
        assert_eq!(status.staged, [PathBuf::from("a b")]);
        assert_eq!(status.modified, [PathBuf::from("c")]);
        assert_eq!(status.unmerged, [PathBuf::from("d e")]);
        assert_eq!(status.untracked, [PathBuf::from("f\ng")]);
        assert_eq!(status.ignored, [PathBuf::from("target/")]);
        assert_eq!(parse(b"9 what"), None);
    }
}
