//! The dialogs that stand between a sender and the composer.

use crate::options::DialogKind;

/// A standing dialog.
#[derive(Clone, Debug)]
pub(crate) struct Dialog {
    kind: DialogKind,
    question: String,
    rows: Vec<&'static str>,
    selected: usize,
}

impl Dialog {
    /// The dialog of this kind; `limit` is the text of `--limit`.
    pub(crate) fn new(kind: DialogKind, limit: Option<&str>) -> Self {
        let (question, rows): (&str, &[&'static str]) = match kind {
            DialogKind::Permission => {
                ("Do you want to proceed?", &["Yes", "Yes, and don't ask again", "No"])
            }
            DialogKind::Question => ("Which one should it be?", &["The first", "The second"]),
            DialogKind::Trust => {
                ("Do you trust the files in this folder?", &["Yes, proceed", "No, exit"])
            }
            DialogKind::Limit => {
                ("You have reached your usage limit", &["Stop and wait", "Switch to another model"])
            }
            DialogKind::Resume => (
                "Resume this conversation?",
                &["Resume from summary", "Resume in full", "Start fresh"],
            ),
            DialogKind::Update => ("Update available!", &["Update now", "Skip"]),
        };
        let question = match limit {
            Some(limit) if kind == DialogKind::Limit => format!("{question} · {limit}"),
            _ => question.to_owned(),
        };
        Self { kind, question, rows: rows.to_vec(), selected: 0 }
    }

    /// Turns into another dialog of its kind, with the rows in the other order.
    pub(crate) fn flip(&mut self) {
        if self.kind == DialogKind::Permission {
            "Do you want to let it use the network?".clone_into(&mut self.question);
        }
        self.rows.reverse();
        self.selected = 0;
    }

    /// Moves the mark by one row, as far as there are rows.
    pub(crate) fn move_by(&mut self, down: bool) {
        let last = self.rows.len() - 1;
        self.selected =
            if down { (self.selected + 1).min(last) } else { self.selected.saturating_sub(1) };
    }

    /// Its kind as a word.
    pub(crate) fn kind_word(&self) -> &'static str {
        match self.kind {
            DialogKind::Permission => "permission",
            DialogKind::Question => "question",
            DialogKind::Trust => "trust",
            DialogKind::Limit => "limit",
            DialogKind::Resume => "resume",
            DialogKind::Update => "update",
        }
    }

    /// The marked row.
    pub(crate) fn choice(&self) -> &'static str {
        self.rows.get(self.selected).copied().unwrap_or_default()
    }

    /// The row with this digit.
    pub(crate) fn row_of(&self, digit: u8) -> Option<&'static str> {
        let number = usize::from(digit.checked_sub(b'1')?);
        self.rows.get(number).copied()
    }

    /// Whether this answer ends the agent.
    pub(crate) fn ends_with(&self, choice: &str) -> bool {
        self.kind == DialogKind::Trust && choice != "Yes, proceed"
    }

    /// Its lines on the screen.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.question.clone()];
        for (number, row) in self.rows.iter().enumerate() {
            let mark = if number == self.selected { '❯' } else { ' ' };
            lines.push(format!("{mark} {}. {row}", number + 1));
        }
        lines.push("enter to choose · esc to cancel".to_owned());
        lines
    }
}
