//! Command lines as a person pastes them into a shell, with a repository of their own around them.

use drover_testkit::{CommandOutput, Repository, TestEnv};

/// A shell in a fresh repository, in which `drover` is the binary of this build.
pub(crate) struct Pasted {
    env: TestEnv,
    repository: Repository,
}

impl Pasted {
    /// A fresh home with one repository, `shop`.
    pub(crate) fn new() -> Self {
        let env = crate::env();
        std::os::unix::fs::symlink(env.binary(), env.root().join("bin/drover")).unwrap();
        let repository = env.repository("shop");
        Self { env, repository }
    }

    /// Runs the lines up to the first that fails.
    pub(crate) fn run(&self, lines: &str) -> CommandOutput {
        self.env.call("sh", &["-ec", lines]).directory(self.repository.path()).run()
    }
}
