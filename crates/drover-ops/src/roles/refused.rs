//! The record of what was refused: a line of the log, and never a flood of them.

use std::time::Duration;

use drover_core::text::Text;
use drover_store::{notes, time_text};

use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::{ActorError, OpError, Result};

/// The verb that such a line is logged under.
pub(crate) const RECORD: &str = "role.refuse";
/// The kind of the lines.
const KIND: &str = "refused";
/// How far back an agent's lines count against the next one.
const SPAN: Duration = Duration::from_hours(1);
/// The most lines of one agent about one verb within the span.
const MOST: usize = 10;

/// Whether an error says that the caller may not do what it asked for.
pub(crate) fn is_refusal(err: &OpError) -> bool {
    matches!(err, OpError::Actor(ActorError::RoleForbids(_) | ActorError::PeopleOnly { .. }))
}

/// Records a refusal in the log of the caller's project, in a group of its own.
///
/// The same sentence is recorded once within the span, and at most so many about one verb: an
/// agent that tries for ever fills no log.
pub(crate) fn record(ctx: &mut Ctx, verb: &str, refusal: &OpError) -> Result<()> {
    let Actor::Agent(agent) = ctx.actor() else { return Ok(()) };
    let (project, author) = (agent.project_pk, agent.name.clone());
    let about = format!("{verb}: ");
    let mut text = format!("{about}{}", words(refusal));
    let since = time_text(ctx.now().checked_sub(SPAN).unwrap_or(jiff::Timestamp::MIN));
    let said = notes::log_lines_of(&ctx.read(), project, (KIND, &author), &since)?;
    let last = format!("{text}; no more within the hour");
    let about_it = said.iter().filter(|it| it.starts_with(&about)).count();
    if about_it >= MOST || said.contains(&text) || said.contains(&last) {
        return Ok(());
    }
    if about_it + 1 == MOST {
        text = last;
    }
    ctx.new_group()?;
    ctx.write(RECORD, |tx| {
        notes::insert_log_line(tx, project, KIND, &author, &Text::new(&text))?;
        Ok(())
    })
}

/// Short enough to be seen whole in the log, which says who it was beside it.
fn words(refusal: &OpError) -> String {
    match refusal {
        OpError::Actor(ActorError::RoleForbids(it)) => match &it.limit {
            Some((_, what)) => what.clone(),
            None => format!("not for a {}", it.role),
        },
        _ => "for people only".to_owned(),
    }
}
