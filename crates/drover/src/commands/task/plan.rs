//! `drover task plan`.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use drover_core::task::schedule::PlannedTask;
use drover_ops::tasks::{self, Planned, Reason};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Bar, MARK, Report, days, gantt, svg, visible};
use crate::verb::{CHANGES_ROWS, Effect, Verb};
use crate::wire::TaskPlan;

/// Show who could do what when, with so many workers.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task plan --workers 3\n\nExit codes: 0, 2 no worker, or no project is meant clearly, 4 the file is none of ours, 5 it cannot be written."
)]
pub(crate) struct Plan {
    /// How many work at once.
    #[arg(long, value_name = "N", default_value = "1")]
    workers: NonZeroUsize,
    /// Draw it into this file, too; only a picture of an earlier plan is replaced.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// How many tasks the JSON lists; 0 for all.
    #[arg(short = 'n', long, default_value_t = 500)]
    count: usize,
}

impl Verb for Plan {
    fn name(&self) -> &'static str {
        "task plan"
    }

    fn effect(&self) -> Effect {
        if self.svg.is_some() { CHANGES_ROWS } else { Effect::Reads }
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let most = if self.count == 0 { usize::MAX } else { self.count };
        let planned = tasks::plan(ctx, self.workers, most)?;
        let mut data = TaskPlan::new(&planned, most);
        let (project, bars) = (&planned.project.name, bars(&planned));
        let mut card = card(&planned, &bars);
        if let Some(path) = &self.svg {
            let title = format!("{project}: {}", card.lines().next().unwrap_or_default());
            let picture = svg(&title, &bars, planned.plan.makespan_days);
            let path = tasks::draw(ctx, path, (MARK, &picture))?.display().to_string();
            let _ = writeln!(card, "Drawn into {}", visible(&path));
            data.svg = Some(path);
        }
        Ok(Report::new("planned", data)
            .card(card)
            .next("see what can start", format!("drover task next -n 0 -p {project}")))
    }
}

fn bars(planned: &Planned) -> Vec<Bar> {
    let plan = &planned.plan;
    let critical: std::collections::HashSet<i64> = plan.critical_path.iter().copied().collect();
    let bar = |it: &PlannedTask| Bar {
        label: planned.id(it.id),
        worker: it.worker,
        start: it.start,
        finish: it.finish,
        is_critical: critical.contains(&it.id),
    };
    plan.tasks.iter().map(bar).collect()
}

fn card(planned: &Planned, bars: &[Bar]) -> String {
    let plan = &planned.plan;
    let widest = plan.width.iter().map(|it| it.tasks).max().unwrap_or(0);
    let mut card = format!(
        "{} tasks, {} workers: done in {} days; the critical path takes {}; at most {widest} could run at once\n",
        plan.tasks.len(),
        planned.workers,
        days(plan.makespan_days),
        days(plan.critical_days),
    );
    card.push_str(&gantt(bars, plan.makespan_days));
    if !plan.critical_path.is_empty() {
        let path: Vec<String> =
            plan.critical_path.iter().take(20).map(|pk| planned.id(*pk)).collect();
        let more = plan.critical_path.len().saturating_sub(path.len());
        let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(card, "Critical path: {}{tail}", path.join(" > "));
    }
    for it in planned.unplanned.iter().take(50) {
        let blocker = it.blocker.as_deref().unwrap_or("a blocker");
        let reason = match it.reason {
            Reason::Parked => "parked".to_owned(),
            Reason::Triage => "in triage".to_owned(),
            Reason::BlockerUnplanned => format!("waits for {blocker}, which is not planned"),
            Reason::BlockerClosed => format!("waits for {blocker}, which will never be done"),
        };
        let _ = writeln!(card, "Not planned: {} ({reason})", it.id);
    }
    let more = planned.unplanned.len().saturating_sub(50);
    if more > 0 {
        let _ = writeln!(card, "… and {more} more that are not planned");
    }
    card
}
