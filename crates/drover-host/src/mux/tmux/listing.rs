//! Reading what is there: the server, its panes, sessions and clients.

use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::net::sockopt::socket_peercred;

use super::call::PROGRAM;
use super::server::Tmux;
use crate::mux::error::MuxError;
use crate::mux::types::{
    Client, Listing, Pane, PaneDeath, PaneId, ServerState, Session, SessionId, WindowId,
};
use crate::process::Exit;
use crate::{proc, random};

/// The fields of a pane; those a program in the pane can write come last.
const PANE_FIELDS: &[&str] = &[
    "pid",
    "pane_id",
    "window_id",
    "session_id",
    "pane_pid",
    "pane_dead",
    "pane_dead_status",
    "pane_dead_signal",
    "pane_dead_time",
    "pane_in_mode",
    "session_attached",
    "window_active",
    "pane_active",
    "pane_tty",
    "@drover_uid",
    "@drover_state",
    "@drover_project",
    "session_name",
    "@drover_label",
    "window_name",
    "pane_title",
    "pane_start_command",
    "pane_current_command",
];

pub(super) fn server(tmux: &Tmux) -> Result<ServerState, MuxError> {
    match tmux.call(["display-message", "-p", "#{pid}"]) {
        Ok(output) => Ok(state_of(&output.text())),
        // Before 3.2 a server says nothing while it has no session; the kernel knows who listens.
        Err(MuxError::NoTarget { .. }) => Ok(listener(tmux)),
        Err(err) => not_running(err),
    }
}

/// The process that listens on a socket on which a server has just answered.
fn listener(tmux: &Tmux) -> ServerState {
    let peer = UnixStream::connect(&tmux.socket)
        .and_then(|it| Ok(socket_peercred(&it)?.pid.as_raw_nonzero().to_string()));
    peer.map_or_else(|err| ServerState::NoAnswer { reason: err.to_string() }, |it| state_of(&it))
}

pub(super) fn panes(tmux: &Tmux) -> Result<Listing, MuxError> {
    let records = match records(tmux, &["list-panes", "-a"], PANE_FIELDS) {
        Ok(records) => records,
        // A server may run without a single session.
        Err(MuxError::NoTarget { .. }) => Vec::new(),
        Err(err) => return Ok(Listing { server: not_running(err)?, panes: Vec::new() }),
    };
    let Some(pid) = records.first().and_then(|it| it.first()) else {
        return Ok(Listing { server: server(tmux)?, panes: Vec::new() });
    };
    let mut panes: Vec<Pane> = Vec::with_capacity(records.len());
    for record in &records {
        let pane = pane(record).ok_or_else(|| unreadable(record))?;
        // A window shown in several sessions lists its panes once for each.
        match panes.iter_mut().find(|it| it.id == pane.id) {
            Some(known) => {
                known.attached += pane.attached;
                known.is_watched |= pane.is_watched;
                if known.project.is_none() && pane.project.is_some() {
                    known.session = pane.session;
                    known.session_name = pane.session_name;
                    known.project = pane.project;
                }
            }
            None => panes.push(pane),
        }
    }
    Ok(Listing { server: state_of(pid), panes })
}

pub(super) fn sessions(tmux: &Tmux) -> Result<Vec<Session>, MuxError> {
    let fields = ["session_id", "@drover_project", "session_name"];
    let records = match records(tmux, &["list-sessions"], &fields) {
        // Before 3.2 it is an error that there is none.
        Err(MuxError::NoServer { .. } | MuxError::NoTarget { .. }) => Vec::new(),
        other => other?,
    };
    let session = |record: &Vec<String>| {
        let [id, project, name] = record.as_slice() else { return None };
        let id = SessionId::parse(id).ok()?;
        Some(Session { id, project: some(project), name: name.clone() })
    };
    records.iter().map(|it| session(it).ok_or_else(|| unreadable(it))).collect()
}

