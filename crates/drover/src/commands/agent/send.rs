//! `drover agent send`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use drover_core::duration::Limit;
use drover_core::message::{Level, Mode};
use drover_ops::call::Healing;
use drover_ops::messages::{self, Sent};
use drover_ops::workspaces::OnStale;
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{MessageSent, MessageView, StalenessView};

/// Send a message to an agent and say how far it got.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("mode").args(["when_idle", "interrupt", "steer", "fresh"]),
    after_help = "Example:\n  drover agent send w1 \"Rebase on the trunk, then run the tests\"\n\n\
        Exit codes: 0 as far as its channel can prove, or queued with --when-idle; 3 unknown agent, shell \
        without --run, mode that cannot be proven, line too long; 4 a draft, somebody in copy mode, or a stale workspace \
        with --strict-staleness; 5 still \
        queued at the deadline; 6 dead, or typed and unproven; 7 a dialog stands."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Send {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// The text, taken as typed; `-` reads standard input.
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// Read the text from a file.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Answer at once; deliver now if it is idle, else when it is.
    #[arg(long, conflicts_with = "timeout")]
    when_idle: bool,
    /// Stop the running turn first.
    #[arg(long)]
    interrupt: bool,
    /// Join the running turn.
    #[arg(long)]
    steer: bool,
    /// Start a new conversation with the text.
    #[arg(long)]
    fresh: bool,
    /// How long to wait for the end of the turn.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = Limit::parse)]
    timeout: Limit,
    /// Type it through the multiplexer, even next to an exact channel.
    #[arg(long, value_name = "CHANNEL", value_parser = ["mux"])]
    via: Option<String>,
    /// Let a shell run the text.
    #[arg(long)]
    run: bool,
    /// The task it is about.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Refuse, instead of warning, where the agent's workspace lacks ten commits or more.
    #[arg(long)]
    strict_staleness: bool,
}

impl Send {
    fn mode(&self) -> Mode {
        let flags = [
            (self.when_idle, Mode::WhenIdle),
            (self.interrupt, Mode::Interrupt),
            (self.steer, Mode::Steer),
            (self.fresh, Mode::Fresh),
        ];
        flags.into_iter().find(|it| it.0).map_or(Mode::TurnEnd, |it| it.1)
    }
}

impl Verb for Send {
    fn name(&self) -> &'static str {
        "agent send"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let text = input.bytes(self.text.as_deref(), self.file.as_deref())?.ok_or_else(|| {
            OpError::Usage(
                "the text is missing: give it as words, as - for standard input, or as --file"
                    .to_owned(),
            )
        })?;
        let sent = messages::send(
            ctx,
            &messages::Send {
                agent: self.name.clone(),
                text,
                mode: self.mode(),
                timeout: self.timeout,
                run: self.run,
                via_mux: self.via.is_some(),
                task: self.task.clone(),
                on_stale: if self.strict_staleness { OnStale::Refuse } else { OnStale::Warn },
            },
        )?;
        Ok(report(&sent))
    }
}

fn report(sent: &Sent) -> Report {
    let (project, agent, delivery) = (&sent.project.name, &sent.agent.name, &sent.delivery);
    let message = &delivery.message;
    let mut card = format!(
        "Message {} to {project}/{agent}: {}, {} bytes",
        message.number, message.level, message.bytes
    );
    if let Some(proof) = &message.proof {
        let _ = write!(card, " ({proof})");
    }
    if let Some(turn) = message.turn {
        let _ = write!(card, ", turn {turn}");
    }
    if message.removed_bytes > 0 {
        let _ =
            write!(card, "\n{} bytes of control characters were left out", message.removed_bytes);
    }
    let data = MessageSent {
        message: MessageView::new(project, agent, message),
        left_copy_mode: delivery.left_copy_mode,
        staleness: sent.staleness.as_ref().map(StalenessView::from),
    };
    let report = Report::new(message.level.as_str(), data).card(card);
    let report = if message.level == Level::Queued {
        report.next("see what waits", format!("drover agent queue {project}/{agent}"))
    } else {
        let after = message.turn.map(|it| format!(" --after-runs {}", it - 1)).unwrap_or_default();
        report.next("wait for its answer", format!("drover agent wait {project}/{agent}{after}"))
    };
    report.next("read its screen", format!("drover agent read {project}/{agent}"))
}
