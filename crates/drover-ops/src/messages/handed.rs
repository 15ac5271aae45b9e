//! How far a text got in one attempt to hand it over, and what proves it.

use drover_core::message::{Level, Obstacle};

/// How far a text got.
#[derive(Debug)]
pub(crate) struct Handed {
    /// The level; never more than is proven.
    pub(crate) level: Level,
    /// What proves it.
    pub(crate) proof: Option<String>,
    /// The number of the turn that took it, where the engine counts them.
    pub(crate) turn: Option<i64>,
    /// The turn that took it, as the engine names it.
    pub(crate) turn_id: Option<String>,
    /// What stopped it.
    pub(crate) obstacle: Option<Obstacle>,
    /// What was seen, in words.
    pub(crate) detail: String,
}

impl Handed {
    /// A text that got as far as this, and what proves it.
    pub(crate) fn reached(level: Level, proof: impl Into<String>) -> Self {
        let (turn, turn_id, obstacle) = (None, None, None);
        Self { level, proof: Some(proof.into()), turn, turn_id, obstacle, detail: String::new() }
    }

    /// A text that got no further.
    pub(crate) fn stuck(level: Level, obstacle: Obstacle, detail: impl Into<String>) -> Self {
        let (proof, turn, turn_id) = (None, None, None);
        Self { level, proof, turn, turn_id, obstacle: Some(obstacle), detail: detail.into() }
    }

    /// The same with the turn that took it.
    pub(crate) fn in_turn(self, turn: Option<i64>, turn_id: Option<String>) -> Self {
        Self { turn, turn_id, ..self }
    }

    /// The same, called unproven where nothing stopped it short of the best that its channel can prove.
    pub(crate) fn held_to(self, best: Level) -> Self {
        let is_short = self.obstacle.is_none() && self.level != best;
        let obstacle = if is_short { Some(Obstacle::Unproven) } else { self.obstacle };
        let detail = match &self.proof {
            Some(proof) if is_short => proof.clone(),
            _ => self.detail,
        };
        Self { obstacle, detail, ..self }
    }
}
