//! What help says beyond flags: examples, exit codes, columns.

/// Below `aftermath --help`.
pub const PROGRAM: &str = "\
Examples:
  aftermath run scenarios/flights.toml           every strategy, 20 seeds; see aftermath-out/
  aftermath run scenarios/flights.toml --seeds 7 one seed
  aftermath replay scenarios/flights.toml --strategy amnesia --seed 7
                                                 one run again, told
  aftermath check scenarios/golden.toml --baseline scenarios/baselines/golden.toml
                                                 what has changed; silent if nothing has
  aftermath sweep scenarios/sweep.toml           a failure at every protocol point
  aftermath shrink broken.toml --seed 7          the smallest scenario that breaks in the same way
  aftermath list strategies                      what a scenario can name
  aftermath list keys timing                     the keys of a scenario: limits, defaults, purpose
  aftermath completions bash > ~/.local/share/bash-completion/completions/aftermath

Exit codes:
    0  held: every promise and expectation was kept
    1  broken: at least one was not; of check also: something has changed
    2  wrong usage, a mistake in a scenario, or a file or stdout that cannot be written
    3  inconclusive: for some case and strategy the faults met nothing
    4  nothing ran
  101  a bug of aftermath itself: a panic, or two worlds that differ
  130  interrupted by Ctrl-C or SIGTERM; what was done by then is written (check: nothing)

Colours follow NO_COLOR, CLICOLOR and CLICOLOR_FORCE.";

/// Below `aftermath run --help`.
pub const RUN: &str = "\
Columns of the table:
  claimed    what the strategy promised for exactly what happened
  observed   what was seen, the worst over the runs of the row
  status     runs by verdict: held, broken, not covered (nothing was promised), inconclusive
  lost       outputs of the fault-free run that never arrived
  dupl.      copies of outputs beyond the first
  wrong      outputs with another value than in the fault-free run
  R2         from the fault to the first new output that descends from the recovery
  R3         from the fault to the output from which on lag is normal again
  silence    the longest gap between new outputs around the fault
  overhead   extra bytes on the hops into protected operators and between their replicas, as a
             share of those hops' tuple bytes, without heartbeats, while nothing fails
  > x or *   some runs ended before they had recovered; means are over the others

Examples:
  aftermath run scenarios/flights.toml --strategy passive-standby --seeds 0..200
  aftermath run scenarios/planted/*.toml --out planted        finds deliberate bugs; exit code 1
  aftermath run scenarios/flights.toml --format json | jq .counts

Ctrl-C stops starting runs, finishes those under way, and writes records and report of what is
done; a second one gives up at once.

Exit codes: 0 held, 1 broken, 2 wrong usage or scenario or nowhere to write, 3 inconclusive,
4 nothing ran, 101 a bug of aftermath itself, 130 interrupted.";

/// Below `aftermath check --help`.
pub const CHECK: &str = "\
The baseline has, for each case and strategy and for every seed: status, guarantees, counts,
messages and bytes by cause, saves, checkpoints, times of recovery, and hashes of the traces. A
run is a function of scenario and seed, so the same program gives the same values, and nothing
is printed. Whatever is another one is told by name, one line each:
  flights / base / passive-standby: duplicates 0 → 1 (seed 7)
A trace that differs while no number does is told too, and is no failure. Cases that are new or
gone are named; scenarios and strategies that were not asked for are left alone, unless --all is
given.

A case that is broken fails, whatever the baseline says. One that was blessed as inconclusive
does not while it stays so.

A budget that is not kept fails. Budgets stand at the top of the file, where --bless changes
nothing:
  [budget]
  \"* / passive-standby\" = [\"recovery.r2.p99 <= 1s\", \"lost <= 0\"]
A quantity stands for each run, or its sum, mean, min, max, p50, p90, p95 or p99 over the runs.
Signs are <=, <, >=, > and =. `recovery_ms.r2.p99 <= 1000` is the same in milliseconds.

Examples:
  aftermath check scenarios/flights.toml --seeds 0..4 --baseline flights.toml --bless
  aftermath check scenarios/flights.toml --seeds 0..4 --baseline flights.toml
  aftermath check s.toml --baseline b.toml --out out     also a report, with junit.xml
  cat out/summary.md >> \"$GITHUB_STEP_SUMMARY\"

Exit codes: 0 nothing changed, or it is written with --bless; 1 something changed, is broken or
over budget; 2 wrong usage, scenario or baseline (missing, not readable, of other scenarios), or
nowhere to write; 4 nothing ran; 101 a bug of aftermath itself; 130 interrupted, and nothing is
written.";

/// Below `aftermath campaign --help`.
pub const CAMPAIGN: &str = "\
What is finished is on disk at once, and stays there whatever becomes of the process: after a
kill, a time limit or Ctrl-C the same command on the same folder goes on, and ends in the same
bytes. A folder of another campaign or of another build of the program is refused, and so is a
second process on one folder.

In the folder:
  campaign.json    what it is of
  journal.jsonl    the records as they were finished; gone when all are
  campaign.lock    held by the process that is at work
  records.jsonl    the records in order, of the runs that are done; beside it everything that
                   `run` writes: cases.jsonl, report.html, summary.csv, junit.xml and so on
  failures/        of each kind of failure the first three runs, told with their traces, and the
                   smallest scenario that is broken like the first, for the first five kinds

The shards of a campaign are joined by `aftermath report`, in any order, to the bytes of the
whole. A shard judges its runs, and no case as a whole; a shard that has no run ends with 4.

Examples:
  aftermath campaign scenarios/campaign.toml --seeds 0..10000 --out big
  aftermath campaign scenarios/campaign.toml --shard 2/8 --time-limit 30m --out part-2
  aftermath report part-*/records.jsonl --out whole

