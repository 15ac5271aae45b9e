//! `drover link` and `drover unlink`.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use drover_ops::engines::Kind;
use drover_ops::link::{self, Done, Linked, Part, Request, Standing, State};
use drover_ops::{Ctx, Env, OpError};

use crate::input::Input;
use crate::output::{Report, Table, one_line};
use crate::verb::{Effect, Verb};
use crate::wire::{ClientLinked, Items, LinkView};

/// A chat agent whose settings we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    /// The pi coding agent.
    Pi,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

impl Client {
    fn kind(self) -> Kind {
        match self {
            Self::Pi => Kind::Pi,
            Self::Claude => Kind::Claude,
            Self::Codex => Kind::Codex,
        }
    }
}

/// Tell a chat agent of Drover, beside your own settings: its tools, its guide, its extension.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover link claude\n\nIt needs no project. Without a client it lists how each stands. `drover unlink` takes exactly this away again.\n\nExit codes: 0 (also when nothing had to be done), 3 called by an agent, 4 something in our place was changed by hand or is a link, 5 a file cannot be read or written."
)]
pub(crate) struct Link {
    /// Whom to tell.
    client: Option<Client>,
    /// Take over what was changed by hand, and replace a link that stands in our place.
    #[arg(long, requires = "client")]
    force: bool,
    /// For pi: copy the extension instead of leading to the one that Drover keeps.
    #[arg(long, requires = "client")]
    copy: bool,
    /// List how each client stands.
    #[arg(long, conflicts_with_all = ["force", "copy"])]
    list: bool,
}

/// Take away what `link` told a chat agent, and nothing else.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  drover unlink claude\n\nExit codes: 0 (also when nothing was there), 3 called by an agent, 4 what we wrote was changed by hand or is behind a link, 5 a file cannot be read or written."
)]
pub(crate) struct Unlink {
    /// Whom to untell.
    client: Client,
    /// Take away what was changed by hand, too.
    #[arg(long)]
    force: bool,
}

impl Verb for Link {
    fn name(&self) -> &'static str {
        "link"
    }

    fn effect(&self) -> Effect {
        if self.is_list() { Effect::Reads } else { Effect::ChangesFiles }
    }

    fn run_alone(&self, env: &Env, is_preview: bool) -> Option<Result<Report, OpError>> {
        Some(match self.client.filter(|_| !self.is_list()) {
            None => listed(env, self.client),
            Some(client) => {
                let request = Request {
                    client: client.kind(),
                    force: self.force,
                    copy: self.copy,
                    is_preview,
                };
                link::link(env, request).map(|it| linked(&it, is_preview))
            }
        })
    }

    fn run(&self, _: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        Err(OpError::Usage("link needs no database".to_owned()))
    }
}

impl Link {
    fn is_list(&self) -> bool {
        self.list || self.client.is_none()
    }
}

impl Verb for Unlink {
    fn name(&self) -> &'static str {
        "unlink"
    }

    fn effect(&self) -> Effect {
        Effect::ChangesFiles
    }

    fn run_alone(&self, env: &Env, is_preview: bool) -> Option<Result<Report, OpError>> {
        let client = self.client.kind();
        let request = Request { client, force: self.force, copy: false, is_preview };
        Some(link::unlink(env, request).map(|it| unlinked(&it, is_preview)))
    }

    fn run(&self, _: &mut Ctx, _: &Input) -> Result<Report, OpError> {
        Err(OpError::Usage("unlink needs no database".to_owned()))
    }
}

/// One line for each thing that was, or would be, done.
fn card(linked: &Linked, head: &str, is_preview: bool) -> String {
    let mut card = format!("{head}\n");
    let would = if is_preview { "would be " } else { "" };
    let mut told = Vec::new();
    for (part, path, done) in &linked.files {
        // The pages of the skill are many and lie together.
        let path = if *part == Part::Skill { path.parent().unwrap_or(path) } else { path };
        let it = (*part, path, *done);
        if matches!(done, Done::Unchanged | Done::Absent) || told.contains(&it) {
            continue;
        }
        told.push(it);
        let path = one_line(&path.display().to_string());
        let _ = writeln!(card, "  {} {would}{}: {path}", part.as_str(), done.as_str());
    }
    card
}

fn linked(linked: &Linked, is_preview: bool) -> Report {
    let name = linked.client.name();
    let (outcome, head) = match (linked.is_changed(), is_preview) {
        (false, _) => ("unchanged", format!("{name} knows Drover already.")),
        (true, true) => ("linked", format!("{name} would be told of Drover:")),
        (true, false) => {
            ("linked", format!("{name} knows Drover now; start it anew where it runs."))
        }
    };
    let report =
        Report::new(outcome, ClientLinked::from(linked)).card(card(linked, &head, is_preview));
    report
        .next("see what it says itself", format!("{name} mcp list"))
        .next("take it back", format!("drover unlink {name}"))
}

fn unlinked(linked: &Linked, is_preview: bool) -> Report {
    let name = linked.client.name();
    let (outcome, head) = match (linked.is_changed(), is_preview) {
        (false, _) => ("unchanged", format!("{name} was not told of Drover.")),
        (true, true) => ("unlinked", format!("{name} would forget Drover:")),
        (true, false) => ("unlinked", format!("{name} knows nothing of Drover any more.")),
    };
    Report::new(outcome, ClientLinked::from(linked))
        .card(card(linked, &head, is_preview))
        .next("tell it again", format!("drover link {name}"))
}

fn listed(env: &Env, only: Option<Client>) -> Result<Report, OpError> {
    let mut standings: Vec<Standing> = Vec::new();
    for client in link::CLIENTS {
        if only.is_none_or(|it| it.kind() == client) {
            standings.extend(link::standing(env, client)?);
        }
    }
    let mut table = Table::new(&["client", "part", "state", "path"], 3);
    for it in &standings {
        let state = match &it.state {
            State::Stale { version } => format!("stale ({version})"),
            State::Unusable { why } => format!("unusable: {why}"),
            State::Absent | State::Linked | State::Edited => it.state.as_str().to_owned(),
        };
        let path = it.path.display().to_string();
        table.row([it.client.name(), it.part.as_str(), &state, &path].map(one_line));
    }
    let items: Items<LinkView> = standings.iter().map(LinkView::from).collect();
    let mut report = Report::new("listed", items).card(table.render_for_terminal());
    for it in standings.iter().filter(|it| it.part == Part::Server) {
        let name = it.client.name();
        report = match it.state {
            State::Linked => report,
            State::Edited => report.next(
                format!("write the entry of {name} anew"),
                format!("drover link {name} --force"),
            ),
            State::Absent | State::Stale { .. } | State::Unusable { .. } => {
                report.next(format!("tell {name}"), format!("drover link {name}"))
            }
        };
    }
    Ok(report)
}
