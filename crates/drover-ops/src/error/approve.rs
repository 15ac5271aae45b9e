//! What is refused about dialogs.

use drover_core::agent::dialog::Dialog;

/// Why a dialog was not answered.
#[derive(Debug, thiserror::Error)]
pub enum ApproveError {
    /// Nothing waits for an answer.
    #[error("no dialog stands on the screen of {agent}")]
    NoDialog {
        /// The agent.
        agent: String,
    },
    /// The answer does not say which dialog it is to.
    #[error("a dialog of {agent} waits for an answer, which must name its digest")]
    Unbound {
        /// The agent.
        agent: String,
        /// What stands there.
        dialog: Box<Dialog>,
    },
    /// What stands there is not what was read.
    #[error("the dialog of {agent} is not the one that was read; nothing was typed")]
    Changed {
        /// The agent.
        agent: String,
        /// What stands there now.
        now: Option<Box<Dialog>>,
    },
    /// Nobody answers such a dialog from outside.
    #[error("the {label} dialog of {agent} is not answered from outside: {why}")]
    NotAnswerable {
        /// The agent.
        agent: String,
        /// What kind of dialog it is.
        label: String,
        /// Why.
        why: String,
    },
    /// No row is the answer.
    #[error("the dialog of {agent} cannot be answered so: {why}")]
    Choice {
        /// The agent.
        agent: String,
        /// Why.
        why: String,
        /// Its answers.
        choices: Vec<String>,
        /// The digest of the dialog.
        digest: String,
    },
    /// A key did not do what it does in such dialogs.
    #[error("whether the dialog of {agent} is answered is not known: {why}")]
    Unmoved {
        /// The agent.
        agent: String,
        /// What was seen.
        why: String,
    },
}
