//! `drover project trust`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::{Ctx, OpError, trust};

use crate::input::Input;
use crate::output::{Report, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{CommandView, Commands, Items};

/// Show the commands that came from outside, and with --yes let them run.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover project trust\n\nA command of a plan, or the file .drover/setup of the repository, runs only once it is trusted; a changed text asks again. Only a person may say yes.\n\nExit codes: 0, 3 called by an agent or no such digest, 4 several digests begin so."
)]
pub(crate) struct Trust {
    /// Let every command that is shown run.
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    yes: bool,
    /// List what is trusted.
    #[arg(long, conflicts_with = "revoke")]
    list: bool,
    /// Take the trust in one command back, named by the beginning of its digest.
    #[arg(long, value_name = "DIGEST")]
    revoke: Option<String>,
}

impl Verb for Trust {
    fn name(&self) -> &'static str {
        "project trust"
    }

    fn effect(&self) -> Effect {
        if self.yes || self.revoke.is_some() { CHANGES_ROWS } else { Effect::Reads }
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        if self.list {
            let (project, trusted) = trust::list(ctx)?;
            let views = trusted.iter().map(CommandView::from).collect();
            let lines = trusted.iter().map(|it| {
                (it.kind.as_str(), it.digest.as_str(), it.command.as_str(), it.source.as_str())
            });
            return Ok(report("listed", "Trusted", &project.name, views, lines));
        }
        if let Some(digest) = &self.revoke {
            let (project, it) = trust::revoke(ctx, digest)?;
            let line =
                (it.kind.as_str(), it.digest.as_str(), it.command.as_str(), it.source.as_str());
            return Ok(report(
                "revoked",
                "No longer trusted",
                &project.name,
                vec![(&it).into()],
                [line].into_iter(),
            ));
        }
        let (project, commands) =
            if self.yes { trust::trust(ctx)? } else { trust::untrusted(ctx)? };
        let views = commands.iter().map(CommandView::from).collect();
        let lines = commands
            .iter()
            .map(|it| (it.kind.as_str(), it.digest.as_str(), it.text.as_str(), it.source.as_str()));
        let (outcome, title) =
            if self.yes { ("trusted", "Trusted now") } else { ("shown", "Not trusted yet") };
        let report = report(outcome, title, &project.name, views, lines);
        Ok(if self.yes || commands.is_empty() {
            report
        } else {
            report.next("let them run", format!("drover project trust -p {} --yes", project.name))
        })
    }
}

fn report<'a>(
    outcome: &str,
    title: &str,
    project: &str,
    views: Vec<CommandView>,
    lines: impl Iterator<Item = (&'a str, &'a str, &'a str, &'a str)>,
) -> Report {
    let mut card = String::new();
    for (kind, digest, text, source) in lines {
        let short: String = digest.chars().take(12).collect();
        let _ = writeln!(card, "{title}: {kind} command {short}, from {}", visible(source));
        for line in visible(text).lines() {
            let _ = writeln!(card, "    {line}");
        }
    }
    if card.is_empty() {
        card = format!("{title} in {project}: none");
    }
    let data = Commands { project: project.to_owned(), commands: Items::new(views) };
    Report::new(outcome, data).card(card)
}
