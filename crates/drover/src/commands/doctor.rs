//! `drover doctor`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::doctor::{self, Check, Diagnosis, Housekeeping, Measure, Severity};
use drover_ops::{Ctx, Env, OpError};

use crate::error::speak;
use crate::input::Input;
use crate::output::{Report, one_line};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::DoctorAnswer;

/// Look at everything Drover relies on and keeps, and name what is wrong and its cure.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover doctor\n\nIt works on a database that cannot be opened, too. What is kept how long is on the page docs/design/keeping.md.\n\nExit codes: 0 (warnings too), 5 something is broken."
)]
pub(crate) struct Doctor {
    /// First remove what has outlived its keep time: keys, texts of messages, trash, logs, old backups, leftovers.
    #[arg(long)]
    tidy: bool,
    /// Measure every checkout, all that is kept, and the log of projects that are gone; this can take a while.
    #[arg(long)]
    disk: bool,
    /// Also tell the whole log again and compare every row with it; on a large log this takes a while.
    #[arg(long)]
    deep: bool,
}

impl Verb for Doctor {
    fn name(&self) -> &'static str {
        "doctor"
    }

    fn effect(&self) -> Effect {
        if self.tidy { CHANGES_ROWS } else { Effect::Reads }
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let housekeeping = if self.tidy { Housekeeping::Tidy } else { Housekeeping::Leave };
        let measure = if self.disk { Measure::Sizes } else { Measure::Counts };
        let mut diagnosis = doctor::examine(ctx, housekeeping, measure)?;
        if self.deep {
            diagnosis.checks.extend(doctor::deep(ctx));
        }
        Ok(report(&diagnosis))
    }

    fn run_unopened(&self, env: &Env, why: OpError) -> Result<Report, OpError> {
        if self.tidy {
            return Err(why);
        }
        let spoken = speak(&why);
        let mut check = Check::failure("database", spoken.outcome, &spoken.error);
        if let Some(next) = spoken.next.first() {
            check = check.fix(&next.run);
        }
        Ok(report(&doctor::examine_unopened(env, check)))
    }
}

fn report(diagnosis: &Diagnosis) -> Report {
    let mut card = String::new();
    let mut section = "";
    for check in &diagnosis.checks {
        if section != check.section {
            section = check.section;
            let _ = writeln!(card, "{section}");
        }
        let (word, name) = (check.severity.as_str(), one_line(&check.name));
        let _ = writeln!(card, "  {word:4} {name}: {}", one_line(&check.detail));
    }
    for it in diagnosis.tidied.iter().flatten() {
        let _ = writeln!(card, "Removed: {}", one_line(it));
    }
    let (failed, warned) = (diagnosis.count(Severity::Failure), diagnosis.count(Severity::Warning));
    let _ = match (failed, warned) {
        (0, 0) => writeln!(card, "All is well."),
        _ => writeln!(card, "{failed} failed, {warned} warnings"),
    };
    let outcome = if failed > 0 { "defects_found" } else { "examined" };
    let mut report = Report::new(outcome, DoctorAnswer::from(diagnosis)).card(card);
    let mut named: Vec<&str> = Vec::new();
    for check in &diagnosis.checks {
        if let Some(fix) = check.fix.as_deref().filter(|it| !named.contains(it)) {
            named.push(fix);
            report = report.next(format!("about {}", one_line(&check.name)), fix);
        }
    }
    report
}
