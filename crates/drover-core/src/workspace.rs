//! What removing an agent's checkout would lose, and which ignored files nobody misses.

use std::fmt;

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

/// Whether a path below a checkout lies under a name that is made again.
pub fn is_regenerable(path: &str) -> bool {
    path.split('/').any(|part| REGENERABLE.contains(&part))
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
    fn only_a_whole_name_on_the_way_is_regenerable() {
        for path in ["target/debug/x", "web/node_modules/a/b", ".venv", "a/__pycache__/b.pyc"] {
            assert!(is_regenerable(path), "{path}");
        }
        for path in [".env", "targets/x", "data/target.db", "my-node_modules/x"] {
            assert!(!is_regenerable(path), "{path}");
        }
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
