//! What a verb answers, and how it is printed.

mod envelope;
mod gantt;
mod outline;
mod print;
mod table;

#[cfg(test)]
pub(crate) use envelope::Next;
pub(crate) use envelope::{Report, Spoken};
pub(crate) use gantt::{Bar, days, gantt};
pub(crate) use outline::outline;
pub(crate) use print::{Around, Format, Printer, failure, print_line, success};
pub(crate) use table::{Table, one_line, visible};
