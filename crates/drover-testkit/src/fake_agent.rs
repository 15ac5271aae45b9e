//! What a test needs to use the scripted agent: its path, its screen rules, and what it recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The `[engine.fake-agent.screen]` table for a test's `config.toml`: how the scripted agent's screen is read.
pub const FAKE_AGENT_RULES: &str = include_str!("fake_agent_rules.toml");

/// The events that the agent appended to its `--record` file, in order.
#[derive(Clone, Debug)]
pub struct Recorded(Vec<Value>);

impl Recorded {
    /// Reads what is there now; a line that is still being written is left out.
    pub fn read(path: impl AsRef<Path>) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        Self(whole.map(|line| serde_json::from_str(line).expect("a line of JSON")).collect())
    }

    /// All events.
    pub fn all(&self) -> &[Value] {
        &self.0
    }

    /// The events of one kind, such as `submit`.
    pub fn of(&self, event: &str) -> Vec<&Value> {
        self.0.iter().filter(|it| it["event"] == event).collect()
    }

    /// The kinds of all events, in order.
    pub fn kinds(&self) -> Vec<&str> {
        self.0.iter().filter_map(|it| it["event"].as_str()).collect()
    }

    /// The SHA-256 digests of everything submitted, in order.
    pub fn submitted(&self) -> Vec<&str> {
        self.of("submit").into_iter().filter_map(|it| it["sha256"].as_str()).collect()
    }
}

/// The agent beside another binary of this workspace's target directory.
pub(crate) fn beside(binary: &Path) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    let path = binary.with_file_name("fake-agent");
    BUILT.get_or_init(|| {
        if !path.exists() {
            build();
        }
    });
    assert!(path.exists(), "no {}: run cargo build -p drover-testkit", path.display());
    path
}

fn build() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "drover-testkit", "--bin", "fake-agent"]);
    let status = command.current_dir(env!("CARGO_MANIFEST_DIR")).status();
    assert!(status.is_ok_and(|status| status.success()), "cannot build the fake agent");
}
