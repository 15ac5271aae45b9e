//! Settings files of many shapes: what goes in comes out again, and nothing else.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::mark::{self, Made, Mark};
use super::{json as json_text, toml as toml_text};

const NAME: &str = "drover";

fn entry() -> Value {
    json!({ "command": "/usr/bin/drover", "args": ["mcp"] })
}

/// The text with our entry, marked.
fn put(text: &str) -> String {
    let made = json_text::made(text).unwrap();
    json_text::put(text, NAME, &mark::marked(entry(), made)).unwrap()
}

/// The text without it, by what its mark says.
fn take(text: &str) -> String {
    let found = json_text::find(text, NAME).unwrap().unwrap();
    json_text::take(text, NAME, mark::of_entry(&found).unwrap().made).unwrap()
}

fn put_toml(text: &str) -> Result<String, String> {
    toml_text::put(text, NAME, &mark::marked(entry(), Made::default()))
}

#[track_caller]
fn check(text: &str) {
    let linked = put(text);
    let found = json_text::find(&linked, NAME).unwrap().unwrap();
    assert_eq!(mark::of_entry(&found).map(|it| it.fits("")), Some(false), "{linked}");
    assert_eq!(take(&linked), text, "{linked}");
    let again = json_text::replace(&linked, NAME, &found).unwrap();
    assert_eq!(again, linked, "a replaced entry stands as it did");
}

#[test]
fn an_entry_goes_in_and_comes_out_of_files_of_every_shape() {
    for text in [
        "{}",
        "{}\n",
        "{\n}\n",
        "{ }",
        "{\r\n}\r\n",
        "  {\t}\n\n",
        "\u{feff}{\n  \"a\": 1\n}",
        "{\"a\":1}",
        "{\"a\":1,\"mcpServers\":{}}",
        "{\"mcpServers\":{\"x\":{\"command\":\"y\"}},\"b\":[1,2,{}]}",
        "{\n  \"a\": 1\n}\n",
        "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": null\n\t}\n}",
        "{\r\n    \"a\": 1\r\n}\r\n",
        "{\n  \"mcpServers\": {}\n}\n",
        "{\n  \"mcpServers\": {\n  }\n}\n",
        "{\n  \"mcpServers\": { \"x\": {} }\n}\n",
        "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"y\"\n    }\n  },\n  \"z\": 1\n}\n",
        "// first\n{ // second\n  \"a\": 1, // third\n  /* fourth */\n}\n// fifth",
        "{\n  \"mcpServers\": { // ours\n    \"x\": {}, // theirs\n  },\n}\n",
        "{\n  \"mcpServers\": {\n    // nothing yet\n  }\n}\n",
        "{\"text\":\"a } \\\" { \\\\\",\"mcpServers\":{\"drover2\":{}}}",
        "{\n  \"a\": \"\u{1f600} \\u00e9\"\n}\n",
    ] {
        check(text);
    }
}

#[test]
fn a_client_that_writes_its_file_anew_leaves_an_entry_that_comes_out() {
    let linked = put("{\"a\":1}");
    let mut value: Value = serde_json::from_str(&linked).unwrap();
    value["mcpServers"]["other"] = json!({});
    value["last"] = json!(true);
    let rewritten = serde_json::to_string_pretty(&value).unwrap();
    let left: Value = serde_json::from_str(&take(&rewritten)).unwrap();
    assert_eq!(left, json!({ "a": 1, "mcpServers": { "other": {} }, "last": true }));
    for order in [["drover", "x", "y"], ["x", "drover", "y"], ["x", "y", "drover"]] {
        let marked = mark::marked(entry(), Made::default());
        let servers =
            order.map(|it| (it.to_owned(), if it == NAME { marked.clone() } else { json!(1) }));
        let value = json!({ "mcpServers": Value::Object(servers.into_iter().collect()) });
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let left: Value = serde_json::from_str(&take(&text)).unwrap();
            assert_eq!(left, json!({ "mcpServers": { "x": 1, "y": 1 } }), "{text}");
        }
    }
}

#[test]
fn what_is_no_settings_file_is_refused_with_the_reason() {
    let check = |text: &str, expected: &str| {
        let why = json_text::find(text, NAME).unwrap_err();
        assert!(why.contains(expected), "{text}: {why}");
    };
    check("", "it is empty");
    check("[]", "it is no object");
    check("{\"a\":1", "a comma is missing");
    check("{\"a\" 1}", "a colon is missing");
    check("{\n\"a\": nope}", "line 2: a value is missing");
    check("{\"a\":1} x", "something follows its end");
    check("{\"a\":\"\\q\"}", "invalid escape");
    check("{\"a\":\"b", "a string does not end");
    check("{/* a", "a comment does not end");
    check("{\"mcpServers\":[]}", "its mcpServers is no object");
    check("{\"mcpServers\":{},\"mcpServers\":{}}", "two entries \"mcpServers\"");
    check("{\"mcpServers\":{\"drover\":1,\"drover\":2}}", "two entries \"drover\"");
    check(&"{\"a\":".repeat(10_000), "too deep");
}

