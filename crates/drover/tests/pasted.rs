//! Command lines as a person pastes them into a shell, with a repository of their own around them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use drover_testkit::{CommandOutput, Repository, TestEnv};

/// A shell in a fresh repository, in which `drover` is the binary of this build.
pub(crate) struct Pasted {
    env: TestEnv,
    repository: Repository,
}

impl Pasted {
    /// A fresh home with one repository, `shop`.
    pub(crate) fn new() -> Self {
        let mut env = crate::env();
        let statements = env.root().join("statements");
        env.set("DROVER_TEST_STATEMENTS", statements);
        std::os::unix::fs::symlink(env.binary(), env.root().join("bin/drover")).unwrap();
        let repository = env.repository("shop");
        Self { env, repository }
    }

    /// Every statement that the database was asked to run so far; none where the build does not tell.
    pub(crate) fn statements(&self) -> BTreeSet<String> {
        let told = std::fs::read_to_string(self.env.root().join("statements")).unwrap_or_default();
        told.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    /// The database of this home.
    pub(crate) fn database(&self) -> PathBuf {
        self.env.database()
    }

    /// Runs the lines up to the first that fails.
    pub(crate) fn run(&self, lines: &str) -> CommandOutput {
        self.env.call("sh", &["-ec", lines]).directory(self.repository.path()).run()
    }
}
