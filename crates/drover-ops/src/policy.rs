//! Policy: what a project allows, from its rows, else from `config.toml`, else the default.

use std::time::Duration;

use drover_core::duration::Limit;
use drover_store::projects::{self, Project};

use crate::ctx::Ctx;
use crate::error::Result;

/// A policy key: its name, its default in words, and what it is for.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The name.
    pub name: &'static str,
    /// The default, as it is shown.
    pub default: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// Every policy key there is.
pub const KEYS: &[Key] = &[
    Key { name: "attempts", default: "3", about: "how often dispatch tries a task that was lost" },
    Key {
        name: "bring",
        default: "",
        about: "ignored files that a new workspace gets from its source, by commas",
    },
    Key {
        name: "tracks",
        default: "shared",
        about: "exclusive: at most one agent on each track; shared: no such rule",
    },
    Key {
        name: "verify",
        default: "",
        about: "the command that proves a task done when it names none itself",
    },
    Key { name: "verify_timeout", default: "10m", about: "how long such a command may take" },
    Key { name: "wip", default: "workers", about: "how many tasks may be in progress at once" },
];

/// The policy of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How often dispatch tries a task that was lost.
    pub attempts: i64,
    /// Ignored files that a new workspace gets from its source.
    pub bring: Vec<String>,
    /// At most one agent on each track.
    pub is_exclusive_by_track: bool,
    /// The command that proves a task done when it names none itself.
    pub verify: Option<String>,
    /// How long such a command may take; `None` is for ever.
    pub verify_timeout: Option<Duration>,
    /// How many tasks may be in progress at once; `None` is the number of workers.
    pub wip: Option<usize>,
}

impl Policy {
    /// The policy that holds for a project.
    pub fn of(ctx: &Ctx, project: &Project) -> Result<Self> {
        let rows = projects::policy(&ctx.read(), project.pk)?;
        let config = ctx.config()?;
        let value = |key: &str| {
            let row = rows.iter().find(|it| it.0 == key).map(|it| it.1.as_str());
            row.or_else(|| config.policy.get(key).map(String::as_str)).filter(|it| !it.is_empty())
        };
        let timeout = value("verify_timeout").and_then(|it| Limit::parse(it).ok());
        Ok(Self {
            attempts: value("attempts").and_then(|it| it.parse().ok()).unwrap_or(3),
            bring: value("bring").map(list).unwrap_or_default(),
            is_exclusive_by_track: value("tracks") == Some("exclusive"),
            verify: value("verify").map(str::to_owned),
            verify_timeout: match timeout {
                Some(Limit::For(time)) => Some(time),
                Some(Limit::Never) => None,
                Some(Limit::AtOnce) | None => Some(Duration::from_mins(10)),
            },
            wip: value("wip").and_then(|it| it.parse().ok()),
        })
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Refuses an unknown key or a value out of its range, in words that name what is allowed.
pub fn check(key: &str, value: &str) -> std::result::Result<(), String> {
    let whole = |most: u64| match value.parse::<u64>() {
        Ok(number) if (1..=most).contains(&number) => Ok(()),
        _ => Err(format!("{value:?} is not a whole number from 1 to {most}")),
    };
    match key {
        "wip" if value == "workers" => Ok(()),
        "attempts" | "wip" => whole(1000),
        "tracks" if ["exclusive", "shared"].contains(&value) => Ok(()),
        "tracks" => Err(format!("{value:?} is neither exclusive nor shared")),
        "verify_timeout" => match Limit::parse(value) {
            Ok(Limit::AtOnce) => Err("a command needs some time".to_owned()),
            Ok(Limit::For(_) | Limit::Never) => Ok(()),
            Err(err) => Err(err.to_string()),
        },
        "verify" => Ok(()),
        "bring" => match list(value)
            .iter()
            .find(|it| it.starts_with('/') || it.split('/').any(|part| part == ".."))
        {
            Some(path) => Err(format!("{path:?} does not stay in the repository")),
            None => Ok(()),
        },
        _ => {
            let names: Vec<&str> = KEYS.iter().map(|it| it.name).collect();
            Err(format!("there is no such key; there are {}", names.join(", ")))
        }
    }
}
