//! Every operator is of the class that it declares: neither weaker nor stronger.
//!
//! The claims of the strategies rest on these classes, so the classes are measured: by feeding
//! other interleavings, by feeding them at other instants, and by restarting from empty state at
//! every input.

mod operator_inputs;

use aftermath_systems::operator::{Operator, OperatorClass, Outputs, Span, State};
use aftermath_systems::operators::{Sample, samples};
use aftermath_systems::protocol::{MILLISECOND, Nanos, Payload, Positions, StreamId, Tuple};
use operator_inputs::{Emitted, Lcg, arriving, feed, kept, received, run, run_at, stream, streams};
use std::collections::BTreeSet;

/// How many inputs after a restart may still be answered wrongly. Longer than any window of the
/// samples (a second is at most some 35 inputs), much shorter than the stream.
const BOUND: usize = 120;
const LENGTH: u64 = 480;

/// Same sequence per stream, same outputs in the same order? With one stream there is only one
/// order; it is the several streams of a joining operator that can arrive otherwise.
///
/// An operator that merely sees a union of streams (a count behind two partitions) is fed one
/// stream here: arrival order is then the union's doing, not the operator's.
fn ignores_interleaving(empty: &dyn Operator, streams: &[Vec<Tuple>]) -> bool {
    let outputs = |order: &[Tuple]| run(empty.fork().as_mut(), order).concat();
    let mut lcg = Lcg(1);
    let reference = outputs(&interleave(streams, &mut lcg));
    (0..20).all(|_| outputs(&interleave(streams, &mut lcg)) == reference)
}

/// Same inputs in the same order at other instants, same outputs?
fn ignores_time(empty: &dyn Operator, inputs: &[Tuple]) -> bool {
    let reference = run(empty.fork().as_mut(), inputs).concat();
    let mut lcg = Lcg(3);
    // From about on time to later than any window is long.
    [20, 300, 5_000].into_iter().all(|latest| {
        let mut at: Nanos = 0;
        let late = |input: &Tuple| {
            at = at.max(input.scheduled + lcg.below(latest) * MILLISECOND);
            at
        };
        run_at(empty.fork().as_mut(), inputs, late).concat() == reference
    })
}

/// One stream that holds all, each in its own order.
fn interleave(streams: &[Vec<Tuple>], lcg: &mut Lcg) -> Vec<Tuple> {
    let mut rest: Vec<&[Tuple]> = streams.iter().map(Vec::as_slice).collect();
    let mut merged = Vec::new();
    loop {
        rest.retain(|stream| !stream.is_empty());
        if rest.is_empty() {
            return merged;
        }
        let next = lcg.below(rest.len() as u64) as usize;
        merged.push(rest[next][0].clone());
        rest[next] = &rest[next][1..];
    }
}

/// Restarted empty at any input, does it agree with the uninterrupted run after a bounded prefix?
fn converges(empty: &dyn Operator, inputs: &[Tuple]) -> bool {
    let reference = run(empty.fork().as_mut(), inputs);
    // Later restarts would leave less than another bound to agree on.
    (0..inputs.len() - 2 * BOUND).all(|start| {
        let restarted = run(empty.fork().as_mut(), &inputs[start..]);
        restarted[BOUND..] == reference[start + BOUND..]
    })
}

/// Restarted empty at what it says it needs, does it only repeat and then continue?
fn repeats(empty: &dyn Operator, inputs: &[Tuple]) -> bool {
    let reference = run(empty.fork().as_mut(), inputs);
    let known: BTreeSet<Emitted> = reference.iter().flatten().cloned().collect();
    (0..=inputs.len()).all(|crash| {
        let mut lost = empty.fork();
        feed(lost.as_mut(), &inputs[..crash]);
        let replayed = kept(inputs, &lost.needs(&received(&inputs[..crash])));
        let restarted = run(empty.fork().as_mut(), &replayed);
        // The slots of what comes after the crash are the last ones of both runs.
        let repeated = replayed.len() - (inputs.len() - crash);
        restarted.iter().flatten().all(|output| known.contains(output))
            && restarted[repeated..] == reference[crash..]
    })
}

fn class_of(empty: &dyn Operator, streams: &[Vec<Tuple>]) -> OperatorClass {
    let inputs = arriving(streams, 2);
    // The classes are nested: each question is asked of those that passed the one before.
    if !ignores_interleaving(empty, streams) || !ignores_time(empty, &inputs) {
        OperatorClass::Arbitrary
    } else if !converges(empty, &inputs) {
        OperatorClass::Deterministic
    } else if !repeats(empty, &inputs) {
        OperatorClass::ConvergentCapable
    } else {
        OperatorClass::Repeatable
    }
}

#[test]
fn every_operator_is_of_the_class_that_it_declares() {
    for seed in 1..=3 {
        for Sample { name, streams: count, operator: empty } in samples() {
            let streams = streams(count, LENGTH, seed);
            let slots = run(empty.fork().as_mut(), &arriving(&streams, seed));
            assert!(slots.concat().len() > 20, "{name}: the probe barely touches it");
            assert_eq!(class_of(empty.as_ref(), &streams), empty.class(), "{name}, seed {seed}");
        }
    }
}

