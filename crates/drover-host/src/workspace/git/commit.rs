//! Commits: listing them, and making one of all that an agent left.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::error::GitError;
use super::modules::named;
use super::oid::Oid;
use super::run::{WRITE, git, oid, parts, path as path_of, yes_or_no};
use super::status::operation;
use crate::process::Command;

/// Who commits where git knows nobody.
const NAME: &str = "Drover";
const EMAIL: &str = "drover@localhost";

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub oid: Oid,
    /// The first line of its message.
    pub subject: String,
    /// The rest of its message.
    pub body: String,
    /// Who wrote it.
    pub author: String,
    /// When it was written, in seconds of Unix time.
    pub at: i64,
}

impl Commit {
    /// When it was written; none where that is no time of any calendar.
    pub fn written_at(&self) -> Option<Timestamp> {
        Timestamp::from_second(self.at).ok()
    }
}

/// The refs that are about to go; what only they hold goes with them.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    /// Every branch whose name begins so.
    pub below: &'a str,
    /// Branches that stay although their names begin so.
    pub but: &'a [&'a str],
}

impl Passing<'_> {
    fn stays(&self, full_name: &str) -> bool {
        match full_name.strip_prefix("refs/heads/") {
            Some(branch) => !branch.starts_with(self.below) || self.but.contains(&branch),
            None => true,
        }
    }
}

/// The commits of a checkout that `base` lacks, newest first.
pub fn commits(path: &Path, base: &Oid) -> Result<Vec<Commit>, GitError> {
    let range = format!("{base}..HEAD");
    list(&git(path).args(LOG).args([range.as_str(), "--"]))
}

/// The commits of `to` that `from` lacks, newest first.
pub fn commits_between(repository: &Path, from: &Oid, to: &Oid) -> Result<Vec<Commit>, GitError> {
    let range = format!("{from}..{to}");
    list(&git(repository).args(LOG).args([range.as_str(), "--"]))
}

/// The last commits of a branch that `from` lacks, newest first.
pub fn latest(
    repository: &Path,
    (from, branch): (&Oid, &str),
    count: usize,
) -> Result<Vec<Commit>, GitError> {
    let (most, range) = (format!("-{count}"), format!("{from}..refs/heads/{branch}"));
    list(&git(repository).args(LOG).args([most.as_str(), range.as_str(), "--"]))
}

/// What the commits of `to` that `from` lacks say in a trailer, newest first.
pub fn trailers(
    repository: &Path,
    key: &str,
    from: &Oid,
    to: &Oid,
) -> Result<Vec<String>, GitError> {
    let range = format!("{from}..{to}");
    let format = format!("--format=%(trailers:key={key},valueonly,separator=%x00)");
    let output = git(repository).args(["log", "-z", &format, &range, "--"]).run_ok()?;
    Ok(parts(&output.stdout).map(|it| String::from_utf8_lossy(it).trim().to_owned()).collect())
}

/// The commits of `tips` that no other branch, tag or remote branch holds, newest first.
pub fn commits_only_in(
    repository: &Path,
    tips: &[&Oid],
    passing: Passing<'_>,
) -> Result<Vec<Commit>, GitError> {
    let words = ["for-each-ref", "--format=%(refname)", "--"];
    let places = ["refs/heads/", "refs/tags/", "refs/remotes/"];
    let refs = git(repository).args(words).args(places).run_ok()?.text();
    let staying = refs.lines().filter(|it| passing.stays(it)).map(|it| format!("^{it}\n"));
    let tips = tips.iter().map(|it| format!("{it}\n"));
    // Through standard input: there may be more refs than a command line holds.
    let input: String = tips.chain(staying).collect();
    list(&git(repository).args(LOG).arg("--stdin").stdin(input))
}

/// A commit a record, its fields and the records ended with NUL.
const LOG: [&str; 4] =
    ["log", "-z", "--no-show-signature", "--format=%H%x00%at%x00%an%x00%s%x00%b"];

