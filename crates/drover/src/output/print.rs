//! The only place that prints: one JSON line, or a card with its `Next:` list.

use std::io::Write as _;

use serde_json::{Value, json};

use super::envelope::{Next, Report, Spoken};
use super::table::visible;

/// How answers are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON object on one line.
    Json,
}

/// Prints answers in one format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    pub(crate) format: Format,
    /// No hints and no warnings.
    pub(crate) is_quiet: bool,
}

/// What surrounds an answer.
#[derive(Debug, Default)]
pub(crate) struct Around {
    pub(crate) warnings: Vec<String>,
    /// What a dry run would have done outside; `None` when it was no dry run.
    pub(crate) effects: Option<Vec<String>>,
    pub(crate) is_deduplicated: bool,
}

impl Printer {
    /// Prints an answer and returns its exit code.
    pub(crate) fn report(self, report: &Report, around: &Around) -> u8 {
        match self.format {
            Format::Json => print_line(&success(report, around)),
            Format::Text => self.card(report, around),
        }
        report.exit()
    }

    /// Prints a refusal and returns its exit code.
    pub(crate) fn refusal(self, spoken: &Spoken, around: &Around) -> u8 {
        match self.format {
            Format::Json => print_line(&failure(spoken, around)),
            Format::Text => {
                let mut stderr = anstream::stderr().lock();
                let _ = writeln!(stderr, "error: {}", visible(&spoken.error));
                let nearest: Vec<&str> = spoken.data["nearest"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|it| it.as_str())
                    .collect();
                if !nearest.is_empty() {
                    let _ = writeln!(stderr, "did you mean {}?", visible(&nearest.join(" or ")));
                }
                self.warn(&around.warnings);
                print_next(&mut stderr, &spoken.next);
            }
        }
        spoken.exit()
    }

    fn card(self, report: &Report, around: &Around) {
        let mut stdout = anstream::stdout().lock();
        if let Some(effects) = &around.effects {
            let _ = writeln!(stdout, "Dry run: nothing was changed.");
            for effect in effects {
                let _ = writeln!(stdout, "  would {}", visible(effect));
            }
        }
        let card = report.card.trim_end_matches('\n');
        if !card.is_empty() {
            let _ = writeln!(stdout, "{card}");
        }
        if !self.is_quiet {
            print_next(&mut stdout, &report.next);
        }
        let _ = stdout.flush();
        self.warn(&around.warnings);
    }

    fn warn(self, warnings: &[String]) {
        if self.is_quiet {
            return;
        }
        let mut stderr = anstream::stderr().lock();
        for warning in warnings {
            let _ = writeln!(stderr, "warning: {}", visible(warning));
        }
    }
}

fn print_next(out: &mut impl std::io::Write, next: &[Next]) {
    if next.is_empty() {
        return;
    }
    let widest = next.iter().map(|it| it.why.chars().count()).max().unwrap_or(0);
    let _ = writeln!(out, "\nNext:");
    for step in next {
        let _ = writeln!(out, "  {:widest$} : {}", step.why, step.run);
    }
}

/// Prints one JSON object on one line.
pub(crate) fn print_line(value: &Value) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{value}");
    let _ = stdout.flush();
}

/// The JSON of an answer.
pub(crate) fn success(report: &Report, around: &Around) -> Value {
    let mut envelope = json!({
        "schema": 1,
        "ok": report.exit() == 0,
        "outcome": report.outcome,
        "data": report.data,
        "next": report.next,
        "warnings": around.warnings,
        "deduplicated": around.is_deduplicated,
        "dry_run": around.effects.is_some(),
    });
    if let (Some(effects), Some(map)) = (&around.effects, envelope.as_object_mut()) {
        map.insert("effects".to_owned(), json!(effects));
    }
    if report.exit() != 0
        && let Some(map) = envelope.as_object_mut()
    {
        let sentence =
            report.card.lines().find(|it| !it.trim().is_empty()).unwrap_or(&report.outcome);
        map.insert("error".to_owned(), json!(sentence));
        map.insert("exit".to_owned(), json!(report.exit()));
    }
    envelope
}

/// The JSON of a refusal.
pub(crate) fn failure(spoken: &Spoken, around: &Around) -> Value {
    json!({
        "schema": 1,
        "ok": false,
        "outcome": spoken.outcome,
        "error": spoken.error,
        "exit": spoken.exit(),
        "data": spoken.data,
        "next": spoken.next,
        "warnings": around.warnings,
        "deduplicated": around.is_deduplicated,
        "dry_run": around.effects.is_some(),
    })
}

/// Says on standard error what is going on, one line at a time.
pub(crate) fn progress(line: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{}", visible(line));
}

/// Asks a yes-or-no question on the terminal; anything but yes is no.
pub(crate) fn ask(question: &str) -> bool {
    let mut stderr = anstream::stderr().lock();
    let _ = write!(stderr, "{question} [y/N] ");
    let _ = stderr.flush();
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
