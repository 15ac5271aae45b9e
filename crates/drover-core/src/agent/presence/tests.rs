//! Tests of what is decided from facts and readings.

use super::*;
use crate::agent::probe::{BootProbe, ExitInfo, PaneListing, PaneOwner, PaneProbe, ProcessProbe};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn bound(pane: PaneProbe) -> Probe {
    Probe { boot: BootProbe::Same, pane, process: ProcessProbe::Alive }
}

fn alive() -> PaneProbe {
    PaneProbe::Answered(PaneListing::Listed { owner: PaneOwner::Ours, dead: None })
}

fn running() -> Facts {
    Facts {
        lifecycle: Lifecycle::Running,
        lifecycle_at: at(100),
        deadline: None,
        probe: Some(bound(alive())),
        foreground: None,
        screen: None,
    }
}

fn hook(state: Presence) -> Reading {
    Reading {
        source: Source::Hook,
        state,
        since: Some(at(150)),
        evidence: "the stop hook".to_owned(),
        reason: None,
        expires: None,
    }
}

fn check(facts: &Facts, readings: &[Reading], state: Presence, rule: Rule) -> Decided {
    let decided = decide(facts, readings, at(200));
    assert_eq!((decided.state, decided.rule), (state, rule), "{decided:?}");
    decided
}

/// Fault D-01.
#[test]
fn an_agent_that_nothing_reports_on_is_unknown_and_never_idle() {
    let decided = check(&running(), &[], Presence::Unknown, Rule::NothingSays);
    assert!(decided.reason.is_some());
    let mut unread = running();
    unread.screen = Some(ScreenVerdict::Nothing);
    let decided = check(&unread, &[], Presence::Unknown, Rule::NothingSays);
    assert_eq!(decided.reason.as_deref(), Some("no screen rule matches"));
}

#[test]
fn a_server_that_does_not_answer_makes_its_agents_unknown_whatever_else_is_said() {
    let mut silent = running();
    silent.probe = Some(bound(PaneProbe::NoAnswer { reason: "no answer in 2 s".to_owned() }));
    silent.foreground = Some(Foreground::OwnShell);
    let decided = check(&silent, &[hook(Presence::Idle)], Presence::Unknown, Rule::ServerSilent);
    assert_eq!(decided.reason.as_deref(), Some("no answer in 2 s"));
}

#[test]
fn an_agent_that_is_provably_gone_is_exited_with_the_time_of_its_end() {
    let mut dead = running();
    let exit = ExitInfo { status: Some(1), signal: None, at: Some(at(190)) };
    dead.probe = Some(bound(PaneProbe::Answered(PaneListing::Listed {
        owner: PaneOwner::Ours,
        dead: Some(exit),
    })));
    let decided = check(&dead, &[hook(Presence::Working)], Presence::Exited, Rule::ProvablyGone);
    assert_eq!(decided.since, Some(at(190)));
}

#[test]
fn a_row_whose_life_is_over_is_exited_without_a_look() {
    for lifecycle in [Lifecycle::Exited, Lifecycle::Failed, Lifecycle::Closed] {
        let over = Facts { lifecycle, probe: None, ..running() };
        let decided = check(&over, &[], Presence::Exited, Rule::RowIsOver);
        assert_eq!(decided.since, Some(at(100)));
    }
}

#[test]
fn a_start_is_starting_until_its_deadline_and_unknown_after() {
    let launching = Facts {
        lifecycle: Lifecycle::Launching,
        deadline: Some(at(201)),
        probe: None,
        ..running()
    };
    check(&launching, &[], Presence::Starting, Rule::StillStarting);
    let late = Facts { deadline: Some(at(200)), ..launching };
    check(&late, &[], Presence::Unknown, Rule::DeadlinePassed);
}

#[test]
fn a_shell_that_waits_for_a_command_is_idle_and_one_that_runs_one_works() {
    let mut shell = running();
    shell.foreground = Some(Foreground::OwnShell);
    check(&shell, &[], Presence::Idle, Rule::ForegroundProcess);
    shell.foreground = Some(Foreground::OwnShellBusy);
    check(&shell, &[], Presence::Working, Rule::ForegroundProcess);
    shell.foreground = Some(Foreground::OwnShellAsks);
    check(&shell, &[], Presence::NeedsInput, Rule::ForegroundProcess);
    shell.foreground = Some(Foreground::Other { program: "make".to_owned() });
    check(&shell, &[], Presence::Working, Rule::ForegroundProcess);
    shell.foreground = Some(Foreground::Unknown { reason: "no terminal".to_owned() });
    check(&shell, &[], Presence::Unknown, Rule::NothingSays);
}

#[test]
fn a_reporter_inside_the_agent_wins_over_its_screen() {
    let mut busy = running();
    busy.screen = Some(ScreenVerdict::Composer(Composer::Empty));
    let decided = check(&busy, &[hook(Presence::Working)], Presence::Working, Rule::Reported);
    assert_eq!((decided.source, decided.since), (Source::Hook, Some(at(150))));
    let sources: Vec<Source> = decided.asked.iter().map(|it| it.source).collect();
    assert_eq!(sources, [Source::Row, Source::Pane, Source::Hook, Source::Screen]);
}

