//! Taskwarrior, as it is and as files of its kinds.

use std::path::PathBuf;

use drover_testkit::TestEnv;
use serde_json::{Value, json};

use super::{export, import, import_into, markdown, project, ready, snapshot, strings};

/// The real program with a private store of its own.
struct Warrior<'a> {
    env: &'a TestEnv,
    program: PathBuf,
    data: PathBuf,
}

impl<'a> Warrior<'a> {
    #[track_caller]
    fn new(env: &'a TestEnv, name: &str) -> Self {
        let program = std::env::var_os("DROVER_REAL_TASKWARRIOR").map(PathBuf::from);
        let Some(program) = program else { panic!("no Taskwarrior is installed: run ./dev test") };
        let data = env.root().join(name);
        std::fs::create_dir(&data).unwrap();
        let settings = format!(
            "data.location={}\nconfirmation=off\nrecurrence.confirmation=off\n",
            data.display()
        );
        std::fs::write(data.join("rc"), settings).unwrap();
        Self { env, program, data }
    }

    #[track_caller]
    fn task(&self, words: &[&str]) -> String {
        let call = self.env.call(&self.program, words).variable("TASKRC", self.data.join("rc"));
        call.variable("TASKDATA", &self.data).run().ok().stdout
    }

    /// Everything, by its id; without what each store works out for itself.
    fn export(&self) -> Vec<Value> {
        let mut tasks: Vec<Value> = serde_json::from_str(&self.task(&["export"])).unwrap();
        for task in &mut tasks {
            for follows in ["id", "modified", "urgency"] {
                task.as_object_mut().unwrap().shift_remove(follows);
            }
            // The program writes the same number in two ways.
            if let Some(number) = task["imask"].as_f64() {
                task["imask"] = json!(number);
            }
        }
        tasks.sort_by_key(|it| it["uuid"].to_string());
        tasks
    }
}

/// A store with one of everything that both can say, and of some that only Taskwarrior can.
fn filled(warrior: &Warrior<'_>) {
    let task = |words: &[&str]| warrior.task(words);
    task(&[
        "add",
        "Build the \"API\" ünï",
        "priority:H",
        "+back",
        "+api",
        "project:web.server",
        "due:2030-12-24",
    ]);
    task(&["add", "Write docs", "priority:M", "depends:1"]);
    task(&["add", "Set aside", "priority:L", "wait:2038-01-01"]);
    task(&["add", "Begun", "depends:1,2"]);
    task(&["4", "start"]);
    task(&["1", "annotate", "first: with colon"]);
    task(&["1", "annotate", "second"]);
    task(&["add", "Done"]);
    task(&["5", "done"]);
    task(&["add", "Deleted"]);
    task(&["description:Deleted", "delete"]);
    task(&["add", "Rent", "recur:monthly", "due:2030-12-05"]);
}

#[test]
#[ignore = "./dev test installs Taskwarrior and runs this"]
fn must_show_03_2() {
    let env = project();
    let first = Warrior::new(&env, "first");
    filled(&first);
    let said = first.task(&["export"]);
    let data = import(&env, &said).ok().data();
    assert_eq!((&data["format"], &data["added"]["count"]), (&json!("taskwarrior"), &json!(6)));
    assert_eq!((&data["edges"], data["left_out"]["count"].as_u64() > Some(1)), (&json!(3), true));
    assert_eq!(ready(&env), ["build_the_api_n", "rent"]);
    let again = import(&env, &said).ok().json();
    assert_eq!(
        (&again["outcome"], &again["data"]["differs"]["count"]),
        (&json!("unchanged"), &json!(0))
    );

    // Back into a new store of the real program: the same but for what was left out and named.
    let back = env.root().join("back.json");
    std::fs::write(&back, export(&env, "web", "taskwarrior")).unwrap();
    let second = Warrior::new(&env, "second");
    second.task(&["import", back.to_str().unwrap()]);
    let expected: Vec<Value> = first
        .export()
        .into_iter()
        .filter(|it| it["status"] != "deleted" && it["status"] != "recurring")
        .collect();
    assert_eq!(second.export(), expected);

    // And through both of our own forms.
    for (name, format) in [("by_json", "json"), ("by_markdown", "markdown")] {
        let text = export(&env, "web", format);
        env.drover(&["project", "init", name]).ok();
        import_into(&env, name, &text);
        assert_eq!(snapshot(&env, "web"), snapshot(&env, name));
    }
    markdown::round_trip(&project(), markdown::PLAN);
}

