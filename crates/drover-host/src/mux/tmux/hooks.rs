//! Death hooks: the server tells us when the program of a pane of ours has ended.

use drover_core::shell;

use super::quote;
use super::server::Tmux;
use crate::mux::error::MuxError;
use crate::mux::types::{HookIndex, InstalledHook};

/// Fires for panes that are kept after their program, as ours are. `pane-exited` fires for the
/// others, but when the pane is gone already and its marks cannot be asked any more.
const HOOK: &str = "pane-died";
/// The pane it fired for. Before 3.2 a command within a hook's command knows it as its target only.
const DEAD_PANE: &str = "#{?hook_pane,#{hook_pane},#{pane_id}}";
/// Runs its words and has them say nothing.
const SILENT: &str = r#""$0" "$@" >/dev/null 2>&1"#;
/// Becomes its words, which read and say nothing.
const DETACHED: &str = r#"exec "$0" "$@" </dev/null >/dev/null 2>&1"#;

pub(super) fn install(
    tmux: &Tmux,
    index: HookIndex,
    state: &str,
    argv: &[String],
) -> Result<(), MuxError> {
    let state = quote::checked_value(state)?;
    // The pane's id is made of `%` and digits, so a shell takes it for one word.
    let line = format!("{} {DEAD_PANE}", shell_line(SILENT, argv)?);
    let run = format!("run-shell -b {}", quote::parsed(&line));
    let test = format!("#{{==:#{{@drover_state}},{state}}}");
    let command = format!("if-shell -F {} {}", quote::parsed(&test), quote::parsed(&run));
    let name = format!("{HOOK}[{}]", index.0);
    tmux.call(["set-hook", "-g", &name, &command]).map(|_| ())
}

pub(super) fn run_beside(tmux: &Tmux, argv: &[String]) -> Result<(), MuxError> {
    // Without `exec` a shell would wait beside each of them.
    let line = format!("exec {}", shell_line(DETACHED, argv)?);
    tmux.call(["run-shell", "-b", &line]).map(|_| ())
}

pub(super) fn look_for_ends(tmux: &Tmux) -> Result<(), MuxError> {
    tmux.call(["run-shell", "true"]).map(|_| ())
}

/// Words as a line for the server's shell, run by what a POSIX shell makes of this script.
///
/// The shell is `/bin/sh` or, on some versions, the person's own, so nothing but words is on the line.
fn shell_line(script: &str, argv: &[String]) -> Result<String, MuxError> {
    if let Some(word) = argv.iter().find(|it| it.contains('\0')) {
        return Err(MuxError::Invalid {
            what: "a word of a hook",
            value: word.clone(),
            why: "it holds a NUL byte",
        });
    }
    let words = ["/bin/sh", "-c", script].into_iter().chain(argv.iter().map(String::as_str));
    // The server expands formats in what a shell gets to see.
    Ok(shell::join(words).replace('#', "##"))
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
