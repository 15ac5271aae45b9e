//! `doctor`: what is well, what is not, and the command that puts it right.

mod check;
mod clients;
mod database;
mod deep;
mod disk;
mod environment;
mod hooks;
mod housekeeping;
mod kept;

use drover_host::env::Env;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::roles::{Caller, Within};
use check::or_failure;

pub use check::{Check, Severity};
pub use deep::deep;
pub use disk::Measure;

/// Everything that was looked at.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    /// The findings, by section.
    pub checks: Vec<Check>,
    /// What was removed because its time was over; none when that was not asked for.
    pub tidied: Option<Vec<String>>,
}

impl Diagnosis {
    /// How many findings are of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.checks.iter().filter(|it| it.severity == severity).count()
    }
}

/// Whether to end what is over first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Housekeeping {
    /// Only look.
    Leave,
    /// Remove what has outlived its keep time, then look.
    Tidy,
}

/// Looks at everything; with [`Housekeeping::Tidy`] ends first what is over.
pub fn examine(ctx: &mut Ctx, housekeeping: Housekeeping, measure: Measure) -> Result<Diagnosis> {
    if housekeeping == Housekeeping::Tidy
        && let Some(caller) = Caller::of(ctx)
    {
        let what = "--tidy removes what is kept for every project";
        caller.keep(&ctx.read(), (Within::Reading, false), what)?;
    }
    let mut checks = environment::outside(ctx.env());
    checks.extend(or_failure("environment", "inside", environment::inside(ctx)));
    checks.extend(clients::checks(ctx.env()));
    // Programs are run before rows are changed: a dry run keeps its transaction open to the end.
    let mut tidied = None;
    if housekeeping == Housekeeping::Tidy {
        tidied = Some(hooks::remove(ctx)?);
    }
    checks.extend(or_failure("multiplexer", "hooks", hooks::checks(ctx)));
    if let Some(tidied) = &mut tidied {
        tidied.extend(kept::tidy(ctx)?);
    }
    checks.extend(database::checks(ctx));
    checks.extend(or_failure("kept", "folders", kept::folders(ctx.state_path())));
    checks.extend(or_failure("kept", "rows", kept::rows(ctx)));
    checks.extend(or_failure("projects", "activity", housekeeping::checks(ctx, measure)));
    checks.extend(or_failure("disk", "state", disk::checks(ctx, measure)));
    Ok(Diagnosis { checks, tidied })
}

/// Looks at what can be seen where the database cannot be opened; `why` is the finding about that.
pub fn examine_unopened(env: &Env, why: Check) -> Diagnosis {
    let mut checks = environment::outside(env);
    checks.extend(clients::checks(env));
    checks.push(why);
    if let Ok(state) = env.state_dir() {
        checks.extend(or_failure("kept", "folders", kept::folders(&state)));
    }
    Diagnosis { checks, tidied: None }
}
