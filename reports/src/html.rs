//! The page: one file, nothing loaded from elsewhere, no script.

use crate::figures::{self, Set};
use crate::record::{CaseResult, Check, Record, Status};
use crate::setting::Setting;
use crate::summary::{Failures, Report, Row, by_scenario, causes};
use crate::words::{
    self, cause_percent, claimed, delivery, guarantee, mean_count, mean_ms, percent, run_name,
    statuses,
};
use minijinja::value::Value;
use minijinja::{Environment, context};

/// The whole report as one HTML page.
///
/// # Errors
///
/// When the template or a plot cannot be made; the text says why.
pub fn render(report: &Report) -> Result<String, String> {
    let (rows, cases) = (&report.rows, &report.cases);
    let mut environment = Environment::new();
    // The name ends in .html: every value is escaped, except what is marked as safe.
    environment
        .add_template("report.html", include_str!("../templates/report.html"))
        .map_err(|e| e.to_string())?;
    let sets = figures::sets(rows);
    let scenarios: Vec<Value> = by_scenario(rows)
        .into_iter()
        .map(|rows| scenario(rows, report, &sets))
        .collect::<Result<_, _>>()?;
    // Cases without a single run belong to no scenario above, and must not vanish.
    let silent: Vec<Value> = cases
        .iter()
        .filter(|c| !rows.iter().any(|r| r.scenario == c.scenario))
        .map(|c| Value::from(format!("{}: {} / {}", c.scenario, c.case, c.strategy)))
        .collect();
    let page = context! {
        scenarios,
        silent,
        runs => report.runs,
        missing => words::missing(report),
        tallies => tallies(rows),
    };
    let template = environment.get_template("report.html").map_err(|e| e.to_string())?;
    template.render(page).map_err(|e| format!("{e:#}"))
}

/// The number of rows by verdict, worst first.
fn tallies(rows: &[Row]) -> Vec<Value> {
    [Status::Broken, Status::Inconclusive, Status::NotCovered, Status::Held]
        .into_iter()
        .map(|s| (s, rows.iter().filter(|r| r.verdict() == s).count()))
        .filter(|(_, n)| *n > 0)
        .map(|(s, n)| context! { class => class(s), text => words::status(s), n })
        .collect()
}

fn scenario(rows: &[Row], report: &Report, sets: &[Set]) -> Result<Value, String> {
    let (name, cases) = (&rows[0].scenario, &report.cases);
    let causes = causes(rows);
    let broken = report.broken_of.get(name);
    let checks: Vec<Value> = cases
        .iter()
        .filter(|c| c.scenario == *name)
        .flat_map(|c| c.checks.iter().map(move |check| (c, check)))
        .map(|(c, given)| {
            context! {
                case => c.case.clone(), strategy => c.strategy.clone(), check => check(given),
            }
        })
        .collect();
    let notes: Vec<Value> = rows
        .iter()
        .flat_map(|row| words::notes(row).into_iter().map(move |note| (row, note)))
        .map(|(row, note)| context! { case => row.case.clone(), strategy => row.label(), note })
        .collect();
    let sets: Vec<Value> =
        sets.iter().filter(|set| set.scenario == *name).map(set).collect::<Result<_, _>>()?;
    Ok(context! {
        name => name.clone(),
        one_case => one_case(rows, cases),
        runs => rows.iter().map(|row| row.runs).sum::<u64>(),
        several => rows.iter().any(|r| r.runs > 1),
        rows => rows.iter().map(|r| row(r, &causes)).collect::<Vec<_>>(),
        causes => causes.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>(),
        checks,
        notes,
        setting => setting(&Setting::of(rows)),
        sets,
        without_figures => figures::left_out(rows),
        broken => broken.map_or_else(Vec::new, |broken| broken.shown().map(failure).collect()),
        left_out => broken.map_or(0, Failures::left_out),
    })
}

/// What was run; `None` if the records do not say so.
fn setting(setting: &Setting) -> Option<Value> {
    let section = |(section, text): &(String, String)| {
        context! { section => section.clone(), text => text.clone() }
    };
    let own = |(case, sections): &(String, Vec<_>)| {
        let sections: Vec<Value> = sections.iter().map(section).collect();
        context! { case => case.clone(), sections }
    };
    let shared: Vec<Value> = setting.shared.iter().map(section).collect();
    let own: Vec<Value> = setting.own.iter().map(own).collect();
    (!setting.is_empty()).then(|| context! { shared, own })
}

fn set(set: &Set) -> Result<Value, String> {
    let figure = |figure: &figures::Figure| {
        let (svg, name, about) = (figure.svg()?, figure.name.clone(), figure.about);
        Ok(context! { name, about, svg => Value::from_safe_string(svg) })
    };
    let figures: Vec<Value> = set.figures.iter().map(figure).collect::<Result<_, String>>()?;
    Ok(context! { title => set.title.clone(), figures })
}