#[test]
fn a_table_goes_in_and_comes_out_of_toml_of_every_shape() {
    for text in [
        "",
        "\n",
        "\n\n",
        "a = 1",
        "a = 1\n",
        "a = 1\n\n\n",
        "# only a comment",
        "a = 1\r\n[b]\r\nc = 2\r\n",
        "a = 1\r\n[b]\r\nc = 2",
        "\u{feff}a = 1\n",
        "[mcp_servers]\n",
        "[mcp_servers.other]\ncommand = \"x\"\n",
        "[mcp_servers.other]\ncommand = \"x\"\n[mcp_servers.other.env]\nA = \"b\"\n# end\n",
        "text = \"\"\"\n[mcp_servers]\n\"\"\"\n[[list]]\nx = 1\n",
    ] {
        let marked = mark::marked(entry(), Made::default());
        let linked = put_toml(text).unwrap();
        let found = toml_text::find(&linked, NAME).unwrap().unwrap();
        assert_eq!(found["command"], "/usr/bin/drover");
        assert!(mark::of_entry(&found).is_some(), "{linked}");
        assert_eq!(toml_text::take(&linked, NAME).unwrap(), text, "{linked}");
        assert_eq!(toml_text::replace(&linked, NAME, &marked).unwrap(), linked);
        let grown = format!("{linked}\n# theirs\n[later]\nx = 1\n");
        let left = toml_text::take(&grown, NAME).unwrap();
        assert_eq!(left, format!("{text}\n# theirs\n[later]\nx = 1\n"));
    }
}

#[test]
fn toml_that_cannot_take_a_table_is_refused() {
    for (text, expected) in [
        ("a = ", "line 1"),
        ("mcp_servers = 1\n", "is no table"),
        ("mcp_servers = { x = { command = \"y\" } }\n", "cannot be added to"),
    ] {
        let why = put_toml(text).unwrap_err();
        assert!(why.contains(expected), "{text}: {why}");
    }
    let dotted = "mcp_servers.drover.command = \"x\"\n";
    assert!(toml_text::find(dotted, NAME).unwrap().is_some());
    assert!(toml_text::take(dotted, NAME).unwrap_err().contains("table of its own"));
}

#[test]
fn a_mark_is_read_back_and_any_change_shows() {
    let all = Made { file: true, table: true, table_line: true, root_line: true, directories: 12 };
    for made in [Made::default(), all] {
        let mark = Mark::of("content", made);
        assert_eq!(Mark::parse(&mark.write()), Some(mark.clone()));
        assert!(mark.fits("content") && !mark.fits("other"));
    }
    let marked = mark::marked(entry(), Made::default());
    assert!(mark::of_entry(&marked).is_some());
    for (pointer, value) in [
        ("/command", json!("x")),
        ("/args/0", json!("x")),
        ("/env/A", json!("b")),
        ("/new", json!(1)),
    ] {
        let mut changed = marked.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        match changed.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[0] = value,
            other => other[name] = value,
        }
        assert!(mark::of_entry(&changed).is_none(), "{changed}");
    }
    for words in ["", "0.1.0", "0.1.0 abc 0", "0.1.0 0123456789abcdef x", "a 0123456789abcdef f999"]
    {
        assert_eq!(Mark::parse(words), None, "{words}");
    }
}

/// A value of a few levels.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        "[{}\\[\\],:\"/*\\\\ \n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z{}\"/]{0,4}", inner), 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

/// White space and comments.
fn space() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just(" "),
        Just("\t"),
        Just("\n"),
        Just("\r\n"),
        Just("/* } */"),
        Just("// \"{\n"),
        Just("")
    ];
    prop::collection::vec(part, 0..4).prop_map(|it| it.concat())
}

/// An object as a person may write it.
fn written(
    value: &Value,
    spaces: &mut impl Iterator<Item = String>,
    is_comma_last: bool,
) -> String {
    let mut next = || spaces.next().unwrap_or_default();
    match value {
        Value::Object(members) => {
            let mut text = format!("{{{}", next());
            for (at, (key, value)) in members.iter().enumerate() {
                let comma = if at + 1 < members.len() || is_comma_last { "," } else { "" };
                let value = if key == "mcpServers" {
                    written(value, spaces, is_comma_last)
                } else {
                    value.to_string()
                };
                let mut next = || spaces.next().unwrap_or_default();
                let key = Value::from(key.as_str()).to_string();
                let parts = [&key, &next(), ":", &next(), &value, &next(), comma, &next()];
                text.push_str(&parts.concat());
            }
            text + "}"
        }
        other => other.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_settings_are_as_before_once_the_entry_is_gone(
        members in prop::collection::vec(("[a-z]{1,5}", value()), 0..4),
        servers in prop::option::of(prop::collection::vec(("[a-z]{1,5}", value()), 0..4)),
        place in 0_usize..5,
        spaces in prop::collection::vec(space(), 64),
        is_comma_last in any::<bool>(),
    ) {
        let mut members: Vec<(String, Value)> = members;
        if let Some(servers) = servers {
            let table = Value::Object(servers.into_iter().filter(|it| it.0 != NAME).collect());
            members.insert(place.min(members.len()), ("mcpServers".to_owned(), table));
        }
        let value = Value::Object(members.into_iter().collect());
        let text = written(&value, &mut spaces.into_iter(), is_comma_last);
        let linked = put(&text);
        prop_assert!(json_text::find(&linked, NAME).unwrap().is_some());
        prop_assert_eq!(take(&linked), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,64}", cut in 0_usize..64) {
        let _ = json_text::find(&text, NAME);
        let _ = toml_text::find(&text, NAME);
        let linked = put("{\n  \"mcpServers\": {\"a\": 1} // x\n}");
        let cut = linked.get(..cut.min(linked.len())).unwrap_or_default();
        prop_assert!(json_text::find(cut, NAME).is_err());
    }
}
