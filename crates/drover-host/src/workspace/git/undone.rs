//! Lines that a merge takes away although they are newer than the work that was merged.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::error::GitError;
use super::oid::Oid;
use super::run::{git, parts, path as path_of};

/// A file of which a merge takes newer lines away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The file.
    pub path: PathBuf,
    /// How many lines; none where it has no lines, as a picture, and is as it was before.
    pub lines: usize,
}

/// The files of `target` that `merged` lacks lines of, where those lines came after `base`.
///
/// Two differences tell it without reading history: the lines of `target` that `base` had not, and
/// the lines of `target` that `merged` has no more.
pub fn undone(
    repository: &Path,
    base: &Oid,
    target: &Oid,
    merged: &Oid,
) -> Result<Vec<Undone>, GitError> {
    let newer = changed(repository, base, target)?;
    let mut found = Vec::new();
    for path in changed(repository, target, merged)?.intersection(&newer) {
        let added = hunks(repository, base, target, path, Side::New)?;
        let removed = hunks(repository, target, merged, path, Side::Old)?;
        let lines = removed.iter().map(|it| overlap(it, &added)).sum();
        if lines > 0 || is_put_back(repository, path, (base, merged))? {
            found.push(Undone { path: path.clone(), lines });
        }
    }
    Ok(found)
}

fn changed(repository: &Path, from: &Oid, to: &Oid) -> Result<BTreeSet<PathBuf>, GitError> {
    let words = ["diff", "--no-ext-diff", "--no-renames", "--name-only", "-z"];
    let output = git(repository).args(words).args([from.as_str(), to.as_str(), "--"]).run_ok()?;
    Ok(parts(&output.stdout).map(path_of).collect())
}

/// Whether a file that is newer in the target is again as it was at the base, which may be: not there.
fn is_put_back(
    repository: &Path,
    path: &Path,
    (base, merged): (&Oid, &Oid),
) -> Result<bool, GitError> {
    let entry = |tree: &Oid| -> Result<Vec<u8>, GitError> {
        let command = git(repository).args(["ls-tree", "-z", "--full-tree", tree.as_str(), "--"]);
        Ok(command.arg(path.as_os_str()).run_ok()?.stdout)
    };
    Ok(entry(base)? == entry(merged)?)
}

/// Which side of a difference is counted.
#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

fn hunks(
    repository: &Path,
    from: &Oid,
    to: &Oid,
    path: &Path,
    side: Side,
) -> Result<Vec<Range<usize>>, GitError> {
    let words = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "-U0"];
    let mut place = OsString::from(":(top,literal)");
    place.push(path);
    let command = git(repository).args(words).args([from.as_str(), to.as_str(), "--"]).arg(place);
    let output = command.run_ok()?;
    let lines = output.stdout.split(|it| *it == b'\n').filter(|it| it.starts_with(b"@@ -"));
    Ok(lines.filter_map(|line| range(&String::from_utf8_lossy(line), side)).collect())
}

/// The lines of one side of `@@ -12,3 +12,0 @@`; one line when no number stands behind a comma.
fn range(header: &str, side: Side) -> Option<Range<usize>> {
    let mut words = header.split(' ').skip(1);
    let (old, new) = (words.next()?.strip_prefix('-')?, words.next()?.strip_prefix('+')?);
    let word = match side {
        Side::Old => old,
        Side::New => new,
    };
    let (first, count) = word.split_once(',').unwrap_or((word, "1"));
    let first = first.parse().ok()?;
    Some(first..first + count.parse::<usize>().ok()?)
}

fn overlap(one: &Range<usize>, others: &[Range<usize>]) -> usize {
    let shared = |it: &Range<usize>| one.end.min(it.end).saturating_sub(one.start.max(it.start));
    others.iter().map(shared).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_side_are_read_from_a_hunks_header() {
        assert_eq!(range("@@ -12,3 +9,0 @@ fn x() {", Side::Old), Some(12..15));
        assert_eq!(range("@@ -12,3 +9,0 @@", Side::New), Some(9..9));
        assert_eq!(range("@@ -1 +1,2 @@", Side::Old), Some(1..2));
        assert_eq!(range("@@ nonsense", Side::Old), None);
    }

    #[test]
    fn only_lines_that_both_sides_speak_of_are_counted() {
        assert_eq!(overlap(&(5..10), &[1..6, 9..20]), 2);
        assert_eq!(overlap(&(5..10), &[0..5, 10..20]), 0);
    }
}