fn listed(tasks: &[Value]) -> String {
    Value::from(tasks.to_vec()).to_string()
}

#[test]
fn states_priorities_and_both_ways_to_write_dependencies() {
    let env = project();
    let tasks = [
        json!({ "uuid": "u-1", "description": "Old wait", "status": "waiting", "wait": "20300101T000000Z" }),
        json!({ "uuid": "u-2", "description": "New wait", "status": "pending", "wait": "99991230T000000Z", "priority": "H" }),
        json!({ "uuid": "u-3", "description": "Waited", "status": "pending", "wait": "20200101T000000Z", "priority": "X" }),
        json!({ "uuid": "u-4", "description": "Done", "status": "completed", "end": "20200101T000000Z" }),
        json!({ "uuid": "u-5", "description": "By commas", "status": "pending", "depends": "u-4,u-3" }),
        json!({ "uuid": "u-6", "description": "By list", "status": "odd", "depends": ["u-5", "u-9", "u-7"] }),
        json!({ "uuid": "u-7", "description": "Gone", "status": "deleted" }),
    ];
    let data = import(&env, &listed(&tasks)).ok().data();
    assert_eq!((&data["added"]["count"], &data["edges"]), (&json!(6), &json!(3)));
    assert_eq!(
        strings(&data["substituted"]["items"], "what"),
        ["the priority \"X\"", "the status \"odd\""]
    );
    let left_out = strings(&data["left_out"]["items"], "what");
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    assert_eq!(ready(&env), ["waited"]);
    // One object a line, as older ones wrote.
    let lines = tasks.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n");
    assert_eq!(import(&env, &lines).ok().json()["outcome"], "unchanged");
    let show = env.drover(&["task", "show", "u-6", "--json"]).ok().data();
    assert_eq!(
        (&show["task"]["id"], &show["task"]["substate"]),
        (&json!("by_list"), &json!("triage"))
    );
}

#[test]
fn what_was_unparked_or_closed_here_is_so_in_the_export() {
    let env = project();
    let tasks = [
        json!({ "uuid": "u-1", "description": "Waits", "status": "pending", "wait": "20300101T000000Z", "due": "20310101T000000Z" }),
        json!({ "uuid": "u-2", "description": "Begun", "status": "pending", "start": "20200101T000000Z" }),
    ];
    import(&env, &listed(&tasks)).ok();
    env.drover(&["task", "unpark", "waits"]).ok();
    env.drover(&["task", "close", "begun", "--evidence", "seen"]).ok();
    let exported: Vec<Value> = serde_json::from_str(&export(&env, "web", "taskwarrior")).unwrap();
    let [begun, waits] = exported.as_slice() else { panic!("{exported:?}") };
    assert_eq!((&waits["wait"], &waits["due"]), (&Value::Null, &json!("20310101T000000Z")));
    assert_eq!(
        (&begun["status"], &begun["start"]),
        (&json!("completed"), &json!("20200101T000000Z"))
    );
    assert!(begun["end"].is_string());
}

#[test]
fn a_broken_export_is_named_with_its_place() {
    let env = project();
    let refused = import(&env, &"[\n{\"uuid\":\"u\",\"description\":\"A\"},\n{\"uuid\":")
        .refused(2, "plan_invalid");
    assert_eq!(refused["data"]["line"], 3);
    let wrong = [
        json!({ "uuid": "u", "description": "A" }),
        json!({ "uuid": "u", "description": 7, "depends": 3 }),
    ];
    let refused = import(&env, &listed(&wrong)).refused(2, "plan_invalid");
    let paths = strings(&refused["data"]["problems"]["items"], "path");
    assert!(paths.iter().any(|it| it == "tasks[1].uuid"), "{paths:?}");
    assert!(paths.iter().any(|it| it == "tasks[1].description"), "{paths:?}");
    assert!(paths.iter().any(|it| it == "tasks[1].depends"), "{paths:?}");
}
