//! The items with boxes of a Markdown text, and whose each of its lines is.

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The width of a tab, as Markdown has it.
const TAB: usize = 4;

/// An item with a box, as it stands in the text.
#[derive(Debug)]
pub(super) struct Boxed {
    /// Its line, from 0.
    pub(super) line: usize,
    /// What the box holds.
    pub(super) mark: char,
    /// The item with a box that it stands in.
    pub(super) parent: Option<usize>,
    title: Range<usize>,
    /// How far what belongs to it is indented, in columns.
    indent: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    Title,
    Item(usize),
}

/// What a text has.
#[derive(Debug)]
pub(super) struct Outline<'a> {
    text: &'a str,
    /// In the order of the text.
    pub(super) boxed: Vec<Boxed>,
    lines: Vec<&'a str>,
    owners: Vec<Owner>,
    /// The lines on which a quotation begins.
    quotes: HashSet<usize>,
}

/// Reads the items of a text.
struct Reader<'a> {
    outline: Outline<'a>,
    /// Where each line begins.
    starts: Vec<usize>,
    /// The items around the current place; those without a box are none.
    around: Vec<Option<usize>>,
    /// How many quotations are around it.
    quoted: usize,
    /// The item whose title is being read.
    titled: Option<usize>,
}

impl<'a> Outline<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut starts = Vec::new();
        let mut at = 0;
        let lines: Vec<&str> = text
            .split_inclusive('\n')
            .map(|line| {
                starts.push(at);
                at += line.len();
                line.trim_end_matches(['\n', '\r'])
            })
            .collect();
        let owners = vec![Owner::Nobody; lines.len()];
        let outline = Self { text, boxed: Vec::new(), lines, owners, quotes: HashSet::new() };
        let mut reader = Reader { outline, starts, around: Vec::new(), quoted: 0, titled: None };
        for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
            reader.hear(&event, range);
        }
        reader.outline
    }

    /// The title of an item on one line.
    pub(super) fn title(&self, boxed: &Boxed) -> String {
        let title = self.text.get(boxed.title.clone()).unwrap_or_default();
        title.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
    }

    /// The texts that belong to each item: a quotation is one, what stands between is one.
    pub(super) fn texts(&self) -> Vec<Vec<String>> {
        let mut texts: Vec<Vec<String>> = self.boxed.iter().map(|_| Vec::new()).collect();
        let mut open: Vec<Option<Chunk>> = self.boxed.iter().map(|_| None).collect();
        for (number, (line, owner)) in self.lines.iter().zip(&self.owners).enumerate() {
            let Owner::Item(item) = owner else { continue };
            let (Some(boxed), Some(texts), Some(open)) =
                (self.boxed.get(*item), texts.get_mut(*item), open.get_mut(*item))
            else {
                continue;
            };
            let line = dedented(line, boxed.indent);
            let begins_quote = self.quotes.contains(&number);
            let goes_on = open.as_ref().is_some_and(|it| !begins_quote && it.takes(number, &line));
            if !goes_on {
                texts.extend(open.take().and_then(Chunk::text));
                *open = Some(Chunk { is_quote: begins_quote, next: number, lines: Vec::new() });
            }
            if let Some(chunk) = open {
                chunk.push(&line);
            }
        }
        for (texts, open) in texts.iter_mut().zip(open) {
            texts.extend(open.and_then(Chunk::text));
        }
        texts
    }

    /// The paragraphs that belong to no item: the line each begins on, from 0, and its lines.
    pub(super) fn outside(&self) -> Vec<(usize, Vec<&'a str>)> {
        let mut outside: Vec<(usize, Vec<&str>)> = Vec::new();
        let mut goes_on = false;
        for (number, (line, owner)) in self.lines.iter().zip(&self.owners).enumerate() {
            let is_outside = *owner == Owner::Nobody && !line.trim().is_empty();
            match outside.last_mut().filter(|_| goes_on && is_outside) {
                Some(last) => last.1.push(line),
                None if is_outside => outside.push((number, vec![line])),
                None => {}
            }
            goes_on = is_outside;
        }
        outside
    }
}

/// Whether a title that stands behind a box is read as it is, and as nothing else.
pub(in crate::tasks) fn reads_back(title: &str) -> bool {
    let text = format!("- [ ] {title}\n");
    let outline = Outline::new(&text);
    let [only] = outline.boxed.as_slice() else { return false };
    outline.title(only) == title && outline.texts().iter().all(Vec::is_empty)
}

