//! What the prose refers to exists.

use std::path::Path;

use drover_testkit::document;
use regex::Regex;

#[test]
fn every_relative_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)").unwrap();
    for (page, text) in document::pages() {
        let folder = document::top().join(&page);
        let folder = folder.parent().unwrap_or_else(|| Path::new("/"));
        for found in link.captures_iter(&text) {
            assert!(folder.join(&found[1]).exists(), "{page}: {} does not exist", &found[1]);
        }
    }
}

#[test]
fn every_page_is_reached_from_the_readme_or_the_architecture() {
    let pages = document::pages();
    let entries = ["README.md", "ARCHITECTURE.md"].map(document::read).join("\n");
    for (page, _) in pages {
        // The demo's own repository is data, and a recipe is named by the guide that prints it.
        let is_data = page.contains("/src/demo/") || page.contains("/skill/");
        let is_entry = page == "README.md" || is_data;
        assert!(is_entry || entries.contains(&format!("({page})")), "nothing leads to {page}");
    }
}
