//! Manual pages, made from the same tree of arguments as the help.

use std::fmt::Write as _;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use drover_ops::pages::{MARK, Page};

/// The page of a noun or verb; `None` when there is no such thing.
pub(crate) fn page(command: Command, words: &[String]) -> Option<Page> {
    let root = built(command);
    let mut at = &root;
    for word in words {
        at = visible(at).find(|it| it.get_name() == word)?;
    }
    Some(render(at))
}

/// The page of the whole, of every noun and of every verb.
pub(crate) fn every_page(command: Command) -> Vec<Page> {
    fn walk(command: &Command, pages: &mut Vec<Page>) {
        pages.push(render(command));
        for below in visible(command) {
            walk(below, pages);
        }
    }
    let mut pages = Vec::new();
    walk(&built(command), &mut pages);
    pages
}

fn built(command: Command) -> Command {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    command
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|it| !it.is_hide_set())
}

fn render(command: &Command) -> Page {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let is_whole = name == "drover";
    // Flags that every verb takes stand on the page of the whole.
    let own = command.clone().mut_args(|it| {
        let is_elsewhere = !is_whole && (it.is_global_set() || it.get_id() == "help");
        it.hide(is_elsewhere)
    });
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_arguments = own.get_arguments().any(|it| !it.is_hide_set());
    let has_verbs = visible(command).next().is_some();
    let source = format!("drover {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(own).title(&name).source(source).manual("Drover");
    let mut text = format!("{MARK}\n").into_bytes();
    // Writing to memory cannot fail.
    let _ = man.render_title(&mut text);
    let _ = man.render_name_section(&mut text);
    let _ = man.render_synopsis_section(&mut text);
    let _ = man.render_description_section(&mut text);
    if has_arguments {
        let _ = man.render_options_section(&mut text);
    }
    if has_verbs {
        let _ = man.render_subcommands_section(&mut text);
    }
    let _ = after_sections(&after).to_writer(&mut text);
    let _ = see_also(&name).to_writer(&mut text);
    Page { name: format!("{name}.1"), text: as_read_anywhere(&String::from_utf8_lossy(&text)) }
}

/// In ASCII, which every reader of pages takes, and with the preamble of the first section alone.
fn as_read_anywhere(text: &str) -> String {
    let mut seen: Vec<&str> = Vec::new();
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let is_preamble = line.starts_with(".ie ") || line.starts_with(".el ");
        if is_preamble && seen.contains(&line) {
            continue;
        }
        seen.extend(is_preamble.then_some(line));
        for letter in line.chars() {
            if letter.is_ascii() {
                kept.push(letter);
            } else {
                let _ = write!(kept, "\\[u{:04X}]", u32::from(letter));
            }
        }
        kept.push('\n');
    }
    kept
}

/// The example, the notes and the exit codes that the help ends with, as sections of their own.
fn after_sections(after: &str) -> Roff {
    let mut roff = Roff::new();
    for paragraph in after.split("\n\n").filter(|it| !it.trim().is_empty()) {
        if let Some(example) = paragraph.strip_prefix("Example:") {
            roff.control("SH", ["EXAMPLE"]);
            verbatim(&mut roff, example);
        } else if let Some(codes) = paragraph.strip_prefix("Exit codes:") {
            roff.control("SH", ["EXIT STATUS"]);
            roff.text([roman(codes.trim())]);
        } else {
            roff.control("SH", ["NOTES"]);
            verbatim(&mut roff, paragraph);
        }
    }
    roff
}

/// Lines that stay as they are, where they are indented or several.
fn verbatim(roff: &mut Roff, text: &str) {
    let is_prose =
        !text.trim_matches('\n').contains('\n') && !text.trim_start_matches('\n').starts_with(' ');
    if is_prose {
        roff.text([roman(text.trim())]);
        return;
    }
    roff.control("nf", []);
    for line in text.trim_matches('\n').lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

fn see_also(name: &str) -> Roff {
    let mut roff = Roff::new();
    if let Some((above, _)) = name.rsplit_once('-') {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold(above), roman("(1)")]);
    }
    roff
}
