//! Manual pages and completions as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::Items;

/// A manual page.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManualPage {
    /// The name of its file.
    pub(crate) name: String,
    /// The page, as `man` reads it.
    pub(crate) text: String,
}

/// Manual pages that were written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManualPages {
    /// The files.
    pub(crate) pages: Items<String>,
}

/// What a shell reads to complete words.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CompletionScript {
    /// The shell.
    pub(crate) shell: String,
    /// The script.
    pub(crate) script: String,
}
