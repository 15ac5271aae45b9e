//! A dialog on a screen: what it asks, its rows, and the digest that an answer to it is bound to.

use sha2::{Digest as _, Sha256};

use super::screen::{ScreenRule, ScreenRules, is_drawn};
use crate::hex::hex;

/// Dialogs that change the program or a person's account: nobody answers them from outside.
const NEVER: &[&str] =
    &["hooks", "key", "limit", "login", "mcp", "menu", "model", "theme", "update"];

/// A dialog that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// What kind it is, such as `permission`.
    pub label: String,
    /// What it shows from its top to its last row, without the mark of the chosen one and without drawn lines.
    pub text: String,
    /// Its rows, from top to bottom.
    pub rows: Vec<Row>,
    /// The SHA-256 of kind and text in hexadecimal.
    pub digest: String,
}

/// An answer that a dialog offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it says.
    pub label: String,
    /// Whether Enter would choose it now.
    pub is_chosen: bool,
}

/// Which row is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The one that says yes, once.
    Allow,
    /// The one that says no.
    Deny,
    /// The one that says this.
    Row(String),
}

/// Why no row can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRow {
    /// No row says it.
    #[error("none of its answers is {wanted}")]
    Unknown {
        /// What was meant.
        wanted: String,
    },
    /// Several rows say it.
    #[error("{wanted:?} begins more than one of its answers")]
    Ambiguous {
        /// What was meant.
        wanted: String,
    },
}

impl Dialog {
    /// Reads the dialog that stands on a screen, of which more than the usual lines may be given.
    pub fn read(rules: &ScreenRules, screen: &str) -> Option<Self> {
        let (label, found) = rules.dialog_on(screen)?;
        let label = label.unwrap_or_else(|| "permission".to_owned());
        let cursor = rules.cursor.as_deref().unwrap_or_default();
        let rows = rows(cursor, found);
        let text = text(cursor, found, rows.last());
        let digest = hex(&Sha256::digest(format!("{label}\n{text}").as_bytes()));
        Some(Self { label, text, rows, digest })
    }

    /// Whether it may be answered from outside at all.
    pub fn is_answerable(&self) -> bool {
        !NEVER.contains(&self.label.as_str())
    }

    /// Whether it asks to trust the directory.
    pub fn is_trust(&self) -> bool {
        self.label == "trust"
    }

    /// The place of the row that is meant.
    pub fn row(&self, rules: &ScreenRules, answer: &Answer) -> Result<usize, NoRow> {
        match answer {
            Answer::Allow if self.is_trust() => self.by_rules(&rules.trust, "yes"),
            Answer::Allow => self.by_rules(&rules.allow, "yes"),
            Answer::Deny => self.by_rules(&rules.deny, "no"),
            Answer::Row(wanted) => self.by_label(wanted),
        }
    }

    /// The place of the row that Enter would choose now.
    pub fn chosen(&self) -> Option<usize> {
        self.rows.iter().position(|it| it.is_chosen)
    }

    fn by_rules(&self, rules: &[ScreenRule], wanted: &str) -> Result<usize, NoRow> {
        let found = rules
            .iter()
            .find_map(|rule| self.rows.iter().position(|row| rule.pattern.is_match(&row.label)));
        found.ok_or_else(|| NoRow::Unknown { wanted: format!("a plain {wanted}") })
    }

    /// The row of exactly these words, else the only one that begins with them.
    fn by_label(&self, wanted: &str) -> Result<usize, NoRow> {
        let wanted = wanted.trim();
        let lower = wanted.to_lowercase();
        let labels: Vec<String> = self.rows.iter().map(|it| it.label.to_lowercase()).collect();
        if let Some(at) = labels.iter().position(|it| *it == lower) {
            return Ok(at);
        }
        let mut found = labels.iter().enumerate().filter(|(_, it)| it.starts_with(&lower));
        match (found.next(), found.next()) {
            (Some((at, _)), None) if !lower.is_empty() => Ok(at),
            (Some(_), Some(_)) => Err(NoRow::Ambiguous { wanted: wanted.to_owned() }),
            _ => Err(NoRow::Unknown { wanted: format!("{wanted:?}") }),
        }
    }
}

/// The rows around the chosen one: numbered, or standing in the same column without a gap.
fn rows(cursor: &str, text: &str) -> Vec<Row> {
    let lines: Vec<&str> = text.lines().collect();
    let marked = |line: &str| !cursor.is_empty() && line.trim_start().starts_with(cursor);
    let Some(at) = lines.iter().rposition(|it| marked(it)) else { return Vec::new() };
    let Some(line) = lines.get(at) else { return Vec::new() };
    let column = column(cursor, line);
    let said = |line: &str| -> Option<String> {
        let said = if marked(line) { line.trim_start().strip_prefix(cursor)? } else { line };
        Some(said.trim().to_owned())
    };
    let mut rows = Vec::new();
    if said(line).as_deref().is_some_and(|it| numbered(it).is_some()) {
        // Each answer says its number; what stands between them explains them.
        for line in &lines {
            let label = said(line).and_then(|it| numbered(&it));
            if let Some((number, label)) = label {
                if number == 1 {
                    rows.clear();
                }
                if number == rows.len() + 1 {
                    rows.push(Row { label, is_chosen: marked(line) });
                }
            }
        }
        return rows;
    }
    let stands_there =
        |line: &&&str| !line.trim().is_empty() && self::column(cursor, line) == column;
    let above = lines.iter().take(at).rev().take_while(stands_there).count();
    let first = at - above;
    for line in lines.iter().skip(first).take_while(|it| stands_there(it)) {
        let Some(label) = said(line) else { continue };
        rows.push(Row { label, is_chosen: marked(line) });
    }
    rows
}

