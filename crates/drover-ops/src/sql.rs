//! `sql`: what a person writes, read or changed within a fence.

use drover_core::duration::Limit;
use drover_core::text::Text;
use drover_host::clock;
use drover_store::sql::{self, Answer, Fence, Program, Reader};
use jiff::Timestamp;

use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::{OpError, QueryError, Result};

/// What to run, and how far it may go.
#[derive(Debug, Clone)]
pub struct Query {
    /// The statements.
    pub text: String,
    /// How many rows must change; anything else changes nothing.
    pub confirmed: Option<u64>,
    /// At most so many rows are answered.
    pub count: Option<usize>,
    /// How long it may take.
    pub timeout: Limit,
}

/// What became of it.
#[derive(Debug, Clone)]
pub struct Queried {
    /// What the text holds.
    pub program: Program,
    /// The rows, and how many were changed.
    pub answer: Answer,
    /// How many rows had to change.
    pub confirmed: Option<u64>,
}

/// Runs what a person wrote; changes are logged as one group, and only a person may make them.
pub fn query(ctx: &mut Ctx, request: &Query) -> Result<Queried> {
    if request.text.contains('\0') {
        return Err(OpError::Usage("the statement holds a NUL character".to_owned()));
    }
    let fence = fence(ctx, request.timeout)?;
    let program = sql::examine(&ctx.read(), &fence, &request.text)?;
    if program.statements == 0 {
        return Err(OpError::Usage("there is no statement to run".to_owned()));
    }
    let answer = if program.is_writing {
        change(ctx, &fence, request)?
    } else if request.confirmed.is_some() {
        let what = "the statement only reads, so --confirm-rows has nothing to confirm";
        return Err(OpError::Usage(what.to_owned()));
    } else {
        sql::read(&ctx.read(), &fence, &request.text, request.count)?
    };
    Ok(Queried { program, answer, confirmed: request.confirmed })
}

fn fence(ctx: &mut Ctx, timeout: Limit) -> Result<Fence> {
    let until = match timeout {
        Limit::AtOnce => ctx.now(),
        Limit::For(time) => ctx.after(time),
        Limit::Never => Timestamp::MAX,
    };
    let reader = match ctx.actor() {
        Actor::Agent(_) => Reader::Agent,
        Actor::Person { .. } | Actor::Part(_) => Reader::Person,
    };
    ctx.fence(reader, move || clock::now() >= until)
}

fn change(ctx: &mut Ctx, fence: &Fence, request: &Query) -> Result<Answer> {
    ctx.people_only("sql")?;
    // Secrets are taken out of the statement itself: what it writes reaches the log by triggers.
    let text = Text::new(&request.text);
    let answer = ctx.write("sql.write", |tx| {
        let answer = sql::write(tx, fence, text.as_str(), request.count)?;
        match request.confirmed.filter(|it| *it != answer.changed) {
            Some(confirmed) => {
                Err(QueryError::OtherCount { confirmed, found: answer.changed }.into())
            }
            None => Ok(answer),
        }
    })?;
    ctx.note_redactions(&text);
    Ok(answer)
}
