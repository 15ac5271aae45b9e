//! What agents say of themselves: the reporters of all are asked at the same time, each for a bounded time.

mod claude;
mod codex;
mod pi;
mod report;

use drover_store::agents::Agent;

use crate::ctx::Ctx;
use crate::engines::Kind;

pub use report::{Conversation, Report, Turn};

pub(crate) use pi::{LIMIT as PI_LIMIT, is_young as pi_is_young, silence as pi_silence};

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
