//! `drover agent spawn`.

use std::path::PathBuf;

use clap::Args;
use drover_ops::agents::{self, Start, Taken};
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError};

use super::card::card;
use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{AgentSpawned, AgentView};

/// Start an agent in a pane of its own; whole, or nothing is left of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent spawn w1 --engine shell --work ./work.sh\n\nExit codes: 0, 2 bad words, 3 no such program or directory, 4 the name is taken, 5 no multiplexer, 6 it did not start."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Spawn {
    /// The name: `<name>` or `<project>/<name>`.
    name: String,
    /// The engine: pi, claude, codex, shell, or a program's name.
    #[arg(long, alias = "cli")]
    engine: Option<String>,
    /// The command line of the pane, in place of the engine's own.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// The command line that `me work` runs for each task.
    #[arg(long, value_name = "COMMAND")]
    work: Option<String>,
    /// What it is for: operator, coordinator, worker or reviewer.
    #[arg(long)]
    role: Option<String>,
    /// Start in this directory, without a workspace.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["workspace", "no_workspace"])]
    cwd: Option<PathBuf>,
    /// Start in a workspace of its own, as is usual in a project with a repository.
    #[arg(long, conflicts_with = "no_workspace")]
    workspace: bool,
    /// Start in this directory, even in a project with a repository.
    #[arg(long)]
    no_workspace: bool,
    /// A variable it gets, as NAME=value.
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// A variable it gets from here, besides the usual ones.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    inherit: Vec<String>,
    /// The model, recorded with it.
    #[arg(long)]
    model: Option<String>,
    /// How hard it is to think, recorded with it.
    #[arg(long)]
    thinking: Option<String>,
    /// A skill, recorded with it.
    #[arg(long = "skill", value_delimiter = ',', value_name = "SKILL")]
    skills: Vec<String>,
    /// That it runs without asking for permission, recorded with it.
    #[arg(long)]
    unattended: bool,
    /// How it asks before it acts: the engine's own permission mode or approval policy.
    #[arg(long, value_name = "MODE")]
    permission: Option<String>,
    /// What it may touch: the engine's own sandbox mode.
    #[arg(long, value_name = "MODE")]
    sandbox: Option<String>,
    /// If the name is taken, use the next free one: w1, w1-2, w1-3.
    #[arg(long)]
    next_free: bool,
}

impl Verb for Spawn {
    fn name(&self) -> &'static str {
        "agent spawn"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let spawned = agents::spawn(ctx, &self.request())?;
        let project = &spawned.project.name;
        let observed = agents::observe_one(ctx, spawned.agent);
        let name = observed.agent.name.clone();
        let data = AgentSpawned {
            agent: AgentView::new(project, &observed),
            command_from: spawned.source.to_string(),
        };
        Ok(Report::new("spawned", data)
            .card(format!("Started {}", card(project, &observed)))
            .next("see it", format!("drover agent attach {project}/{name}"))
            .next("read its screen", format!("drover agent read {project}/{name}"))
            .next("end it", format!("drover agent close {project}/{name}")))
    }
}

impl Spawn {
    fn request(&self) -> agents::Spawn {
        let start = match (&self.cwd, self.workspace, self.no_workspace) {
            (Some(path), _, _) => Start::In(path.clone()),
            (None, true, _) => Start::Workspace,
            (None, false, true) => Start::Here,
            (None, false, false) => Start::Usual,
        };
        agents::Spawn {
            purpose: agents::Purpose::Tasks,
            name: self.name.clone(),
            taken: if self.next_free { Taken::NextFree } else { Taken::Refuse },
            role: self.role.clone(),
            engine: self.engine.clone(),
            command: self.command.clone(),
            work: self.work.clone(),
            start,
            env: self.env.clone(),
            inherit: self.inherit.clone(),
            model: self.model.clone(),
            thinking: self.thinking.clone(),
            unattended: self.unattended,
            skills: self.skills.clone(),
            permission: self.permission.clone(),
            sandbox: self.sandbox.clone(),
        }
    }
}
