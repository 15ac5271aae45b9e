//! Making panes.

use std::ffi::{OsStr, OsString};

use super::call::PROGRAM;
use super::quote;
use super::server::Tmux;
use crate::mux::error::MuxError;
use crate::mux::types::{NewPane, PaneId, PaneIds, SessionId, SpawnPane, WindowId};
use crate::process::{Output, ProcessError};

/// Printed by the creating call, so that nothing has to be looked up by name.
const IDS: &str = "#{session_id} #{window_id} #{pane_id} #{pane_pid}";
/// A session without a client would have 80 columns, and a program's first screen is cut to them.
const SIZE: [&str; 4] = ["-x", "200", "-y", "50"];

pub(super) fn new_session(
    tmux: &Tmux,
    name: &str,
    project_uid: Option<&str>,
    pane: &SpawnPane,
) -> Result<PaneIds, MuxError> {
    let name = quote::checked_name("a session's name", name)?;
    let mut words: Vec<OsString> = ["new-session", "-d", "-P", "-F", IDS].map(Into::into).into();
    words.extend(SIZE.map(Into::into));
    words.extend(["-s".into(), quote::format(OsStr::new(name))]);
    words.extend(window_words(pane)?);
    if let Some(uid) = project_uid {
        // The colon says that a session is meant, not a pane. Some people have their sessions end when
        // they look away, and this one nobody has looked at yet.
        let target = format!("={name}:");
        let stay = [";", "set-option", "-t", &target, "--", "destroy-unattached", "off"];
        let mark = [";", "set-option", "-t", &target, "--", "@drover_project"];
        words.extend(stay.iter().chain(&mark).map(Into::into));
        words.push(quote::checked_value(uid)?.into());
    }
    ids(&tmux.call_starting(words)?)
}

pub(super) fn new_window(
    tmux: &Tmux,
    session: &SessionId,
    pane: &SpawnPane,
) -> Result<PaneIds, MuxError> {
    let mut words: Vec<OsString> = ["new-window", "-d", "-P", "-F", IDS].map(Into::into).into();
    // The colon says that the session is meant, at its next free window.
    words.extend(["-t".into(), format!("{session}:").into()]);
    words.extend(window_words(pane)?);
    ids(&tmux.call(words)?)
}

/// A pane is made at the cost of one other, so a window gets room by sharing it out anew.
pub(super) fn split_window(
    tmux: &Tmux,
    window: &WindowId,
    program: &NewPane,
) -> Result<Option<PaneIds>, MuxError> {
    let mut words: Vec<OsString> =
        ["split-window", "-d", "-P", "-F", IDS, "-t", window.as_str()].map(Into::into).into();
    words.extend(program_words(program)?);
    let share = || tmux.call(["select-layout", "-t", window.as_str(), "tiled"]);
    let made = match tmux.call(words.clone()) {
        Err(err) if has_no_room(&err) => {
            share()?;
            tmux.call(words)
        }
        other => other,
    };
    match made {
        Ok(output) => {
            let ids = ids(&output)?;
            // The pane is there, however the others stand around it.
            let _ = share();
            Ok(Some(ids))
        }
        Err(err) if has_no_room(&err) => Ok(None),
        Err(err) => Err(err),
    }
}

fn has_no_room(err: &MuxError) -> bool {
    match err {
        MuxError::Process(ProcessError::Failed { stderr, .. }) => {
            stderr.contains("no space for new pane")
        }
        _ => false,
    }
}

pub(super) fn respawn(tmux: &Tmux, pane: &PaneId, program: &NewPane) -> Result<(), MuxError> {
    let mut words: Vec<OsString> =
        ["respawn-pane", "-k", "-t", pane.as_str()].map(Into::into).into();
    words.extend(program_words(program)?);
    tmux.call(words).map(|_| ())
}

pub(super) fn rename_window(tmux: &Tmux, window: &WindowId, name: &str) -> Result<(), MuxError> {
    let name = window_name(name)?;
    let words: Vec<OsString> =
        vec!["rename-window".into(), "-t".into(), window.as_str().into(), "--".into(), name];
    tmux.call(words).map(|_| ())
}

fn window_words(pane: &SpawnPane) -> Result<Vec<OsString>, MuxError> {
    let mut words = vec!["-n".into(), window_name(&pane.window_name)?];
    words.extend(program_words(&pane.program)?);
    Ok(words)
}

/// Windows are never targeted by name, so theirs may hold what a session's may not.
fn window_name(name: &str) -> Result<OsString, MuxError> {
    let what = "a window's name";
    if name.is_empty() || name.chars().any(char::is_control) {
        let why = "it is empty or holds control characters";
        return Err(MuxError::Invalid { what, value: name.to_owned(), why });
    }
    Ok(quote::format(OsStr::new(name)))
}

/// Directory and program. Several words are run without a shell, so a single one gets company.
///
/// Variables go through `env`, not through `-e`, which `new-session` lacks before 3.2.
fn program_words(program: &NewPane) -> Result<Vec<OsString>, MuxError> {
    if !program.cwd.is_dir() {
        return Err(MuxError::NoDirectory { path: program.cwd.clone() });
    }
    let mut words: Vec<OsString> =
        vec!["-c".into(), quote::format(program.cwd.as_os_str()), "--".into()];
    if !program.env.is_empty() {
        words.push("env".into());
    }
    for (name, value) in &program.env {
        if name.is_empty() || name.starts_with('-') || name.contains('=') {
            let why = "it is empty, begins with `-` or holds `=`";
            return Err(MuxError::Invalid { what: "a variable's name", value: name.clone(), why });
        }
        let mut word = OsString::from(format!("{name}="));
        word.push(value);
        words.push(quote::word(&word));
    }
    match program.argv.as_slice() {
        [] => {
            let why = "it is empty";
            return Err(MuxError::Invalid { what: "a command", value: String::new(), why });
        }
        [only] => words.extend(
            ["sh", "-c", "exec \"$0\""].map(Into::into).into_iter().chain([quote::word(only)]),
        ),
        several => words.extend(several.iter().map(|it| quote::word(it))),
    }
    Ok(words)
}

fn ids(output: &Output) -> Result<PaneIds, MuxError> {
    let text = output.text();
    let unreadable = || MuxError::Unreadable { program: PROGRAM, answer: text.clone() };
    let fields: Vec<&str> = text.split(' ').collect();
    let [session, window, pane, pid] = fields.as_slice() else { return Err(unreadable()) };
    Ok(PaneIds {
        session: SessionId::parse(session)?,
        window: WindowId::parse(window)?,
        pane: PaneId::parse(pane)?,
        pid: pid.parse().map_err(|_| unreadable())?,
    })
}
