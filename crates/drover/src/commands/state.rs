//! `drover state`.

use std::fmt::Write as _;

use clap::Args;
use drover_ops::git::Commit;
use drover_ops::log::Item;
use drover_ops::state::{self, Need, ProjectState};
use drover_ops::tasks::Tracks;
use drover_ops::{Ctx, OpError, delegates, words};

use super::agent::doing;
use crate::input::Input;
use crate::output::{Next, Report, Table, visible};
use crate::verb::{Effect, Verb};
use crate::ways;
use crate::wire::{ProjectStateView, StateView, usage_in_words};

/// Show what needs you, then how the project stands.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover state\n\nExit codes: 0, with --check 7 when something needs you, 2 there is no project."
)]
pub(crate) struct State {
    /// Every project.
    #[arg(long)]
    all: bool,
    /// Say by the exit code whether something needs you.
    #[arg(long)]
    check: bool,
    /// How many of the last changes to tell; 0 tells none.
    #[arg(long, value_name = "N", default_value_t = 10)]
    events: u32,
}

impl Verb for State {
    fn name(&self) -> &'static str {
        "state"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        delegates::settle(ctx)?;
        let state = state::state(ctx, self.all, self.events)?;
        let count = state.projects.iter().map(|it| it.needs.len()).sum();
        let outcome = if self.check && count > 0 { "needs_person" } else { "shown" };
        let mut card = needs(ctx, &state.projects);
        for project in &state.projects {
            section(&mut card, project, ctx);
        }
        let data = StateView {
            projects: state.projects.iter().map(ProjectStateView::from).collect(),
            needs_you: count,
        };
        let ways = state.projects.iter().flat_map(|it| {
            let name = &it.project.name;
            [ways::of_orphans(name, &it.orphans), ways::of_idle(name, &it.agents)].concat()
        });
        let ways: Vec<Next> = ways.take(5).collect();
        let first = state.projects.iter().flat_map(|it| &it.needs).flat_map(|it| &it.next);
        let report = Report::new(outcome, data).card(card);
        let report = first.take(5).fold(report, |report, it| report.next(&it.why, &it.run));
        Ok(report.nexts(ways))
    }
}

/// The one list that says who needs a person.
fn needs(ctx: &Ctx, projects: &[ProjectState]) -> String {
    let mut text = String::from("Needs you\n");
    let mut table = Table::new(&["kind", "project", "about", "what", "age"], 3);
    let all: Vec<(&str, &Need)> = projects
        .iter()
        .flat_map(|it| it.needs.iter().map(|need| (it.project.name.as_str(), need)))
        .collect();
    if all.is_empty() {
        text.push_str("  nothing\n");
        return text;
    }
    for (project, need) in &all {
        let since = need.since.as_deref().map(|it| words::age(it, ctx.now())).unwrap_or_default();
        table.row([
            need.kind.as_str().to_owned(),
            (*project).to_owned(),
            need.about.clone(),
            need.what.clone(),
            since,
        ]);
    }
    let rendered = table.render_for_terminal();
    let mut lines = rendered.lines();
    let _ = writeln!(text, "{}", lines.next().unwrap_or_default());
    for (line, (_, need)) in lines.zip(&all) {
        let _ = writeln!(text, "{line}");
        if let Some(answer) = need.next.first() {
            let _ = writeln!(text, "    {}: {}", answer.why, visible(&answer.run));
        }
    }
    text
}

