//! What runs in front of a pane, for panes that Drover did not make.

use std::path::Path;

use drover_host::mux::Pane;
use drover_host::proc::{self, Identity, Snapshot};

use crate::ctx::Ctx;
use crate::engines::{self, Kind};
use crate::error::Result;

/// Programs that run others, which then are what is meant.
const INTERPRETERS: &[&str] = &["bun", "deno", "node", "nodejs", "python", "python3"];

/// The program in front of a pane.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    /// Its process.
    pub(crate) process: Identity,
    /// The words it was started with.
    pub(crate) words: Vec<String>,
    /// Its name.
    pub(crate) program: String,
    /// The engine whose program it is, if it is one.
    pub(crate) engine: Option<String>,
}

/// The programs of the chat agents that are known from inside.
#[derive(Debug)]
pub(crate) struct Programs(Vec<(String, &'static str)>);

impl Programs {
    /// By the commands that start them here.
    pub(crate) fn known(ctx: &Ctx) -> Result<Self> {
        let mut known = Vec::new();
        for kind in [Kind::Pi, Kind::Claude, Kind::Codex] {
            let command = engines::resolve(ctx, kind.name())?.command;
            let names = [Some(kind.name().to_owned()), program_name(&command)];
            known.extend(names.into_iter().flatten().map(|it| (it, kind.name())));
        }
        Ok(Self(known))
    }

    fn engine(&self, program: &str) -> Option<&'static str> {
        self.0.iter().find(|it| it.0 == program).map(|it| it.1)
    }
}

/// The program in front of a pane; where that is this very call, what the pane itself runs.
pub(crate) fn front(pane: &Pane, processes: &Snapshot, programs: &Programs) -> Option<Front> {
    let own = std::process::id();
    let group = proc::foreground_group(pane.pid).filter(|it| *it != 0);
    let group = group.map(|it| processes.in_group(it)).unwrap_or_default();
    let mut seen: Vec<Front> = if group.iter().any(|it| it.identity.pid == own) {
        Vec::new()
    } else {
        group.into_iter().map(|it| of_process(it.identity, it.name, programs)).collect()
    };
    if seen.is_empty() {
        let identity = proc::identity(pane.pid)?;
        seen.push(of_process(identity, proc::name(pane.pid)?, programs));
    }
    let known = seen.iter().position(|it| it.engine.is_some());
    Some(seen.swap_remove(known.unwrap_or(0)))
}

fn of_process(process: Identity, name: String, programs: &Programs) -> Front {
    let words = proc::arguments(process.pid);
    let program = program_name(&words).unwrap_or(name);
    let engine = programs.engine(&program).map(str::to_owned);
    Front { process, words, program, engine }
}

/// The name of the program that a command runs, its path and the interpreter before it left out.
fn program_name(words: &[String]) -> Option<String> {
    let name = |word: &String| {
        let file = Path::new(word).file_name()?.to_str()?;
        // A login shell has a hyphen before its name.
        Some(file.trim_start_matches('-').to_owned())
    };
    let first = name(words.first()?)?;
    let script = words.get(1).filter(|it| !it.starts_with('-'));
    match script.filter(|_| INTERPRETERS.contains(&first.as_str())).and_then(name) {
        Some(script) => {
            let stem = [".js", ".mjs", ".cjs", ".py"].iter().find_map(|it| script.strip_suffix(it));
            Some(stem.map_or_else(|| script.clone(), str::to_owned))
        }
        None => Some(first),
    }
}

#[cfg(test)]
mod tests {
    use super::program_name;

    #[test]
    fn a_program_is_named_without_its_path_and_its_interpreter() {
        let check = |line: &str, expected: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(program_name(&words).as_deref(), Some(expected), "{line}");
        };
        check("/usr/bin/claude --model x", "claude");
        check("node /usr/local/bin/pi", "pi");
        check("/opt/node/bin/node /opt/x/codex.js exec", "codex");
        check("node --inspect x.js", "node");
        check("-bash", "bash");
        assert_eq!(program_name(&[]), None);
    }
}
