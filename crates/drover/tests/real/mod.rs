//! The real programs, each in a private home, in a real tmux, against a model on loopback.
//!
//! They are not part of a plain `cargo test`: `./dev test` installs them and runs these.

mod adopted;
mod claude;
mod codex;
mod crew;
mod crowd;
mod delegated;
mod jj;
mod likeness;
mod orchestra;
mod pi;
mod restored;
mod sandbox;
mod volley;

use std::time::Duration;

use drover_testkit::{CommandOutput, FakeModel, Real, Repository, TestEnv, wait_for};
use serde_json::Value;

/// Longer than any single step takes on a busy machine of two cores.
const LONG: Duration = Duration::from_mins(1);

/// The project `web`, its repository, the model, and the real programs ready to be spawned.
struct World {
    env: TestEnv,
    model: FakeModel,
    repository: Repository,
}

impl World {
    /// Makes the homes of these programs.
    #[track_caller]
    fn new(programs: &[Real]) -> Self {
        let env = crate::env();
        let model = FakeModel::start();
        let repository = env.repository("site");
        for program in programs {
            program.prepare(&env, &model, &[repository.path()]);
        }
        // What a brief and a plan call by its name.
        let binary = env.binary().display().to_string();
        env.shim("drover", &format!("#!/bin/sh\nexec '{binary}' \"$@\"\n"));
        let world = Self { env, model, repository };
        world.drover(&["project", "init", "web", "--repo", world.directory()]).ok();
        world
    }

    /// Where agents work, and where calls are made from.
    fn directory(&self) -> &str {
        self.repository.path().to_str().unwrap()
    }

    #[track_caller]
    fn drover(&self, words: &[&str]) -> CommandOutput {
        let all: Vec<&str> = ["--json"].iter().chain(words).copied().collect();
        self.env.drover_call(&all).directory(self.repository.path()).time_limit(3 * LONG).run()
    }

    /// Spawns an agent with more words behind its name, and does not wait until it is ready.
    #[track_caller]
    fn spawn(&self, program: Real, name: &str, words: &[&str]) -> Agent<'_> {
        let mut all = vec!["agent", "spawn", name, "--engine", program.engine()];
        all.extend(["--cwd", self.directory()]);
        all.extend(words);
        let spawned = self.drover(&all).ok().data();
        let pane = spawned["agent"]["pane"]["id"].as_str().unwrap().to_owned();
        Agent { world: self, name: name.to_owned(), pane }
    }

    /// Spawns an agent and waits until it says that it is idle.
    #[track_caller]
    fn ready(&self, program: Real, name: &str) -> Agent<'_> {
        let agent = self.spawn(program, name, &[]);
        agent.wait_for_state("idle");
        agent
    }
}

/// A real program in its pane.
struct Agent<'a> {
    world: &'a World,
    name: String,
    pane: String,
}

impl<'a> Agent<'a> {
    /// The same agent in the pane that it is in now.
    #[track_caller]
    fn again(&self) -> Agent<'a> {
        let pane = self.show()["pane"]["id"].as_str().unwrap().to_owned();
        Agent { world: self.world, name: self.name.clone(), pane }
    }

    /// What `agent show` says of it.
    #[track_caller]
    fn show(&self) -> Value {
        let words = ["agent", "show", &self.name, "-n", "0"];
        self.world.drover(&words).ok().data()["agent"].take()
    }

    #[track_caller]
    #[expect(clippy::print_stdout, reason = "the way to the state is shown")]
    fn wait_for_state(&self, state: &str) -> Value {
        let mut last = Value::Null;
        let found = wait_for(&format!("{} to be {state}", self.name), LONG, || {
            let now = self.show();
            if now != last {
                println!("{}: {}", self.name, summary(&now));
                last = now.clone();
            }
            (now["state"] == state).then_some(now)
        });
        self.is_explained();
        found
    }

    /// Whatever it does now, what was asked and which rule decided is told.
    #[track_caller]
    fn is_explained(&self) {
        let told = self.world.drover(&["agent", "explain", &self.name]).ok().data();
        assert!(told["rule"].as_str().is_some_and(|it| !it.is_empty()), "{told}");
        let asked = told["asked"].as_array().unwrap();
        let is_named = |it: &Value| it["source"].is_string() && it["evidence"].is_string();
        assert!(!asked.is_empty() && asked.iter().all(is_named), "{told}");
    }

    /// `agent send` with these words after the name.
    #[track_caller]
    fn send(&self, words: &[&str]) -> CommandOutput {
        let mut all = vec!["agent", "send", &self.name];
        all.extend(words);
        self.world.drover(&all)
    }

    /// Sends a text that must be proven received; returns the receipt.
    #[track_caller]
    fn received(&self, text: &str) -> Value {
        let answer = self.send(&["--", text]).ok().json();
        assert_eq!(answer["data"]["message"]["level"], "received", "{answer}");
        answer["data"]["message"].clone()
    }

    fn screen(&self) -> String {
        self.world.env.tmux_server().screen(&self.pane)
    }

    /// The process in its pane.
    fn pid(&self) -> u32 {
        self.world.env.tmux_server().format(&self.pane, "#{pane_pid}").parse().unwrap()
    }
}

/// What a test prints of an agent.
fn summary(agent: &Value) -> String {
    let words = ["state", "reason", "source", "evidence"].map(|it| agent[it].to_string());
    words.join(" ")
}
