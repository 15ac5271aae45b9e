//! Looking into the files of agents for what is new, for a bounded time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_host::usage::{self as files, Format, Place, Position, Reading};
use drover_store::agents::{self, Agent};
use drover_store::usage::{self, Call, File};
use drover_store::{ReadTx, time_text};

use crate::ctx::Ctx;
use crate::engines::Kind;
use crate::error::{OpError, Result};

/// How long the files are looked into at most; what is left is for the next time.
const TIME: Duration = Duration::from_millis(500);

/// What is new in a file of an agent.
struct News {
    agent_pk: i64,
    path: String,
    reading: Reading,
}

/// Keeps what is new in the files of these agents.
///
/// It is a look beside the verb: what cannot be read now is a warning, and its counts stay as they were.
pub(crate) fn refresh(ctx: &mut Ctx, crew: &[Agent]) {
    if ctx.is_dry_run() {
        return;
    }
    if let Err(err) = try_refresh(ctx, crew) {
        ctx.warn(format!("what agents used could not be read: {err}"));
    }
}

fn try_refresh(ctx: &mut Ctx, crew: &[Agent]) -> Result<()> {
    let deadline = ctx.now().checked_add(TIME).unwrap_or(jiff::Timestamp::MAX);
    let mut news = Vec::new();
    for agent in crew {
        for (path, format) in files_of(ctx, agent)? {
            if ctx.now() > deadline {
                ctx.warn("what agents used is not all read yet; the next call goes on");
                return keep(ctx, &news);
            }
            news.extend(read(ctx, agent, &path, format)?);
        }
    }
    keep(ctx, &news)
}

/// The files of every conversation that an agent was in.
fn files_of(ctx: &Ctx, agent: &Agent) -> Result<Vec<(PathBuf, Format)>> {
    let tx = ctx.read();
    let format = match Kind::of(&agent.profile.engine) {
        Some(Kind::Pi) => Format::Pi,
        Some(Kind::Codex) => Format::Codex,
        Some(Kind::Claude) => Format::Claude,
        None => return Ok(Vec::new()),
    };
    let conversations = agents::conversations(&tx, agent.pk)?;
    if conversations.is_empty() {
        return Ok(Vec::new());
    }
    let Some(place) = place(ctx, &tx, agent, format)? else { return Ok(Vec::new()) };
    let mut found: Vec<PathBuf> = Vec::new();
    for conversation in conversations {
        let named = conversation.file.map(PathBuf::from).filter(|it| it.is_file());
        for path in files::files(format, &place, &conversation.id).into_iter().chain(named) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    Ok(found.into_iter().map(|it| (it, format)).collect())
}

/// Where an agent's engine keeps things, by the variables the agent was given, else by ours.
fn place(ctx: &Ctx, tx: &ReadTx<'_>, agent: &Agent, format: Format) -> Result<Option<Place>> {
    let given = agents::env(tx, agent.pk)?;
    let variable = |name: &str| {
        let given = given.iter().find(|it| it.0 == name).map(|it| PathBuf::from(&it.1));
        given.filter(|it| it.is_absolute())
    };
    let (own, usual) = match format {
        Format::Pi => ("PI_CODING_AGENT_DIR", ".pi/agent"),
        Format::Codex => ("CODEX_HOME", ".codex"),
        Format::Claude => ("CLAUDE_CONFIG_DIR", ".claude"),
    };
    let below_home = || variable("HOME").or_else(|| ctx.env().home()).map(|it| it.join(usual));
    Ok(variable(own).or_else(below_home).map(|home| Place {
        home,
        sessions: variable("PI_CODING_AGENT_SESSION_DIR").filter(|_| format == Format::Pi),
        cwd: PathBuf::from(&agent.profile.cwd),
    }))
}

fn read(ctx: &mut Ctx, agent: &Agent, path: &Path, format: Format) -> Result<Option<News>> {
    let Some(text) = path.to_str().map(str::to_owned) else { return Ok(None) };
    let known = usage::file(&ctx.read(), agent.pk, &text)?;
    let from = known.map(position).unwrap_or_default();
    let reading = match files::read(path, format, &from) {
        Ok(reading) => reading,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(OpError::File { path: path.to_owned(), source }),
    };
    if reading.is_partial {
        ctx.warn(format!("{text} is not all read yet; the next call goes on"));
    }
    let is_new = reading.position != from;
    Ok(is_new.then_some(News { agent_pk: agent.pk, path: text, reading }))
}

fn keep(ctx: &mut Ctx, news: &[News]) -> Result<()> {
    if news.is_empty() {
        return Ok(());
    }
    ctx.step("usage", |tx| {
        for News { agent_pk, path, reading } in news {
            for call in &reading.calls {
                let at = time_text(call.at);
                let model = call.model.as_deref();
                let (id, tokens, micros) = (call.id.as_str(), call.tokens, call.micros);
                usage::put(tx, *agent_pk, &Call { id, at: &at, model, tokens, micros })?;
            }
            usage::set_file(tx, *agent_pk, path, &stored(&reading.position))?;
        }
        Ok(())
    })
}

fn position(file: File) -> Position {
    Position {
        file: (file.file.0.cast_unsigned(), file.file.1.cast_unsigned()),
        offset: u64::try_from(file.offset).unwrap_or(0),
        carried: files::Carried { model: file.model, thread: file.thread },
    }
}

fn stored(position: &Position) -> File {
    File {
        file: (position.file.0.cast_signed(), position.file.1.cast_signed()),
        offset: i64::try_from(position.offset).unwrap_or(i64::MAX),
        model: position.carried.model.clone(),
        thread: position.carried.thread.clone(),
    }
}
