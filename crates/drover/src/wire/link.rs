//! What chat agents were told of Drover, as JSON.

use drover_ops::link::{Linked, Standing, State};
use schemars::JsonSchema;
use serde::Serialize;

use super::Items;

/// What `link` and `unlink` did, or would do.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClientLinked {
    /// The client: `pi`, `claude` or `codex`.
    client: String,
    /// Each file.
    files: Items<LinkedFile>,
}

/// One file of a client.
#[derive(Debug, Serialize, JsonSchema)]
struct LinkedFile {
    /// What it is: `mcp`, `skill` or `extension`.
    part: &'static str,
    /// Where it is.
    path: String,
    /// `added`, `updated`, `replaced`, `unchanged`, `removed` or `absent`.
    done: &'static str,
}

impl From<&Linked> for ClientLinked {
    fn from(linked: &Linked) -> Self {
        let files = linked.files.iter().map(|(part, path, done)| LinkedFile {
            part: part.as_str(),
            path: path.display().to_string(),
            done: done.as_str(),
        });
        Self { client: linked.client.name().to_owned(), files: files.collect() }
    }
}

/// How one part of a client stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkView {
    /// The client: `pi`, `claude` or `codex`.
    client: String,
    /// What it is: `mcp`, `skill` or `extension`.
    part: &'static str,
    /// Its file or folder.
    path: String,
    /// `linked`, `stale`, `edited`, `absent` or `unusable`.
    state: &'static str,
    /// Of a stale one: the version that wrote it.
    version: Option<String>,
    /// Of an unusable one: why.
    why: Option<String>,
}

impl From<&Standing> for LinkView {
    fn from(standing: &Standing) -> Self {
        let (version, why) = match &standing.state {
            State::Stale { version } => (Some(version.clone()), None),
            State::Unusable { why } => (None, Some(why.clone())),
            State::Absent | State::Linked | State::Edited => (None, None),
        };
        Self {
            client: standing.client.name().to_owned(),
            part: standing.part.as_str(),
            path: standing.path.display().to_string(),
            state: standing.state.as_str(),
            version,
            why,
        }
    }
}

/// A page of the skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkillPage {
    /// Its name; null for the guide itself.
    pub(crate) name: Option<String>,
    /// Its text, in Markdown.
    pub(crate) text: String,
    /// The names of all recipes.
    pub(crate) recipes: Items<String>,
}
