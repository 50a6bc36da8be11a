//! What holds for the source text: everything is on its list, nothing that would make runs differ
//! is used, files are short, headers say what they must. `circles`: imports lead one way.

mod circles;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::{command, finish, root, text_of};

/// Folders with Rust code.
const FOLDERS: &[&str] = &["benches", "harness", "reports", "systems-under-test", "tests"];

/// A source file: path from the top, text.
struct Source {
    path: String,
    text: String,
}

/// All Rust files below these folders.
fn sources(folders: &[&str]) -> Vec<Source> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("our own folders can be read");
            let kept = entries.map(|entry| entry.expect("it can be read").path());
            open.extend(kept.filter(|path| !path.ends_with("target")));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).expect("our own files can be read");
            let path = path.strip_prefix(root()).expect("it is below the top");
            files.push(Source { path: path.to_str().expect("a plain name").to_string(), text });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!files.is_empty(), "{folders:?}");
    files
}

impl Source {
    /// Numbered lines that are not tests: folders called `tests` and what follows a `mod tests {`
    /// are left out.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let all_tests = self.path.split('/').any(|part| part == "tests");
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.take_while(move |(_, line)| !all_tests && !line.ends_with("mod tests {"))
    }

    /// The comment at its top.
    fn header(&self) -> String {
        let lines = self.text.lines().take_while(|line| line.starts_with("//!"));
        lines.map(|line| format!("{line}\n")).collect()
    }
}

/// Asserts that nothing was found; shows everything that was.
#[track_caller]
fn none(found: Vec<String>, what: &str) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Names of the modules of a folder, files and folders alike, without `mod`.
fn modules(folder: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it can be read").path());
    let names = names.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned());
    let names: BTreeSet<String> = names.filter(|name| name != "mod" && name != "tests").collect();
    assert!(!names.is_empty(), "{folder}");
    names
}

/// The text of `from` up to and including the next line `until`.
fn item<'t>(text: &'t str, from: &str, until: &str) -> &'t str {
    let start = text.find(from).unwrap_or_else(|| panic!("`{from}` is missing"));
    let end = text[start..].find(until).unwrap_or_else(|| panic!("`{until}` is missing"));
    &text[start..start + end]
}

/// Asserts that each module is declared in the folder's mod.rs, and used in its list unless it is a
/// helper.
#[track_caller]
fn listed(folder: &str, helpers: &[&str], list: (&str, &str), used: impl Fn(&str) -> String) {
    let text = text_of(&format!("{folder}/mod.rs"));
    let list = item(&text, list.0, list.1);
    for helper in helpers {
        assert!(modules(folder).contains(*helper), "{folder} has no {helper}");
    }
    for module in modules(folder) {
        let declared = text.lines().any(|line| line.ends_with(&format!("mod {module};")));
        assert!(declared, "{folder}/{module} is not declared");
        let named = helpers.contains(&module.as_str()) || list.contains(&used(&module));
        assert!(named, "{folder}/{module} is not on the list");
    }
}

#[test]
fn every_strategy_pipeline_and_fault_is_on_its_list() {
    let all = ("pub const ALL", "];");
    listed("systems-under-test/src/strategies", &[], all, |name| format!("{name}::ENTRY"));
    listed("systems-under-test/src/pipelines", &["fork", "line"], all, |name| {
        format!("{name}::PIPELINE")
    });
    listed("harness/src/faults", &[], all, |name| format!("{name}::ENTRY"));
}

#[test]
fn every_checker_is_asked_by_the_judge() {
    let folder = "harness/src/oracle";
    // What the twin says of itself is handed in; the reference has checked that.
    listed(folder, &["reference"], ("pub fn judge(", "\n}\n"), |name| format!("{name}::"));
    // So is the ledger, which `judge` asks for counts, identities and witnesses.
    assert!(text_of("harness/src/record.rs").contains("Ledger::new("));
}

