//! Whether the rows are what the log says, row by row.

use drover_store::drift::{Difference, Drift, DriftedTable, drift};
use drover_store::{ReadTx, log};

use super::check::{Check, or_failure};
use crate::ctx::Ctx;
use crate::error::Result;

const SECTION: &str = "log";

/// How many rows or changes one finding names.
const NAMED: usize = 5;

/// Replays the log into a file that nobody keeps, and compares every row; others may go on meanwhile.
pub fn deep(ctx: &Ctx) -> Vec<Check> {
    or_failure(SECTION, "replay", compared(ctx))
}

fn compared(ctx: &Ctx) -> Result<Vec<Check>> {
    let found = drift(ctx.store().file(), ctx.state_path(), ctx.now())?;
    let told = format!("{} changes told again, {} rows compared", found.replayed.ops, found.rows);
    let mut checks = vec![if found.is_none() {
        Check::fine(SECTION, "replay", format!("{told}: all agree"))
    } else {
        Check::failure(SECTION, "replay", format!("{told}: {}", in_short(&found)))
            .fix("drover rebuild <file>")
    }];
    for table in &found.tables {
        let detail = rows(&ctx.read(), table)?;
        checks.push(Check::failure(SECTION, table.table, detail));
    }
    for it in found.replayed.told.iter().take(NAMED) {
        checks.push(Check::failure(SECTION, "changes", it));
    }
    for (entity, count) in &found.replayed.log_only {
        let detail = format!("{count} changes of a kind of row that this version does not know");
        checks.push(Check::warning(SECTION, entity.clone(), detail));
    }
    Ok(checks)
}

fn in_short(found: &Drift) -> String {
    let rows: usize = found.tables.iter().map(|it| it.count).sum();
    format!("{rows} rows differ, {} changes find no row", found.replayed.misfits)
}

fn rows(tx: &ReadTx<'_>, table: &DriftedTable) -> Result<String> {
    let mut told = Vec::new();
    for it in table.rows.iter().take(NAMED) {
        let name = log::name_of(tx, table.entity, &it.uid)?.unwrap_or_else(|| it.uid.clone());
        told.push(match &it.difference {
            Difference::NotInLog => format!("{name} is not in the log"),
            Difference::NotThere => format!("{name} is in the log and not there"),
            Difference::Columns(columns) => format!("{name} in {}", columns.join(", ")),
        });
    }
    let more = table.count - told.len();
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Ok(format!("{} rows are not what the log says: {}{more}", table.count, told.join("; ")))
}
