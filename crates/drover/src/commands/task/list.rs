//! `drover task list`.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use drover_core::shell;
use drover_ops::tasks::{self, Owner, Sort};
use drover_ops::{Ctx, OpError, words};

use crate::input::{Input, parts};
use crate::output::{Report, Table};
use crate::verb::{Effect, Verb};
use crate::wire::{TaskListed, TaskView};

/// List the tasks of a project, or of all.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task list --status open,in_progress --sort roi\n\nExit codes: 0, 2 an unknown status, substate or blank part, 3 unknown agent or task."
)]
pub(crate) struct List {
    /// Only these statuses: `OPEN`, `IN_PROGRESS`, `CLOSED`; repeat or separate by commas.
    #[arg(long, value_delimiter = ',', value_name = "STATUS")]
    status: Vec<String>,
    /// Only these substates, as parked or wontfix; repeat or separate by commas.
    #[arg(long, value_delimiter = ',', value_name = "SUBSTATE")]
    substate: Vec<String>,
    /// The order.
    #[arg(long, value_enum, default_value_t)]
    sort: SortBy,
    /// Only what this agent, or `user:NAME`, holds.
    #[arg(long, value_name = "NAME", conflicts_with = "mine")]
    owned_by: Option<String>,
    /// Only what you hold.
    #[arg(long)]
    mine: bool,
    /// Only what has this label.
    #[arg(long, value_name = "LABEL")]
    label: Option<String>,
    /// Only the track that this task belongs to: what its goals need, and theirs with it.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    track: Option<String>,
    /// The tasks of every project.
    #[arg(long)]
    all: bool,
    /// How many to list; 0 lists all.
    #[arg(short = 'n', long, default_value_t = 100)]
    count: u32,
}

/// How a listing is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum SortBy {
    /// By id.
    #[default]
    Id,
    /// Best return first.
    Roi,
    /// Touched last first.
    Recency,
    /// Oldest first.
    Age,
}

impl From<SortBy> for Sort {
    fn from(sort: SortBy) -> Self {
        match sort {
            SortBy::Id => Self::Id,
            SortBy::Roi => Self::Roi,
            SortBy::Recency => Self::Recency,
            SortBy::Age => Self::Age,
        }
    }
}

impl Verb for List {
    fn name(&self) -> &'static str {
        "task list"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let owner = match (&self.owned_by, self.mine) {
            (Some(name), _) => {
                Owner::Named(parts("--owned-by", std::slice::from_ref(name))?.concat())
            }
            (None, true) => Owner::Caller,
            (None, false) => Owner::Any,
        };
        let request = tasks::List {
            statuses: parts("--status", &self.status)?,
            substates: parts("--substate", &self.substate)?,
            owner,
            label: single("--label", self.label.as_ref())?,
            track: single("--track", self.track.as_ref())?,
            is_all: self.all,
            sort: self.sort.into(),
            limit: (self.count > 0).then_some(self.count),
        };
        Ok(self.report(ctx, &tasks::list(ctx, &request)?))
    }
}

/// A flag with one word, which must not be blank.
fn single(flag: &str, given: Option<&String>) -> Result<Option<String>, OpError> {
    given.map(|it| Ok(parts(flag, std::slice::from_ref(it))?.concat())).transpose()
}

impl List {
    fn report(&self, ctx: &Ctx, listed: &tasks::TaskList) -> Report {
        let (of, scope, reference) = match &listed.project {
            Some(project) => {
                let scope = format!(" -p {}", project.name);
                (scope.clone(), scope, format!("{}/<id>", project.name))
            }
            None => (" --all".to_owned(), String::new(), "<project>/<id>".to_owned()),
        };
        let whole = format!("drover task list{of} -n 0");
        let items = listed.tasks.iter().map(|(project, it)| TaskView::new(project, it)).collect();
        let data = TaskListed { items, count: listed.tasks.len(), total: listed.total };
        let report = Report::new("listed", data);
        if listed.tasks.is_empty() {
            return report
                .card("No task is listed.")
                .next("see all of them", whole)
                .next("add one", format!("drover task add \"<title>\"{scope}"));
        }
        let left_out = listed.total - listed.tasks.len();
        let mut card = self.table(ctx, listed).render_for_terminal();
        if left_out > 0 {
            let _ = writeln!(card, "… and {left_out} more");
        }
        let report =
            report.card(card).next("read one whole", format!("drover task show {reference}"));
        if left_out > 0 {
            report.next("list all of them", whole + &self.narrowed())
        } else {
            report
        }
    }

    /// The words of this call that narrow and order what is listed.
    fn narrowed(&self) -> String {
        let mut words = String::new();
        let lists = [("--status", self.status.join(",")), ("--substate", self.substate.join(","))];
        let texts =
            [("--owned-by", &self.owned_by), ("--label", &self.label), ("--track", &self.track)];
        let texts = texts.into_iter().filter_map(|(flag, it)| Some((flag, it.clone()?)));
        let lists = lists.into_iter().filter(|it| !it.1.is_empty());
        for (flag, value) in lists.chain(texts) {
            let _ = write!(words, " {flag} {}", shell::quote(&value));
        }
        if self.mine {
            words.push_str(" --mine");
        }
        if let Some(order) = self.sort.to_possible_value().filter(|_| self.sort != SortBy::Id) {
            let _ = write!(words, " --sort {}", order.get_name());
        }
        words
    }

    fn table(&self, ctx: &Ctx, listed: &tasks::TaskList) -> Table {
        let mut header = vec!["id", "state", "title", "impact", "days", "roi", "held by"];
        match self.sort {
            SortBy::Recency => header.push("updated"),
            SortBy::Age => header.push("created"),
            SortBy::Id | SortBy::Roi => {}
        }
        if listed.project.is_none() {
            header.insert(0, "project");
        }
        let mut table = Table::new(&header, if listed.project.is_none() { 3 } else { 2 });
        let now = ctx.now();
        for (project, task) in &listed.tasks {
            let mut cells = vec![
                task.id.clone(),
                task.state.to_string(),
                task.title.clone(),
                task.impact.to_string(),
                task.effort_days.to_string(),
                format!("{:.1}", task.roi),
                task.claimed_by.clone().unwrap_or_else(|| "—".to_owned()),
            ];
            match self.sort {
                SortBy::Recency => cells.push(words::age(&task.updated_at, now)),
                SortBy::Age => cells.push(words::age(&task.created_at, now)),
                SortBy::Id | SortBy::Roi => {}
            }
            if listed.project.is_none() {
                cells.insert(0, project.clone());
            }
            table.row(cells);
        }
        table
    }
}
