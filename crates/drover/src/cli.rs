//! The command line: global flags, and one lazily built command for each noun.

use clap::{Args, Command, FromArgMatches as _};

use crate::commands;
use crate::verb::Verb;

/// Flags that every verb takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Project to work in (the default comes from `DROVER_PROJECT`, the pane or the directory).
    #[arg(
        short = 'p',
        long,
        short_alias = 'w',
        alias = "workstream",
        global = true,
        value_name = "PROJECT"
    )]
    pub(crate) project: Option<String>,
    /// Print exactly one JSON object on one line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show what would be done and change nothing.
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
    /// Make the call once: a repeat with the same key returns the same answer.
    #[arg(long, global = true, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Act under this person's name.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) actor: Option<String>,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: Colour,
    /// No hints and no warnings.
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Colour {
    /// Where the terminal wants it.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What one call asks for.
pub(crate) struct Call {
    pub(crate) global: Global,
    pub(crate) verb: Option<Box<dyn Verb>>,
    /// Help of a noun that was named without a verb.
    pub(crate) help: Option<String>,
}

/// The whole command, its nouns built only when they are chosen.
pub(crate) fn command() -> Command {
    let root = Global::augment_args(Command::new("drover"))
        .about("A control plane for crews of coding agents")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(false)
        .disable_help_subcommand(false);
    commands::augment(root)
}

/// Whether a person reads the answer: to them a call without words shows how things stand.
fn is_seen_by_person() -> bool {
    drover_ops::tty::is_stdout_terminal()
}

/// Reads the words of one call.
pub(crate) fn parse(words: &[std::ffi::OsString]) -> Result<Call, clap::Error> {
    let mut command = command();
    let mut matches = command.try_get_matches_from_mut(words)?;
    if matches.subcommand_name().is_none() && !words.is_empty() && is_seen_by_person() {
        let state = words.iter().cloned().chain([std::ffi::OsString::from("state")]);
        matches = command.try_get_matches_from_mut(state)?;
    }
    let Some((noun, chosen)) = matches.remove_subcommand() else {
        let global = Global::from_arg_matches(&matches)?;
        return Ok(Call { global, verb: None, help: Some(command.render_help().to_string()) });
    };
    let global = Global::from_arg_matches(&chosen)?;
    match commands::verb(&noun, &chosen)? {
        Some(verb) => {
            let innermost =
                chosen.subcommand().map(|it| Global::from_arg_matches(it.1)).transpose()?;
            Ok(Call { global: innermost.unwrap_or(global), verb: Some(verb), help: None })
        }
        None => {
            let help = command.find_subcommand_mut(&noun).map(|it| it.render_help().to_string());
            Ok(Call { global, verb: None, help })
        }
    }
}
