//! What removing an agent's checkout would lose, and which ignored files nobody misses.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Directories whose contents a build, an install or a test run makes again.
const REGENERABLE: &[&str] = &[
    "target",
    "node_modules",
    ".venv",
    "venv",
    "dist",
    "build",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".turbo",
    ".parcel-cache",
];

/// Of ignored files, as paths below a checkout, those that nothing makes again.
///
/// A plain file is somebody's work whatever its name. In a directory that is made again, a repository
/// and the files of the environment (`.env`, `.envrc`, `.env.local`) are.
pub fn wanted(files: &[PathBuf]) -> impl Iterator<Item = &Path> {
    let repositories: BTreeSet<&Path> = files.iter().filter_map(|it| repository_of(it)).collect();
    files.iter().map(PathBuf::as_path).filter(move |it| {
        let is_of_environment =
            it.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b".env"));
        !is_regenerable(it)
            || is_of_environment
            || it.ancestors().any(|it| repositories.contains(it))
    })
}

/// Whether a file lies in a directory that is made again.
fn is_regenerable(file: &Path) -> bool {
    let directories = file.ancestors().skip(1).filter_map(Path::file_name);
    directories.filter_map(|it| it.to_str()).any(|it| REGENERABLE.contains(&it))
}

/// The repository of which git keeps a file.
fn repository_of(file: &Path) -> Option<&Path> {
    file.ancestors().find(|it| it.file_name().is_some_and(|it| it == ".git"))?.parent()
}

/// How many things of one kind a sentence names.
const NAMED: usize = 5;

/// A kind of thing that would be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// A process works inside.
    LiveProcess,
    /// A merge, rebase or the like was begun and not finished.
    InProgress,
    /// The directory is no checkout any more, so what it holds cannot be told.
    NotACheckout,
    /// Commits that no ref which stays can reach.
    UnlandedCommits,
    /// Paths whose index differs from the commit.
    Staged,
    /// Paths whose file differs from the index.
    Modified,
    /// Paths that a merge left for somebody to decide.
    Undecided,
    /// Files git does not know.
    Untracked,
    /// Ignored files that nothing makes again.
    Ignored,
    /// Submodules with changes, or with commits that are nowhere else.
    Submodules,
}

impl LossKind {
    /// The word that programs read.
    pub fn word(self) -> &'static str {
        match self {
            Self::LiveProcess => "live_process",
            Self::InProgress => "in_progress",
            Self::NotACheckout => "not_a_checkout",
            Self::UnlandedCommits => "unlanded_commits",
            Self::Staged => "staged",
            Self::Modified => "modified",
            Self::Undecided => "undecided",
            Self::Untracked => "untracked",
            Self::Ignored => "ignored",
            Self::Submodules => "submodules",
        }
    }

    fn noun(self, is_one: bool) -> &'static str {
        match (self, is_one) {
            (Self::LiveProcess, true) => "process inside",
            (Self::LiveProcess, false) => "processes inside",
            (Self::InProgress, _) => "operation in progress",
            (Self::NotACheckout, _) => "directory that is no checkout any more",
            (Self::UnlandedCommits, true) => "unlanded commit",
            (Self::UnlandedCommits, false) => "unlanded commits",
            (Self::Staged, true) => "staged path",
            (Self::Staged, false) => "staged paths",
            (Self::Modified, true) => "modified path",
            (Self::Modified, false) => "modified paths",
            (Self::Undecided, true) => "undecided path",
            (Self::Undecided, false) => "undecided paths",
            (Self::Untracked, true) => "untracked path",
            (Self::Untracked, false) => "untracked paths",
            (Self::Ignored, true) => "ignored file that is not made again",
            (Self::Ignored, false) => "ignored files that are not made again",
            (Self::Submodules, true) => "submodule with work of its own",
            (Self::Submodules, false) => "submodules with work of their own",
        }
    }
}

/// Things of one kind that would be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The kind.
    pub kind: LossKind,
    /// Each thing, as a person would name it.
    pub things: Vec<String>,
}

impl Loss {
    /// A loss, if there is anything to lose.
    pub fn of(kind: LossKind, things: impl IntoIterator<Item = String>) -> Option<Self> {
        let things: Vec<String> = things.into_iter().collect();
        (!things.is_empty()).then_some(Self { kind, things })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.things.len();
        let named: Vec<&str> = self.things.iter().take(NAMED).map(String::as_str).collect();
        write!(f, "{number} {} ({}", self.kind.noun(number == 1), named.join(", "))?;
        if number > NAMED {
            write!(f, " and {} more", number - NAMED)?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_are_made_again_and_in_them_no_repository_and_no_environment() {
        let gone = ["target/debug/x", "web/node_modules/a/b", ".venv/x", "a/__pycache__/b.pyc"];
        let kept = [
            ".env",
            "a/dist",
            "build",
            "data/target.db",
            "my-node_modules/x",
            "target/.env.local",
            "target/inner/.git/HEAD",
            "target/inner/src/x",
            "targets/x",
        ];
        let all: Vec<PathBuf> = gone.iter().chain(&kept).map(PathBuf::from).collect();
        assert_eq!(wanted(&all).collect::<Vec<_>>(), kept.map(Path::new));
    }

    #[test]
    fn a_loss_names_its_first_things_and_counts_the_rest() {
        let loss = Loss::of(LossKind::Untracked, (1..=7).map(|it| format!("f{it}"))).unwrap();
        assert_eq!(loss.to_string(), "7 untracked paths (f1, f2, f3, f4, f5 and 2 more)");
        let one = Loss::of(LossKind::UnlandedCommits, ["abc fix".to_owned()]).unwrap();
        assert_eq!(one.to_string(), "1 unlanded commit (abc fix)");
        assert_eq!(Loss::of(LossKind::Staged, []), None);
    }
}
