//! A project with scripted agents in panes of a private server, for tests of what is said to them.

use std::path::PathBuf;
use std::time::Duration;

use drover_testkit::{CommandOutput, FAKE_AGENT_RULES, Recorded, TestEnv, wait_for, wait_until};
use serde_json::Value;

use crate::env;

/// Longer than anything here takes on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// The project `web` and what lives in it.
pub(crate) struct Stage {
    pub(crate) env: TestEnv,
}

impl Stage {
    /// Makes the project, and a configuration that knows the scripted agent's screen.
    pub(crate) fn new() -> Self {
        let env = env();
        let directory = env.config().join("drover");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("config.toml"), FAKE_AGENT_RULES).unwrap();
        env.drover(&["project", "init", "web"]).ok();
        Self { env }
    }

    /// Starts a scripted agent and waits until it has taken its terminal over.
    #[track_caller]
    pub(crate) fn agent(&self, name: &str, switches: &[&str]) -> Agent<'_> {
        let agent = self.agent_not_waiting(name, switches);
        agent.wait_for("boot", 1);
        agent
    }

    #[track_caller]
    pub(crate) fn agent_not_waiting(&self, name: &str, switches: &[&str]) -> Agent<'_> {
        let record = self.env.root().join(format!("{name}.record"));
        let program = self.env.fake_agent();
        let mut words = vec![program.to_str().unwrap(), "--record", record.to_str().unwrap()];
        words.extend(switches);
        let command: Vec<String> = words.iter().map(|it| quoted(it)).collect();
        self.spawn(name, &command.join(" "), record)
    }

    /// Starts any program as an agent.
    #[track_caller]
    pub(crate) fn spawn(&self, name: &str, command: &str, record: PathBuf) -> Agent<'_> {
        self.spawn_as("worker", name, command, record)
    }

    /// Starts any program as an agent of a role.
    #[track_caller]
    pub(crate) fn spawn_as(
        &self,
        role: &str,
        name: &str,
        command: &str,
        record: PathBuf,
    ) -> Agent<'_> {
        let words = ["agent", "spawn", name, "--command", command, "--role", role, "--json"];
        let spawned = self.env.drover(&words).ok().data();
        let pane = spawned["agent"]["pane"]["id"].as_str().unwrap().to_owned();
        Agent { stage: self, name: name.to_owned(), pane, record }
    }
}

/// An agent in its pane.
pub(crate) struct Agent<'a> {
    stage: &'a Stage,
    pub(crate) name: String,
    pub(crate) pane: String,
    pub(crate) record: PathBuf,
}

impl Agent<'_> {
    pub(crate) fn recorded(&self) -> Recorded {
        Recorded::read(&self.record)
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, event: &str, count: usize) -> Value {
        wait_for(event, SOON, || self.recorded().of(event).get(count - 1).map(|it| (*it).clone()))
    }

    pub(crate) fn screen(&self) -> String {
        self.stage.env.tmux_server().screen(&self.pane)
    }

    #[track_caller]
    pub(crate) fn wait_for_screen(&self, text: &str) {
        wait_until(text, SOON, || self.screen().contains(text));
    }

    /// `agent send` with these words after the name, in JSON.
    #[track_caller]
    pub(crate) fn send(&self, words: &[&str]) -> CommandOutput {
        let mut all = vec!["agent", "send", &self.name, "--json"];
        all.extend(words);
        self.stage.env.drover(&all)
    }

    /// `agent send` of bytes from standard input.
    #[track_caller]
    pub(crate) fn send_bytes(&self, bytes: &[u8]) -> CommandOutput {
        self.stage.env.drover_with_stdin(&["agent", "send", &self.name, "-", "--json"], bytes)
    }

    /// The process in its pane.
    pub(crate) fn pid(&self) -> u32 {
        self.stage.env.tmux_server().format(&self.pane, "#{pane_pid}").parse().unwrap()
    }
}

/// The level of a receipt, delivered or not.
pub(crate) fn level(answer: &Value) -> &str {
    answer["data"]["message"]["level"].as_str().unwrap()
}

/// One word for a command line.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