#[test]
fn every_operator_is_among_the_samples_that_are_probed() {
    let folder = "systems-under-test/src/operators";
    let text = text_of(&format!("{folder}/mod.rs"));
    let samples = item(&text, "pub fn samples()", "\n}\n");
    let mut operators = 0;
    for module in modules(folder) {
        let declared = text.lines().any(|line| line.ends_with(&format!("mod {module};")));
        assert!(declared, "{folder}/{module} is not declared");
        let source = text_of(&format!("{folder}/{module}.rs"));
        for rest in source.split("impl Operator for ").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            let sampled = [format!(", {name})"), format!(", {name}::")];
            assert!(sampled.iter().any(|word| samples.contains(word)), "{name} is not sampled");
            operators += 1;
        }
    }
    assert!(operators >= 6, "{operators} operators");
}

#[test]
fn nothing_that_makes_runs_differ_is_used() {
    // Spelt in two halves, so that this file may be searched too.
    let words = [
        ["Hash", "Map"],
        ["Hash", "Set"],
        ["Instant::", "now"],
        ["System", "Time"],
        ["thread", "_rng"],
        ["rand::", "rng("],
        ["from_os", "_rng"],
        ["Random", "State"],
    ];
    let mut found = Vec::new();
    // Benches measure wall times, and no record comes out of them.
    let judged = |source: &Source| !source.path.starts_with("benches/");
    for source in sources(FOLDERS).into_iter().filter(judged) {
        for (number, line) in source.code() {
            let used = words.iter().map(|halves| halves.concat()).find(|word| line.contains(word));
            found.extend(used.map(|word| format!("{}:{number}: {word}", source.path)));
        }
    }
    none(found, "runs must not depend on hash seeds, clocks or the system's randomness");
}

/// What lies at the top of the repository.
const TOP: &[&str] = &[
    ".ci",
    ".github",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "GLOSSARY.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "TUTORIAL.md",
    "benches",
    "clippy.toml",
    "deny.toml",
    "harness",
    "reports",
    "rustfmt.toml",
    "scenarios",
    "systems-under-test",
    "tests",
];

#[test]
fn nothing_strays_into_the_repository() {
    // An unpacked archive has no repository, and nothing can be committed there.
    if !root().join(".git").exists() {
        return;
    }
    let mut git = command("git");
    git.args(["ls-files", "-z"]);
    let files = finish(git).exits(0).stdout;
    let tops = files.split_terminator('\0').map(|file| file.split('/').next().unwrap_or(file));
    let tops: BTreeSet<&str> = tops.collect();
    assert_eq!(tops, TOP.iter().copied().collect());
}

#[test]
fn only_campaigns_and_sweeps_start_threads() {
    let words =
        ["thread::spawn", "thread::scope", "thread::Builder", "scope.spawn", "rayon", "at_once("];
    let mut found = Vec::new();
    for source in sources(&["harness", "reports"]) {
        let allowed =
            ["harness/src/campaign.rs", "harness/src/sweep/mod.rs", "harness/src/threads.rs"];
        let allowed = allowed.contains(&source.path.as_str());
        for (number, line) in source.code().filter(|_| !allowed) {
            let used = words.iter().find(|word| line.contains(**word));
            found.extend(used.map(|word| format!("{}:{number}: {word}", source.path)));
        }
    }
    none(found, "a run is single-threaded; only campaigns and sweeps run several at once");
}

#[test]
fn strategies_operators_and_pipelines_can_do_nothing_but_compute() {
    let words =
        ["std::thread", "std::fs", "std::net", "std::time", "std::env", "std::process", "std::io"];
    let mut found = Vec::new();
    for source in sources(&["systems-under-test/src"]) {
        for (number, line) in source.code() {
            let used = words.iter().find(|word| line.contains(**word));
            found.extend(used.map(|word| format!("{}:{number}: {word}", source.path)));
        }
    }
    none(found, "the pure crate knows neither threads, files, sockets nor clocks");
}

