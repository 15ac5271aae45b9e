//! Death hooks: the server tells us when the program of a pane of ours has ended.

use super::quote;
use super::server::Tmux;
use crate::mux::error::MuxError;
use crate::mux::types::{HookIndex, InstalledHook};

/// Fires for panes that are kept after their program, as ours are. `pane-exited` fires for the
/// others, but when the pane is gone already and its marks cannot be asked any more.
const HOOK: &str = "pane-died";

pub(super) fn install(
    tmux: &Tmux,
    index: HookIndex,
    state: &str,
    argv: &[String],
) -> Result<(), MuxError> {
    let state = quote::checked_value(state)?;
    let mut line = shell_line(argv)?;
    // The pane's id is made of `%` and digits, so the shell takes it for one word.
    line.push_str("#{hook_pane} >/dev/null 2>&1");
    let run = format!("run-shell -b {}", quote::parsed(&line));
    let test = format!("#{{==:#{{@drover_state}},{state}}}");
    let command = format!("if-shell -F {} {}", quote::parsed(&test), quote::parsed(&run));
    let name = format!("{HOOK}[{}]", index.0);
    tmux.call(["set-hook", "-g", &name, &command]).map(|_| ())
}

pub(super) fn run_beside(tmux: &Tmux, argv: &[String]) -> Result<(), MuxError> {
    // Without `exec` a shell would wait beside each of them.
    let line = format!("exec {}</dev/null >/dev/null 2>&1", shell_line(argv)?);
    tmux.call(["run-shell", "-b", &line]).map(|_| ())
}

pub(super) fn look_for_ends(tmux: &Tmux) -> Result<(), MuxError> {
    tmux.call(["run-shell", "true"]).map(|_| ())
}

/// Words as a shell splits them again, each followed by a blank.
fn shell_line(argv: &[String]) -> Result<String, MuxError> {
    let mut line = String::new();
    for word in argv {
        let quoted = shlex::try_quote(word).map_err(|_| MuxError::Invalid {
            what: "a word of a hook",
            value: word.clone(),
            why: "it holds a NUL byte",
        })?;
        // The server expands formats in what a shell gets to see.
        line.push_str(&quoted.replace('#', "##"));
        line.push(' ');
    }
    Ok(line)
}

pub(super) fn list(tmux: &Tmux) -> Result<Vec<InstalledHook>, MuxError> {
    let output = match tmux.call(["show-hooks", "-g", HOOK]) {
        Err(MuxError::NoServer { .. }) => return Ok(Vec::new()),
        other => other?,
    };
    Ok(output.text().lines().filter_map(parse).collect())
}

pub(super) fn remove(tmux: &Tmux, index: HookIndex) -> Result<(), MuxError> {
    match tmux.call(["set-hook", "-gu", &format!("{HOOK}[{}]", index.0)]) {
        Ok(_) | Err(MuxError::NoServer { .. }) => Ok(()),
        Err(err) => Err(err),
    }
}

fn parse(line: &str) -> Option<InstalledHook> {
    let rest = line.strip_prefix(HOOK)?.strip_prefix('[')?;
    let (index, command) = rest.split_once("] ")?;
    Some(InstalledHook { index: HookIndex(index.parse().ok()?), command: command.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_read_with_their_place() {
        let hook = parse("pane-died[10042] if-shell -F x y").unwrap();
        assert_eq!((hook.index, hook.command.as_str()), (HookIndex(10042), "if-shell -F x y"));
        assert_eq!(parse("pane-died"), None);
    }
}
