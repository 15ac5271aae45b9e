//! One call from its words to its exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use drover_ops::Env;
use drover_ops::error::at_file;
use serde_json::{Value, json};

use crate::cli::{self, Colour, Global};
use crate::error::speak;
use crate::input::Input;
use crate::mcp;
use crate::output::{Around, Format, Printer, Report, Spoken, exit_after, print_line};
use crate::perform::{self, Answered, Ended};
use crate::verb::{Face, Verb};

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
    // Behind a bare `--` stand texts, whatever they look like.
    let wants_json = words.iter().take_while(|it| *it != "--").any(|it| it == "--json");
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
    match verb.face() {
        Some(Face::Mcp) => serve(printer, &call.global, verb.as_ref()),
        None => carry_out(printer, &call.global, verb.as_ref(), words),
    }
}

/// Serves tools until the client has no more to ask.
fn serve(printer: Printer, global: &Global, verb: &dyn Verb) -> u8 {
    let served = perform::check_flags(global, verb)
        .and_then(|()| mcp::serve(global).map_err(at_file("standard input and output")));
    served.map_or_else(|err| printer.refusal(&speak(&err), &Around::default()), |()| 0)
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
    let mut ctx = match perform::open(global, verb) {
        Ok(ctx) => ctx,
        Err(answered) => return print(printer, &answered),
    };
    if let Some(ended) = verb.follow(&mut ctx, printer) {
        return ended
            .unwrap_or_else(|err| printer.refusal(&speak(&ctx.explain(err)), &Around::default()));
    }
    let input = Input::default();
    print(printer, &perform::carry_out(&mut ctx, verb, (words, &input)))
}

/// Prints an answer and returns its exit code.
fn print(printer: Printer, answered: &Answered) -> u8 {
    match &answered.ended {
        Ended::Done(report) => printer.report(report, &answered.around),
        Ended::Refused(spoken) => printer.refusal(spoken, &answered.around),
        Ended::Repeated { recorded, exit } => repeat(printer, recorded, *exit, &answered.around),
    }
}

fn repeat(printer: Printer, recorded: &Value, exit: u8, around: &Around) -> u8 {
    if printer.format == Format::Json {
        let printed = print_line(recorded.get("envelope").unwrap_or(&Value::Null));
        return exit_after(&printed, exit);
    }
    match recorded.get("report").map(|it| serde_json::from_value::<Report>(it.clone())) {
        Some(Ok(report)) => printer.report(&report, around),
        _ => {
            let error = recorded
                .get("error")
                .and_then(Value::as_str)
                .unwrap_or("the recorded answer cannot be read");
            printer.refusal(&Spoken::new("failed", error), around);
            exit
        }
    }
}
