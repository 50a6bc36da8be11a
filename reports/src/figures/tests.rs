//! Figures of records of all kinds are whole, legible and always the same.

use super::*;
use crate::record::{Record, Time};
use crate::sample;
use crate::summary::Report;

/// Asserts that every figure of these records is legible; returns the names of the figures.
#[track_caller]
fn legible(records: &[Record]) -> Vec<String> {
    let sets = sets(&Report::of(records, &[]).rows);
    let figures = sets.iter().flat_map(|set| &set.figures);
    figures.clone().for_each(|figure| figure.scene.assert_legible());
    figures.map(|figure| figure.name.clone()).collect()
}

const ONE_SET: [&str; 5] = ["tradeoff", "recovery", "timeline", "outputs", "tradeoff-r3"];

#[test]
fn three_strategies_have_one_set() {
    assert_eq!(legible(&sample::three_strategies()), ONE_SET);
}

#[test]
fn one_strategy_and_no_runs_have_figures_too() {
    let one = &sample::three_strategies()[..1];
    assert_eq!(legible(one), ONE_SET);
    assert_eq!(legible(&[]), ["tradeoff"]);
}

#[test]
fn cases_with_one_row_each_share_their_sets() {
    assert_eq!(
        legible(&sample::twelve_cases()),
        ["tradeoff", "recovery", "outputs", "tradeoff-r3"]
    );
    let names = legible(&sample::long_names());
    assert_eq!(names.iter().filter(|name| name.starts_with("recovery")).count(), 2, "{names:?}");
}

#[test]
fn cases_with_several_rows_have_their_own_sets_after_one_for_all() {
    let names = legible(&sample::crowded());
    assert_eq!(names[..3], ["tradeoff", "tradeoff-r3", "tradeoff-2"]);
    assert!(names.contains(&"recovery-3".to_owned()), "{names:?}");
}

#[test]
fn sixty_rows_of_twelve_cases_with_long_names() {
    let mut records = Vec::new();
    for case in 0..14 {
        for strategy in 0..5 {
            for mut record in sample::three_strategies().into_iter().take(1) {
                record.case = format!("a-very-long-name-of-a-case-that-says-everything-{case:02}");
                record.strategy = format!("strategy-with-a-long-name-{strategy}");
                record.options.insert("option".into(), "a-value-of-it-that-is-long".into());
                records.push(record);
            }
        }
    }
    let names = legible(&records);
    assert_eq!(names.iter().filter(|n| n.starts_with("timeline")).count(), SETS_MAX);
    assert_eq!(left_out(&Report::of(&records, &[]).rows), 2);
}

#[test]
fn runs_without_faults_have_no_recovery() {
    let mut records = sample::three_strategies();
    records.iter_mut().for_each(|record| record.faults.clear());
    assert_eq!(legible(&records), ["tradeoff", "timeline", "outputs", "tradeoff-r3"]);
}

#[test]
fn runs_in_which_nothing_was_activated_say_so() {
    let mut records = sample::three_strategies();
    for record in &mut records[..3] {
        for recovery in record.faults.iter_mut().filter_map(|fault| fault.recovery.as_mut()) {
            (recovery.r1, recovery.r2, recovery.r3) = (Time::None, Time::None, Time::None);
            (recovery.redirect, recovery.restore) = (Time::None, Time::None);
            (recovery.replay, recovery.catch_up) = (Time::None, Time::None);
        }
    }
    legible(&records);
    let sets = sets(&Report::of(&records, &[]).rows);
    let svg = sets[0].figures[1].svg().unwrap();
    assert!(svg.contains("no new output after an activation"), "{svg}");
}

#[test]
fn bounds_are_shown_as_bounds() {
    let mut records = sample::three_strategies();
    for recovery in records
        .iter_mut()
        .flat_map(|record| &mut record.faults)
        .filter_map(|fault| fault.recovery.as_mut())
    {
        (recovery.r3, recovery.catch_up) = (Time::MoreThanNs(7_000_000_000), Time::None);
    }
    assert_eq!(legible(&records), ONE_SET);
    let sets = sets(&Report::of(&records, &[]).rows);
    let r3 = sets[0].figures[4].svg().unwrap();
    assert!(r3.contains("&gt; 7000.0") && r3.contains("Hollow: no run"), "{r3}");
    assert!(sets[0].figures[1].svg().unwrap().contains("R3 &gt; 7000.0 ms"));
}

#[test]
fn recoveries_of_a_minute_and_of_a_millisecond_fit_one_figure() {
    let mut records = sample::three_strategies();
    for (nth, record) in records.iter_mut().enumerate() {
        let ms = 1 + nth as u64 * 9_000;
        record.faults = vec![sample::crash(ms + 300, Some(ms + 301))];
        record.counts.lost = [1, 40, 799][nth / 3];
    }
    assert_eq!(legible(&records), ONE_SET);
}

#[test]
fn names_cannot_break_a_picture() {
    let mut records = sample::three_strategies();
    records.iter_mut().for_each(|r| r.scenario = "<a & \"b\">\u{1b}".to_owned());
    legible(&records);
    let sets = sets(&Report::of(&records, &[]).rows);
    let svg = sets[0].figures[0].svg().unwrap();
    assert!(svg.contains("aria-label=\"&lt;a &amp; &quot;b&quot;>"), "{svg}");
    assert!(!svg.contains("<a &") && !svg.contains('\u{1b}'), "{svg}");
}

#[test]
fn a_png_can_be_read_and_is_twice_as_large_as_the_svg() {
    let records = sample::three_strategies();
    let sets = sets(&Report::of(&records, &[]).rows);
    for figure in &sets[0].figures {
        let bytes = figure.png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let size = [figure.scene.width, figure.scene.height].map(|side| side as u32 * 2);
        assert_eq!([info.width, info.height], size, "{}", figure.name);
        assert!(figure.svg().unwrap().contains(&format!("width=\"{}\"", size[0] / 2)));
        let white = pixels.iter().filter(|byte| **byte == 255).count();
        assert!(white > pixels.len() / 2 && white < pixels.len() * 99 / 100, "{}", figure.name);
        assert_eq!(bytes, figure.png().unwrap());
    }
}

#[test]
fn a_heat_map_is_legible_and_shows_broken_and_uncovered_cells() {
    for cells in
        [crate::sweep::tests::sample(), Vec::new(), crate::sweep::tests::sample()[..1].to_vec()]
    {
        let figure = heat_map("sweep", &cells);
        figure.scene.assert_legible();
        assert!(figure.svg().unwrap().contains("breaks its claim"));
    }
}
