//! The policy of a project: a closed list of keys, each with its type, range and default.

use std::fmt;

use crate::duration::Limit;
use crate::task::OwnedPath;
use crate::word::word_enum;

word_enum! {
    /// What can be set for a project.
    pub enum Key("policy key") {
        /// Ignored files that a new workspace gets a copy of.
        Bring = "bring",
        /// Whether two workers may work on one track at once.
        Tracks = "tracks",
        /// The command that proves a task done which has none of its own.
        Verify = "verify",
        /// How long such a command may run.
        VerifyTimeout = "verify_timeout",
        /// How many tasks of the project may be in progress at once.
        Wip = "wip",
    }
}

word_enum! {
    /// Whether two workers may work on one track at once.
    pub enum Tracks("value of tracks") {
        /// One worker a track, which keeps related work in one head.
        Exclusive = "exclusive",
        /// Any number.
        Shared = "shared",
    }
}

/// The most tasks that can be allowed in progress at once.
pub const WIDEST: usize = 1000;

impl Key {
    /// What the key is for, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Bring => "ignored files that a new workspace gets a copy of, as paths",
            Self::Tracks => "exclusive: one worker a track; shared: any number",
            Self::Verify => "command that proves a task done which has none of its own",
            Self::VerifyTimeout => "how long a verify command may run, as 90s, 10m or never",
            Self::Wip => "how many tasks may be in progress at once, 1 to 1000",
        }
    }

    /// A value in its one form, or why it is none.
    pub fn check(self, value: &str) -> Result<String, PolicyError> {
        let wrong = |problem: String| PolicyError { key: self, value: value.to_owned(), problem };
        match self {
            Self::Bring => paths(value).map(|it| it.join(",")).map_err(wrong),
            Self::Tracks => Tracks::parse(value.trim())
                .map(|it| it.to_string())
                .map_err(|err| wrong(err.to_string())),
            Self::Verify if value.trim().is_empty() => Err(wrong("it is blank".to_owned())),
            Self::Verify if value.contains('\0') => Err(wrong("it has a NUL in it".to_owned())),
            Self::Verify => Ok(value.to_owned()),
            Self::VerifyTimeout => timeout(value).map(|it| it.to_string()).map_err(wrong),
            Self::Wip => width(value).map(|it| it.to_string()).map_err(wrong),
        }
    }
}

fn paths(value: &str) -> Result<Vec<String>, String> {
    let parts = value.split(',').map(|part| match part.trim() {
        "" => Err("a path in it is blank".to_owned()),
        part => OwnedPath::parse(part).map(|it| it.to_string()).map_err(|err| err.to_string()),
    });
    parts.collect()
}

fn timeout(value: &str) -> Result<Limit, String> {
    match Limit::parse(value.trim()) {
        Ok(Limit::AtOnce) => Err("no command ends at once; write a longer time".to_owned()),
        other => other.map_err(|err| err.to_string()),
    }
}

fn width(value: &str) -> Result<usize, String> {
    let number = value.trim().parse().ok().filter(|it| (1..=WIDEST).contains(it));
    number.ok_or_else(|| format!("it goes from 1 to {WIDEST}"))
}

/// A value that a policy key cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} cannot be {value:?}: {problem}")]
pub struct PolicyError {
    /// The key.
    pub key: Key,
    /// The value as given.
    pub value: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The policy of a project, with the defaults of what was not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Ignored files that a new workspace gets a copy of.
    pub bring: Vec<String>,
    /// Whether two workers may work on one track at once.
    pub tracks: Tracks,
    /// The command that proves a task done which has none of its own.
    pub verify: Option<String>,
    /// How long such a command may run.
    pub verify_timeout: Limit,
    /// How many tasks of the project may be in progress at once; none for any number.
    pub wip: Option<usize>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            bring: Vec::new(),
            tracks: Tracks::Shared,
            verify: None,
            verify_timeout: Limit::For(std::time::Duration::from_mins(10)),
            wip: None,
        }
    }
}

impl Policy {
    /// Reads what was set; a stored value that is none (any more) is named.
    pub fn read<'a>(
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, PolicyReadError> {
        let mut policy = Self::default();
        for (key, value) in values {
            let key = Key::parse(key).map_err(|err| PolicyReadError(err.to_string()))?;
            policy.set(key, value).map_err(|err| PolicyReadError(err.to_string()))?;
        }
        Ok(policy)
    }

    fn set(&mut self, key: Key, value: &str) -> Result<(), PolicyError> {
        let wrong = |problem| PolicyError { key, value: value.to_owned(), problem };
        match key {
            Key::Bring => self.bring = paths(value).map_err(wrong)?,
            Key::Tracks => {
                self.tracks = Tracks::parse(value).map_err(|err| wrong(err.to_string()))?;
            }
            Key::Verify => self.verify = Some(key.check(value)?),
            Key::VerifyTimeout => self.verify_timeout = timeout(value).map_err(wrong)?,
            Key::Wip => self.wip = Some(width(value).map_err(wrong)?),
        }
        Ok(())
    }
}

/// A stored policy that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyReadError(String);

impl fmt::Display for PolicyReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the stored policy cannot be read: {}", self.0)
    }
}

impl std::error::Error for PolicyReadError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: Key, value: &str, stored: Option<&str>) {
        assert_eq!(key.check(value).ok().as_deref(), stored, "{key} {value:?}");
    }

    #[test]
    fn a_value_has_one_form() {
        check(Key::Wip, " 3 ", Some("3"));
        check(Key::VerifyTimeout, "600", Some("10m"));
        check(Key::VerifyTimeout, "never", Some("never"));
        check(Key::Tracks, "exclusive", Some("exclusive"));
        check(Key::Bring, ".env, ./config/local.toml", Some(".env,config/local.toml"));
        check(Key::Verify, "cargo test ", Some("cargo test "));
    }

    #[test]
    fn a_value_out_of_its_range_is_refused() {
        for (key, value) in [
            (Key::Wip, "0"),
            (Key::Wip, "1001"),
            (Key::Wip, "3.5"),
            (Key::VerifyTimeout, "0"),
            (Key::VerifyTimeout, "soon"),
            (Key::Tracks, "both"),
            (Key::Bring, "../outside"),
            (Key::Bring, ".env,"),
            (Key::Verify, " "),
        ] {
            check(key, value, None);
        }
        let words = Key::Wip.check("0").unwrap_err().to_string();
        assert_eq!(words, "wip cannot be \"0\": it goes from 1 to 1000");
    }

    #[test]
    fn what_was_not_set_has_its_default() {
        let policy = Policy::read([("wip", "2"), ("bring", ".env,a/b")]).unwrap();
        let expected = Policy {
            wip: Some(2),
            bring: vec![".env".to_owned(), "a/b".to_owned()],
            ..Policy::default()
        };
        assert_eq!(policy, expected);
        assert!(Policy::read([("colour", "red")]).unwrap_err().to_string().contains("colour"));
    }
}
