//! `drover skill`.

use clap::Args;
use drover_ops::{Ctx, Env, OpError, skill};

use crate::input::Input;
use crate::output::Report;
use crate::verb::{Effect, Verb};
use crate::wire::{Items, SkillPage};

/// Print the guide for agents, or one of its recipes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover skill worker\n\n`drover link` puts the same pages where a chat agent finds them.\n\nExit codes: 0, 2 no such recipe."
)]
pub(crate) struct Skill {
    /// The recipe; the guide itself when absent.
    name: Option<String>,
}

impl Verb for Skill {
    fn name(&self) -> &'static str {
        "skill"
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn run_alone(&self, _: &Env, _: bool) -> Option<Result<Report, OpError>> {
        Some(self.report())
    }

    fn run(&self, _: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        self.report()
    }
}

impl Skill {
    fn report(&self) -> Result<Report, OpError> {
        let recipes: Vec<String> = skill::recipes().map(str::to_owned).collect();
        let text = skill::find(self.name.as_deref()).ok_or_else(|| {
            let name = self.name.as_deref().unwrap_or_default();
            OpError::Usage(format!("there is no recipe {name:?}; there are {}", recipes.join(", ")))
        })?;
        let page = SkillPage {
            name: self.name.clone(),
            text: text.to_owned(),
            recipes: Items::new(recipes),
        };
        Ok(Report::new("shown", page).card(text))
    }
}
