//! Helpers that are real programs: told in words, stopped, and asked for their answers.

use drover_testkit::{Real, wait_until};

use super::{LONG, World};

/// Each answers a question that it was delegated, and its pane is closed.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn each_answers_what_it_was_delegated_and_is_gone() {
    let programs = Real::installed();
    let world = World::new(&programs);
    for program in &programs {
        let text = format!("SAY the answer of {}", program.engine());
        let words =
            ["agent", "delegate", &text, "--engine", program.engine(), "--label", program.engine()];
        let begun = world.drover(&words).ok().data()["delegate"].take();
        assert_eq!(begun["state"], "running");
    }
    for program in &programs {
        let name = format!("delegate-{}", program.engine());
        let words = ["agent", "delegate", "--answer", &name, "--wait", "--timeout", "1m"];
        let answered = world.drover(&words).ok().json();
        assert_eq!(answered["outcome"], "answered", "{answered}");
        let delegate = &answered["data"]["delegate"];
        assert_eq!(delegate["answer"], format!("the answer of {}", program.engine()));
        wait_until("its pane is closed", LONG, || {
            let words = ["agent", "delegate", "--answer", &name];
            world.drover(&words).ok().data()["delegate"]["has_agent"] == false
        });
    }
}

/// The running turn of each is stopped and its answer is known to be none.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn the_turn_of_each_is_stopped_where_its_channel_can() {
    for program in Real::installed() {
        let world = World::new(&[program]);
        let agent = world.ready(program, "w1");
        agent.received("SLOW 200 500");
        agent.wait_for_state("working");
        let stopped = world.drover(&["agent", "abort", "w1"]);
        println!("{}: {stopped}", program.engine());
        let answer = stopped.json();
        if answer["ok"] == true {
            assert_eq!(answer["outcome"], "aborted");
            assert_eq!(answer["data"]["agent"]["state"], "idle");
            assert_eq!(
                world.drover(&["agent", "abort", "w1"]).ok().json()["outcome"],
                "already_idle"
            );
        } else {
            assert_eq!(answer["next"][0]["run"], "drover agent kick web/w1");
        }
    }
}
