//! What is refused about the log and its groups.

/// Something that stands in the way of taking back a row change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    /// The kind of row.
    pub entity: String,
    /// What the row is called.
    pub subject: String,
    /// What is in the way.
    pub what: String,
    /// The fields that were changed since.
    pub fields: Vec<String>,
    /// The later group that changed it.
    pub group: Option<String>,
    /// Who made that change.
    pub actor: Option<String>,
}

impl std::fmt::Display for Superseded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} `{}`: {}", self.entity.replace('_', " "), self.subject, self.what)?;
        if let Some(actor) = &self.actor {
            write!(formatter, " by {actor}")?;
        }
        if let Some(group) = &self.group {
            let short: String = group.chars().take(8).collect();
            write!(formatter, " in {short}")?;
        }
        Ok(())
    }
}

/// Why the log cannot be read so, or a group not be taken back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A beginning that is none.
    #[error(
        "{given:?} is neither a position, a time nor a span; write 120, 8h or 2026-01-02T03:04:05Z"
    )]
    Since {
        /// The text.
        given: String,
    },
    /// It does not tell the rows as they are.
    #[error(
        "the log does not tell the rows as they are, so nothing is taken out of it: {rows} rows differ, {changes} changes find no row"
    )]
    Drifted {
        /// How many rows differ.
        rows: usize,
        /// How many changes find no row.
        changes: usize,
    },
    /// A kind of line that is no word.
    #[error("the kind {given:?} must be a lower-case word of at most 32 letters, digits, _ and -")]
    Kind {
        /// The text.
        given: String,
    },
    /// No group has such an id.
    #[error("no change group has an id that begins with {given:?}")]
    UnknownGroup {
        /// The text.
        given: String,
    },
    /// Several groups do.
    #[error("the ids of several change groups begin with {given:?}: {}", candidates.join(", "))]
    AmbiguousGroup {
        /// The text.
        given: String,
        /// The newest of them.
        candidates: Vec<String>,
    },
    /// Rows of the group were changed since; nothing was taken back.
    #[error("{group} cannot be taken back: {}", list(conflicts))]
    Superseded {
        /// The group.
        group: String,
        /// What is in the way.
        conflicts: Vec<Superseded>,
    },
    /// The group touched only this machine's own rows, which have verbs of their own.
    #[error("{group} touched only rows of this machine, which undo leaves alone")]
    LocalOnly {
        /// The group.
        group: String,
        /// Each change with the command that reverses it.
        changes: Vec<(String, Option<String>)>,
    },
}

fn list(conflicts: &[Superseded]) -> String {
    let shown: Vec<String> = conflicts.iter().take(5).map(ToString::to_string).collect();
    let more = conflicts.len().saturating_sub(5);
    if more == 0 { shown.join("; ") } else { format!("{}; and {more} more", shown.join("; ")) }
}
