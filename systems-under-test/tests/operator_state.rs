//! State can be saved, shipped in deltas, compared, and rebuilt from the inputs it needs.

mod operator_inputs;

use aftermath_systems::operator::{Operator, OperatorClass, Span};
use aftermath_systems::operators::{Running, RunningKind, Sample, SlidingWindow, samples};
use aftermath_systems::protocol::{Nanos, Payload, SECOND, StreamId, Tuple};
use operator_inputs::{Lcg, arriving, feed, kept, received, run, stream, streams};
use std::collections::{BTreeMap, BTreeSet};

const LENGTH: u64 = 480;

/// One stream.
fn inputs() -> Vec<Tuple> {
    stream(StreamId(0), LENGTH, 11)
}

/// As many streams as the sample is connected to.
fn inputs_of(sample: &Sample) -> Vec<Tuple> {
    arriving(&streams(sample.streams, LENGTH, 11), 11)
}

fn has_state(operator: &dyn Operator) -> bool {
    operator.span() != Span::Stateless
}

/// Snapshots are cuts, so a copy is asked.
fn content(operator: &dyn Operator) -> (Vec<u8>, u64, u64) {
    let state = operator.fork().snapshot();
    (state.bytes.to_vec(), state.entries, operator.digest())
}

#[test]
fn a_snapshot_and_its_deltas_are_the_state() {
    for sample in samples() {
        let inputs = inputs_of(&sample);
        let Sample { name, operator: empty, .. } = sample;
        for seed in 0..30 {
            let mut lcg = Lcg(seed);
            let mut primary = empty.fork();
            let mut at = lcg.below(LENGTH / 2) as usize;
            feed(primary.as_mut(), &inputs[..at]);
            // The standby has been something else before: a restore forgets it.
            let mut standby = empty.fork();
            feed(standby.as_mut(), &inputs[200..230]);
            standby.restore(&primary.snapshot());
            assert_eq!(content(standby.as_ref()), content(primary.as_ref()), "{name}, seed {seed}");
            // Cuts at one input after the other and far apart, and two without one in between.
            while at < inputs.len() - 100 {
                let next = at + [0, 1, 2, 7, 25, 60][lcg.below(6) as usize];
                feed(primary.as_mut(), &inputs[at..next]);
                at = next;
                standby.apply_delta(&primary.delta());
                assert_eq!(content(standby.as_ref()), content(primary.as_ref()), "{name}, at {at}");
            }
            // It takes over: same outputs, and its own deltas go on from the same cut.
            let (middle, rest) = inputs[at..].split_at(20);
            assert_eq!(feed(standby.as_mut(), middle), feed(primary.as_mut(), middle), "{name}");
            assert_eq!(standby.delta(), primary.delta(), "{name}");
            assert_eq!(run(standby.as_mut(), rest), run(primary.as_mut(), rest), "{name}");
        }
    }
}

#[test]
fn the_end_of_the_stream_is_part_of_a_delta() {
    for sample in samples() {
        let inputs = inputs_of(&sample);
        let Sample { name, operator: empty, .. } = sample;
        let mut primary = empty.fork();
        feed(primary.as_mut(), &inputs);
        let mut standby = empty.fork();
        standby.restore(&primary.snapshot());
        run(primary.as_mut(), &[]);
        standby.apply_delta(&primary.delta());
        assert_eq!(content(standby.as_ref()), content(primary.as_ref()), "{name}");
    }
}

#[test]
fn an_operator_without_news_has_an_empty_delta() {
    for sample in samples() {
        let inputs = inputs_of(&sample);
        let Sample { name, operator: empty, .. } = sample;
        let mut operator = empty.fork();
        feed(operator.as_mut(), &inputs);
        operator.snapshot();
        assert_eq!(operator.delta().entries, 0, "{name}: after a snapshot");
        feed(operator.as_mut(), &inputs[..1]);
        operator.delta();
        assert_eq!(operator.delta().entries, 0, "{name}: after a delta");
    }
}

#[test]
fn a_skipped_delta_shows_in_the_digest() {
    for sample in samples().iter().filter(|sample| has_state(sample.operator.as_ref())) {
        let inputs = inputs_of(sample);
        let Sample { name, operator: empty, .. } = sample;
        let (mut primary, mut standby) = (empty.fork(), empty.fork());
        standby.restore(&primary.snapshot());
        let mut differs = 0;
        for (number, batch) in inputs.chunks(10).enumerate() {
            feed(primary.as_mut(), batch);
            let delta = primary.delta();
            if number % 3 != 2 {
                standby.apply_delta(&delta);
            }
            differs += usize::from(standby.digest() != primary.digest());
        }
        assert!(differs > 5, "{name}: {differs} of 48");
    }
}

