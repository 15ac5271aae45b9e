//! Death hooks on the multiplexer's server whose program or state directory is gone.

use std::path::Path;

use drover_host::mux::{self, HookIndex, InstalledHook, ServerState};

use super::check::Check;
use crate::ctx::Ctx;
use crate::error::Result;

/// The hooks that no longer lead anywhere.
pub(super) fn checks(ctx: &Ctx) -> Result<Vec<Check>> {
    let stale = stale(ctx)?.into_iter().map(|it| {
        Check::warning(
            "multiplexer",
            format!("hook {}", it.index.0),
            "its program or state directory is gone",
        )
        .fix("drover doctor --tidy")
    });
    Ok(stale.collect())
}

/// Removes them, and says which those were.
pub(super) fn remove(ctx: &mut Ctx) -> Result<Vec<String>> {
    let mut removed = Vec::new();
    for hook in stale(ctx)? {
        let (what, index): (String, HookIndex) = (format!("hook {}", hook.index.0), hook.index);
        let env = ctx.env().clone();
        ctx.act(format!("remove {what}"), || {
            Ok(mux::for_new_panes(&env)?.remove_death_hook(index)?)
        })?;
        removed.push(what);
    }
    Ok(removed)
}

fn stale(ctx: &Ctx) -> Result<Vec<InstalledHook>> {
    let Ok(mux) = mux::for_new_panes(ctx.env()) else { return Ok(Vec::new()) };
    // A server that is not there, or does not answer, has no hooks to judge.
    if !matches!(mux.server(), Ok(ServerState::Running(_))) {
        return Ok(Vec::new());
    }
    Ok(mux.death_hooks()?.into_iter().filter(|it| is_stale(&it.command)).collect())
}

/// Whether a command is one of ours and names a program or a directory that is not there.
///
/// A path that had to be quoted, as one with a blank, counts as there: a part of it is no path.
fn is_stale(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let Some(place) = words.iter().position(|it| *it == "pane-died") else { return false };
    // The quote before the program is that of the whole line.
    let program = place.checked_sub(1).and_then(|it| words.get(it));
    let program = program.map(|it| it.trim_start_matches(['\'', '"', '\\']));
    let state = words.get(place + 1).copied();
    let is_plain =
        |it: &&str| it.chars().all(|it| it.is_alphanumeric() || "/._-+@:,=".contains(it));
    let mut named = program.into_iter().chain(state).filter(is_plain);
    named.any(|it| it.starts_with('/') && !Path::new(it).exists())
}

#[cfg(test)]
mod tests {
    use super::is_stale;

    #[test]
    fn a_hook_is_stale_when_what_it_names_is_gone() {
        let hook = |program: &str, state: &str| {
            format!(
                "if-shell -F '#{{@drover_state}}' \"run-shell -b '{program} pane-died {state} /tmp/s'\""
            )
        };
        assert!(!is_stale(&hook("/bin/sh", "/tmp")));
        assert!(is_stale(&hook("/nonexistent/drover", "/tmp")));
        assert!(is_stale(&hook("/bin/sh", "/nonexistent/state")));
        assert!(!is_stale("display-message hello"));
        assert!(!is_stale(&hook("/bin/sh", r"\'/nonexistent/my state\'")));
        assert!(!is_stale(&hook(r"\'/nonexistent/my programs/drover\'", "/tmp")));
    }
}
