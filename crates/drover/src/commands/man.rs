//! `drover man`.

use std::path::PathBuf;

use clap::{Args, Command};
use drover_ops::pages::{self, Page};
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::{Report, manual, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{ManualPage, ManualPages};

/// Print a manual page, or write all of them where `man` finds them.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover man task close\n\nTo read one: drover man task close | man -l -\nTo install them: drover man --to ~/.local/share/man/man1\n\nExit codes: 0, 2 no such noun or verb, 4 a file of somebody else is in the way, 5 a file cannot be written."
)]
pub(crate) struct Man {
    /// The noun and verb; the page of the whole when absent.
    words: Vec<String>,
    /// The directory that gets every page; older ones of ours are replaced.
    #[arg(long, value_name = "DIR", conflicts_with = "words")]
    to: Option<PathBuf>,
}

impl Verb for Man {
    fn name(&self) -> &'static str {
        "man"
    }

    fn effect(&self) -> Effect {
        if self.to.is_some() { Effect::ChangesFiles } else { Effect::Reads }
    }

    fn describe(&self, tree: fn() -> Command, is_preview: bool) -> Option<Result<Report, OpError>> {
        Some(self.answer(tree(), is_preview))
    }

    fn run(&self, _: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        Err(OpError::Usage("manual pages need no database".to_owned()))
    }
}

impl Man {
    fn answer(&self, tree: Command, is_preview: bool) -> Result<Report, OpError> {
        match &self.to {
            Some(directory) => {
                let pages = manual::every_page(tree);
                let written = pages::write(directory, &pages, is_preview)?;
                let shown = directory.display().to_string();
                let what = if is_preview { "would be written" } else { "written" };
                let card = format!("{} pages {what} to {}", written.len(), visible(&shown));
                let pages = written.into_iter().map(|it| it.display().to_string());
                Ok(Report::new("written", ManualPages { pages: pages.collect() }).card(card))
            }
            None => {
                let Page { name, text } = manual::page(tree, &self.words).ok_or_else(|| {
                    let words = self.words.join(" ");
                    OpError::Usage(format!("there is no verb {words:?}; see drover --help"))
                })?;
                Ok(Report::new("shown", ManualPage { name, text: text.clone() }).card(text))
            }
        }
    }
}
