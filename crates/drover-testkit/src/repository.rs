//! A real git repository with a first commit, made in the hermetic environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::call::{Call, CommandOutput};

/// A repository of the test; it goes with the environment it was made in.
#[derive(Debug)]
pub struct Repository {
    path: PathBuf,
    environment: BTreeMap<OsString, OsString>,
}

impl Repository {
    /// Makes the repository with a README in its first commit, on the branch `main`.
    #[track_caller]
    pub(crate) fn new(path: PathBuf, environment: BTreeMap<OsString, OsString>) -> Self {
        fs::create_dir_all(&path).expect("a directory for the repository");
        let repository = Self { path, environment };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.write("README.md", "A repository of a test.\n");
        repository.commit("first commit");
        repository
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, making its directories.
    pub fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(name);
        let parent = path.parent().expect("a file has a directory");
        fs::create_dir_all(parent).expect("the file's directory");
        fs::write(&path, text).expect("the file is writable");
        path
    }

    /// Commits everything there is; returns the commit's id.
    #[track_caller]
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git here, expecting success; returns its output without the last line feed.
    #[track_caller]
    pub fn git<S: AsRef<OsStr>>(&self, arguments: &[S]) -> String {
        let output = self.try_git(arguments).ok();
        output.stdout.strip_suffix('\n').unwrap_or(&output.stdout).to_owned()
    }

    /// Runs git here, however it ends.
    #[track_caller]
    pub fn try_git<S: AsRef<OsStr>>(&self, arguments: &[S]) -> CommandOutput {
        let mut words = vec!["git".into()];
        words.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        Call::new(words, &self.path, self.environment.clone()).run()
    }
}
