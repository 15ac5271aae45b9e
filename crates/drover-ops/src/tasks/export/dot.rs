//! A drawing by Graphviz: an arrow leads from a blocker to what it blocks.

use std::fmt::Write as _;

use super::board::Board;
use super::escape;

pub(super) fn write(board: &Board, project: &str) -> String {
    let mut text = format!(
        "digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=filled];\n",
        quoted(project)
    );
    for entry in &board.entries {
        let (id, look) = (quoted(&entry.task.id), entry.look());
        let label = quoted(&format!("{}\n{}", entry.task.id, escape::line(&entry.task.title)));
        let _ = writeln!(
            text,
            "  {id} [label={label}, class=\"{}\", fillcolor=\"{}\"];",
            look.word, look.fill
        );
    }
    for entry in &board.entries {
        for blocker in board.ids(&entry.blockers) {
            let _ = writeln!(text, "  {} -> {};", quoted(blocker), quoted(&entry.task.id));
        }
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
