//! The processes that an agent leaves behind, and the agent inside the agent.

use std::ffi::OsString;
use std::io::{Error, Result};
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

/// They end by themselves, should nobody end them.
const IGNORES_HANGUP: &str = "trap '' HUP; sleep 900 </dev/null >/dev/null 2>&1 & echo $!";
const OWN_SESSION: &str = "setsid sleep 900 </dev/null >/dev/null 2>&1 & echo $!";

/// Leaves two children of init behind; returns the events that name them.
pub(crate) fn leave_orphans() -> Result<Vec<Value>> {
    let orphans = [("ignores_hangup", IGNORES_HANGUP), ("own_session", OWN_SESSION)];
    let start = |(kind, script)| {
        let output = Command::new("/bin/sh").args(["-c", script]).output()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let orphan: u32 = text.parse().map_err(|_| Error::other("the shell named no pid"))?;
        Ok(json!({"event": "orphan", "kind": kind, "orphan": orphan}))
    };
    orphans.into_iter().map(start).collect()
}

/// Runs the same program with the same switches inside, on this terminal, until it ends.
pub(crate) fn run_nested(record: Option<&PathBuf>) -> Result<()> {
    let own = std::env::args_os().skip(1).filter(|word| word != "--nested");
    let mut words: Vec<OsString> = own.collect();
    if let Some(record) = record {
        let mut nested = record.clone().into_os_string();
        nested.push(".nested");
        words.extend(["--record".into(), nested]);
    }
    Command::new(std::env::current_exe()?).args(words).status()?;
    Ok(())
}