/// The name of the scenario's case, if it has only one and tables need not name it.
fn one_case(rows: &[Row], cases: &[CaseResult]) -> Option<String> {
    let (scenario, case) = (&rows[0].scenario, &rows[0].case);
    let own = cases.iter().filter(|c| c.scenario == *scenario).map(|c| &c.case);
    rows.iter().map(|r| &r.case).chain(own).all(|c| c == case).then(|| case.clone())
}

fn row(row: &Row, causes: &[&str]) -> Value {
    let share = |ppm: Option<f64>| ppm.map_or_else(|| "-".to_owned(), percent);
    context! {
        case => row.case.clone(),
        strategy => row.label(),
        claimed => claimed(row),
        observed => guarantee(&row.observed),
        delivery => delivery(&row.observed).to_string(),
        class => class(row.verdict()),
        status => words::status(row.verdict()),
        statuses => statuses(row),
        lost => mean_count(&row.lost),
        duplicates => mean_count(&row.duplicates),
        wrong => mean_count(&row.wrong),
        r2 => mean_ms(&row.r2),
        r3 => mean_ms(&row.r3),
        silence => mean_ms(&row.silence),
        down => mean_ms(&row.down),
        detect => mean_ms(&row.detect),
        redirect => mean_ms(&row.redirect),
        restore => mean_ms(&row.restore),
        replay => mean_ms(&row.replay),
        catch_up => mean_ms(&row.catch_up),
        per_hop => share(row.per_hop_ppm.mean()),
        all => share(row.bytes_ppm.mean()),
        shares => causes.iter().map(|c| cause_percent(row, c)).collect::<Vec<_>>(),
        saves => mean_count(&row.saves),
        cpu => row.cpu_ns.mean().map_or_else(|| "-".to_owned(), words::ms),
        lag => row.lag_mean_ns.mean().map_or_else(|| "-".to_owned(), words::ms),
        retained => row.retained_max.max,
    }
}

fn check(check: &Check) -> Value {
    let status = if check.held { Status::Held } else { Status::Broken };
    context! {
        what => check.what.clone(),
        expected => check.expected.clone(),
        measured => check.measured.clone(),
        class => class(status),
        text => words::status(status),
    }
}

fn failure(record: &Record) -> Value {
    let faults: Vec<String> = record
        .faults
        .iter()
        .map(|f| {
            let (from, to) = (words::seconds(f.at_ns), words::seconds(f.healed_ns));
            let met = if f.met.is_empty() { "nothing".to_owned() } else { f.met.join(", ") };
            let point = f.point.as_ref().map_or(String::new(), |point| format!(" ({point})"));
            format!("{} of {} from {from}{point} to {to}, met: {met}", f.kind, f.node)
        })
        .chain(record.unreached.iter().map(words::unreached))
        .collect();
    context! {
        name => run_name(record),
        reasons => Value::from(record.reasons.clone()),
        faults,
        checks => record.checks.iter().map(check).collect::<Vec<_>>(),
        witnesses => record.witnesses.iter().map(|w| context! {
            checker => w.checker.clone(),
            subject => w.subject.clone(),
            expected => w.expected.clone(),
            observed => w.observed.clone(),
            at => w.at_ns.map(words::seconds),
        }).collect::<Vec<_>>(),
        replay => record.replay.clone(),
        schedule => record.schedule.clone(),
        trace => record.trace_hash.clone(),
    }
}

fn class(status: Status) -> &'static str {
    match status {
        Status::Held => "held",
        Status::NotCovered => "not-covered",
        Status::Inconclusive => "inconclusive",
        Status::Broken => "broken",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn everything_is_on_the_page_and_escaped() {
        let mut records = sample::three_strategies();
        records.iter_mut().for_each(|r| r.scenario = "<script>&co".to_owned());
        let cases = sample::three_strategies_cases();
        let report = Report::of(&records, &cases);
        let page = render(&report).unwrap();
        assert_eq!(page, render(&report).unwrap());
        assert!(!page.contains("<script>"));
        assert!(page.contains("&lt;script&gt;&amp;co"));
        assert!(page.contains("observed a gap &lt;1 output&gt; &amp; no more"));
        assert!(page.contains("origin DTW, row 51"));
        assert!(page.contains("--case crash -s upstream-backup --seed 2"));
        // No row bears the scenario of the cases any more: they are named all the same.
        assert!(page.contains("crash-count: crash &#x2f; amnesia"), "{page}");
        assert!(page.contains("<dt>timing</dt><dd>heartbeat = &quot;100ms&quot;, misses = 2</dd>"));
        for outside in ["http:", "https:", "src=", "@import", "url("] {
            let found = page.replace("http://www.w3.org/2000/svg", "").contains(outside);
            assert!(!found, "{outside}");
        }
    }

    #[test]
    fn expectations_stand_with_their_scenario() {
        let cases = sample::three_strategies_cases();
        let page = render(&Report::of(&sample::three_strategies(), &cases)).unwrap();
        assert!(page.contains("passive.r2 = 639.000 ms within 1% or 2 tuples"));
        assert!(!page.contains("Without a single run"));
    }
}
