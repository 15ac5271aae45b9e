//! What a verb answers, and how it is printed.

mod envelope;
mod gantt;
pub(crate) mod manual;
mod outline;
mod print;
mod size;
mod svg;
mod table;

pub(crate) use envelope::{Next, Report, Spoken};
pub(crate) use gantt::{Bar, days, gantt};
pub(crate) use outline::outline;
pub(crate) use print::{
    Around, Format, Printer, ask, exit_after, failure, print_line, progress, success,
};
pub(crate) use size::size;
pub(crate) use svg::{MARK, svg};
pub(crate) use table::{Table, one_line, visible};
