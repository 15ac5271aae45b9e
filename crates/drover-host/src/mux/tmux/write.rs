//! Writing into panes: marks, pastes, keys.

use std::ffi::{OsStr, OsString};

use super::quote;
use super::server::Tmux;
use crate::mux::error::MuxError;
use crate::mux::types::{Key, PaneId, Paste, SessionId};

/// What one client call can carry is a little over this.
const LINE_LIMIT: usize = 8 * 1024;
const DEAD: &str = "dead";

/// Text on its way into a pane.
pub(super) struct Buffer<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a [u8],
    pub(super) paste: Paste,
}

pub(super) fn set_pane_options(
    tmux: &Tmux,
    pane: &PaneId,
    options: &[(&str, &str)],
) -> Result<(), MuxError> {
    let mut words = Vec::new();
    for (option, value) in options {
        if !words.is_empty() {
            words.push(";");
        }
        words.extend(["set-option", "-p", "-t", pane.as_str(), "--"]);
        words.extend([option_name(option)?, quote::checked_value(value)?]);
    }
    if words.is_empty() {
        return Ok(());
    }
    tmux.call(words).map(|_| ())
}

pub(super) fn unset_pane_options(
    tmux: &Tmux,
    pane: &PaneId,
    options: &[&str],
) -> Result<(), MuxError> {
    let mut words = Vec::new();
    for option in options {
        if !words.is_empty() {
            words.push(";");
        }
        words.extend(["set-option", "-pu", "-t", pane.as_str(), "--", option_name(option)?]);
    }
    if words.is_empty() {
        return Ok(());
    }
    tmux.call(words).map(|_| ())
}

pub(super) fn pane_option(
    tmux: &Tmux,
    pane: &PaneId,
    option: &str,
) -> Result<Option<String>, MuxError> {
    let words = ["show-options", "-pqv", "-t", pane.as_str(), "--", option_name(option)?];
    let text = tmux.call(words)?.text();
    Ok((!text.is_empty()).then_some(text))
}

pub(super) fn set_session_option(
    tmux: &Tmux,
    session: &SessionId,
    option: &str,
    value: &str,
) -> Result<(), MuxError> {
    let (option, value) = (option_name(option)?, quote::checked_value(value)?);
    tmux.call(["set-option", "-t", session.as_str(), "--", option, value]).map(|_| ())
}

pub(super) fn leave_copy_mode(tmux: &Tmux, pane: &PaneId) -> Result<bool, MuxError> {
    let ask = ["display-message", "-p", "-t", pane.as_str(), "#{pane_id} #{pane_in_mode}"];
    let leave = |command: &str, words: &[&str]| {
        let words = [command, "-t", pane.as_str()].into_iter().chain(words.iter().copied());
        tmux.call(words.chain([";"]).chain(ask)).map(|it| it.text())
    };
    let before = tmux.call(ask)?.text();
    match in_mode(&before, pane)? {
        0 => return Ok(false),
        // `copy-mode -q` leaves every mode and is missing before 3.1; `cancel` leaves one.
        count => {
            if let Ok(after) = leave("copy-mode", &["-q"])
                && in_mode(&after, pane)? == 0
            {
                return Ok(true);
            }
            for _ in 0..count {
                if leave("send-keys", &["-X", "cancel"]).is_err() {
                    leave_by_key(tmux, pane)?;
                }
            }
        }
    }
    match in_mode(&tmux.call(ask)?.text(), pane)? {
        0 => Ok(true),
        _ => Err(tmux.no_answer(format!("pane {pane} does not leave its mode"))),
    }
}

/// Leaves a mode without commands, such as a list to choose from, by the key that leaves them all.
///
/// The server checks that it is in one: the key must not reach the program, and a 3.0 server that gets
/// it in copy mode from no client ends.
fn leave_by_key(tmux: &Tmux, pane: &PaneId) -> Result<(), MuxError> {
    let is_list = "#{&&:#{pane_in_mode},#{!=:#{s/(copy|view)-mode/own/:pane_mode},own}}";
    let press = format!("send-keys -t {pane} q");
    tmux.call(["if-shell", "-F", "-t", pane.as_str(), is_list, &press]).map(|_| ())
}