fn section(card: &mut String, state: &ProjectState, ctx: &Ctx) {
    let counts: Vec<String> =
        state.counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let _ = writeln!(card, "\n{}: {}", state.project.name, visible(&state.project.title));
    let _ = writeln!(
        card,
        "Tasks: {}; {} blocked",
        if counts.is_empty() { "none".to_owned() } else { counts.join(", ") },
        state.blocked
    );
    if let Some(used) = usage_in_words(&state.used) {
        let _ = writeln!(card, "Used: {used}");
    }
    if !state.agents.is_empty() {
        let mut table = Table::new(&["agent", "engine", "state", "used"], 2);
        for (it, used) in state.agents.iter().zip(&state.used_by) {
            let used = usage_in_words(used).unwrap_or_default();
            table.row([it.agent.name.clone(), it.agent.profile.engine.clone(), doing(it), used]);
        }
        card.push_str(&table.render_for_terminal());
    }
    for it in &state.orphans {
        let (engine, pane) = (&it.engine, &it.pane);
        let title = visible(&pane.title);
        let _ = writeln!(card, "No agent of Drover: {engine} in the pane {} ({title})", pane.id);
    }
    workspaces(card, state);
    tracks(card, &state.tracks);
    for (name, tasks) in [
        ("In progress", &state.in_progress),
        ("Ready", &state.ready),
        ("Triage", &state.triage),
        ("Closed last", &state.closed),
    ] {
        if tasks.is_empty() {
            continue;
        }
        let oldest = state.oldest_ready.as_ref().filter(|_| name == "Ready").map(|it| {
            format!(
                " (the oldest is {}, made {} ago)",
                it.id,
                words::age(&it.created_at, ctx.now())
            )
        });
        let _ = writeln!(card, "{name}{}", oldest.unwrap_or_default());
        let mut table = Table::new(&["  id", "title", "holder"], 1);
        for task in tasks {
            let holder = task.claimed_by.clone().unwrap_or_default();
            table.row([format!("  {}", task.id), task.title.clone(), holder]);
        }
        card.push_str(&table.render_for_terminal());
    }
    commits(card, &state.commits);
    recent(card, &state.recent, ctx);
}

/// What came onto the trunk last.
fn commits(card: &mut String, commits: &[Commit]) {
    if commits.is_empty() {
        return;
    }
    let _ = writeln!(card, "On the trunk");
    let mut table = Table::new(&["  commit", "subject", "by"], 1);
    for it in commits {
        let short: String = it.oid.to_string().chars().take(10).collect();
        table.row([format!("  {short}"), it.subject.clone(), it.author.clone()]);
    }
    card.push_str(&table.render_for_terminal());
}

/// The workspaces that somebody should know of: stale, in conflict, or gone.
fn workspaces(card: &mut String, state: &ProjectState) {
    for it in &state.workspaces {
        for conflict in &it.conflicts {
            let (with, files) = (visible(&conflict.with), visible(&conflict.files.join(", ")));
            let _ = writeln!(card, "{} would conflict with {with} in {files}", it.branch);
        }
        if let Some(behind) = it.behind.as_ref().filter(|it| it.is_stale()) {
            let (count, of) = (behind.behind, visible(&behind.of));
            let _ = writeln!(card, "{} is {count} commits behind {of}", it.branch);
        }
    }
    if !state.workspace_orphans.is_empty() {
        let _ = writeln!(card, "Left over");
    }
    for it in &state.workspace_orphans {
        let (kind, name, what) = (it.kind.word(), visible(&it.name), visible(&it.what));
        let _ = writeln!(card, "  a {kind}: {name}: {what}");
        let _ = writeln!(card, "    see to it: {}", visible(&it.command));
    }
}

fn tracks(card: &mut String, tracks: &Tracks) {
    if tracks.shown.is_empty() {
        return;
    }
    let _ = writeln!(card, "Tracks");
    let mut table = Table::new(&["  goals", "tasks", "ready", ""], 0);
    for track in &tracks.shown {
        let left_out = track.goal_count - track.goals.len();
        let more = if left_out > 0 { format!(" and {left_out} more") } else { String::new() };
        table.row([
            format!("  {}{more}", track.goals.join(", ")),
            track.tasks.to_string(),
            track.ready.to_string(),
            if track.is_parked { "parked".to_owned() } else { String::new() },
        ]);
    }
    card.push_str(&table.render_for_terminal());
    let left_out = tracks.total - tracks.shown.len();
    if left_out > 0 {
        let _ = writeln!(card, "  … and {left_out} more");
    }
}

fn recent(card: &mut String, items: &[Item], ctx: &Ctx) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(card, "Lately");
    let mut table = Table::new(&["  age", "who", "what"], 2);
    for it in items {
        let age = format!("  {}", words::age(&it.op.at, ctx.now()));
        table.row([age, it.op.actor.clone(), it.words.clone()]);
    }
    card.push_str(&table.render_for_terminal());
}
