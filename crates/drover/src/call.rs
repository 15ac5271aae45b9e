//! One call from its words to its exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use drover_ops::call::{Answer, Request, admit, perform};
use drover_ops::{Ctx, Env, OpError, Options};
use serde_json::{Value, json};

use crate::cli::{self, Colour, Global};
use crate::error::speak;
use crate::input::Input;
use crate::output::{
    Around, Format, Printer, Report, Spoken, exit_after, failure, print_line, success,
};
use crate::verb::{Effect, Verb};

/// Runs the call that the process was started for.
pub(crate) fn main() -> ExitCode {
    #[cfg(feature = "crash-walk")]
    crate::crash::install();
    let words: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(run(&words))
}

fn run(words: &[OsString]) -> u8 {
    if let Some(code) = crate::internal::run(words) {
        return code;
    }
    let wants_json = words.iter().any(|it| it == "--json");
    let format = if wants_json { Format::Json } else { Format::Text };
    let plain = Printer { format, is_quiet: false };
    let call = match cli::parse(words) {
        Ok(call) => call,
        Err(err) => return unparsed(plain, &err, words),
    };
    colour(call.global.color);
    let printer = Printer { format, is_quiet: call.global.quiet };
    let Some(verb) = call.verb else {
        let help = call.help.unwrap_or_default();
        return printer
            .report(&Report::new("help", json!({ "help": help })).card(help), &Around::default());
    };
    carry_out(printer, &call.global, verb.as_ref(), words)
}

fn colour(when: Colour) {
    match when {
        Colour::Auto if Env::capture().forces_color() => {
            anstream::ColorChoice::Always.write_global();
        }
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Help and version are answers; anything else clap says is a usage error.
fn unparsed(printer: Printer, err: &clap::Error, words: &[OsString]) -> u8 {
    use clap::error::ErrorKind;
    let text = err.render().to_string();
    match err.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => printer
            .report(&Report::new("help", json!({ "help": text })).card(text), &Around::default()),
        _ => {
            let sentence = text.trim_start_matches("error: ").trim_end();
            let spoken = Spoken::new("usage", sentence);
            printer.refusal(&spilled(err, words, spoken), &Around::default())
        }
    }
}

/// A word too many is most often a quote that ended early: standard input needs none.
fn spilled(err: &clap::Error, words: &[OsString], spoken: Spoken) -> Spoken {
    let is_text = words.windows(2).any(|it| it == ["task", "note"] || it == ["task", "add"]);
    if err.kind() != clap::error::ErrorKind::UnknownArgument || !is_text {
        return spoken;
    }
    let mut named = words.iter().skip(1).filter(|it| !it.as_encoded_bytes().starts_with(b"-"));
    let named: Vec<String> =
        named.by_ref().take(3).map(|it| it.to_string_lossy().into_owned()).collect();
    let run = match named.as_slice() {
        [noun, verb, id] if verb == "note" => {
            format!("drover {noun} {verb} {} - < <file>", drover_ops::words::quote(id))
        }
        _ => "drover task add - < <file>".to_owned(),
    };
    spoken.next("give the text on standard input, where no quote can end it", run)
}

fn carry_out(printer: Printer, global: &Global, verb: &dyn Verb, words: &[OsString]) -> u8 {
    let input = Input::default();
    let opened =
        check_flags(global, verb).and_then(|()| Ctx::open(Env::capture(), options(global)));
    let mut ctx = match opened {
        Ok(ctx) => ctx,
        Err(err) => return unopened(printer, global, verb, err),
    };
    if let Err(err) = admit(&mut ctx, verb.name()) {
        return printer.refusal(&speak(&ctx.explain(err)), &Around::default());
    }
    if let Some(ended) = verb.follow(&mut ctx, printer) {
        return ended
            .unwrap_or_else(|err| printer.refusal(&speak(&ctx.explain(err)), &Around::default()));
    }
    let healing = match verb.effect() {
        Effect::Changes(healing) => healing,
        Effect::Reads => drover_ops::call::Healing::Looks,
    };
    let digest = match digest(global, verb, words, &input) {
        Ok(digest) => digest,
        Err(err) => return printer.refusal(&speak(&err), &Around::default()),
    };
    let request = Request { verb: verb.name(), digest: &digest, healing };
    let answer = perform(&mut ctx, request, |ctx| run_explained(verb, ctx, &input), record);
    let around = Around {
        warnings: ctx.take_warnings(),
        effects: ctx.is_dry_run().then(|| ctx.take_effects()),
        is_deduplicated: false,
    };
    match answer {
        Ok(Answer::Fresh(report)) => printer.report(&report, &around),
        Ok(Answer::Repeated { answer, exit }) => repeat(printer, &answer, exit),
        Err(err) => printer.refusal(&speak(&err), &around),
    }
}

/// Runs the verb; what SQLite said of a read is put into our words.
fn run_explained(verb: &dyn Verb, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError> {
    verb.run(ctx, input).map_err(|err| ctx.explain(err))
}

/// The state directory or the database cannot be used: a few verbs can do something even then.
fn unopened(printer: Printer, global: &Global, verb: &dyn Verb, err: OpError) -> u8 {
    let is_about_state = matches!(err, OpError::Store(_) | OpError::StateDir(_) | OpError::Env(_));
    let answer = if is_about_state && !global.dry_run {
        verb.run_unopened(&Env::capture(), err)
    } else {
        Err(err)
    };
    match answer {
        Ok(report) => printer.report(&report, &Around::default()),
        Err(err) => printer.refusal(&speak(&err), &Around::default()),
    }
}

fn options(global: &Global) -> Options {
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
fn check_flags(global: &Global, verb: &dyn Verb) -> Result<(), OpError> {
    if global.project.as_deref().is_some_and(|it| it.trim().is_empty()) {
        return Err(OpError::Usage("--project is blank".to_owned()));
    }
    if global.key.as_deref().is_some_and(|it| it.trim().is_empty()) {
        return Err(OpError::Usage("--key is blank".to_owned()));
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
    global: &Global,
    verb: &dyn Verb,
    words: &[OsString],
    input: &Input,
) -> Result<String, OpError> {
    if global.key.is_none() {
        return Ok(String::new());
    }
    let mut request = format!("{verb:?}\0{:?}\0{:?}", global.project, global.actor).into_bytes();
    if words.iter().any(|it| it == "-") {
        request.extend_from_slice(input.stdin()?);
    }
    let flagged = words.windows(2).filter_map(|pair| match pair {
        [flag, path] if flag == "--file" => Some(std::path::Path::new(path)),
        _ => None,
    });
    for path in flagged.chain(verb.file()) {
        let bytes = std::fs::read(path)
            .map_err(|source| OpError::File { path: path.to_owned(), source })?;
        request.extend_from_slice(&bytes);
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

fn repeat(printer: Printer, answer: &str, exit: i64) -> u8 {
    let recorded: Value = serde_json::from_str(answer).unwrap_or(Value::Null);
    let exit = u8::try_from(exit).unwrap_or(1);
    if printer.format == Format::Json {
        let printed = print_line(recorded.get("envelope").unwrap_or(&Value::Null));
        return exit_after(&printed, exit);
    }
    let around = Around { is_deduplicated: true, ..Around::default() };
    match recorded.get("report").map(|it| serde_json::from_value::<Report>(it.clone())) {
        Some(Ok(report)) => printer.report(&report, &around),
        _ => {
            let error = recorded
                .get("error")
                .and_then(Value::as_str)
                .unwrap_or("the recorded answer cannot be read");
            printer.refusal(&Spoken::new("failed", error), &around);
            exit
        }
    }
}
