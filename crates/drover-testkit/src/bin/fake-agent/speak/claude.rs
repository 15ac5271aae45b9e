//! Claude Code's status file, and the hooks that its settings name, as the terminal goes on.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::session::Session;
use crate::habit::Habit;

/// What follows the terminal.
#[derive(Debug)]
pub(crate) struct Claude {
    session: Session,
    habit: Option<Habit>,
    settings: Value,
    file: Option<PathBuf>,
    started: String,
    turns: u64,
}

impl Claude {
    /// Writes the first status and calls the hook of a session that begins.
    pub(super) fn start(session: Session, habit: Option<Habit>) -> std::io::Result<Self> {
        let home = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).or_else(|| {
            let home = std::env::var_os("HOME")?;
            Some(PathBuf::from(home).join(".claude"))
        });
        let file = home.map(|it| it.join(format!("sessions/{}.json", std::process::id())));
        let settings = session.value("--settings").map(settings).transpose()?.unwrap_or_default();
        let stat = std::fs::read_to_string("/proc/self/stat")?;
        let after_name = stat.rsplit_once(')').map_or("", |it| it.1);
        let started = after_name.split_whitespace().nth(19).unwrap_or_default().to_owned();
        let claude = Self { session, habit, settings, file, started, turns: 0 };
        claude.status("idle", None)?;
        claude.call("SessionStart", json!({"source": "startup"}))?;
        Ok(claude)
    }

    pub(super) fn notice(&mut self, event: &Value, submitted: &[u8]) -> std::io::Result<()> {
        let prompt = String::from_utf8_lossy(submitted);
        match event["event"].as_str() {
            Some("turn_start") => {
                self.status("busy", None)?;
                let prompt = match self.habit {
                    Some(Habit::ClaimsTooMuch) => json!("something else"),
                    _ => json!(prompt),
                };
                self.call("UserPromptSubmit", json!({"prompt": prompt}))
            }
            Some("turn_end") => {
                self.turns += 1;
                self.call(
                    "Stop",
                    json!({"last_assistant_message": format!("answer {}", self.turns)}),
                )?;
                self.status("idle", None)
            }
            // Nothing is called when a turn is stopped, as in the real one.
            Some("interrupted" | "dialog_answered") => self.status("idle", None),
            Some("dialog_shown") => self.status("waiting", Some("permission prompt")),
            _ => Ok(()),
        }
    }

    fn status(&self, status: &str, waits_for: Option<&str>) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis();
        let started = match self.habit {
            Some(Habit::OldStatus) => "1",
            _ => &self.started,
        };
        let mut value = json!({
            "pid": std::process::id(), "sessionId": self.session.id(),
            "cwd": std::env::current_dir()?, "procStart": started, "version": "2.1.332",
            "kind": "interactive", "entrypoint": "cli", "name": "stand-in", "status": status,
            "updatedAt": now, "statusUpdatedAt": now,
        });
        if let Some(what) = waits_for {
            value["waitingFor"] = json!(what);
        }
        let text = match self.habit {
            Some(Habit::Silent) => return Ok(()),
            Some(Habit::Garbage) => "\0{]not a status".to_owned(),
            Some(Habit::HalfALine) => {
                let whole = value.to_string();
                whole.chars().take(whole.len() / 2).collect()
            }
            Some(Habit::OtherVersion) => json!({"v": 99}).to_string(),
            _ => value.to_string(),
        };
        if let Some(directory) = file.parent() {
            std::fs::create_dir_all(directory)?;
        }
        std::fs::write(file, text)
    }

    /// Calls the hooks of an event, and waits for each, as the real one does.
    fn call(&self, event: &str, mut input: Value) -> std::io::Result<()> {
        if self.habit == Some(Habit::Silent) {
            return Ok(());
        }
        input["hook_event_name"] = json!(event);
        input["session_id"] = json!(self.session.id());
        input["cwd"] = json!(std::env::current_dir()?);
        let groups = self.settings["hooks"][event].as_array().into_iter().flatten();
        let hooks = groups.flat_map(|it| it["hooks"].as_array().into_iter().flatten());
        let times = if self.habit == Some(Habit::Twice) { 2 } else { 1 };
        for command in hooks.filter_map(|it| it["command"].as_str()) {
            for _ in 0..times {
                run(command, &input)?;
            }
        }
        Ok(())
    }
}

fn settings(text: &str) -> std::io::Result<Value> {
    let read = if text.trim_start().starts_with('{') {
        text.to_owned()
    } else {
        std::fs::read_to_string(text)?
    };
    Ok(serde_json::from_str(&read)?)
}

fn run(command: &str, input: &Value) -> std::io::Result<()> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = shell.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A hook need not read what it is told.
        let _ = stdin.write_all(input.to_string().as_bytes());
    }
    child.wait()?;
    Ok(())
}