#[test]
fn a_union_is_arbitrary_for_the_order_of_arrival_and_windows_of_a_clock_for_time() {
    let mut causes = Vec::new();
    for Sample { name, streams: count, operator: empty } in samples() {
        let streams = streams(count, LENGTH, 4);
        if !ignores_interleaving(empty.as_ref(), &streams) {
            causes.push((name, "order"));
        }
        if !ignores_time(empty.as_ref(), &arriving(&streams, 4)) {
            causes.push((name, "time"));
        }
    }
    let all = [("timeout window", "time"), ("clock window", "time"), ("arrival union", "order")];
    assert_eq!(causes, all);
}

#[test]
fn operators_that_fan_out_say_so() {
    for Sample { name, streams: count, operator: empty } in samples() {
        let slots = run(empty.fork().as_mut(), &arriving(&streams(count, LENGTH, 1), 1));
        // An operator that puts streams in order may put out much at once, but one for an input.
        let same_origin = |slot: &Vec<Emitted>| slot.windows(2).any(|two| two[0].0 == two[1].0);
        assert_eq!(slots.iter().any(same_origin), empty.fans_out(), "{name}");
    }
}

/// An operator made of two functions, to show what the probes can tell apart.
#[derive(Clone)]
struct Example<S> {
    state: S,
    apply: fn(&mut S, &Tuple, &mut Outputs),
    end: fn(&mut S, &mut Outputs),
    needs: fn(&S, &Positions) -> Positions,
}

impl<S: Clone + 'static> Operator for Example<S> {
    fn apply(&mut self, _now: Nanos, input: &Tuple, out: &mut Outputs) {
        (self.apply)(&mut self.state, input, out);
    }
    fn end(&mut self, out: &mut Outputs) {
        (self.end)(&mut self.state, out);
    }
    fn needs(&self, received: &Positions) -> Positions {
        (self.needs)(&self.state, received)
    }
    fn snapshot(&mut self) -> State {
        unreachable!("the class probes restart from nothing")
    }
    fn restore(&mut self, _state: &State) {
        unreachable!("the class probes restart from nothing")
    }
    fn delta(&mut self) -> State {
        unreachable!("the class probes restart from nothing")
    }
    fn apply_delta(&mut self, _delta: &State) {
        unreachable!("the class probes restart from nothing")
    }
    fn span(&self) -> Span {
        unreachable!("it is measured, not declared")
    }
    fn class(&self) -> OperatorClass {
        unreachable!("it is measured, not declared")
    }
    fn digest(&self) -> u64 {
        unreachable!("the class probes look at outputs")
    }
}

fn received_only<S>(_state: &S, received: &Positions) -> Positions {
    received.clone()
}

fn two_streams() -> Vec<Vec<Tuple>> {
    streams(2, LENGTH, 5)
}

#[test]
fn a_plain_union_is_arbitrary() {
    let union = Example {
        state: (),
        apply: |(), input, out| out.emit(input.semantic, input.payload.clone()),
        end: |(), _| {},
        needs: received_only,
    };
    assert_eq!(class_of(&union, &two_streams()), OperatorClass::Arbitrary);
    // With one stream it is as good as the identity.
    assert_eq!(class_of(&union, &two_streams()[..1]), OperatorClass::Repeatable);
}

#[test]
fn a_sorted_union_without_memory_is_repeatable() {
    /// What has arrived on either stream and waits for the other one.
    type Waiting = [Vec<Tuple>; 2];
    let merge = |waiting: &mut Waiting, out: &mut Outputs, all: bool| {
        while all || waiting.iter().all(|queue| !queue.is_empty()) {
            let order = |side: &usize| waiting[*side].first().map(|t| (t.scheduled, t.id));
            let sides = [0, 1].into_iter().filter(|side| !waiting[*side].is_empty());
            let Some(side) = sides.min_by_key(order) else { return };
            let first = waiting[side].remove(0);
            let release = out.release(&first);
            out.emit_for(release, first.semantic, first.payload.clone());
        }
    };
    // Function pointers capture nothing, so the merge is handed on as part of the state.
    type Merge = fn(&mut Waiting, &mut Outputs, bool);
    let union = Example::<(Waiting, Merge)> {
        state: (Waiting::default(), merge),
        apply: |(waiting, merge), input, out| {
            waiting[input.id.stream.index()].push(input.clone());
            merge(waiting, out, false);
        },
        end: |(waiting, merge), out| merge(waiting, out, true),
        needs: |(waiting, _), received| {
            let mut needs = received.clone();
            for first in waiting.iter().filter_map(|queue| queue.first()) {
                needs.set(first.id.stream, first.id.position);
            }
            needs
        },
    };
    assert!(ignores_interleaving(&union, &two_streams()));
    let forgetful = Example { needs: received_only, ..union.clone() };
    let inputs = arriving(&two_streams(), 2);
    assert!(repeats(&union, &inputs));
    assert!(!repeats(&forgetful, &inputs), "what waits must be asked for again");
}

#[test]
fn a_window_that_counts_to_seven_never_finds_its_phase_again() {
    let seven = Example {
        state: 0,
        apply: |count, input, out| {
            *count += 1;
            if *count == 7 {
                *count = 0;
                out.emit(input.semantic, Payload::Pair { key: 0, value: 7 });
            }
        },
        end: |_, _| {},
        needs: |_, _| Positions::default(),
    };
    let inputs = stream(StreamId(0), LENGTH, 1);
    assert!(repeats(&seven, &inputs), "from the start anything repeats");
    assert_eq!(class_of(&seven, &[inputs]), OperatorClass::Deterministic);
}
