//! Tests of the schedule, with an independent checker.

use proptest::prelude::*;

use super::*;
use crate::task::owns::{OwnedPath, any_overlap};

fn task(id: i64, effort_days: f64, blocked_by: &[i64], owns: &[&str]) -> PlanTask {
    PlanTask {
        id,
        effort_days,
        roi: 50.0,
        blocked_by: blocked_by.to_vec(),
        owns: owns.iter().map(|path| OwnedPath::parse(path).unwrap()).collect(),
        done: false,
    }
}

fn planned(tasks: &[PlanTask], workers: usize) -> Plan {
    plan(tasks, NonZeroUsize::new(workers).unwrap())
}

/// Rebuilds from the plan alone what any schedule must keep, and says what it does not.
fn faults(tasks: &[PlanTask], workers: usize, plan: &Plan) -> Vec<String> {
    let mut faults = Vec::new();
    let of = |id: i64| tasks.iter().find(|task| task.id == id).unwrap();
    let run = |id: i64| plan.tasks.iter().find(|run| run.id == id);
    let open = tasks.iter().filter(|task| !task.done).count();
    if plan.tasks.len() + plan.unplanned.len() != open {
        faults.push("a task is neither planned nor named as unplanned".to_owned());
    }
    for (index, one) in plan.tasks.iter().enumerate() {
        if one.worker == 0 || one.worker > workers {
            faults.push(format!("{one:?} has no such worker"));
        }
        if (one.finish - one.start - of(one.id).effort_days).abs() > 1e-6 {
            faults.push(format!("{one:?} does not take its effort"));
        }
        for blocker in &of(one.id).blocked_by {
            let satisfied =
                of(*blocker).done || run(*blocker).is_some_and(|before| before.finish <= one.start);
            if !satisfied {
                faults.push(format!("{one:?} starts before {blocker} is done"));
            }
        }
        for two in plan.tasks.iter().skip(index + 1) {
            let at_once = one.start < two.finish && two.start < one.finish;
            if at_once && one.worker == two.worker {
                faults.push(format!("{one:?} and {two:?} have one worker"));
            }
            if at_once && any_overlap(&of(one.id).owns, &of(two.id).owns) {
                faults.push(format!("{one:?} and {two:?} share ground"));
            }
        }
    }
    faults.extend(idleness(tasks, workers, plan));
    faults
}

/// Moments at which a worker is idle although a task could run: looked for half-way between all
/// pairs of neighbouring starts and finishes.
fn idleness(tasks: &[PlanTask], workers: usize, plan: &Plan) -> Vec<String> {
    let of = |id: i64| tasks.iter().find(|task| task.id == id).unwrap();
    let mut moments: Vec<f64> = plan.tasks.iter().flat_map(|run| [run.start, run.finish]).collect();
    moments.sort_by(f64::total_cmp);
    let mut faults = Vec::new();
    for pair in moments.windows(2).filter(|pair| pair[0] < pair[1]) {
        let now = f64::midpoint(pair[0], pair[1]);
        let running: Vec<&PlannedTask> =
            plan.tasks.iter().filter(|run| run.start < now && now < run.finish).collect();
        let could_run = plan.tasks.iter().find(|run| {
            let unblocked = of(run.id).blocked_by.iter().all(|blocker| {
                of(*blocker).done
                    || plan.tasks.iter().any(|it| it.id == *blocker && it.finish < now)
            });
            let ground_is_free =
                running.iter().all(|other| !any_overlap(&of(other.id).owns, &of(run.id).owns));
            run.start > now && unblocked && ground_is_free
        });
        if let (true, Some(run)) = (running.len() < workers, could_run) {
            faults.push(format!("{run:?} could run at {now} and a worker is idle"));
        }
    }
    faults
}

#[test]
fn a_diamond_on_two_workers_takes_as_long_as_its_critical_path() {
    let tasks = [
        task(1, 1.0, &[], &[]),
        task(2, 2.0, &[1], &[]),
        task(3, 0.5, &[1], &[]),
        task(4, 1.0, &[2, 3], &[]),
    ];
    let plan = planned(&tasks, 2);
    assert_eq!(plan.critical_path, [1, 2, 4]);
    assert!((plan.makespan_days - 4.0).abs() < 1e-9 && (plan.critical_days - 4.0).abs() < 1e-9);
    let slack: Vec<(i64, f64)> = plan.tasks.iter().map(|run| (run.id, run.slack)).collect();
    assert_eq!(slack, [(1, 0.0), (2, 0.0), (3, 1.5), (4, 0.0)]);
    let width: Vec<(f64, usize)> = plan.width.iter().map(|it| (it.from, it.tasks)).collect();
    assert_eq!(width, [(0.0, 1), (1.0, 2), (1.5, 1), (4.0, 0)]);
    assert_eq!(faults(&tasks, 2, &plan), Vec::<String>::new());
}

