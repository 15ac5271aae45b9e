//! `drover completions`.

use std::fmt::Write as _;

use clap::builder::PossibleValue;
use clap::{Args, Command, ValueEnum};
use clap_complete::aot::{self, Shell};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::CompletionScript;

/// A shell that completes commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompletingShell {
    /// The GNU shell.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly one.
    Fish,
}

impl CompletingShell {
    fn generator(self) -> Shell {
        match self {
            Self::Bash => Shell::Bash,
            Self::Zsh => Shell::Zsh,
            Self::Fish => Shell::Fish,
        }
    }
}

/// Print the script by which a shell completes nouns, verbs, flags and their values.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover completions bash\n\nWhere the script belongs, once for each new version:\n  bash  ~/.local/share/bash-completion/completions/drover\n  zsh   _drover in a directory of $fpath, before compinit\n  fish  ~/.config/fish/completions/drover.fish\n\nExit codes: 0, 2 no such shell."
)]
pub(crate) struct Completions {
    /// Which shell.
    shell: CompletingShell,
}

impl Verb for Completions {
    fn name(&self) -> &'static str {
        "completions"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn describe(&self, tree: fn() -> Command, _: bool) -> Option<Result<Report, OpError>> {
        Some(Ok(self.report(tree())))
    }

    fn run(&self, _: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        Err(OpError::Usage("completions need no database".to_owned()))
    }
}

impl Completions {
    fn report(&self, mut command: Command) -> Report {
        let shell = self.shell.generator();
        let mut script = Vec::new();
        aot::generate(shell, &mut command, "drover", &mut script);
        let mut script = String::from_utf8_lossy(&script).into_owned();
        if self.shell == CompletingShell::Fish {
            positional_values(&command, &[], &mut script);
        }
        let data = CompletionScript { shell: shell.to_string(), script: script.clone() };
        Report::new("shown", data).card(script)
    }
}

/// The values of arguments without a flag, which the library leaves out for fish.
fn positional_values(command: &Command, above: &[&str], script: &mut String) {
    for below in command.get_subcommands().filter(|it| it.get_name() != "help") {
        let words = [above, &[below.get_name()]].concat();
        positional_values(below, &words, script);
    }
    let [noun, verbs @ ..] = above else { return };
    let mut condition = format!("__fish_drover_using_subcommand {noun}");
    for verb in verbs {
        let _ = write!(condition, "; and __fish_seen_subcommand_from {verb}");
    }
    for argument in command.get_positionals() {
        let values = argument.get_possible_values();
        let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
        if !names.is_empty() {
            let names = names.join(" ");
            let _ = writeln!(script, "complete -c drover -n \"{condition}\" -f -a \"{names}\"");
        }
    }
}
