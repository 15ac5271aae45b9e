//! Messages to agents: the outbox, and its delivery into panes with proof of how far each text got.

mod abort;
mod approve;
mod channel;
mod compose;
mod deliver;
mod driver;
mod drivers;
mod handed;
mod idle;
mod outbox;
mod place;
mod ready;
mod send;
mod typing;

pub use abort::{Abort, Stopping, abort};
pub use approve::{Answered, Approve, approve};
pub use channel::{best_proof, may_get_briefs};
pub use compose::{Composed, MOST_BYTES, compose};
pub use deliver::{
    Delivery, Stopped, deliver_due, hold_pane, is_being_typed, observe_delivering, send_to,
};
pub use idle::agent_idle;
pub use outbox::{
    Changed, Edit, New, Queue, Queued, Withdraw, edit, put, queue, take_back, withdraw,
};
pub use send::{Send, Sent, send};
