//! Where each client keeps its settings, its skills and its extensions.

use std::path::{Path, PathBuf};

use drover_host::env::{self, Env};
use serde_json::{Value, json};

use super::{json as json_text, mark::Made, toml as toml_text};
use crate::engines::Kind;
use crate::error::{LinkError, OpError, Result, at_file};

/// The name under which a client knows our server.
pub(super) const NAME: &str = "drover";

/// How long a client waits for one call: as long as a wait may be asked to take, and more.
const CALL_SECONDS: u64 = 24 * 3600;

/// What Codex has to hand on to a server; the others hand on everything.
const HANDED_ON: [&str; 12] = [
    "DROVER_AGENT",
    "DROVER_AGENT_UID",
    "DROVER_MUX",
    "DROVER_PROJECT",
    "DROVER_STATE_DIR",
    "DROVER_TMUX_SOCKET",
    "DROVER_TOKEN",
    "TMUX",
    "TMUX_PANE",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// What pi shows its model at once; the other tools it lets the model look for.
const SHOWN_AT_ONCE: [&str; 12] = [
    "agent_list",
    "agent_send",
    "agent_spawn",
    "agent_wait",
    "me_show",
    "state",
    "task_add",
    "task_claim",
    "task_close",
    "task_next",
    "task_note",
    "task_show",
];

/// The places of one client.
#[derive(Debug, Clone)]
pub(super) struct Places {
    pub(super) settings: Settings,
    /// The folder of our skill.
    pub(super) skill: PathBuf,
    /// Where an extension of ours goes, where the client has such.
    pub(super) extension: Option<PathBuf>,
}

/// A settings file and how it is written.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) path: PathBuf,
    is_toml: bool,
}

impl Places {
    /// Finds them by the variables that each client goes by.
    pub(super) fn of(env: &Env, client: Kind) -> Result<Self> {
        let json = |path: PathBuf| Settings { path, is_toml: false };
        Ok(match client {
            Kind::Claude => {
                let home = env.directory("CLAUDE_CONFIG_DIR", ".claude")?;
                let settings = match env.get("CLAUDE_CONFIG_DIR") {
                    Some(_) => home.join(".claude.json"),
                    None => env.directory("HOME", "")?.join(".claude.json"),
                };
                Self {
                    settings: json(settings),
                    skill: home.join("skills").join(NAME),
                    extension: None,
                }
            }
            Kind::Codex => {
                let home = env.directory("CODEX_HOME", ".codex")?;
                let settings = Settings { path: home.join("config.toml"), is_toml: true };
                Self { settings, skill: home.join("skills").join(NAME), extension: None }
            }
            Kind::Pi => {
                let home = env.directory("PI_CODING_AGENT_DIR", ".pi/agent")?;
                Self {
                    settings: json(home.join("mcp.json")),
                    skill: home.join("skills").join(NAME),
                    extension: Some(home.join("extensions/drover.ts")),
                }
            }
        })
    }
}

/// What a client is to be told of our server.
pub(super) fn entry(client: Kind) -> Result<Value> {
    let program = program()?;
    Ok(match client {
        Kind::Claude => json!({ "type": "stdio", "command": program, "args": ["mcp"] }),
        Kind::Codex => json!({
            "command": program,
            "args": ["mcp"],
            "env_vars": HANDED_ON,
            "tool_timeout_sec": CALL_SECONDS,
        }),
        Kind::Pi => {
            let shown = SHOWN_AT_ONCE.iter().map(|it| ((*it).to_owned(), json!("direct")));
            json!({
                "command": program,
                "args": ["mcp"],
                "description": "A crew of coding agents and its tasks",
                "timeout": CALL_SECONDS,
                "exposure": "deferred",
                "toolExposure": Value::Object(shown.collect()),
            })
        }
    })
}

/// This program, by its place.
pub(super) fn program() -> Result<String> {
    let program = env::current_exe().map_err(at_file("this program"))?;
    program.into_os_string().into_string().map_err(|program| {
        OpError::Usage(format!(
            "the path of this program is no text: {}",
            Path::new(&program).display()
        ))
    })
}

impl Settings {
    /// The text of a file that is not there yet.
    pub(super) fn blank(&self) -> &'static str {
        if self.is_toml { "" } else { "{}\n" }
    }

    /// The entry, where there is one.
    pub(super) fn find(&self, text: &str) -> Result<Option<Value>> {
        self.read(if self.is_toml {
            toml_text::find(text, NAME)
        } else {
            json_text::find(text, NAME)
        })
    }

    /// What putting an entry in would make besides it.
    pub(super) fn made(&self, text: &str) -> Result<Made> {
        self.read(if self.is_toml { Ok(Made::default()) } else { json_text::made(text) })
    }

    /// The text with the entry, in place of the one that is there.
    pub(super) fn put(&self, text: &str, entry: &Value, is_there: bool) -> Result<String> {
        self.read(match (self.is_toml, is_there) {
            (true, false) => toml_text::put(text, NAME, entry),
            (true, true) => toml_text::replace(text, NAME, entry),
            (false, false) => json_text::put(text, NAME, entry),
            (false, true) => json_text::replace(text, NAME, entry),
        })
    }

    /// The text without the entry.
    pub(super) fn take(&self, text: &str, made: Made) -> Result<String> {
        self.read(if self.is_toml {
            toml_text::take(text, NAME)
        } else {
            json_text::take(text, NAME, made)
        })
    }

    /// Whether nothing but what a new file begins with is left.
    pub(super) fn is_bare(&self, text: &str) -> bool {
        if self.is_toml { text.trim().is_empty() } else { json_text::is_bare(text) }
    }

    fn read<T>(&self, result: std::result::Result<T, String>) -> Result<T> {
        result.map_err(|why| LinkError::Unreadable { path: self.path.clone(), why }.into())
    }
}