Exit codes: 0 nothing broken in what was run, 1 broken, 2 wrong usage or scenario or nowhere to
write, 3 inconclusive, 4 nothing ran, 101 a bug of aftermath itself, 130 interrupted.";

/// Below `aftermath search --help`.
pub const SEARCH: &str = "\
A grid of values is tried first, with the same seeds at each; then the first crossing is
narrowed down by halving: whole numbers to the unit, times and shares to the unit in which the
ends are written, or all to a 4096th of the range if that is more. What is looked for is there
if a single run has it. A time that a run ended too early to measure counts as the bound that is
known, and is below no limit. A curve that crosses more than once is said to.

Columns of the table:
  last before   the last value at which it is as at the first one
  first after   the first value at which it is not
  at the first  whether what is looked for is there at the first value

Examples:
  aftermath search scenarios/faults/pause.toml --parameter fault.0.for --from 10ms --to 2s \\
      --until 'recovery.silence > 50ms'
  aftermath search scenarios/flights.toml --parameter timing.interval --from 100ms --to 2s \\
      --until 'recovery.r2 > 900ms' --strategy passive-standby

Exit codes: 0 a border found, or none inside, 2 wrong usage, scenario or parameter, 4 nothing
ran, 101 a bug of aftermath itself, 130 interrupted (what is done is written).";

/// Below `aftermath replay --help`.
pub const REPLAY: &str = "\
Every broken run is printed with the line that replays it. The run is made twice, and must be
the same event by event.