/// A number and what stands behind it.
fn numbered(line: &str) -> Option<(usize, String)> {
    let (number, label) = line.split_once(". ")?;
    Some((number.parse().ok()?, label.trim().to_owned()))
}

/// In which column the words of a line begin, the mark of the chosen row left out.
fn column(cursor: &str, line: &str) -> usize {
    let is_mark = |it: char| it.is_whitespace() || cursor.contains(it);
    line.chars().take_while(|it| is_mark(*it)).count()
}

/// What is asked, down to the last row: the hints below it follow the row that is chosen.
fn text(cursor: &str, found: &str, last: Option<&Row>) -> String {
    let lines: Vec<String> = found.lines().map(|it| without_cursor(cursor, it)).collect();
    let end = last.and_then(|row| lines.iter().rposition(|it| it.ends_with(&row.label)));
    let end = end.map_or(lines.len(), |it| it + 1);
    let said: Vec<&str> =
        lines.iter().take(end).map(String::as_str).filter(|it| !is_drawn(it)).collect();
    said.join("\n").trim_matches('\n').to_owned()
}

/// A line with the mark of the chosen row as space, and without space at its end.
fn without_cursor(cursor: &str, line: &str) -> String {
    let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
    match rest.strip_prefix(cursor).filter(|_| !cursor.is_empty()) {
        Some(rest) => format!("{indent} {rest}").trim_end().to_owned(),
        None => line.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> ScreenRules {
        let rule = |it: &str, label| vec![ScreenRule::new(it, label).unwrap()];
        ScreenRules {
            dialog: rule(r"^Do you (?:[^\n]*\n)*Esc to cancel\z", Some("permission")),
            cursor: Some("❯".to_owned()),
            allow: rule("^Yes$", None),
            deny: rule("^No$", None),
            ..ScreenRules::default()
        }
    }

    fn read(screen: &str) -> Dialog {
        Dialog::read(&rules(), screen).unwrap()
    }

    fn labels(dialog: &Dialog) -> Vec<&str> {
        dialog.rows.iter().map(|it| it.label.as_str()).collect()
    }

    const NUMBERED: &str =
        "Do you want?\n❯ 1. Yes\n     warm\n  2. Yes, and always\n  3. No\n\nEsc to cancel\n\n";

    #[test]
    fn numbered_rows_are_read_with_what_explains_them_left_out() {
        let dialog = read(NUMBERED);
        assert_eq!(labels(&dialog), ["Yes", "Yes, and always", "No"]);
        assert_eq!(dialog.chosen(), Some(0));
    }

    #[test]
    fn rows_without_numbers_stand_in_the_column_of_the_chosen_one() {
        let dialog = read("Do you trust?\n code\n\n ❯ No, exit\n   Yes, I trust\n\nEsc to cancel");
        assert_eq!(labels(&dialog), ["No, exit", "Yes, I trust"]);
    }

    /// Faults H-06, H-10.
    #[test]
    fn a_row_is_found_by_its_label_wherever_it_stands() {
        let check = |screen: &str, answer: &Answer, row: usize| {
            assert_eq!(read(screen).row(&rules(), answer), Ok(row), "{answer:?}");
        };
        let turned = "Do you want?\n  1. No\n❯ 2. Yes, and always\n  3. Yes\n\nEsc to cancel";
        check(NUMBERED, &Answer::Allow, 0);
        check(turned, &Answer::Allow, 2);
        check(turned, &Answer::Deny, 0);
        check(turned, &Answer::Row("yes, and".to_owned()), 1);
        check(turned, &Answer::Row("YES".to_owned()), 2);
    }

    #[test]
    fn a_label_that_is_not_there_or_not_only_there_chooses_nothing() {
        let dialog = read(NUMBERED);
        let row = |label: &str| dialog.row(&rules(), &Answer::Row(label.to_owned()));
        assert!(matches!(row("maybe"), Err(NoRow::Unknown { .. })));
        assert!(matches!(row("y"), Err(NoRow::Ambiguous { .. })));
        assert!(row("").is_err());
        let asked = read("Do you want?\n❯ 1. Red\n  2. Blue\n\nEsc to cancel");
        assert!(asked.row(&rules(), &Answer::Allow).is_err());
    }

    /// Fault H-06.
    #[test]
    fn the_digest_sees_every_word_and_not_which_row_is_chosen() {
        let moved = NUMBERED.replace("❯ 1", "  1").replace("  2", "❯ 2");
        assert_eq!(read(&moved).digest, read(NUMBERED).digest);
        let other = NUMBERED.replace("want", "wish");
        assert_ne!(read(&other).digest, read(NUMBERED).digest);
    }

    #[test]
    fn the_digest_does_not_see_the_hints_that_follow_the_chosen_row() {
        let hinted = NUMBERED.replace("\nEsc", "\nTab to amend\nEsc");
        assert_eq!(read(&hinted).digest, read(NUMBERED).digest);
    }

    #[test]
    fn a_dialog_that_changes_the_program_is_never_answered() {
        let mut dialog = read(NUMBERED);
        assert!(dialog.is_answerable());
        for label in ["update", "theme", "key", "mcp", "login", "limit"] {
            dialog.label = label.to_owned();
            assert!(!dialog.is_answerable(), "{label}");
        }
    }
}