#[test]
fn the_pure_crate_depends_on_serde_and_postcard_only() {
    let manifest = text_of("systems-under-test/Cargo.toml");
    let mut section = "";
    let mut dependencies = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            let known = ["[dependencies]", "[dev-dependencies]"];
            let other = line.contains("dependencies") && !known.contains(&line);
            assert!(!other, "{line} would be overlooked here");
        } else if section == "[dependencies]" && !line.is_empty() && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().expect("there is a first part");
            dependencies.push(name.to_string());
        }
    }
    dependencies.sort();
    assert_eq!(dependencies, ["postcard", "serde"]);
}

/// More lines than this need a reason.
const LINES_MAX: usize = 400;

#[test]
fn long_files_say_why_they_are_long() {
    let long = sources(FOLDERS).into_iter().filter(|source| {
        let lines = source.text.lines().count();
        lines > LINES_MAX && !source.header().contains("//! Long because")
    });
    let name = |source: Source| format!("{}: {} lines", source.path, source.text.lines().count());
    none(long.map(name).collect(), "no `//! Long because ...` in the header");
}

/// Wider lines than this are hard to read side by side.
const COLUMNS_MAX: usize = 100;

/// The width of a line without what is between its quotes, which cannot be broken.
fn width_without_literals(line: &str) -> usize {
    let mut width = 0;
    let (mut quoted, mut escaped) = (false, false);
    for c in line.chars() {
        let quote = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        quoted ^= quote;
        width += usize::from(!quoted || quote);
    }
    width
}

#[test]
fn no_line_is_too_wide() {
    let mut found = Vec::new();
    for source in sources(FOLDERS) {
        // Inside a literal that runs over several lines, counted by its quotes.
        let mut inside = false;
        for (index, line) in source.text.lines().enumerate() {
            let begins_inside = inside;
            let comment = line.trim_start().starts_with("//");
            if !comment {
                let plain = line.replace("\\\"", "").replace("'\"'", "");
                inside ^= plain.matches('"').count() % 2 == 1;
            }
            // Rows of a table and addresses cannot be broken either.
            let row = comment && line.trim_start_matches(['/', '!', ' ']).starts_with('|');
            let unbreakable = begins_inside || row || line.contains("://");
            let width = line.chars().count().min(width_without_literals(line));
            if width > COLUMNS_MAX && !unbreakable {
                found.push(format!("{}:{}: {width} columns", source.path, index + 1));
            }
        }
    }
    none(found, "too wide");
}

#[test]
fn the_measure_of_width_leaves_out_literals_only() {
    assert_eq!(width_without_literals("let a = 1;"), 10);
    assert_eq!(width_without_literals("f(\"long literal\");"), 6);
    assert_eq!(width_without_literals(r#"f("a \" quote", b);"#), 9);
}

#[test]
fn every_strategy_opens_with_its_textbook_page() {
    let folder = "systems-under-test/src/strategies";
    for module in modules(folder) {
        let file = format!("{folder}/{module}.rs");
        let path =
            if root().join(&file).is_file() { file } else { format!("{folder}/{module}/mod.rs") };
        let source = Source { text: text_of(&path), path };
        for word in ["Source", "Idea", "Claims", "Costs", "Cannot survive"] {
            let opens = format!("//! {word}:");
            assert!(source.header().contains(&opens), "{} has no `{opens}`", source.path);
        }
    }
}

#[test]
fn every_file_opens_with_what_it_is_about() {
    // The parts of a unit test are spoken for by what they test.
    let part = |path: &str| path.contains("/tests/") && !path.ends_with("/mod.rs");
    let silent = sources(FOLDERS)
        .into_iter()
        .filter(|source| source.header().is_empty() && !part(&source.path));
    none(silent.map(|source| source.path).collect(), "no `//!` at the top");
}

#[test]
fn every_binary_of_tests_is_about_one_concern_and_shares_its_helpers() {
    for source in sources(&["tests"]) {
        // A folder is one binary: `main.rs`, and parts of it.
        let folder = Path::new(&source.path).parent().expect("it is in a folder");
        let main = source.path.ends_with("/main.rs");
        let part = !folder.ends_with("tests") && !main;
        if !folder.ends_with("support") {
            assert!(part || source.text.contains("mod support;"), "{}", source.path);
            assert!(main || source.text.contains("#[test]"), "{}", source.path);
        }
    }
}