A trace names every effect: node, #incarnation.handler and the number before it. A fault can
strike just there: at = { node = \"delays/0/0\", incarnation = 1, handler = 57, effect = 2 } is
before effect 2 of what stands as `delays/0/0 #1.57`; the number of effects means after the
last. What a strategy marks has a name (`aftermath list points`): at = { point = \"took-over\",
nth = 2 }.

Examples:
  aftermath replay scenarios/flights.toml --strategy upstream-backup --seed 3
  aftermath replay scenarios/flights.toml --strategy amnesia --trace | less
  aftermath replay scenarios/flights.toml --strategy amnesia --trace=1.5s..2s
  RUST_LOG=info aftermath replay scenarios/flights.toml --strategy amnesia
                    faults, restarts and activations on stderr as they happen, in virtual time;
                    debug adds what strategies mark, trace adds every handler

Exit codes: 0 held or not covered, 1 broken, 2 wrong usage or scenario, 3 inconclusive,
101 a bug of aftermath itself.";

/// Below `aftermath sweep --help`.
pub const SWEEP: &str = "\
A protocol point lies between any two effects of any handler of a machine that may fail: a
replica of a protected operator, or a coordinator. At each one the process crashes in one run,
and the machine is lost in another; it comes back after a while. A run ends early where it has
rejoined the run without faults. Cells of the table say the worst that was seen and in how many
runs:
  held, duplicated, lost, wrong (a value or a final state), stuck
  ?        about some of them nothing was claimed
  BROKEN   so many broke what was claimed; a scenario that shows the first one alone is written

Examples:
  aftermath sweep scenarios/sweep.toml
  aftermath sweep scenarios/sweep.toml --strategy passive-standby --all
  aftermath sweep scenarios/sweep.toml --second --pairs 20000
  aftermath sweep scenarios/sweep.toml --second --first-for 1s --pairs 20000

Exit codes: 0 no claim broken, 1 a claim broken, 2 wrong usage or scenario, 4 nothing ran, 130
interrupted (what is done is written), 101 a bug of aftermath itself: a run that ended early and
the same run from start to end have different verdicts.";

/// Below `aftermath shrink --help`.
pub const SHRINK: &str = "\
A run that is broken, drawn by a swarm or written, is cut down while it still shows the same
violation: the same seed, fewer faults, tuples, keys, operators and settings. The file that is
written tells its story in a comment, fails when it is run, and can become a regression once
what it shows is mended.

Examples:
  aftermath shrink scenarios/swarm.toml --case window --strategy upstream-backup --seed 17
  aftermath shrink scenarios/planted/static-role.toml --seed 3 --out small.toml
  aftermath run small.toml                       exit code 1

Ctrl-C stops the search and writes the smallest scenario so far; a second one gives up at once.

Exit codes: 0 shrunk, 2 wrong usage or scenario or nowhere to write, 3 the run is not broken,
101 a bug of aftermath itself, 130 interrupted.";

/// Below `aftermath report --help`.
pub const REPORT: &str = "\
The same records give the same bytes as the run that wrote them. Those of a campaign may be
split into any files, whose order does not matter: they say themselves what was planned, and
cases are judged again. Of other files, verdicts over all runs of a case are taken from the
cases.jsonl beside each. A run that is there twice counts once.

Examples:
  aftermath report aftermath-out/records.jsonl --out again
  aftermath report monday/records.jsonl tuesday/records.jsonl --out both
  aftermath report part-*/records.jsonl --out whole

Exit codes: 0 written, 2 wrong usage, or a file that cannot be read or written.";

/// Below `aftermath completions --help`.
pub const COMPLETIONS: &str = "\
Examples:
  aftermath completions bash > ~/.local/share/bash-completion/completions/aftermath
  aftermath completions zsh > \"${fpath[1]}/_aftermath\"
  aftermath completions fish > ~/.config/fish/completions/aftermath.fish";

/// Below `aftermath list --help`.
pub const LIST: &str = "\
Examples:
  aftermath list                  everything
  aftermath list strategies       with their options
  aftermath list points           when a fault can strike: at = { point = \"took-over\" }
  aftermath list quantities       what an [expect] section may name
  aftermath list keys             every key of a scenario: limits, default, purpose
  aftermath list keys timing      those of one table; timing.interval: a single one";

/// Below `aftermath schema --help`.
pub const SCHEMA: &str = "\
Editors complete and check scenarios with it, and show what a key is for. Name it in the first
line of a scenario:
  #:schema schema.json

Examples:
  aftermath schema > schema.json";

#[cfg(test)]
mod tests {
    #[test]
    fn no_line_is_cut_where_there_is_no_terminal() {
        for line in include_str!("help.rs").lines() {
            assert!(line.chars().count() <= 98, "100 columns, a margin of two: {line}");
        }
    }
}
