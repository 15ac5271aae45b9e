//! The stand-ins: the protocols of the real agents beside the scripted terminal, good manners or bad.

mod claude;
mod codex;
mod pi;
mod session;
mod turns;

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use self::claude::Claude;
use self::session::Session;
use self::turns::Turns;
use crate::options::{Options, Protocol};

/// What is said beside the terminal.
#[derive(Debug)]
pub(crate) enum Speaker {
    /// Nothing.
    Mute,
    /// A socket is served by threads; this is what they share.
    Socket(Arc<Turns>),
    /// A status file and hooks follow what happens in the terminal.
    Claude(Box<Claude>),
}

impl Speaker {
    /// Begins to speak as the options say.
    pub(crate) fn start(options: &Options) -> Result<Self, Box<dyn Error>> {
        let session = Session::of(&options.rest);
        Ok(match options.speak {
            Some(Protocol::Pi) => {
                let turns = turns(options)?;
                pi::serve(Arc::clone(&turns), session, options.habit)?;
                Self::Socket(turns)
            }
            // Its app-server is a process of its own, which `serve` runs; the terminal has nothing to add.
            None | Some(Protocol::Codex) => Self::Mute,
            Some(Protocol::Claude) => {
                Self::Claude(Box::new(Claude::start(session, options.habit)?))
            }
        })
    }

    /// Takes notice of what happened in the terminal; `submitted` is the last text that was.
    pub(crate) fn notice(&mut self, event: &Value, submitted: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Mute => Ok(()),
            Self::Socket(turns) => {
                match event["event"].as_str() {
                    Some("dialog_shown") => turns.set_dialog(event["kind"].as_str()),
                    Some("dialog_answered") => turns.set_dialog(None),
                    _ => {}
                }
                Ok(())
            }
            Self::Claude(claude) => claude.notice(event, submitted),
        }
    }
}

/// Serves as the app-server that a launch starts beside the terminal, if this is one; does not return then.
pub(crate) fn serve(options: &Options) -> Result<bool, Box<dyn Error>> {
    let is_server = options.rest.first().is_some_and(|it| it == "app-server");
    if options.speak != Some(Protocol::Codex) || !is_server {
        return Ok(false);
    }
    let session = Session::of(&options.rest);
    let address = session.value("--listen").unwrap_or_default();
    codex::serve(turns(options)?, address.trim_start_matches("unix://"), options.habit)?;
    Ok(true)
}

fn turns(options: &Options) -> std::io::Result<Arc<Turns>> {
    let record: Option<PathBuf> = options.record.clone();
    let length: Duration = options.turn();
    Ok(Arc::new(Turns::new(record.as_deref(), length)?))
}
