//! What the chat agents of this machine were told of Drover.

use drover_host::env::Env;

use super::check::{Check, or_failure};
use crate::engines::Kind;
use crate::error::Result;
use crate::link::{self, Part, State};

/// A finding for each client.
pub(super) fn checks(env: &Env) -> Vec<Check> {
    link::CLIENTS.iter().flat_map(|it| or_failure("clients", it.name(), of(env, *it))).collect()
}

fn of(env: &Env, client: Kind) -> Result<Vec<Check>> {
    let name = client.name();
    let parts = link::standing(env, client)?;
    if parts.iter().all(|it| it.state == State::Absent) {
        return Ok(vec![Check::fine("clients", name, "not told of Drover")]);
    }
    let wrong = parts.iter().filter(|it| it.state != State::Linked);
    let mut checks: Vec<Check> = wrong
        .map(|it| {
            let part = it.part.as_str();
            let (path, fix) = (it.path.display(), format!("drover link {name}"));
            let (detail, fix) = match &it.state {
                State::Stale { version } => {
                    (format!("its {part} was written by another drover ({version})"), fix)
                }
                State::Edited => {
                    (format!("its {part} was changed by hand: {path}"), fix + " --force")
                }
                State::Unusable { why } => (format!("its {part} cannot be used: {why}"), fix),
                State::Absent | State::Linked => (format!("its {part} is missing: {path}"), fix),
            };
            Check::warning("clients", name, detail).fix(fix)
        })
        .collect();
    if checks.is_empty() {
        let parts: Vec<&str> = parts.iter().map(|it| Part::as_str(it.part)).collect();
        let version = env!("CARGO_PKG_VERSION");
        checks.push(Check::fine(
            "clients",
            name,
            format!("linked by {version}: {}", parts.join(", ")),
        ));
    }
    Ok(checks)
}
