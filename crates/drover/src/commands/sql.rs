//! `drover sql`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use drover_core::duration::Limit;
use drover_ops::sql::{self, Queried, Query};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, Table};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::QueryAnswer;

/// Ask the database in SQL, or, as a person, change rows of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover sql \"SELECT handle, open_blockers FROM task_derived\"\n\nChanges are logged as one group and taken back by `drover undo`; rows are made by their own verbs, and the log, evidence, derived values and the schema are kept out of reach. To an agent, secrets and texts of others read as null. With several statements the rows are those of the last one that has any.\n\nExit codes: 0, 2 it cannot be read or other rows than said would change, 3 it may not be done so, 5 its time or memory is over."
)]
pub(crate) struct Sql {
    /// The statements; `-` reads standard input.
    #[arg(allow_hyphen_values = true)]
    query: Option<String>,
    /// A file with the statements.
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    file: Option<PathBuf>,
    /// Change nothing unless it is exactly so many rows.
    #[arg(long, value_name = "N")]
    confirm_rows: Option<u64>,
    /// How many rows to answer, the first of them; 0 for all.
    #[arg(short = 'n', long, default_value_t = 1000)]
    count: usize,
    /// How long it may take.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    timeout: String,
}

impl Verb for Sql {
    fn name(&self) -> &'static str {
        "sql"
    }

    fn effect(&self) -> Effect {
        CHANGES_ROWS
    }

    fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
        let request = Query {
            text: input.prose("statement", self.query.as_deref(), self.file.as_deref())?,
            confirmed: self.confirm_rows,
            count: (self.count > 0).then_some(self.count),
            timeout: Limit::parse(&self.timeout)?,
        };
        let queried = sql::query(ctx, &request)?;
        if queried.answer.is_cut {
            ctx.warn(format!(
                "there are more rows than the {} shown; -n says how many to show",
                queried.answer.rows.len()
            ));
        }
        let is_writing = queried.program.is_writing;
        let outcome = if is_writing { "written" } else { "queried" };
        let report = Report::new(outcome, QueryAnswer::from(&queried)).card(card(&queried));
        Ok(if is_writing && !ctx.is_dry_run() && queried.answer.changed > 0 {
            let group: String = ctx.group().chars().take(8).collect();
            report
                .next("see the changes", format!("drover log --all --group {group}"))
                .next("take them back", format!("drover undo {group}"))
        } else {
            report
        })
    }
}

fn card(queried: &Queried) -> String {
    let answer = &queried.answer;
    let mut card = String::new();
    if !answer.columns.is_empty() {
        let names: Vec<&str> = answer.columns.iter().map(String::as_str).collect();
        let rows: Vec<Vec<String>> =
            answer.rows.iter().map(|it| it.iter().map(ToString::to_string).collect()).collect();
        let width = |column: usize| {
            rows.iter().filter_map(|it| it.get(column)).map(|it| it.chars().count()).max()
        };
        let widest = (0..names.len()).max_by_key(|it| width(*it)).unwrap_or(0);
        let mut table = Table::new(&names, widest);
        for row in rows {
            table.row(row);
        }
        card = table.render_for_terminal();
    }
    if queried.program.is_writing {
        let rows = if answer.changed == 1 { "row" } else { "rows" };
        let _ = writeln!(card, "{} {rows} changed", answer.changed);
    } else if answer.rows.is_empty() {
        card.push_str("No rows.");
    }
    card
}