#[test]
fn an_instance_that_starts_empty_at_what_is_needed_has_the_same_future() {
    for sample in samples() {
        let inputs = inputs_of(&sample);
        let Sample { name, streams, operator: empty } = sample;
        let mut too_late_shows = false;
        for at in 0..=inputs.len() {
            let mut lost = empty.fork();
            feed(lost.as_mut(), &inputs[..at]);
            let needs = lost.needs(&received(&inputs[..at]));
            let replayed = kept(&inputs[..at], &needs);
            let rebuilt_from = |replayed: &[Tuple]| {
                let mut rebuilt = empty.fork();
                feed(rebuilt.as_mut(), replayed);
                rebuilt
            };
            let mut rebuilt = rebuilt_from(&replayed);
            assert_eq!(content(rebuilt.as_ref()), content(lost.as_ref()), "{name}, at {at}");
            let future = run(lost.as_mut(), &inputs[at..]);
            assert_eq!(run(rebuilt.as_mut(), &inputs[at..]), future, "{name}, at {at}");

            // Nor does it ask for more than its span, or memory upstream would grow. Who waits for
            // a slower stream may count from where that one is.
            let slowest = slowest_stream(&inputs[..at], streams);
            let oldest = replayed.iter().map(|input| input.scheduled).min();
            let newest = replayed.iter().rfind(|input| pair_key(input).is_some());
            let missed = match (empty.span(), newest) {
                (Span::Stateless, _) => {
                    assert!(replayed.is_empty(), "{name} needs what it has received");
                    continue;
                }
                (Span::Bounded(span), Some(_)) => {
                    assert!(oldest.is_none_or(|at| at + span > slowest), "{name}, at {at}");
                    1
                }
                // Who needs everything asks for all kinds of inputs and computes with one.
                (Span::Unbounded, Some(_)) if replayed.len() == at && at > 5 => 5,
                (Span::Unbounded, _) => {
                    assert_eq!(replayed.len(), at, "{name}");
                    continue;
                }
                (Span::Bounded(_), None) => continue,
            };
            let mut late = rebuilt_from(&replayed[missed..]);
            too_late_shows |= run(late.as_mut(), &inputs[at..]) != future;
        }
        assert_eq!(too_late_shows, has_state(empty.as_ref()), "{name}: started too late");
    }
}

#[test]
fn convergent_operators_have_the_same_digest_again_after_a_gap() {
    let heals = |class| class <= OperatorClass::ConvergentCapable;
    for sample in samples().iter().filter(|sample| heals(sample.operator.class())) {
        let inputs = inputs_of(sample);
        let Sample { name, operator: empty, .. } = sample;
        let (mut whole, mut gap) = (empty.fork(), empty.fork());
        feed(whole.as_mut(), &inputs);
        feed(gap.as_mut(), &inputs[..40]);
        feed(gap.as_mut(), &inputs[60..]);
        assert_eq!(content(gap.as_ref()), content(whole.as_ref()), "{name}");
    }
}

#[test]
fn digests_tell_states_apart_and_forget_the_path() {
    for sample in samples().iter().filter(|sample| has_state(sample.operator.as_ref())) {
        let inputs = inputs_of(sample);
        let Sample { name, operator: empty, .. } = sample;
        let mut operator = empty.fork();
        let mut states = BTreeSet::new();
        let mut digests = BTreeSet::new();
        for input in &inputs {
            feed(operator.as_mut(), std::slice::from_ref(input));
            let (bytes, _, digest) = content(operator.as_ref());
            states.insert(bytes);
            digests.insert(digest);
        }
        // A seventh of the inputs are bids, and most others are no news to those who count them.
        assert!(states.len() > 50, "{name}: {} states", states.len());
        assert_eq!(digests.len(), states.len(), "{name}");
    }
}

#[test]
fn the_order_in_which_keys_arrived_leaves_no_trace() {
    let forth = inputs();
    let mut by_key = forth.clone();
    by_key.sort_by_key(pair_key);
    for kind in [RunningKind::Count, RunningKind::Sum] {
        let (mut one, mut other) = (Running::new(kind), Running::new(kind));
        feed(&mut one, &forth);
        feed(&mut other, &by_key);
        assert_eq!(content(&one), content(&other));
    }
}

#[test]
fn a_window_is_its_content_whatever_it_held_before() {
    let inputs = inputs();
    let last = inputs.iter().rfind(|input| pair_key(input).is_some()).expect("there are pairs");
    let recent = inputs.partition_point(|input| input.scheduled + SECOND <= last.scheduled);
    let (mut long, mut short) = (SlidingWindow::new(SECOND), SlidingWindow::new(SECOND));
    feed(&mut long, &inputs);
    feed(&mut short, &inputs[recent..]);
    assert_eq!(content(&long), content(&short));
}

/// Where the stream is that is least far: the schedule of its newest pair.
fn slowest_stream(inputs: &[Tuple], streams: u16) -> Nanos {
    let pairs = inputs.iter().filter(|input| pair_key(input).is_some());
    let newest: BTreeMap<StreamId, Nanos> = pairs.map(|p| (p.id.stream, p.scheduled)).collect();
    let of = |stream| newest.get(&StreamId(stream)).copied().unwrap_or(0);
    (0..streams).map(of).min().unwrap_or(0)
}

fn pair_key(input: &Tuple) -> Option<u32> {
    match input.payload {
        Payload::Pair { key, .. } => Some(key),
        _ => None,
    }
}
