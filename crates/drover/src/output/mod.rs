//! What a verb answers, and how it is printed.

mod envelope;
mod gantt;
mod outline;
mod print;
mod size;
mod table;

pub(crate) use envelope::{Next, Report, Spoken};
pub(crate) use gantt::{Bar, days, gantt};
pub(crate) use outline::outline;
pub(crate) use print::{
    Around, Format, Printer, ask, exit_after, failure, print_line, progress, success,
};
pub(crate) use size::size;
pub(crate) use table::{Table, one_line, visible};