/// A note as it stands under its item, whose own line is indented so far.
pub(in crate::tasks) fn quoted(indent: &str, note: &str) -> String {
    let lines = note.split('\n').map(|line| {
        let space = if line.is_empty() { "" } else { " " };
        format!("{indent}  >{space}{line}\n")
    });
    std::iter::once("\n".to_owned()).chain(lines).collect()
}

/// Whether notes that stand under a box are read as they are, each by itself, and end before what follows.
pub(in crate::tasks) fn notes_read_back(notes: &[&str]) -> bool {
    let quotes: String = notes.iter().map(|it| quoted("", it)).collect();
    let text = format!("- [ ] before\n{quotes}\n- [ ] behind\n");
    let outline = Outline::new(&text);
    let read = outline.texts();
    let [before, behind] = read.as_slice() else { return false };
    before == notes && behind.is_empty() && outline.outside().is_empty()
}

impl Reader<'_> {
    fn hear(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Item) => self.enter(range),
            Event::End(TagEnd::Item) => {
                self.around.pop();
                self.titled = None;
            }
            Event::Start(Tag::BlockQuote(_)) => {
                let line = self.line_of(range.start);
                self.outline.quotes.extend((self.quoted == 0).then_some(line));
                self.quoted += 1;
                self.titled = None;
            }
            Event::End(TagEnd::BlockQuote(_)) => self.quoted = self.quoted.saturating_sub(1),
            // What a title is written with; the rest ends it.
            Event::Start(
                Tag::Paragraph | Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. },
            )
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineHtml(_)
            | Event::SoftBreak
            | Event::HardBreak => self.widen(range.end),
            _ => self.titled = None,
        }
    }

    fn enter(&mut self, range: Range<usize>) {
        self.titled = None;
        let boxed = (self.quoted == 0).then(|| self.boxed_at(&range)).flatten();
        let number = self.outline.boxed.len();
        self.around.push(boxed.as_ref().map(|_| number));
        let Some(boxed) = boxed else { return };
        let last = self.line_of(range.end.saturating_sub(1)).max(boxed.line);
        for owner in self.outline.owners.get_mut(boxed.line..=last).unwrap_or_default() {
            *owner = Owner::Item(number);
        }
        self.outline.boxed.push(boxed);
        self.titled = Some(number);
        self.widen(0);
    }

    /// The box of an item, if it has one.
    fn boxed_at(&self, range: &Range<usize>) -> Option<Boxed> {
        let item = self.outline.text.get(range.clone())?;
        let marker = item.find(['-', '*', '+', '.', ')'])? + 1;
        let rest = item.get(marker..)?;
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let content = rest.get(spaces..)?;
        let mut letters = content.strip_prefix('[')?.chars();
        let mark = letters.next().filter(|it| " xX/-~>".contains(*it))?;
        let behind = letters.as_str().strip_prefix(']')?;
        if !behind.is_empty() && !behind.starts_with([' ', '\t', '\n', '\r']) {
            return None;
        }
        let line = self.line_of(range.start);
        let start = *self.starts.get(line)?;
        let before = self.outline.text.get(start..range.start + marker)?;
        let title = range.end - behind.len();
        let parent = self.around.iter().rev().find_map(|it| *it);
        // The content begins one column behind its marker where it is code or nothing.
        let indent = columns(before) + if (1..=4).contains(&spaces) { spaces } else { 1 };
        Some(Boxed { line, mark, parent, title: title..title, indent })
    }

    /// Lets the title that is being read reach up to here.
    fn widen(&mut self, end: usize) {
        let Some(boxed) = self.titled.and_then(|it| self.outline.boxed.get_mut(it)) else { return };
        boxed.title.end = boxed.title.end.max(end);
        let (first, end) = (boxed.line, boxed.title.end);
        let last = self.line_of(end.saturating_sub(1)).max(first);
        for owner in self.outline.owners.get_mut(first..=last).unwrap_or_default() {
            *owner = Owner::Title;
        }
    }

    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|it| *it <= offset).saturating_sub(1)
    }
}

/// Lines of an item that make one text.
struct Chunk {
    is_quote: bool,
    /// The line that would go on with it.
    next: usize,
    lines: Vec<String>,
}

impl Chunk {
    fn takes(&self, number: usize, line: &str) -> bool {
        self.next == number && (!self.is_quote || line.starts_with('>'))
    }

    fn push(&mut self, line: &str) {
        let line = match line.strip_prefix('>').filter(|_| self.is_quote) {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
            None => line,
        };
        self.lines.push(line.to_owned());
        self.next += 1;
    }