/// Fault D-01.
#[test]
fn behind_a_socket_that_is_silent_a_screen_can_only_show_a_dialog() {
    let control = |state| Reading {
        source: Source::Control,
        reason: Some("no word".to_owned()),
        ..hook(state)
    };
    let screens = [Composer::Empty, Composer::Draft("hm".to_owned())].map(ScreenVerdict::Composer);
    let trust =
        ScreenVerdict::Dialog { label: Some("trust".to_owned()), excerpt: "Trust?".to_owned() };
    let behind = |screen: &ScreenVerdict| Facts { screen: Some(screen.clone()), ..running() };
    for quiet in [Presence::Unknown, Presence::Starting] {
        let rule = if quiet == Presence::Unknown { Rule::NothingSays } else { Rule::Reported };
        for screen in &screens {
            let decided = check(&behind(screen), &[control(quiet)], quiet, rule);
            assert_eq!(decided.reason.as_deref(), Some("no word"));
        }
        let seen =
            check(&behind(&trust), &[control(quiet)], Presence::NeedsInput, Rule::ScreenRule);
        assert_eq!(seen.reason.as_deref(), Some("trust"));
    }
    check(&behind(&trust), &[control(Presence::Idle)], Presence::Idle, Rule::Reported);
}

/// Fault D-02.
#[test]
fn a_report_that_is_too_old_decays_to_unknown() {
    let old = Reading { expires: Some(at(200)), ..hook(Presence::Idle) };
    let decided = check(&running(), &[old], Presence::Unknown, Rule::NothingSays);
    assert_eq!(decided.reason.as_deref(), Some("the last word, idle, is too old"));
}

#[test]
fn a_screen_says_only_what_a_rule_proves() {
    let dialog = |label: Option<&str>| ScreenVerdict::Dialog {
        label: label.map(str::to_owned),
        excerpt: "Proceed?".to_owned(),
    };
    for (screen, state) in [
        (dialog(None), Presence::NeedsPermission),
        (dialog(Some("login")), Presence::NeedsInput),
        (dialog(Some("limit")), Presence::Limited),
        (ScreenVerdict::Busy { label: None }, Presence::Working),
        (ScreenVerdict::Composer(Composer::Empty), Presence::Idle),
        (ScreenVerdict::Composer(Composer::Draft("hm".to_owned())), Presence::NeedsInput),
    ] {
        check(&Facts { screen: Some(screen), ..running() }, &[], state, Rule::ScreenRule);
    }
}

fn status(state: Presence) -> Reading {
    Reading { source: Source::StatusFile, evidence: "status busy".to_owned(), ..hook(state) }
}

fn showing(verdict: ScreenVerdict) -> Facts {
    Facts { screen: Some(verdict), ..running() }
}

fn busy(label: &str) -> ScreenVerdict {
    ScreenVerdict::Busy { label: Some(label.to_owned()) }
}

fn dialog(label: &str) -> ScreenVerdict {
    ScreenVerdict::Dialog { label: Some(label.to_owned()), excerpt: "Allow?".to_owned() }
}

/// Fault D-08.
#[test]
fn a_status_that_only_says_busy_is_made_exact_by_the_screen() {
    let exact = |verdict: ScreenVerdict, state: Presence, reason: &str| {
        let facts = showing(verdict);
        let decided = check(&facts, &[status(Presence::Working)], state, Rule::ReportedAndShown);
        assert_eq!(decided.reason.as_deref(), Some(reason));
        assert_eq!(decided.source, Source::StatusFile);
    };
    exact(busy("retry"), Presence::Working, "retrying");
    exact(busy("login"), Presence::NeedsInput, "login");
    exact(dialog("trust"), Presence::NeedsInput, "trust");
    // Trust is asked before anything else is said.
    let starting = [status(Presence::Starting)];
    check(&showing(dialog("trust")), &starting, Presence::NeedsInput, Rule::ReportedAndShown);
    let turn = showing(busy("turn"));
    check(&turn, &[status(Presence::Working)], Presence::Working, Rule::Reported);
}

/// Fault P-26.
#[test]
fn a_dialog_at_the_end_of_the_screen_wins_over_a_status_that_says_idle() {
    let facts = showing(dialog("update"));
    let idle = [status(Presence::Idle)];
    let decided = check(&facts, &idle, Presence::NeedsInput, Rule::ReportedAndShown);
    assert_eq!(decided.reason.as_deref(), Some("update"));
    let control = [Reading { source: Source::Control, ..status(Presence::Idle) }];
    check(&facts, &control, Presence::Idle, Rule::Reported);
}

/// Fault H-09.
#[test]
fn a_limit_says_until_when_and_no_longer_counts_after_it() {
    let until = |second| Some(at(second));
    let limited =
        |expires| Reading { expires, reason: Some("limit".to_owned()), ..hook(Presence::Limited) };
    let decided = check(&running(), &[limited(until(201))], Presence::Limited, Rule::Reported);
    assert_eq!(decided.until, until(201));
    let idle = Reading { expires: until(900), ..hook(Presence::Idle) };
    assert_eq!(check(&running(), &[idle], Presence::Idle, Rule::Reported).until, None);
    check(&running(), &[limited(until(200))], Presence::Unknown, Rule::NothingSays);
}
