//! The real pi, Claude Code and Codex: where they are, and a private home for each that knows the fake model alone.

mod claude;
mod codex;
mod file;
mod pi;

use std::path::{Path, PathBuf};

use crate::env::TestEnv;
use crate::model::FakeModel;

/// A real program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Real {
    /// pi, on the Node of `DROVER_REAL_NODE`.
    Pi,
    /// Claude Code.
    Claude,
    /// Codex, on the same Node.
    Codex,
}

impl Real {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pi, Self::Claude, Self::Codex];

    /// Those that are installed here; `./dev test` says which it could not get.
    #[track_caller]
    pub fn installed() -> Vec<Self> {
        let all: Vec<Self> = Self::ALL.into_iter().filter(|it| it.path().is_some()).collect();
        assert!(!all.is_empty(), "no real program is installed: run ./dev test");
        all
    }

    /// The name of its engine.
    pub fn engine(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Where it is, if it is.
    pub fn path(self) -> Option<PathBuf> {
        self.command().map(|mut it| it.remove(it.len() - 1))
    }

    /// The words that start it.
    fn command(self) -> Option<Vec<PathBuf>> {
        let at = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        match self {
            Self::Pi => Some(vec![at("DROVER_REAL_NODE")?, at("DROVER_REAL_PI")?]),
            Self::Claude => Some(vec![at("DROVER_REAL_CLAUDE")?]),
            Self::Codex => Some(vec![at("DROVER_REAL_NODE")?, at("DROVER_REAL_CODEX")?]),
        }
    }

    /// Makes its home ready for turns with this model in these directories, and its engine's command known to
    /// Drover's configuration.
    #[track_caller]
    pub fn prepare(self, env: &TestEnv, model: &FakeModel, directories: &[&Path]) {
        let arguments: &[&str] = match self {
            Self::Pi => pi::prepare(env, model),
            Self::Claude => claude::prepare(env, model, directories),
            Self::Codex => codex::prepare(env, model, directories),
        };
        let words = self.command().unwrap_or_else(|| panic!("no {} is installed", self.engine()));
        let mut line: Vec<String> = words.iter().map(|it| format!("'{}'", it.display())).collect();
        line.extend(arguments.iter().map(|it| (*it).to_owned()));
        // Not by a variable: those of ours do not reach an agent that spawns others.
        let config = env.config().join("drover/config.toml");
        let before = std::fs::read_to_string(&config).unwrap_or_default();
        let command = format!("[engine.{}]\ncommand = \"{}\"\n", self.engine(), line.join(" "));
        file::write(&config, format!("{before}\n{command}"));
    }
}
