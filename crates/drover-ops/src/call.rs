//! The one wrapper around every verb: idempotency keys, dry runs, and the last commit.

use drover_host::proc;
use drover_store::keys::{self, CallKey};

use crate::ctx::Ctx;
use crate::error::{CallError, OpError, Result};
use crate::roles;

/// Whether a verb that was cut off can find out what it had done outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Healing {
    /// It looks for its token and completes what was begun.
    Looks,
    /// The world cannot be asked, so a repeat answers `uncertain` and does nothing.
    Cannot,
}

/// A call as the wrapper sees it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The verb, as `task claim`.
    pub verb: &'a str,
    /// Digest of the resolved request.
    pub digest: &'a str,
    /// What a repeat does about a call that was cut off.
    pub healing: Healing,
}

/// What the wrapper returns.
#[derive(Debug)]
pub enum Answer<R> {
    /// The verb ran.
    Fresh(R),
    /// The key was answered before: the recorded answer and its exit code.
    Repeated {
        /// The recorded answer.
        answer: String,
        /// Its exit code.
        exit: i64,
    },
}

/// Runs a verb under its key, commits what it wrote last, and records the answer with it.
///
/// `render` turns the result into the text and exit code that a repeat of the key returns. A dry
/// run is rolled back after the check of references that a commit would have made.
pub fn perform<R>(
    ctx: &mut Ctx,
    request: Request<'_>,
    run: impl FnOnce(&mut Ctx) -> Result<R>,
    render: impl Fn(&Result<R>) -> (String, i64),
) -> Result<Answer<R>> {
    admit(ctx, request.verb)?;
    if let Some(repeated) = begin(ctx, request)? {
        return Ok(repeated);
    }
    let result = run(ctx);
    if ctx.is_dry_run() {
        let checked = result.and_then(|report| ctx.check_references().map(|()| report));
        ctx.rollback();
        return checked.map(Answer::Fresh);
    }
    if result.is_err() {
        ctx.rollback();
    }
    let must_record = result.is_ok() || ctx.has_committed();
    if let Some(key) = ctx.key().map(str::to_owned).filter(|_| must_record) {
        let (answer, exit) = render(&result);
        ctx.write("key.complete", |tx| Ok(keys::complete(tx, &key, &answer, exit)?))?;
    }
    ctx.commit()?;
    if let Err(err) = &result
        && roles::is_refusal(err)
    {
        record_refusal(ctx, request.verb, err)?;
    }
    result.map(Answer::Fresh)
}

/// Refuses a verb that is not for the role of the one who calls it; the log keeps that it was tried.
pub fn admit(ctx: &mut Ctx, verb: &str) -> Result<()> {
    ctx.set_verb(verb);
    let admitted = roles::admit(ctx, verb);
    if let Err(err) = &admitted
        && roles::is_refusal(err)
        && !ctx.is_dry_run()
    {
        record_refusal(ctx, verb, err)?;
    }
    admitted
}

fn record_refusal(ctx: &mut Ctx, verb: &str, refusal: &OpError) -> Result<()> {
    ctx.drop_pending_key();
    roles::record(ctx, verb, refusal)?;
    ctx.commit()
}

/// Looks the key up; `Some` is the recorded answer.
fn begin<R>(ctx: &mut Ctx, request: Request<'_>) -> Result<Option<Answer<R>>> {
    if ctx.is_dry_run() {
        return Ok(None);
    }
    let Some(key) = ctx.key().map(str::to_owned) else { return Ok(None) };
    let mine = ctx.own_process()?;
    let fresh = CallKey {
        digest: request.digest.to_owned(),
        verb: request.verb.to_owned(),
        token: drover_host::random::token().map_err(OpError::Random)?,
        pid: mine.pid,
        pid_started: mine.started,
        answer: None,
    };
    let Some(known) = keys::find(&ctx.read(), &key)? else {
        ctx.set_pending_key(fresh);
        return Ok(None);
    };
    if known.digest != request.digest {
        return Err(CallError::OtherRequest { key, verb: known.verb }.into());
    }
    if let Some((answer, exit)) = known.answer {
        return Ok(Some(Answer::Repeated { answer, exit }));
    }
    let owner = proc::Identity {
        pid: u32::try_from(known.pid).unwrap_or(0),
        start: known.pid_started.clone(),
    };
    if proc::is_alive(&owner) {
        return Err(CallError::InProgress { key, pid: known.pid }.into());
    }
    match request.healing {
        Healing::Looks => {
            ctx.set_pending_key(CallKey { token: known.token, ..fresh });
            Ok(None)
        }
        Healing::Cannot => Err(OpError::from(CallError::Uncertain { key, verb: known.verb })),
    }
}

#[cfg(test)]
mod tests {
    use drover_host::env::Env;

    use super::*;
    use crate::Options;

    /// The tokens of two effects, in a call under this key that is never answered.
    fn tokens(state: &std::path::Path, key: Option<&str>) -> [String; 2] {
        let mut env = Env::default();
        env.set("DROVER_STATE_DIR", state);
        env.set("USER", "tester");
        let options = Options { key: key.map(str::to_owned), ..Options::default() };
        let mut ctx = Ctx::open(env, options).unwrap();
        let request = Request { verb: "test", digest: "d", healing: Healing::Looks };
        let mut found = None;
        let run = |ctx: &mut Ctx| -> Result<()> {
            ctx.write("test", |_| Ok(()))?;
            found = Some(["agent/web/w1", "agent/web/w2"].map(|it| ctx.token_for(it).unwrap()));
            Ok(())
        };
        perform(&mut ctx, request, run, |_| (String::new(), 0)).unwrap();
        found.unwrap()
    }

    #[test]
    fn each_effect_of_a_keyed_call_has_a_token_of_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        let [one, two] = tokens(&state, Some("k"));
        assert_eq!((one.len(), two.len()), (64, 64));
        assert_ne!(one, two);
        let [other, _] = tokens(&state, Some("another"));
        assert_ne!(one, other);
        let [free, _] = tokens(&state, None);
        assert!(free != one && free != tokens(&state, None)[0]);
    }
}
