//! The closed list of policy keys, and what each may hold.

use drover_core::duration::Limit;
use drover_core::usage::Budget;

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
        name: "budget",
        default: "",
        about: "how much its agents may use before you are told: `12.50 usd`, `2000000 tokens`",
    },
    Key {
        name: "delegates",
        default: "4",
        about: "how many delegates work at once; four times as many may wait",
    },
    Key {
        name: "idle_after",
        default: "5m",
        about: "how long an agent may be idle with a task, or as a helper, until it is pointed out",
    },
    Key {
        name: "setup_timeout",
        default: "10m",
        about: "how long the setup hook of a new workspace may take",
    },
    Key {
        name: "tracks",
        default: "shared",
        about: "exclusive: at most one agent on each track; shared: no such rule",
    },
    Key {
        name: "trust_workspaces",
        default: "no",
        about: "yes: an agent in a workspace that Drover made trusts what the repository brings for it",
    },
    Key {
        name: "verify",
        default: "",
        about: "the command that proves a task done when it names none itself",
    },
    Key { name: "verify_timeout", default: "10m", about: "how long such a command may take" },
    Key { name: "wip", default: "workers", about: "how many tasks may be in progress at once" },
];

/// Refuses an unknown key or a value out of its range, in words that name what is allowed.
pub fn check(key: &str, value: &str) -> std::result::Result<(), String> {
    let whole = |most: u64| match value.parse::<u64>() {
        Ok(number) if (1..=most).contains(&number) => Ok(()),
        _ => Err(format!("{value:?} is not a whole number from 1 to {most}")),
    };
    match key {
        "wip" if value == "workers" => Ok(()),
        "attempts" | "wip" => whole(1000),
        "delegates" => whole(100),
        "tracks" if ["exclusive", "shared"].contains(&value) => Ok(()),
        "tracks" => Err(format!("{value:?} is neither exclusive nor shared")),
        "trust_workspaces" if ["no", "yes"].contains(&value) => Ok(()),
        "trust_workspaces" => Err(format!("{value:?} is neither no nor yes")),
        "setup_timeout" | "verify_timeout" => match Limit::parse(value) {
            Ok(Limit::AtOnce) => Err("a command needs some time".to_owned()),
            Ok(Limit::For(_) | Limit::Never) => Ok(()),
            Err(err) => Err(err.to_string()),
        },
        "idle_after" => Limit::parse(value).map(|_| ()).map_err(|err| err.to_string()),
        "budget" if Budget::parse(value).is_some() => Ok(()),
        "budget" => {
            Err(format!("{value:?} is neither money, as `12.50 usd`, nor `2000000 tokens`"))
        }
        "verify" => Ok(()),
        "bring" => match list(value)
            .iter()
            .find(|it| it.starts_with('/') || it.split('/').any(|part| part == ".."))
        {
            Some(path) => Err(format!("{path:?} does not stay in the repository")),
            None => match list(value).iter().find(|it| it.contains(['*', '?', '['])) {
                Some(path) => Err(format!("{path:?} is a pattern; name each file")),
                None => Ok(()),
            },
        },
        _ => {
            let names: Vec<&str> = KEYS.iter().map(|it| it.name).collect();
            Err(format!("there is no such key; there are {}", names.join(", ")))
        }
    }
}

/// The parts of a list separated by commas.
pub(crate) fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}
