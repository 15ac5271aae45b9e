//! `since`: what happened meanwhile, by project and kind.

use std::collections::{BTreeMap, VecDeque};

use drover_store::log::{self, Filter, Op};
use drover_store::messages;
use drover_store::{agents, projects};
use serde_json::Value;

use super::item::{self, Item};
use super::scope::Since;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;
use crate::roles::Caller;

/// How many changes are read at a time.
const PAGE: u32 = 1000;
/// How many changes of one kind in one project are told one by one.
const KEPT: usize = 100;

/// What a row change amounts to for somebody who was away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A task is over.
    Closed,
    /// A branch was landed.
    Landed,
    /// A command that should have passed did not, or an agent did not start.
    Failed,
    /// An agent's process ended.
    Died,
    /// A task lost its holder.
    Lost,
    /// A task was given back.
    Released,
    /// A closed task was opened again.
    Reopened,
    /// A task was taken.
    Claimed,
    /// A task is new.
    Added,
    /// A task is gone.
    Deleted,
    /// A note was written.
    Noted,
    /// A line was added to the log.
    Said,
}

impl Kind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Landed => "landed",
            Self::Failed => "failed",
            Self::Died => "died",
            Self::Lost => "lost",
            Self::Released => "released",
            Self::Reopened => "reopened",
            Self::Claimed => "claimed",
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Noted => "noted",
            Self::Said => "said",
        }
    }

    fn of(op: &Op) -> Option<Self> {
        let field = |text: &Option<String>, name: &str| -> Option<String> {
            let row: Value = serde_json::from_str(text.as_deref()?).ok()?;
            row.get(name)?.as_str().map(str::to_owned)
        };
        let new = |name| field(&op.new, name);
        match (op.entity.as_str(), op.old.is_some(), op.new.is_some()) {
            ("task", false, true) => Some(Self::Added),
            ("task", true, false) => Some(Self::Deleted),
            ("task", true, true) => match new("status")?.as_str() {
                "CLOSED" => Some(Self::Closed),
                "IN_PROGRESS" => Some(Self::Claimed),
                _ if op.new.as_deref().is_some_and(|it| it.contains("\"attempt\"")) => {
                    Some(Self::Lost)
                }
                _ if field(&op.old, "status").as_deref() == Some("CLOSED") => Some(Self::Reopened),
                _ => Some(Self::Released),
            },
            ("note", false, true) => Some(Self::Noted),
            ("log_line", false, true) => Some(Self::Said),
            ("evidence", false, true) => match new("kind")?.as_str() {
                "failed" => Some(Self::Failed),
                "landed" => Some(Self::Landed),
                _ => None,
            },
            ("agent", true, true) => match new("lifecycle")?.as_str() {
                "exited" => Some(Self::Died),
                "failed" => Some(Self::Failed),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Changes of one kind in one project, oldest first.
#[derive(Debug, Clone)]
pub struct Happening {
    /// The project; none for what belongs to no project.
    pub project: Option<String>,
    /// The kind.
    pub kind: Kind,
    /// How many changes.
    pub count: usize,
    /// The changes, the latest of them where they are many.
    pub items: Vec<Item>,
}

/// A message that has not arrived, or of which that is not known.
#[derive(Debug, Clone)]
pub struct Undelivered {
    /// The project of its agent.
    pub project: String,
    /// Whom it is for.
    pub agent: String,
    /// Its number among that agent's messages.
    pub number: i64,
    /// How far it got.
    pub level: String,
    /// Why no further.
    pub reason: Option<String>,
}

/// What happened meanwhile.
#[derive(Debug, Clone)]
pub struct Meanwhile {
    /// After this position, or from the time that was asked for.
    pub from: Since,
    /// Whether `last` was asked for and there is no earlier call.
    pub is_first: bool,
    /// Up to this position.
    pub to: i64,
    /// What happened, by project and kind.
    pub happenings: Vec<Happening>,
    /// Messages that have not arrived by now.
    pub undelivered: Vec<Undelivered>,
}

/// What happened since a time, a position, or (`None`) the actor's last call; moves the actor's cursor.
pub fn since(ctx: &mut Ctx, from: Option<Since>) -> Result<Meanwhile> {
    let project = match ctx.project_flag() {
        None if Caller::of(ctx).is_none() => None,
        _ => Some(resolve::project(ctx)?),
    };
    let uid = project.as_ref().map(|it| it.uid.clone());
    let cursor = format!("since {} {}", ctx.actor().word(), uid.as_deref().unwrap_or("*"));
    let last = log::cursor(&ctx.read(), &cursor)?;
    let is_first = from.is_none() && last.is_none();
    let from = from.unwrap_or(Since::Seq(last.unwrap_or(0)));
    let (after, time) = match from {
        Since::Seq(seq) => (seq, None),
        Since::Time(time) => (0, Some(drover_store::time_text(time))),
    };
    let to = log::last_seq(&ctx.read())?;
    let filter =
        Filter { after: Some(after), since: time, project: uid.clone(), ..Filter::default() };
    let happenings = group(ctx, filter, to)?;
    let undelivered = undelivered(ctx, uid.as_deref())?;
    ctx.write("since", |tx| Ok(log::set_cursor(tx, &cursor, to)?))?;
    Ok(Meanwhile { from, is_first, to, happenings, undelivered })
}

/// Reads page by page, so that memory follows what is kept and not how long somebody was away.
fn group(ctx: &Ctx, mut filter: Filter, to: i64) -> Result<Vec<Happening>> {
    filter.limit = Some(PAGE);
    let mut groups: BTreeMap<(Option<String>, Kind), (usize, VecDeque<Op>)> = BTreeMap::new();
    loop {
        let page = log::read(&ctx.read(), &filter)?;
        let Some(last) = page.last().map(|it| it.seq) else { break };
        filter.after = Some(last);
        // What is committed meanwhile is told by the next call.
        for op in page.into_iter().filter(|it| it.seq <= to) {
            let Some(kind) = Kind::of(&op) else { continue };
            let (count, latest) = groups.entry((op.project.clone(), kind)).or_default();
            *count += 1;
            latest.push_back(op);
            if latest.len() > KEPT {
                latest.pop_front();
            }
        }
    }
    let mut happenings = Vec::with_capacity(groups.len());
    for ((_, kind), (count, latest)) in groups {
        let items = item::items(ctx.read(), latest.into())?;
        let project = items.first().and_then(|it| it.project.clone());
        happenings.push(Happening { project, kind, count, items });
    }
    happenings.sort_by(|one, two| (&one.project, one.kind).cmp(&(&two.project, two.kind)));
    Ok(happenings)
}

fn undelivered(ctx: &Ctx, project_uid: Option<&str>) -> Result<Vec<Undelivered>> {
    let tx = ctx.read();
    let mut found = Vec::new();
    for message in messages::undelivered(&tx)? {
        let Some(agent) = agents::by_pk(&tx, message.agent_pk)? else { continue };
        let Some(project) = projects::by_pk(&tx, agent.project_pk)? else { continue };
        if project_uid.is_none_or(|it| it == project.uid) {
            found.push(Undelivered {
                project: project.name,
                agent: agent.name,
                number: message.number,
                level: message.level.to_string(),
                reason: message.reason,
            });
        }
    }
    Ok(found)
}
