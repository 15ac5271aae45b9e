//! What agents say of themselves: the reporters of all are asked at the same time, each for a bounded time.

mod claude;
mod codex;
mod pi;

use drover_core::agent::Reading;
use drover_store::agents::Agent;

use crate::ctx::Ctx;
use crate::engines::Kind;

pub(crate) use pi::{LIMIT as PI_LIMIT, is_young as pi_is_young, silence as pi_silence};

/// The last turn of an agent that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Turn {
    /// How many turns have ended since the agent began to count; the number of this one.
    pub number: i64,
    /// What the agent said last in it; none if it said nothing.
    pub last_text: Option<String>,
    /// The error that ended it, if one did.
    pub last_error: Option<String>,
}

/// The conversation that an agent's program is in, by its own word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// As the engine names it.
    pub id: String,
    /// Where the engine keeps it.
    pub file: Option<String>,
    /// The number of the process that said so.
    pub process: u32,
}

/// What an agent's own reporter said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What it is doing; `unknown` with the reason where the reporter did not answer in its time.
    pub readings: Vec<Reading>,
    /// Its last turn, where its engine counts them.
    pub turn: Option<Turn>,
    /// The conversation it is in, where its engine says so.
    pub conversation: Option<Conversation>,
}

/// A reporter to ask: plain data, so that many are asked at once.
#[derive(Debug)]
enum Question {
    Claude(claude::Question),
    Codex(codex::Question),
    Pi(pi::Question),
}

/// Asks the reporters of these agents, all at once; none for an agent without one.
pub(crate) fn ask(ctx: &Ctx, agents: &[Agent]) -> Vec<Option<Report>> {
    let questions: Vec<Option<Question>> = agents.iter().map(|it| question(ctx, it)).collect();
    std::thread::scope(|scope| {
        let asked: Vec<_> = questions
            .into_iter()
            .map(|question| question.map(|it| scope.spawn(move || answer(it))))
            .collect();
        asked.into_iter().map(|it| it.and_then(|it| it.join().ok())).collect()
    })
}

fn question(ctx: &Ctx, agent: &Agent) -> Option<Question> {
    if !agent.lifecycle.is_running() {
        return None;
    }
    match Kind::of(&agent.profile.engine)? {
        Kind::Claude => claude::Question::new(ctx, agent).map(Question::Claude),
        Kind::Codex => codex::question(ctx, agent).map(Question::Codex),
        Kind::Pi => Some(Question::Pi(pi::Question::new(ctx.state_path(), agent, ctx.now()))),
    }
}

fn answer(question: Question) -> Report {
    match question {
        Question::Claude(question) => question.answer(),
        Question::Codex(question) => codex::answer(&question),
        Question::Pi(question) => question.answer(),
    }
}
