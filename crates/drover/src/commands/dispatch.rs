//! `drover dispatch`.

use clap::Args;
use drover_core::duration::Limit;
use drover_ops::call::Healing;
use drover_ops::dispatch::{self, Dispatcher, End, Options, Pass};
use drover_ops::{Ctx, OpError, resolve};

use crate::input::Input;
use crate::output::{Report, progress, visible};
use crate::verb::{Effect, Verb};
use crate::wire::{Dispatched, PassView};

/// Land what is closed and hand ready tasks to idle agents.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover dispatch\n\nExit codes: 0, 4 another dispatcher works; with --watch: 0 all is closed and landed, 5 the time is over, 6 no agent lives, 7 only people can move it on, 130 interrupted."
)]
pub(crate) struct Dispatch {
    /// Go on at every change until nothing is left to do.
    #[arg(long)]
    watch: bool,
    /// With --watch: how long, as `90s`, `10m`, `2h`, or `never`.
    #[arg(long, default_value = "never", requires = "watch", value_name = "TIME")]
    timeout: String,
    /// Agents that a person is attached to get work, too.
    #[arg(long)]
    attached: bool,
}

impl Verb for Dispatch {
    fn name(&self) -> &'static str {
        "dispatch"
    }

    fn effect(&self) -> Effect {
        Effect::Changes(Healing::Looks)
    }

    fn run(&self, ctx: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        let project = resolve::project(ctx)?;
        let name = project.name.clone();
        let until = Limit::parse(&self.timeout)?.deadline(ctx.now());
        let mut dispatcher =
            Dispatcher::new(ctx, project, Options { use_attached: self.attached })?;
        if !self.watch {
            let pass = dispatch::pass(ctx, &mut dispatcher)?;
            return Ok(report("dispatched", &name, &pass));
        }
        if ctx.is_dry_run() {
            return Err(OpError::Usage(
                "--watch goes on until all is done, so it has no dry run".to_owned(),
            ));
        }
        let (end, pass) = dispatch::watch(ctx, &mut dispatcher, until, &mut |pass| tell(pass))?;
        Ok(report(word(end), &name, &pass)
            .next("see where it stands", format!("drover state -p {name}")))
    }
}

/// The outcome word of an end.
pub(super) fn word(end: End) -> &'static str {
    match end {
        End::Done => "all_done",
        End::NeedsPerson => "needs_person",
        End::NoAgent => "no_agent",
        End::TimedOut => "timed_out",
        End::Interrupted => "interrupted",
    }
}

/// One line for each thing a pass did.
pub(super) fn tell(pass: &Pass) {
    for line in lines(pass) {
        progress(&line);
    }
}

fn lines(pass: &Pass) -> Vec<String> {
    let landed = pass.landed.iter().map(|it| match &it.commit {
        Some(commit) => format!("landed the branch of {}: {}", it.agent, short(commit)),
        None => format!("the branch of {} would be landed", it.agent),
    });
    let failed = pass
        .failures
        .iter()
        .map(|it| format!("could not land the branch of {}: {}", it.agent, it.why));
    let handed = pass.handed.iter().map(|it| format!("handed {} to {}", it.task, it.agent));
    landed.chain(failed).chain(handed).collect()
}

/// The first digits of a commit.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn report(outcome: &str, project: &str, pass: &Pass) -> Report {
    let mut card = lines(pass);
    for it in &pass.skipped {
        let because = it.because_of.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
        card.push(format!("{} waits: {}{because}", it.name, it.reason));
    }
    card.extend(
        pass.passed_over.iter().map(|it| format!("{} gets nothing: {}", it.name, it.reason)),
    );
    if card.is_empty() {
        card.push("Nothing to do.".to_owned());
    }
    let data = Dispatched { project: project.to_owned(), pass: PassView::from(pass) };
    Report::new(outcome, data).card(visible(&card.join("\n")))
}
