//! `log`: what happened, the last of it, or as it happens.

use drover_core::text::Text;
use drover_store::log::{self, Filter};
use drover_store::notes;
use drover_store::projects::Project;

use super::item::{self, Item};
use super::scope::{self, Since};
use crate::ctx::Ctx;
use crate::error::{LogError, OpError, Result};
use crate::resolve;
use crate::roles;
use crate::waiting::{Event, Waiter};

/// Which part of the log to read. Every given field narrows it.
#[derive(Debug, Clone, Default)]
pub struct Read {
    /// Where to begin.
    pub since: Option<Since>,
    /// Only what one of these agents or people did.
    pub sources: Vec<String>,
    /// Only these kinds of row, or operators' lines of these kinds.
    pub kinds: Vec<String>,
    /// Only what one of these verbs did, or the verbs of one of these nouns.
    pub intents: Vec<String>,
    /// Only the group whose id begins so.
    pub group: Option<String>,
    /// Every project, whichever is meant.
    pub is_all: bool,
    /// At most so many: the first from `since` on, else the last.
    pub count: Option<u32>,
}

/// The part of the log that is asked for, oldest first.
pub fn read(ctx: &Ctx, request: &Read) -> Result<Vec<Item>> {
    let filter = filter(ctx, request)?;
    let ops = log::read(&ctx.read(), &filter)?;
    item::items(ctx.read(), ops)
}

fn filter(ctx: &Ctx, request: &Read) -> Result<Filter> {
    let project = if request.is_all { None } else { scope::past_project(ctx)? };
    if project.is_none() {
        roles::every_project(ctx)?;
    }
    let group = request.group.as_deref().map(|it| scope::group(ctx, it)).transpose()?;
    let (after, since) = match request.since {
        None => (None, None),
        Some(Since::Seq(seq)) => (Some(seq), None),
        Some(Since::Time(time)) => (Some(0), Some(drover_store::time_text(time))),
    };
    Ok(Filter {
        after,
        since,
        group,
        actors: request.sources.clone(),
        intents: request.intents.clone(),
        entities: request.kinds.clone(),
        project,
        uid: None,
        limit: request.count,
    })
}

/// The log as it grows.
#[derive(Debug)]
pub struct Tail {
    waiter: Waiter,
    filter: Filter,
    /// Whether something may have come that was not looked at.
    is_stale: bool,
}

/// Begins to follow the log: at `since`, else at its end.
pub fn tail(ctx: &Ctx, request: &Read) -> Result<Tail> {
    let mut filter = filter(ctx, request)?;
    filter.limit = None;
    let waiter = Waiter::start(ctx)?;
    if filter.after.is_none() {
        filter.after = Some(log::last_seq(&ctx.read())?);
    }
    Ok(Tail { waiter, filter, is_stale: true })
}

impl Tail {
    /// Whether changes of several projects may come.
    pub fn spans_projects(&self) -> bool {
        self.filter.project.is_none()
    }

    /// Waits for what comes next; `None` when the process was told to stop.
    pub fn next(&mut self, ctx: &Ctx) -> Result<Option<Vec<Item>>> {
        loop {
            if self.is_stale {
                self.is_stale = false;
                // Read before the ops, so that none committed in between is passed over.
                let last = log::last_seq(&ctx.read())?;
                let ops = log::read(&ctx.read(), &self.filter)?;
                let seen = ops.last().map_or(last, |it| it.seq.max(last));
                self.filter.after = Some(seen.max(self.filter.after.unwrap_or(0)));
                if !ops.is_empty() {
                    return item::items(ctx.read(), ops).map(Some);
                }
            }
            match self.waiter.wait(ctx, None)? {
                Event::Changed => self.is_stale = true,
                Event::Interrupted => return Ok(None),
                Event::Tick | Event::Deadline => {}
            }
        }
    }
}

/// A line that somebody added to the log.
#[derive(Debug, Clone)]
pub struct Line {
    /// Where.
    pub project: Project,
    /// Its kind.
    pub kind: String,
    /// Who wrote it.
    pub author: String,
    /// What it says.
    pub text: String,
    /// Its position.
    pub seq: i64,
}

/// Adds a line to the log of the project that is meant.
pub fn append(ctx: &mut Ctx, kind: &str, text: &str) -> Result<Line> {
    let project = resolve::project(ctx)?;
    check_kind(kind)?;
    let text = Text::new(text);
    if text.as_str().trim().is_empty() {
        return Err(OpError::Usage("the text is blank".to_owned()));
    }
    let author = ctx.actor().word();
    let seq = ctx.write("log.append", |tx| {
        notes::insert_log_line(tx, project.pk, kind, &author, &text)?;
        Ok(log::last_seq(tx)?)
    })?;
    ctx.note_redactions(&text);
    Ok(Line { project, kind: kind.to_owned(), author, text: text.into_string(), seq })
}

fn check_kind(kind: &str) -> Result<()> {
    let is_word = kind.len() <= 32
        && kind.starts_with(|it: char| it.is_ascii_lowercase())
        && kind
            .chars()
            .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || "_-".contains(it));
    if is_word { Ok(()) } else { Err(LogError::Kind { given: kind.to_owned() }.into()) }
}
