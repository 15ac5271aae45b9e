//! One verb from its arguments to its answer; whoever called prints it or sends it on.

use std::ffi::OsString;
use std::path::Path;

use drover_ops::call::{self, Answer, Healing, Request};
use drover_ops::{Ctx, Env, OpError, Options};
use serde_json::{Value, json};

use crate::cli::{self, Global};
use crate::error::speak;
use crate::input::Input;
use crate::output::{Around, Report, Spoken, failure, success};
use crate::verb::{Effect, Verb};

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The verb did what it was asked.
    Done(Report),
    /// It was refused or failed.
    Refused(Spoken),
    /// The key was answered before: what was recorded then, and the exit code.
    Repeated { recorded: Value, exit: u8 },
}

/// How a call ended, with what stands around the answer.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) ended: Ended,
    pub(crate) around: Around,
}

impl Answered {
    /// A refusal with nothing around it.
    pub(crate) fn refused(err: &OpError) -> Self {
        Self { ended: Ended::Refused(speak(err)), around: Around::default() }
    }

    fn from(result: Result<Report, OpError>) -> Self {
        match result {
            Ok(report) => Self { ended: Ended::Done(report), around: Around::default() },
            Err(err) => Self::refused(&err),
        }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match &self.ended {
            Ended::Done(report) => report.exit(),
            Ended::Refused(spoken) => spoken.exit(),
            Ended::Repeated { exit, .. } => *exit,
        }
    }

    /// The JSON of the answer.
    pub(crate) fn envelope(&self) -> Value {
        match &self.ended {
            Ended::Done(report) => json!(success(report, &self.around)),
            Ended::Refused(spoken) => failure(spoken, &self.around),
            Ended::Repeated { recorded, .. } => {
                recorded.get("envelope").cloned().unwrap_or(Value::Null)
            }
        }
    }
}

/// Opens what the verb works with; where that cannot be, is not needed, or is not for whoever calls, the
/// answer.
pub(crate) fn open(global: &Global, verb: &dyn Verb) -> Result<Ctx, Box<Answered>> {
    if let Err(err) = check_flags(global, verb) {
        return Err(Box::new(Answered::refused(&err)));
    }
    let env = Env::capture();
    if verb.effect() == Effect::ChangesFiles {
        admit_alone(global, verb, &env)?;
    }
    let described = verb.describe(cli::command, global.dry_run);
    if let Some(result) = described.or_else(|| verb.run_alone(&env, global.dry_run)) {
        let mut answered = Answered::from(result);
        answered.around.effects = global.dry_run.then(Vec::new);
        return Err(Box::new(answered));
    }
    let mut ctx =
        Ctx::open(env, options(global)).map_err(|err| Box::new(unopened(global, verb, err)))?;
    match call::admit(&mut ctx, verb.name()) {
        Ok(()) => Ok(ctx),
        Err(err) => Err(Box::new(Answered::refused(&ctx.explain(err)))),
    }
}

/// Whether a verb that needs no database is for whoever calls: an agent is one only where there is one.
fn admit_alone(global: &Global, verb: &dyn Verb, env: &Env) -> Result<(), Box<Answered>> {
    let has_database = env.state_dir().is_ok_and(|it| it.join("drover.db").exists());
    if !has_database {
        return Ok(());
    }
    // A database that cannot be opened knows no agents, and the verb needs none of it.
    let Ok(mut ctx) = Ctx::open(env.clone(), options(global)) else { return Ok(()) };
    call::admit(&mut ctx, verb.name()).map_err(|err| Box::new(Answered::refused(&ctx.explain(err))))
}

/// Runs a verb under its key and in its dry run.
pub(crate) fn carry_out(
    ctx: &mut Ctx,
    verb: &dyn Verb,
    (words, input): (&[OsString], &Input),
) -> Answered {
    let healing = match verb.effect() {
        Effect::Changes(healing) => healing,
        Effect::Reads | Effect::ChangesFiles => Healing::Looks,
    };
    let digest = match digest(ctx, verb, words, input) {
        Ok(digest) => digest,
        Err(err) => return Answered::refused(&err),
    };
    let request = Request { verb: verb.name(), digest: &digest, healing };
    let answer = call::perform(ctx, request, |ctx| run_explained(verb, ctx, input), record);
    let around = Around {
        warnings: ctx.take_warnings(),
        effects: ctx.is_dry_run().then(|| ctx.take_effects()),
        is_deduplicated: false,
    };
    match answer {
        Ok(Answer::Fresh(report)) => Answered { ended: Ended::Done(report), around },
        Ok(Answer::Repeated { answer, exit }) => repeated(&answer, exit),
        Err(err) => Answered { ended: Ended::Refused(speak(&err)), around },
    }
}

