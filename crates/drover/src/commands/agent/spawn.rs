//! `drover agent spawn`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use drover_core::duration::Limit;
use drover_core::message::Mode;
use drover_ops::agents::{self, Start, Taken};
use drover_ops::call::Healing;
use drover_ops::error::MessageError;
use drover_ops::messages::{self, Sent};
use drover_ops::workspaces::OnStale;
use drover_ops::{Ctx, OpError};

use super::card::card;
use crate::error::speak;
use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{AgentSpawned, AgentView, MadeWorkspaceView, MessageView};

/// How long a program may take to come up until its first message is handed over.
const PATIENCE: Duration = Duration::from_secs(30);

/// Start an agent in a pane of its own; whole, or nothing is left of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent spawn w1 --engine shell --work ./work.sh\n\nExit codes: 0, 2 bad words, 3 no such program or directory, 4 the name is taken, 5 no multiplexer, 6 it did not start; with --send the code of what became of the message."
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
    /// What its workspace begins from: a branch, a tag or a commit, in place of the integration branch.
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["cwd", "no_workspace"])]
    from: Option<String>,
    /// Share the window of this name, which is made if there is none.
    #[arg(long, value_name = "NAME")]
    tab: Option<String>,
    /// Send it this text once it is up; `-` reads standard input. What comes of it decides the exit code.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    send: Option<String>,
    /// Send it the text of a file once it is up.
    #[arg(long, value_name = "FILE", conflicts_with = "send")]
    send_file: Option<PathBuf>,
    /// Let a shell run the text that it is sent.
    #[arg(long)]
    run: bool,
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

    fn file(&self) -> Option<&Path> {
        self.send_file.as_deref()
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        // Before anything is made: a text that cannot be read must not leave an agent behind.
        let text = input.bytes(self.send.as_deref(), self.send_file.as_deref())?;
        if let Some(text) = &text {
            messages::compose(ctx, text)?;
        }
        let spawned = agents::spawn(ctx, &self.request())?;
        if ctx.is_dry_run() && text.is_some() {
            ctx.act(format!("send {} its first message", spawned.agent.name), || Ok(()))?;
        }
        let project = &spawned.project.name;
        let name = format!("{project}/{}", spawned.agent.name);
        let sent = text.filter(|_| !ctx.is_dry_run()).map(|it| self.send(ctx, &name, it));
        let observed = agents::observe_one(ctx, spawned.agent);
        let mut data = AgentSpawned {
            agent: AgentView::new(project, &observed),
            command_from: spawned.source.to_string(),
            workspace: spawned.workspace.as_ref().map(MadeWorkspaceView::from),
            message: None,
            reason: None,
        };
        let mut card = format!("Started {}", card(project, &observed));
        let mut outcome = "spawned";
        let mut nexts = Vec::new();
        match sent {
            None => {}
            Some(Ok(sent)) => {
                let message = &sent.delivery.message;
                let _ = writeln!(card, "Its message: {}, {} bytes", message.level, message.bytes);
                data.message = Some(MessageView::new(project, &sent.agent.name, message));
            }
            // The agent is there and stays; what became of its message decides the exit code.
            Some(Err(err)) => {
                let refused = speak(&err);
                card = format!(
                    "{name} was started, and its message is not delivered: {}\n{card}",
                    refused.error
                );
                outcome = refused.outcome;
                data.reason = Some(refused.outcome.to_owned());
                if let OpError::Message(MessageError::Stopped { message, .. }) = &err {
                    data.message = Some(MessageView::new(project, &observed.agent.name, message));
                }
                nexts = refused.next;
            }
        }
        Ok(Report::new(outcome, data)
            .card(card)
            .nexts(nexts)
            .next("see it", format!("drover agent attach {name}"))
            .next("read its screen", format!("drover agent read {name}"))
            .next("end it", format!("drover agent close {name}")))
    }
}

impl Spawn {
    /// Sends an agent that has just been started its first message.
    fn send(&self, ctx: &mut Ctx, agent: &str, text: Vec<u8>) -> Result<Sent, OpError> {
        let message = messages::Send {
            agent: agent.to_owned(),
            text,
            mode: Mode::TurnEnd,
            timeout: Limit::For(PATIENCE),
            run: self.run,
            via_mux: false,
            task: None,
            on_stale: OnStale::Warn,
        };
        messages::send(ctx, &message)
    }

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
            from: self.from.clone(),
            tab: self.tab.clone(),
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
