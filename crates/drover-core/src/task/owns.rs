//! The paths a task owns: two tasks that own the same ground never run at once.

use std::fmt;

/// A path in the repository that a task owns; `dir/` means everything below.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnedPath {
    path: String,
    is_directory: bool,
}

/// Why a text is not a path that can be owned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} cannot be owned: {problem}; an owned path is like src/main.rs or src/")]
pub struct OwnedPathError {
    /// The text.
    pub given: String,
    /// What is wrong with it.
    pub problem: OwnedPathProblem,
}

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OwnedPathProblem {
    /// Nothing is left of it.
    #[error("it names nothing in the repository")]
    Empty,
    /// It begins at the root of the file system.
    #[error("it is absolute")]
    Absolute,
    /// It has `..` in it.
    #[error("it has .. in it")]
    Parent,
    /// It leads into the version control's own directory.
    #[error("it leads into .git")]
    Git,
    /// It is a pattern, which would own nothing.
    #[error("patterns are not paths")]
    Pattern,
    /// It has a control character in it.
    #[error("it has a control character in it")]
    Control,
}

impl OwnedPath {
    /// Reads an owned path and brings it to its one form, without `./`, `//` and the like.
    pub fn parse(given: &str) -> Result<Self, OwnedPathError> {
        normalise(given).map_err(|problem| OwnedPathError { given: given.to_owned(), problem })
    }

    /// The path without the final `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it was given as a directory.
    pub fn is_directory(&self) -> bool {
        self.is_directory
    }

    /// Whether one path is the other or its ancestor.
    pub fn overlaps(&self, other: &Self) -> bool {
        contains(&self.path, &other.path) || contains(&other.path, &self.path)
    }
}

impl fmt::Display for OwnedPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path)?;
        if self.is_directory { formatter.write_str("/") } else { Ok(()) }
    }
}

/// Whether any path of `one` overlaps any of `other`.
pub fn any_overlap(one: &[OwnedPath], other: &[OwnedPath]) -> bool {
    one.iter().any(|mine| other.iter().any(|theirs| mine.overlaps(theirs)))
}

fn contains(ancestor: &str, path: &str) -> bool {
    path.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn normalise(given: &str) -> Result<OwnedPath, OwnedPathProblem> {
    if given.starts_with('/') {
        return Err(OwnedPathProblem::Absolute);
    }
    if given.chars().any(char::is_control) {
        return Err(OwnedPathProblem::Control);
    }
    if given.contains(['*', '?']) {
        return Err(OwnedPathProblem::Pattern);
    }
    let parts: Vec<&str> =
        given.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err(OwnedPathProblem::Parent);
    }
    if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
        return Err(OwnedPathProblem::Git);
    }
    if parts.is_empty() {
        return Err(OwnedPathProblem::Empty);
    }
    let is_directory = given.ends_with('/') || given.ends_with("/.");
    Ok(OwnedPath { path: parts.join("/"), is_directory })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(given: &str) -> OwnedPath {
        OwnedPath::parse(given).unwrap()
    }

    #[test]
    fn a_path_has_one_form() {
        for given in ["src/a.rs", "./src/a.rs", "src//a.rs", "src/./a.rs"] {
            assert_eq!(path(given).to_string(), "src/a.rs", "{given}");
        }
        assert_eq!(path("./src/").to_string(), "src/");
        assert!(path("src/").is_directory());
    }

    #[test]
    fn what_is_not_below_the_repository_is_refused() {
        for (given, problem) in [
            ("", OwnedPathProblem::Empty),
            ("./", OwnedPathProblem::Empty),
            ("/etc", OwnedPathProblem::Absolute),
            ("src/../..", OwnedPathProblem::Parent),
            (".git/config", OwnedPathProblem::Git),
            ("sub/.GIT", OwnedPathProblem::Git),
            ("src/*.rs", OwnedPathProblem::Pattern),
            ("a\nb", OwnedPathProblem::Control),
        ] {
            assert_eq!(OwnedPath::parse(given).unwrap_err().problem, problem, "{given:?}");
        }
        assert_eq!(path(".gitignore").path(), ".gitignore");
        assert_eq!(path("app/[id].tsx").path(), "app/[id].tsx");
    }

    #[test]
    fn paths_overlap_when_one_is_the_other_or_its_ancestor() {
        assert!(path("src").overlaps(&path("src/")));
        assert!(path("src/").overlaps(&path("src/a/b.rs")));
        assert!(path("src/a/b.rs").overlaps(&path("src")));
        assert!(!path("src/a").overlaps(&path("src/ab")));
        assert!(!path("src/a").overlaps(&path("src/b")));
    }
}