/// Runs the verb; what SQLite said of a read is put into our words.
fn run_explained(verb: &dyn Verb, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
    verb.run(ctx, input).map_err(|err| ctx.explain(err))
}

/// The state directory or the database cannot be used: a few verbs can do something even then.
fn unopened(global: &Global, verb: &dyn Verb, err: OpError) -> Answered {
    let is_about_state = matches!(err, OpError::Store(_) | OpError::StateDir(_) | OpError::Env(_));
    Answered::from(if is_about_state && !global.dry_run {
        verb.run_unopened(&Env::capture(), err)
    } else {
        Err(err)
    })
}

/// What a call says of itself.
pub(crate) fn options(global: &Global) -> Options {
    Options {
        project: global.project.clone(),
        actor: global.actor.clone(),
        key: global.key.clone(),
        dry_run: global.dry_run,
        #[cfg(feature = "crash-walk")]
        later_migrations: crate::crash::later_migrations(),
        #[cfg(not(feature = "crash-walk"))]
        later_migrations: &[],
    }
}

/// A flag that would have nothing to do is refused rather than ignored.
pub(crate) fn check_flags(global: &Global, verb: &dyn Verb) -> Result<(), OpError> {
    if global.project.as_deref().is_some_and(|it| it.trim().is_empty()) {
        return Err(OpError::Usage("--project is blank".to_owned()));
    }
    if global.key.as_deref().is_some_and(|it| it.trim().is_empty()) {
        return Err(OpError::Usage("--key is blank".to_owned()));
    }
    if verb.effect() == Effect::ChangesFiles && global.key.is_some() {
        return Err(OpError::Usage(format!(
            "{} needs no database, so --key has nowhere to be kept",
            verb.name()
        )));
    }
    if verb.effect() == Effect::Reads {
        for (flag, is_given) in [("--key", global.key.is_some()), ("--dry-run", global.dry_run)] {
            if is_given {
                return Err(OpError::Usage(format!(
                    "{} changes nothing, so {flag} has nothing to do",
                    verb.name()
                )));
            }
        }
    }
    Ok(())
}

/// Digest of the resolved request: who asks where, the verb with its arguments, and the texts it brings along.
fn digest(
    ctx: &Ctx,
    verb: &dyn Verb,
    words: &[OsString],
    input: &Input,
) -> Result<String, OpError> {
    if !ctx.has_key() {
        return Ok(String::new());
    }
    let who = ctx.actor().agent_uid().map_or_else(|| ctx.actor().word(), str::to_owned);
    let mut request = format!("{verb:?}\0{:?}\0{who}", ctx.project_flag()).into_bytes();
    let words: Vec<&str> = words.iter().filter_map(|it| it.to_str()).collect();
    if words.iter().any(|it| *it == "-" || it.ends_with("=-")) {
        request.extend_from_slice(input.stdin()?);
    }
    let after_flag = words.windows(2).filter_map(|it| match it {
        ["--file", path] => Some(*path),
        _ => None,
    });
    let in_flag = words.iter().filter_map(|it| it.strip_prefix("--file="));
    for path in after_flag.chain(in_flag).map(Path::new).chain(verb.file()) {
        request.extend_from_slice(&input.file(path)?);
    }
    Ok(drover_ops::sha256_hex(&request))
}

/// What a repeat of the key returns.
fn record(result: &Result<Report, OpError>) -> (String, i64) {
    let around = Around { is_deduplicated: true, ..Around::default() };
    let (recorded, exit) = match result {
        Ok(report) => {
            (json!({ "report": report, "envelope": success(report, &around) }), report.exit())
        }
        Err(err) => {
            let spoken = speak(err);
            (
                json!({ "error": spoken.error, "next": spoken.next, "envelope": failure(&spoken, &around) }),
                spoken.exit(),
            )
        }
    };
    (recorded.to_string(), i64::from(exit))
}

fn repeated(answer: &str, exit: i64) -> Answered {
    let recorded = serde_json::from_str(answer).unwrap_or(Value::Null);
    let exit = u8::try_from(exit).unwrap_or(1);
    let around = Around { is_deduplicated: true, ..Around::default() };
    Answered { ended: Ended::Repeated { recorded, exit }, around }
}
