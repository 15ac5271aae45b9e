//! Engines: which command stands behind a program's name, and how that program takes work.

mod additions;
mod claude;
pub(crate) mod codex;
mod conversation;
mod kind;
mod launch;
mod pi;
pub(crate) mod sandbox;

use std::path::Path;

pub(crate) use additions::{
    additions, by_hand, forget, missing_channel, passes_on, socket, unserved,
};
pub use codex::serve as serve_codex;
pub(crate) use conversation::{begin_conversation, why_not_resumed};
pub use kind::Kind;
pub(crate) use launch::Launch;
pub(crate) use pi::socket as pi_socket;

use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::words;

/// The engine that stands for the person's own shell.
const OWN_SHELL: &str = "shell";

/// Shells by the names of their programs.
const SHELLS: &[&str] = &["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "zsh"];

/// The engine of an agent for which none is named.
pub const DEFAULT: &str = "pi";

/// How a program takes work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakesWork {
    /// `me work` runs a command for each task.
    Run,
    /// It is told in a message.
    Message,
    /// Nobody gives it any.
    None,
}

impl TakesWork {
    /// Reads the word back.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Run, Self::Message, Self::None].into_iter().find(|it| it.as_str() == word)
    }

    /// The word as it is stored and printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Message => "message",
            Self::None => "none",
        }
    }
}

/// Where a command came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandSource {
    /// `--command`.
    Flag,
    /// A variable of the environment.
    Variable(String),
    /// `config.toml`.
    Config,
    /// The engine's own name, or the person's shell.
    Name,
}

impl std::fmt::Display for CommandSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag => f.write_str("--command"),
            Self::Variable(name) => f.write_str(name),
            Self::Config => f.write_str("config.toml"),
            Self::Name => f.write_str("the engine"),
        }
    }
}

/// An engine as an agent of it is to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// What the pane runs.
    pub command: Vec<String>,
    /// Where the command came from.
    pub source: CommandSource,
    /// What `me work` runs for each task, unless the agent says otherwise.
    pub work: Option<Vec<String>>,
    /// How it takes work.
    pub takes_work: TakesWork,
}

/// The engine of a name: `DROVER_ENGINE_<NAME>`, else `config.toml`, else what the name itself stands for.
pub fn resolve(ctx: &Ctx, name: &str) -> Result<Engine> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(OpError::Usage(format!(
            "{name:?} is not the name of an engine: letters, digits, `.`, `_` and `-` make one"
        )));
    }
    let described = ctx.config()?.engine(name);
    let (command, source) = match (ctx.env().engine_override(name), described.command) {
        (Some(line), _) => (words::split(line)?, CommandSource::Variable(variable(name))),
        (None, Some(command)) => (command, CommandSource::Config),
        (None, None) => (own_command(ctx, name), CommandSource::Name),
    };
    let takes_work = described.takes_work.as_deref().and_then(TakesWork::parse);
    Ok(Engine {
        name: name.to_owned(),
        command,
        source,
        work: described.work,
        takes_work: takes_work.unwrap_or_else(|| usual_work(name)),
    })
}

/// The engine of a command that was given in full: its program's name, and nothing known of it.
pub fn of_command(command: Vec<String>) -> Engine {
    let program = command.first().map(Path::new).and_then(Path::file_name);
    let name = program.map_or_else(String::new, |it| it.to_string_lossy().into_owned());
    let (source, takes_work) = (CommandSource::Flag, TakesWork::None);
    Engine { name, command, source, work: None, takes_work }
}

/// Whether something says of this engine's turns that they have ended, and which.
pub fn counts_turns(engine: &str) -> bool {
    Kind::of(engine).is_some()
}

/// Whether an agent of this engine and command, a JSON array of words, is a shell that reads
/// commands from its terminal: not one that was given a script.
pub fn is_shell(engine: &str, command: &str) -> bool {
    if engine == OWN_SHELL {
        return true;
    }
    let words: Vec<String> = serde_json::from_str(command).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else { return false };
    let name = Path::new(program).file_name().and_then(std::ffi::OsStr::to_str);
    let is_option = |it: &String| match it.strip_prefix('-') {
        Some(long) if long.starts_with('-') => !long.starts_with("-command"),
        Some(letters) => !letters.contains('c'),
        None => false,
    };
    name.is_some_and(|it| SHELLS.contains(&it)) && arguments.iter().all(is_option)
}

fn own_command(ctx: &Ctx, name: &str) -> Vec<String> {
    match name {
        OWN_SHELL => vec![ctx.env().shell().to_string_lossy().into_owned()],
        other => vec![other.to_owned()],
    }
}

fn usual_work(name: &str) -> TakesWork {
    match name {
        OWN_SHELL => TakesWork::Run,
        name if Kind::of(name).is_some() => TakesWork::Message,
        _ => TakesWork::None,
    }
}

fn variable(name: &str) -> String {
    let upper = name
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' });
    format!("DROVER_ENGINE_{}", upper.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::is_shell;

    #[test]
    fn a_shell_reads_commands_unless_it_was_given_a_script() {
        let check = |command: &str, expected: bool| {
            assert_eq!(is_shell("any", command), expected, "{command}");
        };
        check(r#"["/bin/bash"]"#, true);
        check(r#"["bash","--norc","-i"]"#, true);
        check(r#"["sh","-c","exec cat"]"#, false);
        check(r#"["bash","-lc","make"]"#, false);
        check(r#"["/usr/bin/fish","--login"]"#, true);
        check(r#"["tcsh","-l"]"#, true);
        check(r#"["fish","-c","cat"]"#, false);
        check(r#"["fish","--command=cat"]"#, false);
        check(r#"["bash","agent.sh"]"#, false);
        check(r#"["cat"]"#, false);
        check("[]", false);
        assert!(is_shell("shell", r#"["cat"]"#));
    }
}
