//! The guide for agents and its recipes, as they are installed and shown.

/// Each file of the skill with its text; the guide itself comes first.
pub const FILES: &[(&str, &str)] = &[
    ("SKILL.md", include_str!("../skill/SKILL.md")),
    ("worker.md", include_str!("../skill/worker.md")),
    ("orchestrate.md", include_str!("../skill/orchestrate.md")),
    ("plan.md", include_str!("../skill/plan.md")),
    ("brief.md", include_str!("../skill/brief.md")),
    ("calls.md", include_str!("../skill/calls.md")),
    ("review.md", include_str!("../skill/review.md")),
    ("explore.md", include_str!("../skill/explore.md")),
    ("repeat.md", include_str!("../skill/repeat.md")),
    ("deep.md", include_str!("../skill/deep.md")),
    ("drift.md", include_str!("../skill/drift.md")),
    ("models.md", include_str!("../skill/models.md")),
    ("recover.md", include_str!("../skill/recover.md")),
];

/// The text of the guide, or of a recipe by its name.
pub fn find(name: Option<&str>) -> Option<&'static str> {
    let file = name.map_or_else(|| "SKILL.md".to_owned(), |it| format!("{it}.md"));
    FILES.iter().find(|it| it.0 == file).map(|it| it.1)
}

/// The names of the recipes.
pub fn recipes() -> impl Iterator<Item = &'static str> {
    FILES.iter().skip(1).filter_map(|it| it.0.strip_suffix(".md"))
}
