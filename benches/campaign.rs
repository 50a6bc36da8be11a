//! How many runs a second a campaign makes, and how long its report takes, in wall time:
//! `cargo bench --bench campaign`. The scenario is `scenarios/campaign.toml`, 200 seeds of five
//! strategies, run by the program as users run it.

use std::path::Path;
use std::process::{Command, Stdio};

/// Seeds of the campaign.
const SEEDS: &str = "0..200";

fn main() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-campaign");
    let _ = std::fs::remove_dir_all(&out);
    let first = seconds(&out);
    // All runs are done: what is left is to read them and to make the report.
    let report = seconds(&out);
    let records = std::fs::read_to_string(out.join("records.jsonl")).expect("records");
    // The first line is the head.
    let runs = records.lines().count() - 1;
    let rate = runs as f64 / (first - report).max(1e-3);
    println!("{runs} runs, {rate:.0} a second; report and traces of failures: {report:.2} s");
}

/// Seconds that the campaign takes.
#[expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a benchmark measures")]
fn seconds(out: &Path) -> f64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aftermath"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stdout(Stdio::null());
    command.args(["campaign", "scenarios/campaign.toml", "--seeds", SEEDS, "--out"]).arg(out);
    let start = std::time::Instant::now();
    let status = command.status().expect("the program can be started");
    assert!(status.success(), "{status}");
    start.elapsed().as_secs_f64()
}
