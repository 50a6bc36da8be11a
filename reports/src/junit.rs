//! The verdicts as JUnit XML, which every program that runs tests in bulk can read: one suite a
//! scenario, one test a case and strategy. It says nothing of wall time or host, so the same runs
//! give the same bytes.

use crate::record::{CaseResult, Record, Status};
use crate::summary::{Report, Row};
use crate::words::{self, claimed, guarantee, plural, run_name, seed_name, statuses};
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

/// Broken runs of a test that are told with their evidence.
const TOLD: usize = 3;

/// All verdicts. A case that was judged as broken has failed, and so has one whose runs are
/// incomplete and broken; a run in which two worlds differ is an error; where no run was held, the
/// test was skipped.
///
/// # Errors
///
/// When the XML cannot be made; the text says why.
pub fn render(report: &Report) -> Result<String, String> {
    let mut xml = quick_junit::Report::new("aftermath");
    let mut suites = Vec::new();
    for row in &report.rows {
        let mut test = test((&row.scenario, &row.case, &row.label()), status(report, row));
        test.add_properties(properties(row));
        suite(&mut suites, &row.scenario).add_test_case(test);
    }
    // Cases without a single run belong to no row, and must not vanish.
    for case in report.cases.iter().filter(|case| !has_rows(report, case)) {
        let skipped = said(TestCaseStatus::skipped(), "nothing ran", "", "");
        let test = test((&case.scenario, &case.case, &case.strategy), skipped);
        suite(&mut suites, &case.scenario).add_test_case(test);
    }
    xml.add_test_suites(suites.into_iter().map(|(_, suite)| suite));
    if let Some(missing) = words::missing(report) {
        let mut test =
            TestCase::new("all runs are done", said(TestCaseStatus::skipped(), &missing, "", ""));
        test.set_classname("runs");
        let mut suite = TestSuite::new("runs");
        suite.add_test_case(test);
        xml.add_test_suite(suite);
    }
    if let Some(check) = &report.baseline {
        let mut suite = TestSuite::new("baseline");
        let changed = if check.fails { &check.changed[..] } else { &[] };
        for (name, lines, kind) in [
            ("nothing is broken or over budget", &check.wrong[..], "over-budget"),
            ("nothing has changed", changed, "changed"),
        ] {
            let mut test = TestCase::new(name, against(lines, kind));
            test.set_classname("baseline");
            suite.add_test_case(test);
        }
        xml.add_test_suite(suite);
    }
    xml.to_string().map_err(|error| error.to_string())
}

/// The suite of a scenario, begun if it is not there.
fn suite<'s, 'r>(suites: &'s mut Vec<(&'r str, TestSuite)>, name: &'r str) -> &'s mut TestSuite {
    let at = suites.iter().rposition(|(known, _)| *known == name).unwrap_or_else(|| {
        suites.push((name, TestSuite::new(plain(name))));
        suites.len() - 1
    });
    &mut suites[at].1
}

/// The test of a case under a strategy.
fn test((scenario, case, strategy): (&str, &str, &str), status: TestCaseStatus) -> TestCase {
    let mut test = TestCase::new(plain(&format!("{case} / {strategy}")), status);
    test.set_classname(plain(scenario));
    test
}

/// What came of holding the runs against a baseline: a failure if there are lines about it.
fn against(lines: &[String], kind: &str) -> TestCaseStatus {
    let Some(first) = lines.first() else { return TestCaseStatus::success() };
    let failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let more = match lines.len() {
        1 => String::new(),
        lines => format!(", and {}", plural(lines as u64 - 1, "more line")),
    };
    said(failure, &format!("{first}{more}"), kind, &lines.join("\n"))
}

fn has_rows(report: &Report, case: &CaseResult) -> bool {
    report.rows.iter().any(|row| {
        (&row.scenario, &row.case, &row.strategy) == (&case.scenario, &case.case, &case.strategy)
    })
}

