//! `drover agent queue`.

use std::path::PathBuf;

use clap::Args;
use drover_ops::messages::{self, Changed, Edit, Withdraw};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::{Items, MessageAnswer, MessageView, QueuedView};

/// List, edit or withdraw the messages that wait for an agent.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover agent queue w1\n\nExit codes: 0, 3 unknown, or the message has left."
)]
pub(crate) struct Queue {
    /// The agent: `<name>` or `<project>/<name>`.
    name: String,
    /// Those that left or were stopped, too.
    #[arg(long, conflicts_with_all = ["edit", "withdraw"])]
    all: bool,
    /// Replace the text of this message.
    #[arg(long, value_name = "NUMBER", conflicts_with = "withdraw")]
    edit: Option<i64>,
    /// Take this message back.
    #[arg(long, value_name = "NUMBER")]
    withdraw: Option<i64>,
    /// The new text, taken as typed; `-` reads standard input.
    #[arg(allow_hyphen_values = true, requires = "edit")]
    text: Option<String>,
    /// Read the new text from a file.
    #[arg(long, value_name = "FILE", requires = "edit")]
    file: Option<PathBuf>,
}

impl Verb for Queue {
    fn name(&self) -> &'static str {
        "agent queue"
    }

    fn effect(&self) -> Effect {
        if self.edit.is_some() || self.withdraw.is_some() { CHANGES_ROWS } else { Effect::Reads }
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        if let Some(number) = self.withdraw {
            let request = Withdraw { agent: self.name.clone(), number };
            return Ok(changed("withdrawn", &messages::withdraw(ctx, &request)?));
        }
        let Some(number) = self.edit else { return self.list(ctx) };
        let text = input.bytes(self.text.as_deref(), self.file.as_deref())?;
        let missing = || OpError::Usage("the new text is missing".to_owned());
        let text = text.ok_or_else(missing)?;
        let request = Edit { agent: self.name.clone(), number, text };
        Ok(changed("edited", &messages::edit(ctx, &request)?))
    }
}

impl Queue {
    fn list(&self, ctx: &Ctx) -> Result<Report, OpError> {
        let request = messages::Queue { agent: self.name.clone(), all: self.all };
        let (project, agent, queued) = messages::queue(ctx, &request)?;
        let mut table = Table::new(&["#", "LEVEL", "FROM", "AT", "REASON", "TEXT"], 5);
        for it in &queued {
            let message = &it.message;
            let text = it.text.as_deref().unwrap_or("(erased)").lines().next();
            table.row([
                message.number.to_string(),
                message.level.to_string(),
                message.sender.clone(),
                message.created_at.clone(),
                message.reason.clone().unwrap_or_default(),
                text.unwrap_or_default().chars().take(200).collect(),
            ]);
        }
        let card = if queued.is_empty() {
            format!("Nothing waits for {}/{}", project.name, agent.name)
        } else {
            table.render_for_terminal()
        };
        let items = queued
            .iter()
            .map(|it| QueuedView {
                message: MessageView::new(&project.name, &agent.name, &it.message),
                text: it.text.clone(),
            })
            .collect();
        let report = Report::new("listed", Items::new(items)).card(card);
        let name = format!("{}/{}", project.name, agent.name);
        Ok(if self.all {
            report.next("see what waits", format!("drover agent queue {name}"))
        } else {
            report
                .next("take one back", format!("drover agent queue {name} --withdraw <#>"))
                .next("see those that left", format!("drover agent queue {name} --all"))
        })
    }
}

fn changed(outcome: &str, changed: &Changed) -> Report {
    let (project, agent) = (&changed.project.name, &changed.agent.name);
    let number = changed.message.number;
    let data = MessageAnswer { message: MessageView::new(project, agent, &changed.message) };
    Report::new(outcome, data)
        .card(format!("Message {number} to {project}/{agent}: {outcome}"))
        .next("see what waits", format!("drover agent queue {project}/{agent}"))
}