fn list(command: &Command) -> Result<Vec<Commit>, GitError> {
    let output = command.run_ok()?;
    // Not `parts`: a subject can be empty.
    let mut fields = output.stdout.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut commits = Vec::new();
    while let Some(first) = fields.next().filter(|it| !it.is_empty()) {
        let commit = (|| {
            let oid = Oid::parse(&first)?;
            let at = fields.next()?.parse().ok()?;
            let author = fields.next()?.into_owned();
            let subject = fields.next()?.into_owned();
            let body = fields.next()?.trim_end().to_owned();
            Some(Commit { oid, subject, body, author, at })
        })();
        let unreadable = || GitError::Unreadable { command_line: command.command_line() };
        commits.push(commit.ok_or_else(unreadable)?);
    }
    Ok(commits)
}

/// Commits all changes but ignored files; `None` if there are none. The person's hooks run.
///
/// An inner repository would be committed as nothing but the name of a commit that nobody else has,
/// so one that `.gitmodules` does not name is refused.
pub fn commit_all(path: &Path, message: &str) -> Result<Option<Oid>, GitError> {
    if let Some(operation) = operation(path)? {
        // Adding would call what nobody has decided decided.
        return Err(GitError::InProgress { path: path.to_owned(), operation: operation.word() });
    }
    git(path).args(["add", "--all", "--", ":/"]).timeout(WRITE).run_ok()?;
    let paths = unnamed_additions(path)?;
    if !paths.is_empty() {
        let unstage = git(path).args(["--literal-pathspecs", "reset", "--quiet", "--"]);
        unstage.args(&paths).timeout(WRITE).run_ok()?;
        return Err(GitError::InnerRepository { path: path.to_owned(), paths });
    }
    if yes_or_no(&git(path).args(["diff", "--cached", "--quiet"]))? {
        return Ok(None);
    }
    let command = identified(git(path), path)?
        .args(["commit", "--quiet", "--cleanup=verbatim", "--file=-"])
        .stdin(message)
        .timeout(WRITE);
    command.run_ok()?;
    oid(&git(path).args(["rev-parse", "--verify", "HEAD"])).map(Some)
}

/// The inner repositories that are in the index, not in the commit, and not in `.gitmodules`.
fn unnamed_additions(path: &Path) -> Result<Vec<PathBuf>, GitError> {
    // Modes of the commit and of the index, their objects, what happened; then the path.
    let words = ["diff", "--cached", "--raw", "--no-renames", "--ignore-submodules=none", "-z"];
    let output = git(path).args(words).run_ok()?;
    let mut fields = parts(&output.stdout);
    let mut added = Vec::new();
    while let (Some(modes), Some(file)) = (fields.next(), fields.next()) {
        let is_added = !modes.starts_with(b":160000 ")
            && modes.splitn(3, |it| *it == b' ').nth(1) == Some(b"160000");
        if is_added {
            added.push(path_of(file));
        }
    }
    if !added.is_empty() {
        let named = named(path)?;
        added.retain(|it| !named.contains(it));
    }
    Ok(added)
}

/// Whether git has been told who commits here. What it would guess from user and machine is not
/// an identity.
pub fn has_identity(path: &Path) -> Result<bool, GitError> {
    for ident in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        let output = git(path).args(["-c", "user.useConfigOnly=true", "var", ident]).run()?;
        if !output.status.is_success() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Lets a call commit under git's identity, or ours where there is none.
pub(super) fn identified(command: Command, path: &Path) -> Result<Command, GitError> {
    Ok(if has_identity(path)? { command } else { as_drover(command) })
}

/// Lets a call commit under our own name.
pub(super) fn as_drover(command: Command) -> Command {
    command
        .env("GIT_AUTHOR_NAME", NAME)
        .env("GIT_AUTHOR_EMAIL", EMAIL)
        .env("GIT_COMMITTER_NAME", NAME)
        .env("GIT_COMMITTER_EMAIL", EMAIL)
}

/// Paths that a merge or rebase in a checkout could not decide.
pub(super) fn undecided(path: &Path) -> Result<Vec<PathBuf>, GitError> {
    let output = git(path).args(["diff", "--name-only", "--diff-filter=U", "-z"]).run_ok()?;
    Ok(parts(&output.stdout).map(path_of).collect())
}
