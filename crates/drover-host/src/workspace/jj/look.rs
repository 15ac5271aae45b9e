//! What jj says of a workspace, in one call.

use std::path::{Path, PathBuf};

use super::run::{aside, jj, quoted};
use crate::process::{Command, Output};
use crate::workspace::git::{self, GitError, Oid};
use crate::workspace::place::Place;

/// A workspace as jj sees it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The commit that holds its files.
    pub(super) commit: Option<Oid>,
    /// The parents of that commit.
    pub(super) parents: Vec<Oid>,
    /// Whether its files are as the parents have them.
    pub(super) is_empty: bool,
    /// The last commit below that one which is not a mere beginning.
    pub(super) work: Option<Oid>,
    /// The paths that differ from the parents.
    pub(super) files: Vec<PathBuf>,
    /// The paths that conflict, in the workspace or in a commit below it.
    pub(super) conflicts: Vec<PathBuf>,
    /// Where jj has the branch; none if it does not know it, or has it in two places.
    pub(super) branch: Option<Oid>,
    /// Whether its files are older than what the repository says of them.
    pub(super) is_stale: bool,
}

/// One record a commit. Lists come last, each ended by an empty part.
const TEMPLATE: &str = r#"commit_id ++ "\0" ++ if(current_working_copy,"@","-") ++ "\0"
    ++ if(empty,"e","-") ++ "\0" ++ if(self.contained_in("WORK"),"w","-") ++ "\0"
    ++ parents.map(|it| it.commit_id()).join(" ") ++ "\0"
    ++ local_bookmarks.map(|it| it.name() ++ if(it.conflict(),"?")).join(" ") ++ "\0"
    ++ if(current_working_copy, self.diff().files().map(|it| it.path() ++ "\0").join("")) ++ "\0"
    ++ if(conflict && self.contained_in("BELOW"), self.conflicted_files().map(|it| it.path() ++ "\0").join("")) ++ "\0""#;

/// Looks at a workspace; jj takes a snapshot of its files first.
pub(super) fn look(place: &Place<'_>) -> Result<Seen, GitError> {
    let (branch, base) = (quoted(place.branch), place.base);
    // A commit without change, words and second parent is one that somebody has only begun.
    let begun = "(empty() & description(exact:'') ~ merges())";
    let work = format!("heads({base}..@- ~ {begun})");
    let marks = format!("bookmarks(exact:{branch}) | (conflicts() & {base}..@)");
    let mut seen = look_at(
        place.path,
        &Query {
            revisions: format!("@ | {work} | {marks}"),
            work,
            below: format!("{base}..@"),
            branch: place.branch,
        },
    )?;
    if seen.work.is_none() {
        let from = seen.parents.first().filter(|it| !is_root(it));
        let is_ahead = match from {
            Some(from) => git::is_ancestor(place.source, base, from)?,
            None => false,
        };
        seen.work = if is_ahead { Some(base.clone()) } else { from.cloned() };
    }
    Ok(seen)
}

/// Looks at the open commit of whatever workspace a directory is.
pub(super) fn look_at_open(directory: &Path) -> Result<Seen, GitError> {
    let mut seen = look_at(
        directory,
        &Query {
            revisions: "@".to_owned(),
            work: "none()".to_owned(),
            below: "@".to_owned(),
            branch: "",
        },
    )?;
    seen.work = seen.parents.first().cloned();
    Ok(seen)
}

/// What is asked for, in jj's own query language.
struct Query<'a> {
    revisions: String,
    /// Of these, the last commit of the work.
    work: String,
    /// Of these, those whose conflicts count.
    below: String,
    branch: &'a str,
}

