//! `drover task why` and `drover task tree`.

use std::fmt::Write as _;

use clap::Args;
use drover_core::task::why::{Seen, Standing};
use drover_ops::tasks::{self, Direction, Explained};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, one_line, outline};
use crate::verb::{Effect, Verb};
use crate::wire::{TaskTreeView, TaskWhy, id_of};

/// Show the chain that keeps a task from starting, or that nothing does.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task why build_the_page\n\nExit codes: 0, 3 unknown, 4 in several projects."
)]
pub(crate) struct Why {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// How many of the nearest tasks to take in; 0 takes all.
    #[arg(short = 'n', long, default_value_t = 500)]
    count: u32,
}

/// Said where a limit left tasks out.
const CUT: &str = "… and more behind these: -n 0 shows all\n";

impl Verb for Why {
    fn name(&self) -> &'static str {
        "task why"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let explained = tasks::why(ctx, &self.id, (self.count > 0).then_some(self.count))?;
        let data: TaskWhy = (&explained).into();
        Ok(next(Report::new("shown", data).card(card(&explained)), &explained))
    }
}

fn card(explained: &Explained) -> String {
    let (why, nodes) = (&explained.why, &explained.nodes);
    let head = format!("{}: {}", explained.task.id, sentence(&why.standing));
    let lines = std::iter::once((0, head)).chain(why.chain.iter().map(|step| {
        let title = nodes.get(&step.task).map_or("", |it| it.title.as_str());
        let mark = match step.seen {
            Seen::First => "",
            Seen::Before => " (as above)",
            Seen::Cycle => " (a cycle)",
        };
        let standing = sentence(&step.standing);
        (step.depth, format!("{}: {standing}{mark}  {title}", id_of(nodes, step.task)))
    }));
    let lines: Vec<(usize, String)> = lines.collect();
    let mut card = outline(lines.into_iter());
    if explained.is_cut {
        card.push_str(CUT);
    }
    let named = |keys: &[i64]| {
        let ids: Vec<String> = keys.iter().take(20).map(|pk| id_of(nodes, *pk)).collect();
        let more = keys.len().saturating_sub(ids.len());
        let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
        one_line(&ids.join(", ")) + &tail
    };
    if !why.roots.is_empty() {
        let _ = writeln!(card, "Act on: {}", named(&why.roots));
    }
    if !why.unlanded.is_empty() {
        let _ = writeln!(card, "Done but not landed: {}", named(&why.unlanded));
    }
    card
}

fn sentence(standing: &Standing) -> String {
    match standing {
        Standing::Ready => "ready".to_owned(),
        Standing::Held { owner: Some(owner) } => format!("held by {owner}"),
        Standing::Held { owner: None } => "in progress, held by nobody".to_owned(),
        Standing::Blocked => "blocked".to_owned(),
        Standing::Parked => "parked".to_owned(),
        Standing::Triage => "in triage".to_owned(),
        Standing::Done => "done".to_owned(),
        Standing::ClosedOtherwise(state) => format!("{state}, which lets nothing start"),
        Standing::Missing => "gone".to_owned(),
    }
}

/// The step for the task itself when it waits for no blocker, else for the first to act on.
fn next(report: Report, explained: &Explained) -> Report {
    let (why, nodes) = (&explained.why, &explained.nodes);
    let project = &explained.project.name;
    let acted_on = why.roots.first().copied().unwrap_or(why.task);
    let step = why.chain.iter().find(|it| it.task == acted_on);
    let standing = step.map_or(&why.standing, |it| &it.standing);
    let reference = format!("{project}/{}", id_of(nodes, acted_on));
    match standing {
        Standing::Ready => report.next("take it", format!("drover task claim {reference}")),
        Standing::Parked => report.next("take it up", format!("drover task unpark {reference}")),
        Standing::Triage => report.next("let it in", format!("drover task admit {reference}")),
        Standing::ClosedOtherwise(_) => {
            let waiting = step.map_or(why.task, |it| it.blocks);
            report
                .next(
                    "let all start that wait for it",
                    format!("drover task close {reference} --release-dependents"),
                )
                .next(
                    "let this one wait for others",
                    format!(
                        "drover task reparent {project}/{} --blocked-by <ids>",
                        id_of(nodes, waiting)
                    ),
                )
        }
        Standing::Held { .. } | Standing::Blocked | Standing::Done | Standing::Missing => {
            report.next("read it whole", format!("drover task show {reference}"))
        }
    }
}

/// Show everything that blocks a task, or everything that it blocks.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover task tree build_the_page\n\nExit codes: 0, 3 unknown, 4 in several projects."
)]
pub(crate) struct Tree {
    /// The task: `<id>` or `<project>/<id>`.
    id: String,
    /// What it blocks instead of what blocks it.
    #[arg(long)]
    down: bool,
    /// How many of the nearest tasks to take in; 0 takes all.
    #[arg(short = 'n', long, default_value_t = 500)]
    count: u32,
}

impl Verb for Tree {
    fn name(&self) -> &'static str {
        "task tree"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let (direction, word) = if self.down {
            (Direction::Dependents, "dependents")
        } else {
            (Direction::Blockers, "blockers")
        };
        let tree = tasks::tree(ctx, &self.id, direction, (self.count > 0).then_some(self.count))?;
        let lines = tree.branches.iter().map(|it| {
            let node = tree.nodes.get(&it.task);
            let state = node.map(|it| it.state.to_string()).unwrap_or_default();
            let title = node.map_or("", |it| it.title.as_str());
            let mark = if it.is_repeat { " (as above)" } else { "" };
            (it.depth, format!("{} ({state}){mark}  {title}", id_of(&tree.nodes, it.task)))
        });
        let reference = format!("{}/{}", tree.project.name, tree.task.id);
        let mut card = outline(lines);
        if tree.is_cut {
            card.push_str(CUT);
        }
        Ok(Report::new("shown", TaskTreeView::new(&tree, word))
            .card(card)
            .next("see what it waits for", format!("drover task why {reference}")))
    }
}
