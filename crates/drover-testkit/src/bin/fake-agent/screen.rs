//! Draws one frame: prose, then the composer between two rules and the status, or a dialog in their place.

use rustix::termios::Winsize;

/// At most so many rows of the composer are on the screen.
const COMPOSER_ROWS: usize = 8;

/// What there is to see.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// Prose above the composer.
    pub(crate) transcript: &'a [String],
    /// Messages that wait in the agent's own queue.
    pub(crate) queued: usize,
    /// The composer's text.
    pub(crate) composer: String,
    /// The status line.
    pub(crate) status: String,
    /// A dialog or modal window.
    pub(crate) window: Option<Vec<String>>,
    /// With fewer columns nothing is drawn but a complaint.
    pub(crate) least_columns: u16,
}

impl Frame<'_> {
    /// The bytes that draw the frame on a terminal of this size.
    pub(crate) fn draw(&self, size: Winsize) -> String {
        let (columns, rows) = (usize::from(size.ws_col.max(1)), usize::from(size.ws_row.max(1)));
        let lines = if size.ws_col < self.least_columns {
            vec![format!("needs {} columns", self.least_columns)]
        } else {
            self.lines(columns, rows)
        };
        let cut = |line: &String| line.chars().take(columns).collect::<String>();
        let text: Vec<String> = lines.iter().map(|line| cut(line) + "\x1b[K").collect();
        // Synchronised and without wrapping, so that no reader sees half a frame.
        format!("\x1b[?2026h\x1b[?7l\x1b[H{}\x1b[J\x1b[?7h\x1b[?2026l", text.join("\r\n"))
    }

    fn lines(&self, columns: usize, rows: usize) -> Vec<String> {
        let bottom = match &self.window {
            Some(window) => {
                let mut lines = vec!["╌".repeat(columns)];
                lines.extend(window.iter().cloned());
                lines
            }
            None => self.composer_lines(columns),
        };
        let room = rows.saturating_sub(bottom.len());
        let skipped = self.transcript.len().saturating_sub(room);
        let prose = self.transcript.iter().skip(skipped).map(|line| visible(line));
        prose.chain(bottom).collect()
    }

    fn composer_lines(&self, columns: usize) -> Vec<String> {
        let rule = "─".repeat(columns);
        let mut lines = Vec::new();
        if self.queued > 0 {
            lines.push(format!("  {} queued · press up to edit queued messages", self.queued));
        }
        lines.push(rule.clone());
        let rows = composer_rows(&self.composer, columns.saturating_sub(2).max(1));
        for (number, row) in rows.iter().enumerate() {
            let mark = if number == 0 { '>' } else { ' ' };
            lines.push(format!("{mark} {row}"));
        }
        lines.push(rule);
        lines.push(format!("  {}", self.status));
        lines
    }
}

/// The last rows of the text, wrapped; at least one.
fn composer_rows(text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.split('\n') {
        let characters: Vec<char> = visible(line).chars().collect();
        if characters.is_empty() {
            rows.push(String::new());
        }
        rows.extend(characters.chunks(width).map(|chunk| chunk.iter().collect::<String>()));
    }
    let surplus = rows.len().saturating_sub(COMPOSER_ROWS);
    rows.split_off(surplus)
}

/// Control characters would move the cursor.
fn visible(line: &str) -> String {
    line.chars().map(|it| if it.is_control() { '·' } else { it }).collect()
}
