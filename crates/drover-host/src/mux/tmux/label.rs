//! What stands above a pane: a line of our own, beside whatever title its program gives itself.

use std::ffi::{OsStr, OsString};

use super::quote;
use super::server::Tmux;
use crate::mux::error::MuxError;
use crate::mux::types::PaneId;

/// The mark that holds the text.
const LABEL: &str = "@drover_label";
/// The line above a pane: the text of ours, else what the program calls itself.
const LINE: &str = " #{?@drover_label,#{@drover_label},#{pane_title}} ";

pub(super) fn set(tmux: &Tmux, pane: &PaneId, text: &str) -> Result<(), MuxError> {
    let mut words: Vec<OsString> =
        ["set-option", "-p", "-t", pane.as_str(), "--", LABEL].map(Into::into).into();
    words.push(quote::word(OsStr::new(checked(text)?)));
    tmux.call(words).map(|_| ())
}

pub(super) fn show(tmux: &Tmux, pane: &PaneId, title: &str) -> Result<(), MuxError> {
    let title = quote::format(OsStr::new(checked(title)?));
    // A person who has such lines has them as they like them.
    let lines = format!(
        "set-option -w -t {pane} pane-border-status top ; \
         set-option -w -t {pane} pane-border-format {}",
        quote::parsed(LINE)
    );
    let mut words: Vec<OsString> =
        ["select-pane", "-t", pane.as_str(), "-T"].map(Into::into).into();
    words.push(title);
    words.extend([";", "if-shell", "-F", "-t", pane.as_str()].map(Into::into));
    words.extend(["#{==:#{pane-border-status},off}".into(), lines.into()]);
    tmux.call(words).map(|_| ())
}

/// Refuses what would not be shown as it is: a `#` begins a style in the line.
fn checked(text: &str) -> Result<&str, MuxError> {
    if text.chars().all(|it| !it.is_control() && it != '#') {
        return Ok(text);
    }
    let why = "it holds control characters or `#`";
    Err(MuxError::Invalid { what: "a label", value: text.to_owned(), why })
}