fn status(report: &Report, row: &Row) -> TestCaseStatus {
    let kept = |status| row.by_status.contains_key(&status);
    if let Some(replay) = &row.differ {
        let error = TestCaseStatus::non_success(NonSuccessKind::Error);
        let text = format!("This is a bug of aftermath.\nreplay: {replay}\n");
        return said(error, "the two worlds differ", "worlds-differ", &text);
    }
    match report.verdict_of(row) {
        Status::Broken => {
            let failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
            said(failure, &reason(report, row), "broken", &evidence(report, row))
        }
        Status::NotCovered if !kept(Status::Held) => {
            let why: Vec<&str> = row.not_covered.iter().map(|why| &**why).collect();
            let message = format!("not covered: {}", why.join("; "));
            said(TestCaseStatus::skipped(), &message, "not-covered", "")
        }
        Status::Inconclusive => {
            let why = row.inconclusive.as_deref().unwrap_or("no run was conclusive");
            said(TestCaseStatus::skipped(), &format!("inconclusive: {why}"), "inconclusive", "")
        }
        Status::Held | Status::NotCovered => TestCaseStatus::success(),
    }
}

/// A status with a message, a type and a text; empty ones are left out.
fn said(mut status: TestCaseStatus, message: &str, kind: &str, text: &str) -> TestCaseStatus {
    status.set_message(plain(message));
    if !kind.is_empty() {
        status.set_type(kind);
    }
    if !text.is_empty() {
        status.set_description(plain(text));
    }
    status
}

/// Why a test has failed, in one line.
fn reason(report: &Report, row: &Row) -> String {
    let of_run = report.broken_in(row).next().map(|record| {
        let reason = record.reasons.first().map_or("broken", |reason| reason);
        format!("{}: {reason}", seed_name((record.seed, record.stratum)))
    });
    let of_case = || {
        let check = report.case_of(row)?.checks.iter().find(|check| !check.held)?;
        Some(format!("{} is {}, expected {}", check.what, check.measured, check.expected))
    };
    of_run.or_else(of_case).unwrap_or_else(|| "not as the case expects".to_owned())
}

/// What was claimed and seen, the checks that failed, and the first broken runs with the lines that
/// run them again.
fn evidence(report: &Report, row: &Row) -> String {
    let mut text = format!(
        "{}\nclaimed: {}\nobserved: {}\n",
        statuses(row),
        claimed(row),
        guarantee(&row.observed)
    );
    let checks = report.case_of(row).into_iter().flat_map(|case| &case.checks);
    for check in checks.filter(|check| !check.held) {
        let (what, expected) = (&check.what, &check.expected);
        text += &format!("{what}: expected {expected}; measured {}\n", check.measured);
    }
    for record in report.broken_in(row).take(TOLD) {
        text += &run(record);
    }
    let broken = row.by_status.get(&Status::Broken).copied().unwrap_or(0);
    let more = broken.saturating_sub(TOLD as u64);
    if more > 0 {
        text += &format!("\nand {}\n", plural(more, "more broken run"));
    }
    text
}

/// One broken run.
fn run(record: &Record) -> String {
    let mut text = format!("\n{}\n", run_name(record));
    for reason in &record.reasons {
        text += &format!("  {reason}\n");
    }
    for witness in record.witnesses.iter().take(TOLD) {
        text += &format!("  {}\n", words::witness(witness));
    }
    text + &format!("  replay: {}\n", record.replay)
}

/// Numbers of the runs. Times are virtual, so they are no `time` of a test.
fn properties(row: &Row) -> Vec<Property> {
    let mut list = vec![Property::new("runs", row.runs.to_string())];
    for (status, runs) in &row.by_status {
        list.push(Property::new(format!("runs {}", words::status(*status)), runs.to_string()));
    }
    for (name, spread) in [("lost", &row.lost), ("duplicates", &row.duplicates)] {
        list.push(Property::new(name, spread.total.to_string()));
    }
    if row.r2.n > 0 {
        list.push(Property::new("virtual recovery.r2 mean ms", words::mean_ms(&row.r2)));
    }
    list
}

