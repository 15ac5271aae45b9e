//! A new delegate: checked, recorded, and started if there is room, else queued.

use drover_core::duration::Limit;
use drover_store::agents;
use drover_store::delegates::{self, Delegate, NewDelegate};
use drover_store::projects::Project;
use drover_store::{ReadTx, WriteTx};

use super::start;
use super::types::{Ask, Delegated};
use crate::ctx::Ctx;
use crate::engines;
use crate::error::{AgentError, DelegateError, OpError, Result};
use crate::messages::compose;
use crate::policy::Policy;
use crate::{directory, projects, resolve, tasks};

/// How many wait for each that works.
const WAITING: usize = 4;
/// The longest part of a name that comes from a label.
const STEM: usize = 20;

/// Has a helper work on a task; returns as soon as it is on its way.
///
/// What can be known beforehand is checked before anything is written.
pub fn ask(ctx: &mut Ctx, request: &Ask) -> Result<Delegated> {
    let engine = request.engine.clone().unwrap_or_else(|| engines::DEFAULT.to_owned());
    check_engine(ctx, &engine)?;
    if let Some(model) = &request.model {
        tasks::without_secret("--model", model)?;
    }
    let record = request.record.as_deref().map(|it| resolve::task(ctx, it)).transpose()?;
    let cwd = cwd(request)?;
    let text = compose(ctx, &text(request))?;
    let home = request.workspace.then(|| with_repository(ctx)).transpose()?;
    let project = home.map_or_else(|| projects::scratch(ctx), Ok)?;
    let uid = keyed_uid(ctx)?;
    if let Some(uid) = &uid
        && let Some(delegate) = delegates::by_uid(&ctx.read(), uid)?
    {
        return Delegated::of(ctx, delegate);
    }
    let most = Policy::of(ctx, &project)?.delegates;
    let (delegator, own) = (ctx.actor().word(), ctx.own_process()?);
    let delegate = ctx.step("delegate.ask", |tx| {
        delegates::erase(tx, &tx.at_text())?;
        let has_room = room(tx, most)?;
        let new = NewDelegate {
            uid: uid.as_deref(),
            project_pk: project.pk,
            name: &free_name(tx, &project, request.label.as_deref())?,
            delegator: &delegator,
            label: request.label.as_deref(),
            engine: &engine,
            model: request.model.as_deref(),
            cwd: cwd.as_deref(),
            keeps_pane: request.keep,
            timeout_ms: milliseconds(request.timeout),
            record_uid: record.as_ref().map(|it| it.1.uid.as_str()),
            task: text.text.as_str(),
        };
        let pk = delegates::insert(tx, &new)?;
        if has_room {
            delegates::begin(tx, pk, &own)?;
        }
        reload(tx, pk, new.name)
    })?;
    if ctx.is_dry_run() {
        ctx.act(format!("start the delegate {}", delegate.name), || Ok(()))?;
    } else if delegate.state == "starting" {
        start::start(ctx, &delegate)?;
    }
    let delegate = reload(&ctx.read(), delegate.pk, &delegate.name)?;
    Delegated::of(ctx, delegate)
}

/// Only an engine that shows when its turn has ended can be waited for.
fn check_engine(ctx: &Ctx, engine: &str) -> Result<()> {
    let resolved = engines::resolve(ctx, engine)?;
    let command = serde_json::Value::from(resolved.command.clone()).to_string();
    let why = if engines::is_shell(engine, &command) {
        "a shell would run its task as commands"
    } else if !engines::counts_turns(engine) && ctx.config()?.engine(engine).screen.is_empty() {
        "nothing shows when its turn has ended"
    } else {
        return Ok(());
    };
    Err(DelegateError::Unanswering { engine: engine.to_owned(), why }.into())
}

fn cwd(request: &Ask) -> Result<Option<String>> {
    let path = match &request.cwd {
        _ if request.workspace => return Ok(None),
        Some(path) => directory::checked(path)?,
        None => directory::current()?,
    };
    directory::text(&path).map(Some)
}

