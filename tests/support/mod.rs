//! What several test binaries share: scenarios, single runs, campaigns, and the program itself.

// Each binary uses a part of it.
#![allow(dead_code)]

use aftermath_harness::Registry;
use aftermath_harness::campaign::{Campaign, Outcome};
use aftermath_harness::config::{Case, RunConfig, Scenario};
use aftermath_harness::plan::{RunPlan, strata};
use aftermath_harness::record::{Context, RunId, record};
use aftermath_harness::run::{RunLog, run};
use aftermath_harness::seed::Seed;
use aftermath_harness::{formulas, scenario};
use aftermath_reports::record::Record;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

/// The top of the repository, where cargo runs tests and users run the program.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
pub fn text_of(path: &str) -> String {
    let read = std::fs::read_to_string(root().join(path));
    read.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Where the scenarios of the repository are, in order.
pub fn scenarios() -> Vec<String> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::from("scenarios")];
    while let Some(path) = open.pop() {
        let whole = root().join(&path);
        // What runs are compared with is no scenario.
        if whole.is_dir() && !path.ends_with("baselines") {
            let entries = std::fs::read_dir(whole).expect("our own folders can be read");
            open.extend(entries.map(|entry| path.join(entry.expect("an entry").file_name())));
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path.to_str().expect("a plain name").to_string());
        }
    }
    files.sort();
    files
}

/// A scenario of the repository.
pub fn load(path: &str) -> Scenario {
    parse(&text_of(path), path)
}

/// A scenario from its text. It is called after `path`, and what it reads lies beside `path`.
pub fn parse(text: &str, path: &str) -> Scenario {
    let base = root().join(path);
    let base = base.parent().expect("a file lies somewhere");
    scenario::parse(text, path, base, &Registry::built_in(), &formulas::names())
        .unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

/// 300 tuples through `keyed-count` with time-outs of tens of milliseconds: everything happens and
/// takes no time. Without faults; sections and faults may be appended.
pub const SMALL: &str = r#"
[pipeline]
name = "keyed-count"
protect = ["count"]
service = { count = "500us" }

[input]
generated = { tuples = 300, keys = 20 }
rate_per_s = 1000

[timing]
heartbeat = "10ms"
misses = 3
redirect = "5ms"
interval = "50ms"

[storage]
latency = "5ms"
"#;

/// The case of that name under that strategy, or mixture of strategies.
pub fn case<'a>(scenario: &'a Scenario, name: &str, strategy: &str) -> &'a Case {
    let mut cases = scenario.cases.iter();
    let found = cases.find(|case| case.name == name && case.config.label() == strategy);
    found.unwrap_or_else(|| panic!("{} has no case {name} under {strategy}", scenario.name))
}

/// Faults of single machines: name, options.
pub const NODE_FAULTS: [(&str, &str); 9] = [
    ("process-crash", ""),
    ("machine-loss", ""),
    ("machine-loss", ", wire = \"die\""),
    ("pause", ""),
    ("slow-node", ", times = 7"),
    ("storage-slow", ", by = \"17ms\""),
    ("storage-refuse", ", probability = \"60%\""),
    ("storage-lose", ", probability = \"60%\""),
    ("storage-tear", ""),
];

/// Faults of links: name, options.
pub const LINK_FAULTS: [(&str, &str); 11] = [
    ("partition", ""),
    ("partition", ", in_flight = \"held\""),
    ("slow-link", ", by = \"13ms\""),
    ("message-loss", ", probability = \"30%\""),
    ("heartbeat-loss", ", probability = \"70%\""),
    ("slow-link", ", by = \"2ms\", jitter = \"9ms\""),
    ("connection-reset", ""),
    ("connection-reset", ", told = \"nobody\""),
    ("duplicate", ", probability = \"30%\", after = \"7ms\""),
    ("reorder", ", probability = \"30%\", by = \"6ms\""),
    ("redelivery", ", probability = \"30%\", within = \"60ms\""),
];

/// The plan of one run.
pub fn plan(config: &RunConfig, seed: u64, stratum: u32) -> Rc<RunPlan> {
    Rc::new(RunPlan::build(config, &Registry::built_in(), Seed(seed), stratum))
}

/// One run.
pub fn run_one(config: &RunConfig, seed: u64, traced: bool) -> RunLog {
    run(&plan(config, seed, 0), traced)
}

/// The same run without faults.
pub fn twin_of(config: &RunConfig, seed: u64, traced: bool) -> RunLog {
    run(&Rc::new(RunPlan::twin(config, &Registry::built_in(), Seed(seed))), traced)
}

/// One run and its twin, judged.
pub fn judge(scenario: &Scenario, case: &Case, seed: u64) -> Record {
    let log = run_one(&case.config, seed, false);
    judge_logs(scenario, case, seed, &log, &twin_of(&case.config, seed, false))
}

/// Two logs, judged as run and twin.
pub fn judge_logs(
    scenario: &Scenario,
    case: &Case,
    seed: u64,
    run: &RunLog,
    twin: &RunLog,
) -> Record {
    let id = RunId { seed, stratum: strata(&case.config.faults).map(|_| 0) };
    let worlds = scenario.worlds;
    record(&Context { scenario, case, worlds }, id, run, twin, false)
}

/// All runs of a scenario; where two worlds run it, they agree.
pub fn campaign(scenario: &Scenario) -> Outcome {
    let campaign = Campaign {
        scenarios: std::slice::from_ref(scenario),
        seeds: None,
        strategies: Vec::new(),
        jobs: 2,
        worlds: None,
    };
    let outcome = campaign.run(&Registry::built_in(), &|_| ());
    assert_eq!(outcome.disagreements, [], "{}", scenario.name);
    outcome
}

/// What the program did.
#[derive(Debug)]
pub struct Ran {
    /// How it ended; `None`: by a signal.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it said about it.
    pub stderr: String,
}

impl Ran {
    /// Asserts the exit code; shows everything when it is another one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "\n{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that a word is on stderr.
    #[track_caller]
    pub fn complains(&self, of: &str) -> &Ran {
        assert!(self.stderr.contains(of), "`{of}` is missing in:\n{}", self.stderr);
        self
    }
}

/// The path of the program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_aftermath");

/// A command that runs from the top of the repository, its output piped, its input closed.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Whoever runs the tests may like colours and backtraces.
    for variable in ["CLICOLOR_FORCE", "CLICOLOR", "NO_COLOR", "RUST_BACKTRACE", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a command to its end.
pub fn finish(mut command: Command) -> Ran {
    let output = command.output().expect("the program can be started");
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}

/// Runs the program.
pub fn aftermath<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Ran {
    let mut command = command(PROGRAM);
    command.args(args);
    finish(command)
}

/// A directory of a test's own, gone when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty one.
    pub fn new(name: &str) -> Scratch {
        let name = format!("{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a scratch directory can be made");
        Scratch(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, as an argument.
    pub fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the target directory has a plain name").to_string()
    }

    /// Writes a file; returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), content).expect("a file can be written");
        self.at(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Name and content of all files of a directory, by name.
pub fn files_of(directory: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{directory}: {e}"));
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("a directory can be read to its end");
            let name = entry.file_name().into_string().expect("our own names are text");
            (name, std::fs::read(entry.path()).expect("our own files can be read"))
        })
        .collect();
    files.sort();
    files
}

/// How far `found` of `of` is from a probability, in standard errors.
pub fn standard_errors(found: u64, of: u64, probability: f64) -> f64 {
    let (found, of) = (found as f64, of as f64);
    (found / of - probability).abs() / (probability * (1.0 - probability) / of).sqrt()
}