/// What may stand in XML 1.0: characters that control a terminal become spaces, lines stay.
fn plain(text: &str) -> String {
    let allowed = |c: char| match c {
        '\n' => c,
        '\u{fffe}' | '\u{ffff}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    };
    text.replace('\u{a0}', " ").chars().map(allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use std::io::Cursor;

    /// What the tests of a file are called, and how they ended.
    fn read(xml: &str) -> Vec<(String, &'static str)> {
        let report = quick_junit::Report::deserialize(Cursor::new(xml)).expect("it is JUnit");
        let tests = report.test_suites.iter().flat_map(|suite| &suite.test_cases);
        let ended = |status: &TestCaseStatus| match status {
            TestCaseStatus::Success { .. } => "success",
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => "failure",
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. } => "error",
            TestCaseStatus::Skipped { .. } => "skipped",
        };
        tests.map(|test| (test.name.as_str().to_owned(), ended(&test.status))).collect()
    }

    #[test]
    fn a_suite_is_a_scenario_and_a_test_a_case_under_a_strategy() {
        let (records, cases) = (sample::three_strategies(), sample::three_strategies_cases());
        let xml = render(&Report::of(&records, &cases)).unwrap();
        println!("{xml}");
        assert_eq!(
            read(&xml),
            [
                ("crash / amnesia".to_owned(), "failure"),
                ("crash / passive-standby".to_owned(), "success"),
                ("crash / upstream-backup".to_owned(), "failure"),
            ]
        );
        for words in [
            "<testsuite name=\"crash-count\" tests=\"3\" skipped=\"0\" errors=\"0\" failures=\"2\"",
            "mean lost: expected amnesia.lost = 30.000 within 1% or 2 tuples; measured 26.000",
            "message=\"seed 2: claimed exactly once, observed a gap &lt;1 output&gt; &amp; no more\"",
            "lost: origin DTW, row 51: expected count=17, sum=402; observed nothing at 5.120 s",
            "replay: aftermath run crash-count.toml --case crash -s upstream-backup --seed 2",
        ] {
            assert!(xml.contains(words), "`{words}` is missing in\n{xml}");
        }
        for attribute in [" time=", " timestamp=", " hostname=", " uuid="] {
            assert!(!xml.contains(attribute), "{attribute}");
        }
    }

    #[test]
    fn what_taught_nothing_is_skipped_and_says_why() {
        let mut idle = sample::record("s", "idle", "a", 1);
        idle.status = Status::Inconclusive;
        idle.reasons = vec!["no fault met anything".to_owned()];
        let mut uncovered = sample::record("s", "twice", "a", 1);
        uncovered.status = Status::NotCovered;
        uncovered.claimed = crate::record::Claimed::NotCovered("two failures".to_owned());
        let mut partly = sample::record("s", "partly", "a", 1);
        let held = sample::record("s", "partly", "a", 2);
        partly.status = Status::NotCovered;
        let xml = render(&Report::of(&[idle, uncovered, partly, held], &[])).unwrap();
        let ended: Vec<_> = read(&xml).into_iter().map(|(_, ended)| ended).collect();
        assert_eq!(ended, ["skipped", "skipped", "success"]);
        assert!(xml.contains("message=\"not covered: two failures\""), "{xml}");
        assert!(xml.contains("message=\"inconclusive: no fault met anything\""), "{xml}");
    }

    #[test]
    fn worlds_that_differ_are_an_error_and_not_a_failure() {
        let mut first = sample::record("s", "c", "a", 1);
        first.status = Status::Broken;
        let mut second = sample::record("s", "c", "a", 2);
        second.status = Status::Broken;
        second.reasons = vec![crate::record::WORLDS_DIFFER.to_owned()];
        let xml = render(&Report::of(&[first, second], &[])).unwrap();
        assert_eq!(read(&xml), [("c / a".to_owned(), "error")]);
        assert!(xml.contains("--seed 2"), "{xml}");
    }

    #[test]
    fn names_cannot_break_the_file() {
        let mut record = sample::record("a<&\"'>\u{0}\u{1b}[31m\u{ffff}", "]]>\t", "x\r\ny", 1);
        record.status = Status::Broken;
        record.reasons = vec!["\u{7}\u{85} ]]> <![CDATA[ é".to_owned()];
        let xml = render(&Report::of(&[record], &[])).unwrap();
        assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml:?}");
        assert_eq!(read(&xml).len(), 1);
        assert!(xml.contains("name=\"a&lt;&amp;&quot;&apos;&gt;"), "{xml}");
    }

    #[test]
    fn cases_without_a_run_are_skipped_in_the_suite_of_their_scenario() {
        let mut cases = sample::three_strategies_cases();
        let missing =
            ["x", "y"].map(|case| CaseResult { case: case.to_owned(), ..cases[0].clone() });
        cases.extend(missing);
        let xml = render(&Report::of(&sample::three_strategies(), &cases)).unwrap();
        assert_eq!(xml.matches("<testsuite ").count(), 1, "{xml}");
        let ended = read(&xml);
        assert_eq!(ended.len(), 5, "{ended:?}");
        assert!(ended[3..].iter().all(|(_, ended)| *ended == "skipped"), "{ended:?}");
    }

    #[test]
    fn no_runs_are_a_report_too() {
        assert!(read(&render(&Report::of(&[], &[])).unwrap()).is_empty());
    }
}
