//! The tools: one for each verb of the command line that answers and ends.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use clap::Command;
use drover_ops::roles::{self, Who};
use rmcp::model::{Tool, ToolAnnotations};

use super::schema::{self, Property};
use super::table::{LEFT_OUT, READ_ONLY};

/// A verb as a tool.
#[derive(Debug)]
pub(super) struct Verb {
    /// The words that name it, as `task claim`.
    pub(super) name: String,
    /// How the protocol names it, as `task_claim`.
    pub(super) tool: String,
    pub(super) properties: Vec<Property>,
    pub(super) takes_stdin: bool,
    /// Whether words by place may follow `--`; not where that has a meaning of its own.
    pub(super) has_last: bool,
    description: String,
}

impl Verb {
    /// What clients are told of it.
    pub(super) fn told(&self) -> Tool {
        let input = Arc::new(schema::of(&self.properties, self.takes_stdin));
        let asks_for_yes = self.properties.iter().any(|it| it.name == "yes");
        let hints = ToolAnnotations::new()
            .read_only(READ_ONLY.contains(&self.name.as_str()))
            .destructive(asks_for_yes)
            .open_world(false);
        Tool::new(Cow::Owned(self.tool.clone()), Cow::Owned(self.description.clone()), input)
            .with_annotations(hints)
    }
}

/// All of them, in the order of the command line.
pub(super) fn all() -> &'static [Verb] {
    static ALL: OnceLock<Vec<Verb>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut command = crate::cli::command();
        command.build();
        let mut verbs = Vec::new();
        collect("", &command, &mut verbs);
        verbs
    })
}

/// The verb behind a tool's name.
pub(super) fn find(tool: &str) -> Option<&'static Verb> {
    all().iter().find(|it| it.tool == tool)
}

fn collect(above: &str, command: &Command, verbs: &mut Vec<Verb>) {
    for it in command.get_subcommands() {
        let name = format!("{above} {}", it.get_name()).trim_start().to_owned();
        let is_left_out = LEFT_OUT.iter().any(|it| it.0 == name)
            // A tool is called by a model.
            || roles::who(&name) == Some(Who::People);
        if it.is_hide_set() || it.get_name() == "help" || is_left_out {
            continue;
        }
        if it.has_subcommands() {
            collect(&name, it, verbs);
        } else {
            verbs.push(verb(name, it));
        }
    }
}

fn verb(name: String, command: &Command) -> Verb {
    Verb {
        tool: name.replace([' ', '-'], "_"),
        properties: schema::properties(&name, command),
        takes_stdin: schema::takes_stdin(command),
        has_last: command.get_positionals().any(clap::Arg::is_last_set),
        description: description(command),
        name,
    }
}

/// The help of a verb without its example, which is for a shell, and its exit codes.
fn description(command: &Command) -> String {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let is_kept = |it: &&str| {
        let it = it.trim_start();
        !it.is_empty() && !it.starts_with("Example:") && !it.starts_with("Exit codes:")
    };
    let kept = after.split("\n\n").filter(is_kept).map(str::trim_end);
    std::iter::once(about.trim_end()).chain(kept).collect::<Vec<_>>().join("\n\n")
}