    /// What a quotation says is kept exactly; around other text there is no room.
    fn text(self) -> Option<String> {
        let text = self.lines.join("\n");
        let text = if self.is_quote { text } else { trimmed(&text).to_owned() };
        (!text.trim().is_empty()).then_some(text)
    }
}

/// The text without blank lines before and behind it.
fn trimmed(text: &str) -> &str {
    let start = text.find(|it: char| !it.is_whitespace()).unwrap_or(0);
    let start = text.get(..start).and_then(|it| it.rfind('\n')).map_or(0, |it| it + 1);
    text.get(start..).unwrap_or_default().trim_end()
}

/// How many columns a text takes that is space and list markers.
fn columns(text: &str) -> usize {
    text.chars().fold(0, |at, it| if it == '\t' { at + TAB - at % TAB } else { at + 1 })
}

/// The line without the indentation of what it belongs to.
fn dedented(line: &str, indent: usize) -> String {
    let mut at = 0;
    let mut rest = line;
    while at < indent {
        match rest.chars().next() {
            Some(' ') => at += 1,
            Some('\t') => at += TAB - at % TAB,
            _ => break,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    // A tab may reach further than the indentation.
    " ".repeat(at.saturating_sub(indent)) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each item as `mark title < title of its parent`, with its texts.
    fn read(text: &str) -> Vec<(String, Vec<String>)> {
        let outline = Outline::new(text);
        let named = |it: &Boxed| format!("{} {}", it.mark, outline.title(it));
        let said = outline.boxed.iter().map(|it| {
            let parent = it.parent.map(|parent| outline.title(&outline.boxed[parent]));
            parent.map_or_else(|| named(it), |parent| format!("{} < {parent}", named(it)))
        });
        said.zip(outline.texts()).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &[&str])]) {
        let found = read(text);
        let found: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|it| (it.0.as_str(), it.1.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|it| (it.0, it.1.to_vec())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn items_with_boxes_are_found_under_those_they_stand_in() {
        check(
            "# Plan\n\n- [ ] A **bold** `x`\n  - [x] B\n    - [/] C\n- [-] D\n1. [>] E\n",
            &[
                ("  A **bold** `x`", &[]),
                ("x B < A **bold** `x`", &[]),
                ("/ C < B", &[]),
                ("- D", &[]),
                ("> E", &[]),
            ],
        );
        // A group without a box passes its items on.
        check("- Group\n  - [ ] A\n  - [ ] B\n", &[("  A", &[]), ("  B", &[])]);
        check("- [ ] A\n  - Group\n    - [ ] B\n", &[("  A", &["- Group"]), ("  B < A", &[])]);
        check("\t- [ ] code\n\n> - [ ] quoted\n\n- [y] no mark\n- [x](link)\n- [x]y\n", &[]);
        check("* [X] A\r\n\t+ [ ] B\r\n", &[("X A", &[]), ("  B < A", &[])]);
    }

    #[test]
    fn a_title_is_the_first_paragraph_and_what_follows_is_text() {
        check(
            "- [ ] A\n  goes on\n  - plain\n  - list\n",
            &[("  A goes on", &["- plain\n- list"])],
        );
        check("- [ ] A\nlazy\n", &[("  A lazy", &[])]);
        check(
            "- [ ] A\n\n  One.\n\n  Two.\n\n      code\n\n  - [ ] B\n\n  Three.\n- [ ] C\n",
            &[("  A", &["One.\n\nTwo.\n\n    code", "Three."]), ("  B < A", &[]), ("  C", &[])],
        );
        check("- [ ] A\n  ```\n  - [ ] B\n  ```\n", &[("  A", &["```\n- [ ] B\n```"])]);
        check("- [ ]\n- [ ] \n  - x\n", &[("  ", &[]), ("  ", &["- x"])]);
        check("", &[]);
    }

    #[test]
    fn a_quotation_is_a_text_of_its_own_kept_exactly() {
        check(
            "- [ ] A\n\n  > one\n  >   two\n  >\n  >\n\n  > - [ ] three\n\n  plain\n\n  > > four\n",
            &[("  A", &["one\n  two\n\n", "- [ ] three", "plain", "> four"])],
        );
    }

    #[test]
    fn what_belongs_to_no_item_is_named_by_paragraphs() {
        let outline = Outline::new("# Plan\nwords\n\n- [ ] A\n\nMore\nand more\n- x\n");
        let outside = outline.outside();
        let expected = [(0, vec!["# Plan", "words"]), (5, vec!["More", "and more", "- x"])];
        assert_eq!(outside, expected);
    }
}
