//! Reading screens: one, or many in one call.

use std::collections::BTreeMap;

use super::server::Tmux;
use crate::mux::error::MuxError;
use crate::mux::types::{Capture, PaneId};
use crate::random;

/// How many panes one call asks: what a client can say is a little over 16,000 bytes.
const AT_ONCE: usize = 60;

pub(super) fn capture(tmux: &Tmux, pane: &PaneId, range: Capture) -> Result<String, MuxError> {
    let output = tmux.call(words(pane, range))?;
    Ok(cut(&String::from_utf8_lossy(&output.stdout), range))
}

pub(super) fn captures(
    tmux: &Tmux,
    panes: &[PaneId],
    range: Capture,
) -> Result<BTreeMap<PaneId, String>, MuxError> {
    let mut shown = BTreeMap::new();
    for several in panes.chunks(AT_ONCE) {
        match together(tmux, several, range) {
            Ok(screens) => shown.extend(screens),
            // One that is gone ends the call for all behind it.
            Err(MuxError::NoPane { .. }) => {
                for pane in several {
                    match capture(tmux, pane, range) {
                        Ok(screen) => _ = shown.insert(pane.clone(), screen),
                        Err(MuxError::NoPane { .. }) => {}
                        Err(err) => return Err(err),
                    }
                }
            }
            Err(err) => return Err(err),
        }
    }
    Ok(shown)
}

/// Screens divided by a word that no program in a pane can know before the call.
fn together(
    tmux: &Tmux,
    panes: &[PaneId],
    range: Capture,
) -> Result<Vec<(PaneId, String)>, MuxError> {
    let nonce = random::nonce().map_err(|err| tmux.no_answer(err.to_string()))?;
    let end = format!("|{nonce}|");
    let mut asked: Vec<String> = Vec::new();
    for pane in panes {
        if !asked.is_empty() {
            asked.push(";".to_owned());
        }
        asked.extend(words(pane, range));
        let say = [";", "display-message", "-p", "-t", pane.as_str(), &end];
        asked.extend(say.map(str::to_owned));
    }
    let output = tmux.call(asked)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let end = format!("{end}\n");
    Ok(panes.iter().cloned().zip(text.split(end.as_str()).map(|it| cut(it, range))).collect())
}

fn words(pane: &PaneId, range: Capture) -> Vec<String> {
    let mut words = vec!["capture-pane".to_owned(), "-p".to_owned(), "-J".to_owned()];
    match range {
        Capture::Visible => {}
        Capture::Full => words.extend(["-S".to_owned(), "-".to_owned()]),
        Capture::Last(lines) => words.extend(["-S".to_owned(), format!("-{lines}")]),
    }
    words.extend(["-t".to_owned(), pane.to_string()]);
    words
}

/// The lines of a range, without the blank ones below the last text.
fn cut(text: &str, range: Capture) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let filled = lines.iter().rposition(|it| !it.is_empty()).map_or(0, |it| it + 1);
    let from = match range {
        Capture::Visible | Capture::Full => 0,
        Capture::Last(count) => filled.saturating_sub(usize::try_from(count).unwrap_or(usize::MAX)),
    };
    lines.get(from..filled).unwrap_or_default().join("\n")
}