pub(super) fn clients(tmux: &Tmux) -> Result<Vec<Client>, MuxError> {
    let fields = ["pane_id", "window_id", "client_tty"];
    let records = match records(tmux, &["list-clients"], &fields) {
        Err(MuxError::NoServer { .. } | MuxError::NoTarget { .. }) => Vec::new(),
        other => other?,
    };
    let client = |record: &Vec<String>| {
        let [pane, window, tty] = record.as_slice() else { return None };
        let (pane, window) = (PaneId::parse(pane).ok()?, WindowId::parse(window).ok()?);
        Some(Client { pane, window, tty: PathBuf::from(tty) })
    };
    records.iter().map(|it| client(it).ok_or_else(|| unreadable(it))).collect()
}

/// Lists things with fields that may hold anything, even line ends and whole forged lines: fields
/// and records are marked by a word that nobody can know before the call.
fn records(tmux: &Tmux, command: &[&str], fields: &[&str]) -> Result<Vec<Vec<String>>, MuxError> {
    let nonce = random::nonce().map_err(|err| tmux.no_answer(err.to_string()))?;
    let (start, between) = (format!("<{nonce}>"), format!("|{nonce}|"));
    let fields: Vec<String> = fields.iter().map(|it| format!("#{{{it}}}")).collect();
    let format = format!("{start}{}", fields.join(&between));
    let output = tmux.call(command.iter().copied().chain(["-F", &format]))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text
        .split(start.as_str())
        .skip(1)
        .map(|record| record.strip_suffix('\n').unwrap_or(record))
        .map(|record| record.split(between.as_str()).map(str::to_owned).collect())
        .collect())
}

fn pane(record: &[String]) -> Option<Pane> {
    let mut fields = record.iter();
    let mut next = || fields.next();
    let server = next()?.parse().ok()?;
    let (id, window) = (PaneId::parse(next()?).ok()?, WindowId::parse(next()?).ok()?);
    let session = SessionId::parse(next()?).ok()?;
    let pid = next()?.parse().ok()?;
    let is_dead = next()? == "1";
    let death = PaneDeath {
        status: next()?.parse().ok(),
        signal: next()?.parse().ok(),
        at: next()?.parse().ok(),
    };
    let in_mode = next()?.parse().is_ok_and(|count: u32| count > 0);
    let attached = next()?.parse().unwrap_or(0);
    let is_in_front = [next()?, next()?].iter().all(|it| *it == "1");
    Some(Pane {
        id,
        window,
        session,
        pid,
        death: is_dead.then(|| completed(death, pid, server)),
        in_mode,
        attached,
        is_watched: attached > 0 && is_in_front,
        tty: PathBuf::from(next()?),
        uid: some(next()?),
        state: some(next()?),
        project: some(next()?),
        session_name: next()?.clone(),
        label: some(next()?),
        window_name: next()?.clone(),
        title: next()?.clone(),
        start_command: next()?.clone(),
        current_command: next()?.clone(),
    })
}

/// tmux 3.3a now and then misses the end of a child: the pane is dead, its status stays empty, its
/// death hook does not run, and the process waits to be asked. The kernel knows how it ended.
fn completed(death: PaneDeath, pid: u32, server: u32) -> PaneDeath {
    if death.status.is_some() || death.signal.is_some() {
        return death;
    }
    match proc::unreaped_exit(pid, server) {
        Some(Exit::Code(code)) => PaneDeath { status: Some(code), ..death },
        Some(Exit::Signal(signal)) => PaneDeath { signal: Some(signal), ..death },
        None => death,
    }
}

fn state_of(pid: &str) -> ServerState {
    match pid.trim().parse().ok().and_then(proc::identity) {
        Some(identity) => ServerState::Running(identity),
        None => ServerState::NoAnswer { reason: format!("its process {pid:?} is not to be seen") },
    }
}

fn not_running(err: MuxError) -> Result<ServerState, MuxError> {
    match err {
        MuxError::NoServer { .. } => Ok(ServerState::NoServer),
        MuxError::NoAnswer { reason, .. } => Ok(ServerState::NoAnswer { reason }),
        other => Err(other),
    }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn unreadable(record: &[String]) -> MuxError {
    MuxError::Unreadable { program: PROGRAM, answer: record.join("|") }
}
