//! `drover task export`.

use clap::{Args, ValueEnum};
use drover_ops::tasks::{self, ExportFormat};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::TasksExported;

/// Print the tasks of a project for other programs; JSON, Markdown and Taskwarrior can be imported again.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task export --format markdown > plan.md\n\nWho holds a task and its evidence are in no export. What a form cannot say besides is named on standard error.\n\nExit codes: 0, 2 no project is meant clearly."
)]
pub(crate) struct Export {
    /// The form.
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// Leave out what is done.
    #[arg(long)]
    unfinished: bool,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Form {
    /// Our own JSON plan.
    #[default]
    #[value(alias = "plan")]
    Json,
    /// A Markdown checklist.
    Markdown,
    /// A drawing by Graphviz.
    Dot,
    /// A drawing by Mermaid.
    Mermaid,
    /// What Taskwarrior imports.
    Taskwarrior,
}

impl From<Form> for ExportFormat {
    fn from(form: Form) -> Self {
        match form {
            Form::Json => Self::Json,
            Form::Markdown => Self::Markdown,
            Form::Dot => Self::Dot,
            Form::Mermaid => Self::Mermaid,
            Form::Taskwarrior => Self::Taskwarrior,
        }
    }
}

impl Verb for Export {
    fn name(&self) -> &'static str {
        "task export"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let format = self.format.into();
        let request = tasks::Export { format, is_unfinished_only: self.unfinished };
        let exported = tasks::export(ctx, &request)?;
        let data = TasksExported::new(format, &exported);
        Ok(Report::new("exported", data).card(exported.text))
    }
}