fn look_at(directory: &Path, query: &Query<'_>) -> Result<Seen, GitError> {
    let branch = query.branch;
    let template = TEMPLATE.replace("WORK", &query.work).replace("BELOW", &query.below);
    let words = ["log", "--no-graph", "-r", &query.revisions, "-T", &template];
    let command = jj(directory).args(words);
    let output = command.run()?;
    if output.status.is_success() {
        return read(&command, &output, branch);
    }
    // A snapshot is refused where the files are older than the repository says.
    if !output.error_text().contains("stale") {
        return Err(failed(&command, &output));
    }
    let command = aside(directory).args(words);
    let output = command.run_ok()?;
    Ok(Seen { is_stale: true, ..read(&command, &output, branch)? })
}

/// Whether a commit is the root, which git does not have.
pub(super) fn is_root(commit: &Oid) -> bool {
    commit.as_str().bytes().all(|it| it == b'0')
}

/// The failure of a call whose exit code was looked at.
pub(super) fn failed(command: &Command, output: &Output) -> GitError {
    GitError::Process(crate::process::ProcessError::Failed {
        command_line: command.command_line(),
        status: output.status,
        stderr: output.error_text(),
    })
}

fn read(command: &Command, output: &Output, branch: &str) -> Result<Seen, GitError> {
    parse(&output.stdout, branch)
        .ok_or_else(|| GitError::Unreadable { command_line: command.command_line() })
}

fn parse(bytes: &[u8], branch: &str) -> Option<Seen> {
    // A path of jj's is always text.
    let text = std::str::from_utf8(bytes).ok()?;
    let mut parts = text.split('\0');
    let mut seen = Seen::default();
    let mut branches = 0;
    while let Some(commit) = parts.next().filter(|it| !it.is_empty()) {
        let commit = Oid::parse(commit)?;
        let is_current = parts.next()? == "@";
        let (is_empty, is_work) = (parts.next()? == "e", parts.next()? == "w");
        let parents: Option<Vec<Oid>> =
            parts.next()?.split(' ').filter(|it| !it.is_empty()).map(Oid::parse).collect();
        for name in parts.next()?.split(' ') {
            if name.strip_suffix('?').unwrap_or(name) == branch {
                branches += 1;
                seen.branch = (!name.ends_with('?') && branches == 1).then(|| commit.clone());
            }
        }
        let files: Vec<PathBuf> = list(&mut parts)?;
        seen.conflicts.extend(list(&mut parts)?);
        if is_current {
            (seen.commit, seen.parents) = (Some(commit), parents?);
            (seen.is_empty, seen.files) = (is_empty, files);
        } else if is_work {
            seen.work = Some(commit);
        }
    }
    seen.conflicts.sort();
    seen.conflicts.dedup();
    Some(seen)
}

/// Paths up to an empty part.
fn list<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    loop {
        match parts.next()? {
            "" => return Some(found),
            path => found.push(PathBuf::from(path)),
        }
    }
}

/// The workspaces that the repository behind a directory remembers.
pub(super) fn names(directory: &Path) -> Result<Vec<String>, GitError> {
    let command = aside(directory).args(["workspace", "list", "-T", "name ++ \"\\n\""]);
    Ok(command.run_ok()?.text().lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_whatever_its_paths_hold_and_a_branch_in_two_places_is_nowhere() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let text = format!(
            "{one}\0@\0-\0-\0{two}\0other\0a b\0c\nd\0\0\0{two}\0-\0-\0w\0\0x drover/p/a\0\0e\0\0"
        );
        let seen = parse(text.as_bytes(), "drover/p/a").unwrap();
        assert_eq!(
            (seen.commit, seen.parents),
            (Oid::parse(&one), vec![Oid::parse(&two).unwrap()])
        );
        assert_eq!(seen.files, [PathBuf::from("a b"), PathBuf::from("c\nd")]);
        assert_eq!(seen.conflicts, [PathBuf::from("e")]);
        assert_eq!(seen.branch, Oid::parse(&two));
        assert!(!seen.is_empty);
        assert_eq!(seen.work, Oid::parse(&two));
        let text = text.replace("drover/p/a", "drover/p/a?");
        assert_eq!(parse(text.as_bytes(), "drover/p/a").unwrap().branch, None);
        assert!(parse(b"nonsense\0", "b").is_none());
    }
}