/// The project that is meant, which must have a repository to make a workspace of.
fn with_repository(ctx: &Ctx) -> Result<Project> {
    let project = resolve::project(ctx)?;
    if drover_store::projects::repository(&ctx.read(), project.pk)?.is_some() {
        return Ok(project);
    }
    Err(AgentError::NoRepository { project: project.name }.into())
}

fn text(request: &Ask) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(brief) = request.brief.as_deref().map(str::trim_end).filter(|it| !it.is_empty()) {
        text.extend_from_slice(brief.as_bytes());
        text.extend_from_slice(b"\n\n");
    }
    text.extend_from_slice(&request.task);
    text
}

/// Whether one more may work now; refuses when no more may even wait.
fn room(tx: &ReadTx<'_>, most: usize) -> Result<bool> {
    let open = delegates::open(tx)?;
    let queued = open.iter().filter(|it| it.state == "queued").count();
    let running = open.len() - queued;
    if running < most && queued == 0 {
        return Ok(true);
    }
    if queued >= WAITING * most {
        return Err(DelegateError::Full { running, queued }.into());
    }
    Ok(false)
}

/// `delegate-<stem>`, or the next free number behind it.
fn free_name(tx: &WriteTx<'_>, project: &Project, label: Option<&str>) -> Result<String> {
    let stem = label.map(stem).filter(|it| !it.is_empty());
    let open = delegates::open(tx)?;
    for number in 1_u32.. {
        let name = match (&stem, number) {
            (Some(stem), 1) => format!("delegate-{stem}"),
            (Some(stem), number) => format!("delegate-{stem}-{number}"),
            (None, number) => format!("delegate-{number}"),
        };
        let is_open =
            open.iter().any(|it| it.name == name) || agents::find(tx, project.pk, &name)?.is_some();
        // Somebody may still take the answer of the one before, by its name.
        if !is_open && !has_kept_answer(tx, &name)? {
            return Ok(name);
        }
    }
    Err(OpError::Usage("every name of a delegate is taken".to_owned()))
}

/// Whether what one of this name answered is still kept.
fn has_kept_answer(tx: &WriteTx<'_>, name: &str) -> Result<bool> {
    for delegate in delegates::named(tx, name)? {
        if delegates::texts(tx, delegate.pk)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The letters and digits of a label, lower case, all else as hyphens.
fn stem(label: &str) -> String {
    let lower = label.to_lowercase();
    let words = lower.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    let joined = words.collect::<Vec<_>>().join("-");
    joined.chars().take(STEM).collect::<String>().trim_end_matches('-').to_owned()
}

fn milliseconds(limit: Limit) -> i64 {
    match limit {
        Limit::Never => 0,
        Limit::AtOnce => 1,
        Limit::For(time) => i64::try_from(time.as_millis()).unwrap_or(i64::MAX).max(1),
    }
}

fn reload(tx: &ReadTx<'_>, pk: i64, name: &str) -> Result<Delegate> {
    let unknown = || DelegateError::Unknown { name: name.to_owned() };
    Ok(delegates::by_pk(tx, pk)?.ok_or_else(unknown)?)
}

/// The identity of the delegate of a keyed call, the same whenever it is repeated.
fn keyed_uid(ctx: &Ctx) -> Result<Option<String>> {
    ctx.key().is_some().then(|| Ok(crate::digest::uuid_of(&ctx.token_for("delegate")?))).transpose()
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn a_label_becomes_part_of_a_name() {
        let check = |label: &str, expected: &str| assert_eq!(stem(label), expected, "{label}");
        check("Review the parser", "review-the-parser");
        check("a_b  c!", "a-b-c");
        check("twenty letters and more", "twenty-letters-and-m");
        check("exactly-twenty-lett- ers", "exactly-twenty-lett");
        check("\u{fc}\u{f1}", "");
    }
}
