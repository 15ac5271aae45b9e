//! The only place that prints: one JSON line, or a card with its `Next:` list.

use std::io::{self, Write as _};

use serde::Serialize;
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
        let printed = match self.format {
            Format::Json => print_line(&success(report, around)),
            Format::Text => self.card(report, around),
        };
        exit_after(&printed, report.exit())
    }

    /// Prints a refusal and returns its exit code.
    pub(crate) fn refusal(self, spoken: &Spoken, around: &Around) -> u8 {
        match self.format {
            Format::Json => {
                return exit_after(&print_line(&failure(spoken, around)), spoken.exit());
            }
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
                self.warn(around);
                let _ = print_next(&mut stderr, &spoken.next);
            }
        }
        spoken.exit()
    }

    fn card(self, report: &Report, around: &Around) -> io::Result<()> {
        let mut stdout = anstream::stdout().lock();
        let printed = self.print_card(&mut stdout, report, around).and_then(|()| stdout.flush());
        self.warn(around);
        printed
    }

    fn print_card(
        self,
        out: &mut impl io::Write,
        report: &Report,
        around: &Around,
    ) -> io::Result<()> {
        if let Some(effects) = &around.effects {
            writeln!(out, "Dry run: nothing was changed.")?;
            for effect in effects {
                writeln!(out, "  would {}", visible(effect))?;
            }
        }
        let card = report.card.trim_end_matches('\n');
        if !card.is_empty() {
            writeln!(out, "{card}")?;
        }
        if self.is_quiet { Ok(()) } else { print_next(out, &report.next) }
    }

    fn warn(self, around: &Around) {
        if self.is_quiet {
            return;
        }
        let mut stderr = anstream::stderr().lock();
        if around.is_deduplicated {
            let _ =
                writeln!(stderr, "note: this is the answer that the first call with this key got");
        }
        for warning in &around.warnings {
            let _ = writeln!(stderr, "warning: {}", visible(warning));
        }
    }
}

fn print_next(out: &mut impl io::Write, next: &[Next]) -> io::Result<()> {
    if next.is_empty() {
        return Ok(());
    }
    let widest = next.iter().map(|it| it.why.chars().count()).max().unwrap_or(0);
    writeln!(out, "\nNext:")?;
    next.iter().try_for_each(|it| writeln!(out, "  {:widest$} : {}", it.why, it.run))
}

/// Prints one JSON object on one line.
pub(crate) fn print_line(value: &impl Serialize) -> io::Result<()> {
    // Whole, so that it goes out in one write.
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(&line)?;
    stdout.flush()
}

/// The exit code once an answer was printed, or could not be: then 1 instead of 0.
///
/// Whoever closed the pipe has read what they wanted.
pub(crate) fn exit_after(printed: &io::Result<()>, exit: u8) -> u8 {
    match printed {
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => {
            let mut stderr = anstream::stderr().lock();
            let _ = writeln!(stderr, "error: the answer could not be written: {err}");
            let _ = writeln!(stderr, "what was done is done: drover log");
            exit.max(1)
        }
        _ => exit,
    }
}

/// The JSON of an answer, which can be long and is not copied.
#[derive(Serialize)]
pub(crate) struct Answer<'a> {
    schema: u8,
    ok: bool,
    outcome: &'a str,
    data: &'a Value,
    next: &'a [Next],
    warnings: &'a [String],
    deduplicated: bool,
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<u8>,
}

/// The JSON of an answer.
pub(crate) fn success<'a>(report: &'a Report, around: &'a Around) -> Answer<'a> {
    let exit = Some(report.exit()).filter(|it| *it != 0);
    let sentence = || {
        let mut lines = report.card.lines();
        lines.find(|it| !it.trim().is_empty()).unwrap_or(&report.outcome)
    };
    Answer {
        schema: 1,
        ok: exit.is_none(),
        outcome: &report.outcome,
        data: &report.data,
        next: &report.next,
        warnings: &around.warnings,
        deduplicated: around.is_deduplicated,
        dry_run: around.effects.is_some(),
        effects: around.effects.as_deref(),
        error: exit.map(|_| sentence()),
        exit,
    }
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