#[test]
fn the_longest_chain_goes_first_and_then_the_best_return() {
    let mut better = task(4, 1.0, &[], &[]);
    better.roi = 100.0;
    let tasks = [task(1, 1.0, &[], &[]), task(2, 1.0, &[], &[]), task(3, 3.0, &[2], &[]), better];
    let order: Vec<i64> = planned(&tasks, 1).tasks.iter().map(|run| run.id).collect();
    assert_eq!(order, [2, 3, 4, 1]);
}

#[test]
fn tasks_on_the_same_ground_run_one_after_the_other_and_others_fill_the_gap() {
    let tasks = [
        task(1, 2.0, &[], &["src/"]),
        task(2, 2.0, &[], &["src/a.rs"]),
        task(3, 1.0, &[], &["doc/"]),
    ];
    let plan = planned(&tasks, 2);
    assert!((plan.makespan_days - 4.0).abs() < 1e-9);
    assert_eq!(faults(&tasks, 2, &plan), Vec::<String>::new());
}

#[test]
fn what_is_done_is_not_planned_and_satisfies() {
    let done = PlanTask { done: true, ..task(1, 9.0, &[], &[]) };
    let plan = planned(&[done, task(2, 1.0, &[1], &[])], 1);
    assert_eq!(plan.tasks.iter().map(|run| run.id).collect::<Vec<_>>(), [2]);
    assert!(plan.unplanned.is_empty());
}

#[test]
fn a_cycle_and_a_blocker_that_is_not_there_keep_what_is_behind_them_out() {
    let tasks = [
        task(1, 1.0, &[2], &[]),
        task(2, 1.0, &[1], &[]),
        task(3, 1.0, &[2], &[]),
        task(4, 1.0, &[99], &[]),
        task(5, 1.0, &[4], &[]),
        task(6, 1.0, &[], &[]),
    ];
    let plan = planned(&tasks, 2);
    assert_eq!(plan.unplanned, [1, 2, 3, 4, 5]);
    assert_eq!(plan.critical_path, [6]);
}

#[test]
fn nothing_to_do_is_an_empty_plan() {
    assert_eq!(planned(&[], 3), Plan::default());
}

#[test]
fn an_effort_that_is_no_number_counts_as_nothing() {
    for effort in [f64::NAN, -1.0, 0.0] {
        let plan = planned(&[task(1, effort, &[], &[]), task(2, 1.0, &[1], &[])], 1);
        assert!((plan.makespan_days - 1.0).abs() < 1e-9, "{effort}");
    }
}

#[test]
fn a_hundred_thousand_tasks_on_one_piece_of_ground_are_planned_in_time() {
    let tasks: Vec<PlanTask> =
        (0..100_000).map(|id| task(id, 0.5, &[], &["shared/x", "other"])).collect();
    let plan = planned(&tasks, 8);
    assert_eq!(plan.tasks.len(), 100_000);
    assert!((plan.makespan_days - 50_000.0).abs() < 1e-3);
}

fn tasks() -> impl Strategy<Value = Vec<PlanTask>> {
    let paths = ["a", "a/b", "a/b/c", "a/d", "a0", "e/", "e/f", "g"];
    let owns = proptest::sample::subsequence(paths.to_vec(), 0..4);
    let blockers = proptest::collection::vec(0_i64..14, 0..3);
    let drawn = (0_u32..5, blockers, owns, proptest::bool::weighted(0.1));
    proptest::collection::vec(drawn, 0..14).prop_map(|drawn| {
        (0_i64..)
            .zip(drawn)
            .map(|(id, (effort, blockers, owns, done))| {
                let blockers: Vec<i64> = blockers.into_iter().filter(|it| *it < id).collect();
                PlanTask { done, ..task(id, f64::from(effort) / 4.0, &blockers, &owns) }
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_plan_keeps_blockers_ground_and_workers_and_never_idles(
        tasks in tasks(), workers in 1_usize..5,
    ) {
        let plan = planned(&tasks, workers);
        prop_assert_eq!(faults(&tasks, workers, &plan), Vec::<String>::new());
        prop_assert!(plan.makespan_days >= plan.critical_days);
        prop_assert!(plan.tasks.iter().all(|run| run.start >= run.earliest_start));
        let effort: f64 = plan.critical_path.iter()
            .map(|id| tasks.iter().find(|task| task.id == *id).unwrap().effort_days)
            .sum();
        prop_assert!((effort - plan.critical_days).abs() < 1e-6);
    }

    #[test]
    fn with_a_worker_for_each_and_ground_of_its_own_every_task_starts_at_its_earliest(
        tasks in tasks(),
    ) {
        let tasks: Vec<PlanTask> =
            tasks.into_iter().map(|task| PlanTask { owns: Vec::new(), ..task }).collect();
        let plan = planned(&tasks, 14);
        prop_assert!(plan.tasks.iter().all(|run| run.start <= run.earliest_start));
        prop_assert!((plan.makespan_days - plan.critical_days).abs() < 1e-9);
    }
}