/// Loads and pastes in one call. The pane is asked inside the server whether it lives: pasting
/// into a dead pane ends a 3.3a server, and all panes with it.
pub(super) fn paste(tmux: &Tmux, pane: &PaneId, buffer: &Buffer<'_>) -> Result<(), MuxError> {
    let name = quote::checked_value(buffer.name)?;
    if name.is_empty() || name.starts_with('-') || buffer.text.is_empty() {
        let why = "name and text must not be empty, the name must not begin with `-`";
        return Err(MuxError::Invalid { what: "a buffer", value: name.to_owned(), why });
    }
    let bracket = match buffer.paste {
        Paste::Bracketed => "-p ",
        Paste::Plain => "",
    };
    let paste = format!("paste-buffer {bracket}-r -d -b {name} -t {pane}");
    let drop = format!("delete-buffer -b {name} ; display-message -p {DEAD}");
    let words = ["load-buffer", "-b", name, "-", ";"];
    let guarded = ["if-shell", "-F", "-t", pane.as_str(), "#{pane_dead}", &drop, &paste];
    let result = tmux.call_with(words.into_iter().chain(guarded), buffer.text);
    match result {
        Ok(output) if output.text() == DEAD => Err(MuxError::DeadPane { pane: pane.clone() }),
        Ok(_) => Ok(()),
        Err(err) => {
            // The text must not lie about in the server; that it does already is no news.
            let _ = tmux.call(["delete-buffer", "-b", name]);
            Err(err)
        }
    }
}

pub(super) fn key(tmux: &Tmux, pane: &PaneId, key: Key) -> Result<(), MuxError> {
    let digit;
    let word = match key {
        Key::Enter => "Enter",
        Key::Escape => "Escape",
        Key::Interrupt => "C-c",
        Key::ClearLine => "C-u",
        Key::Up => "Up",
        Key::Down => "Down",
        Key::Digit(number) if number < 10 => {
            digit = number.to_string();
            &digit
        }
        Key::Digit(number) => {
            let why = "it has more than one digit";
            return Err(MuxError::Invalid { what: "a key", value: number.to_string(), why });
        }
    };
    guarded_keys(tmux, pane, &format!("send-keys -t {pane} {word}"))
}

pub(super) fn type_line(tmux: &Tmux, pane: &PaneId, line: &str) -> Result<(), MuxError> {
    let invalid = |why| {
        let value = line.chars().take(80).collect();
        Err(MuxError::Invalid { what: "a line", value, why })
    };
    if line.len() > LINE_LIMIT {
        return invalid("it is longer than 8 KiB");
    }
    if line.chars().any(char::is_control) {
        return invalid("it holds control characters");
    }
    if is_dead(tmux, pane)? {
        return Err(MuxError::DeadPane { pane: pane.clone() });
    }
    let mut words: Vec<OsString> =
        ["send-keys", "-t", pane.as_str(), "-l", "--"].map(Into::into).into();
    words.push(quote::word(OsStr::new(line)));
    words.extend([";", "send-keys", "-t", pane.as_str(), "Enter"].map(Into::into));
    tmux.call(words).map(|_| ())
}

/// Keys sent to a dead pane vanish without a word, so the server is asked in the same call.
fn guarded_keys(tmux: &Tmux, pane: &PaneId, keys: &str) -> Result<(), MuxError> {
    let dead = format!("display-message -p {DEAD}");
    let words = ["if-shell", "-F", "-t", pane.as_str(), "#{pane_dead}", &dead, keys];
    match tmux.call(words)?.text().as_str() {
        DEAD => Err(MuxError::DeadPane { pane: pane.clone() }),
        _ => Ok(()),
    }
}

fn is_dead(tmux: &Tmux, pane: &PaneId) -> Result<bool, MuxError> {
    let words = ["display-message", "-p", "-t", pane.as_str(), "#{pane_id} #{pane_dead}"];
    let answer = tmux.call(words)?.text();
    match answer.split_once(' ') {
        Some((id, dead)) if id == pane.as_str() => Ok(dead == "1"),
        _ => Err(MuxError::NoPane { pane: pane.clone() }),
    }
}

fn in_mode(answer: &str, pane: &PaneId) -> Result<u32, MuxError> {
    // A missing pane is answered with an empty line and success.
    match answer.split_once(' ') {
        Some((id, count)) if id == pane.as_str() => Ok(count.parse().unwrap_or(0)),
        _ => Err(MuxError::NoPane { pane: pane.clone() }),
    }
}

fn option_name(option: &str) -> Result<&str, MuxError> {
    let is_name = |it: char| it.is_ascii_lowercase() || "@_-".contains(it);
    if !option.is_empty() && !option.starts_with('-') && option.chars().all(is_name) {
        return Ok(option);
    }
    let why = "it is not the name of an option";
    Err(MuxError::Invalid { what: "an option", value: option.to_owned(), why })
}
