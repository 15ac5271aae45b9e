//! A Markdown checklist: an item with a box is a task, and one that stands inside another blocks it.

use std::collections::HashMap;

use drover_core::name::TaskId;
use drover_core::task::State;
use serde::Deserialize;

use super::findings::Findings;
use super::item::{Item, Link, Other, Place, Said, SaidNote, WantedId};
use super::outline::{Boxed, Outline};

/// Begins the comment behind a title that says what a checklist cannot.
pub(in crate::tasks) const COMMENT: &str = "<!-- drover ";
/// Ends it.
pub(in crate::tasks) const COMMENT_END: &str = "-->";

/// What such a comment may say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Besides {
    id: Option<String>,
    title: Option<String>,
    status: Option<String>,
    impact: Option<i64>,
    effort_days: Option<f64>,
    #[serde(default)]
    blocked_by: Vec<String>,
    owns: Option<Vec<String>>,
    verify: Option<String>,
    labels: Option<Vec<String>>,
    #[serde(default)]
    notes: Vec<String>,
}

/// Reads a checklist; what stands outside of every task is named.
pub(super) fn read(text: &str, findings: &mut Findings) -> Vec<Item> {
    let outline = Outline::new(text);
    let mut items: Vec<Item> = Vec::with_capacity(outline.boxed.len());
    let mut names = HashMap::new();
    for (boxed, texts) in outline.boxed.iter().zip(outline.texts()) {
        if findings.is_full() {
            break;
        }
        let parent = boxed.parent.and_then(|it| items.get(it)).map(|it| it.title.as_str());
        let parent = parent.unwrap_or_default().to_owned();
        let mut item = item(boxed, &outline.title(boxed), texts, findings);
        if item.source_id.is_empty() {
            item.source_id = path(&parent, item.title.as_str(), &mut names);
        }
        let position = items.len();
        items.push(item);
        if let Some(parent) = boxed.parent.and_then(|it| items.get_mut(it)) {
            parent.links.push(Link { other: Other::Position(position), blocks: false });
        }
    }
    for (line, lines) in outline.outside() {
        let first: String = lines.first().copied().unwrap_or_default().chars().take(60).collect();
        let more = match lines.len() {
            0 | 1 => String::new(),
            several => format!(" and {} lines more", several - 1),
        };
        let what = format!("{:?}{more}", first.trim());
        findings.leave_out(Place::Line(line + 1), what, "it stands outside of every task");
    }
    items
}

/// By what a task without an id is found again: its title, behind the title it stands under.
fn path(parent: &str, title: &str, names: &mut HashMap<String, usize>) -> String {
    let name = format!("{parent} / {title}");
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    if *count == 1 { name } else { format!("{name} #{count}") }
}

fn item(boxed: &Boxed, title: &str, texts: Vec<String>, findings: &mut Findings) -> Item {
    let place = Place::Line(boxed.line + 1);
    let (title, besides) = besides(place, title, findings);
    let id = besides.id.unwrap_or_default();
    let wanted = if id.is_empty() { WantedId::LikeTitle } else { WantedId::Exactly };
    if let Err(err) = TaskId::parse_new(&id)
        && wanted == WantedId::Exactly
    {
        findings.wrong(place.field("id"), err.to_string());
    }
    let title = findings.title(place, besides.title.as_deref().unwrap_or(title));
    let mut item = Item::new(place, id, wanted, title);
    item.state = state(place, boxed.mark, besides.status.as_deref(), findings);
    item.impact = besides.impact;
    item.effort_days = besides.effort_days;
    findings.numbers(place, (item.impact, item.effort_days));
    item.owns = besides.owns.map(|it| findings.owns(place, &it));
    item.verify = besides.verify.map(|it| findings.verify(place, it));
    item.labels = besides.labels.map(|it| findings.labels(place, &it));
    for text in texts.into_iter().chain(besides.notes) {
        let text = findings.note(place.field("note"), &text);
        item.notes.extend(text.map(|text| SaidNote { author: None, text, at: None }));
    }
    for blocker in besides.blocked_by {
        item.wait_for(blocker);
    }
    item
}

/// A title and what the comment behind it says.
fn besides<'a>(place: Place, title: &'a str, findings: &mut Findings) -> (&'a str, Besides) {
    let comment = title.strip_suffix(COMMENT_END).and_then(|it| it.rsplit_once(COMMENT));
    let Some((title, comment)) = comment else { return (title, Besides::default()) };
    match serde_json::from_str(comment) {
        Ok(besides) => (title.trim(), besides),
        Err(err) => {
            findings.wrong(place.field("the comment"), err.to_string());
            (title, Besides::default())
        }
    }
}

/// What the box says; the word of the comment makes it more exact as long as the two agree.
fn state(place: Place, mark: char, word: Option<&str>, findings: &mut Findings) -> Said {
    let marked = match mark {
        'x' | 'X' => State::Done,
        '/' => State::Active,
        '-' | '~' => State::Wontfix,
        '>' => State::Parked,
        _ => State::Todo,
    };
    let Some(word) = word else { return Said::State(marked) };
    match State::parse(word) {
        Ok(state) if state.is_closed() == marked.is_closed() => Said::State(state),
        Ok(_) => Said::State(marked),
        Err(err) => {
            findings.wrong(place.field("status"), err.to_string());
            Said::Nothing
        }
    }
}
