//! Aligned columns without borders, and text made safe to print.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

/// Stored text with control characters as visible escapes, never raw.
pub(crate) fn visible(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => safe.push('\n'),
            '\t' => safe.push('\t'),
            it if it.is_control() || is_bidi_override(it) => {
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(it));
            }
            it => safe.push(it),
        }
    }
    safe
}

/// Characters that reorder what follows them, and so could make a line read as another.
fn is_bidi_override(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One line of stored text: line breaks too are shown as escapes.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', " ")
}

/// Rows of cells under a header, each column as wide as its widest cell.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// The column that gives way when a row is too wide.
    elastic: usize,
}

impl Table {
    /// A table with these column names; `elastic` is the column that is cut where the terminal is narrow.
    pub(crate) fn new(header: &[&str], elastic: usize) -> Self {
        Self { rows: vec![header.iter().map(|it| (*it).to_owned()).collect()], elastic }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|it| one_line(&it)).collect());
    }

    /// The lines of the table as wide as the terminal, 100 columns where there is none.
    pub(crate) fn render_for_terminal(&self) -> String {
        self.render(drover_ops::tty::width().map_or(100, usize::from))
    }

    /// The lines of the table, none wider than `width` as long as the elastic column can give way.
    pub(crate) fn render(&self, width: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..columns).map(|column| self.widest(column)).collect();
        let total: usize = widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1);
        if let Some(elastic) = widths.get_mut(self.elastic) {
            *elastic = elastic.saturating_sub(total.saturating_sub(width)).max(8.min(*elastic));
        }
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                let cell = cut(cell, *width);
                let pad = width.saturating_sub(cell.width());
                line.push_str(&cell);
                line.extend(std::iter::repeat_n(' ', pad));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn widest(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(|it| it.width()).max().unwrap_or(0)
    }
}

/// The text, shortened to `width` columns with an ellipsis where it is longer.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        short.push(letter);
        if short.width() + 1 > width {
            short.pop();
            break;
        }
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fault T-01.
    #[test]
    fn wide_characters_and_escapes_keep_the_columns() {
        let mut table = Table::new(&["id", "title", "state"], 1);
        table.row(["a".to_owned(), "日本語".to_owned(), "OPEN".to_owned()]);
        table.row(["bb".to_owned(), "x\u{1b}[31my".to_owned(), "OPEN".to_owned()]);
        assert_eq!(
            table.render(80),
            "id  title         state\na   日本語        OPEN\nbb  x\\u{1b}[31my  OPEN\n"
        );
    }

    /// Fault T-06.
    #[test]
    fn a_narrow_terminal_cuts_the_elastic_column_only() {
        let mut table = Table::new(&["id", "title"], 1);
        table.row(["abc".to_owned(), "a very long title that does not fit".to_owned()]);
        assert_eq!(table.render(20), "id   title\nabc  a very long ti…\n");
    }
}
