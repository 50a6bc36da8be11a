//! What the documents show is so: Rust in them stands in a source file, links lead somewhere, and
//! the commands of the tutorial print what it says.

mod support;

use aftermath_harness::campaign::Campaign;
use aftermath_harness::{Registry, formulas, scenario};
use aftermath_reports::record::Status;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::{command, finish, root, text_of};

/// The strategy of the tutorial. Its `main` is not called here.
#[allow(dead_code)]
#[path = "../harness/examples/first_strategy.rs"]
mod first_strategy;

#[test]
fn keeps_its_claims() {
    let registry = Registry::built_in().with(first_strategy::RESEND_ALL);
    let file = "scenarios/honest.toml".as_ref();
    let scenario = scenario::load(file, &registry, &formulas::names()).expect("it is valid");
    let campaign = Campaign {
        scenarios: &[scenario],
        seeds: Some(0..2),
        strategies: vec![first_strategy::RESEND_ALL.name.to_string()],
        jobs: 2,
        worlds: None,
    };
    let outcome = campaign.run(&registry, &|_| {});
    for case in outcome.cases {
        assert_ne!(case.status, Status::Broken, "{}", case.case);
    }
}

/// Every document with something to check.
const DOCUMENTS: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "GLOSSARY.md",
    "README.md",
    "TUTORIAL.md",
    "harness/README.md",
    "reports/README.md",
    "scenarios/README.md",
    "scenarios/data/README.md",
    "systems-under-test/README.md",
];

/// A fenced block: its language, its number of the line where it begins, its lines.
struct Block {
    language: String,
    line: usize,
    text: String,
}

/// The fenced blocks of a document.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(language), None) => {
                let language = language.trim().to_string();
                open = Some(Block { language, line: index + 1, text: String::new() });
            }
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// Rust without comments and white space: two texts with the same are the same code.
fn code_of(text: &str) -> String {
    let without = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    without
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect::<String>()
        .replace(",}", "}")
}

/// All Rust files of the repository, as [`code_of`] gives them.
fn sources() -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> =
        ["harness", "reports", "systems-under-test", "tests"].map(|f| root().join(f)).into();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("our own folders can be read");
            let paths = entries.map(|entry| entry.expect("it can be read").path());
            open.extend(paths.filter(|path| !path.ends_with("target")));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(code_of(&std::fs::read_to_string(&path).expect("it can be read")));
        }
    }
    found
}

#[test]
fn rust_in_documents_is_compiled_somewhere() {
    let sources = sources();
    let mut examples = 0;
    for document in DOCUMENTS {
        let blocks = blocks(&text_of(document));
        for block in blocks.iter().filter(|block| block.language == "rust") {
            // What lies between two `// …` is not shown.
            for part in block.text.split("// …\n").map(code_of).filter(|part| !part.is_empty()) {
                let known = sources.iter().any(|source| source.contains(&part));
                assert!(known, "{document}:{}: in no source file:\n{}", block.line, block.text);
                examples += 1;
            }
        }
    }
    assert!(examples > 10, "{examples}");
}

/// The anchor that a heading gets.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a document.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut code = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        code ^= line.starts_with("```");
        if !code && line.starts_with('#') {
            found.insert(anchor(line.trim_start_matches('#')));
        }
    }
    found
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut links = 0;
    for document in DOCUMENTS {
        let text = text_of(document);
        let folder = Path::new(document).parent().expect("a file lies somewhere");
        for rest in text.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or(rest);
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                root().join(document)
            } else {
                root().join(folder).join(file)
            };
            assert!(path.exists(), "{document}: `{target}` is not there");
            if !heading.is_empty() {
                let there = std::fs::read_to_string(&path).expect("a document is text");
                assert!(anchors(&there).contains(heading), "{document}: no heading `{target}`");
            }
            links += 1;
        }
    }
    assert!(links > 30, "{links}");
}

/// Whether a text is what is expected: a line `…` stands for any lines.
fn is_like(found: &str, expected: &str) -> bool {
    let found: Vec<&str> = found.lines().map(str::trim_end).collect();
    let mut from = 0;
    let parts: Vec<Vec<&str>> = expected
        .lines()
        .collect::<Vec<_>>()
        .split(|line| line.trim() == "…")
        .map(<[&str]>::to_vec)
        .collect();
    for (index, part) in parts.iter().enumerate() {
        let at = match (part.is_empty(), index == 0, index + 1 == parts.len()) {
            (true, ..) => Some(from),
            // Nothing is left out before the first part, and after the last.
            (false, true, _) => found.starts_with(part).then_some(0),
            (false, _, true) => (found.len() - from).checked_sub(part.len()).map(|at| from + at),
            _ => (from..found.len()).find(|at| found[*at..].starts_with(part)),
        };
        match at {
            Some(at) if found[at..].starts_with(part) => from = at + part.len(),
            _ => return false,
        }
    }
    parts.last().is_some_and(Vec::is_empty) || from == found.len()
}

#[test]
fn a_line_of_dots_stands_for_any_lines() {
    assert!(is_like("a\nb\nc\n", "a\nb\nc\n"));
    assert!(is_like("a\nb\nc\n", "a\n…\n") && is_like("a\nb\nc\n", "…\nc\n"));
    assert!(is_like("a\nb\nc\nd\n", "…\nb\n…\nd\n"));
    assert!(!is_like("a\nb\nc\n", "a\nc\n") && !is_like("a\nb\nc\n", "a\nb\n"));
    assert!(!is_like("a\nb\nc\n", "…\nb\n") && !is_like("a\nb\nc\n", "b\n…\n"));
    assert!(!is_like("a\nb\nc\n", "…\nc\n…\nb\n…\n"));
}

/// Builds the example of the tutorial as this test was built; returns its path.
#[cfg(unix)]
fn example() -> PathBuf {
    let program = Path::new(support::PROGRAM);
    let folder = program.parent().expect("a program lies in a folder");
    let target = folder.parent().expect("a profile lies in the target folder");
    let mut cargo = command(env!("CARGO"));
    cargo.args(["build", "--quiet", "--locked", "--example", "first_strategy", "--target-dir"]);
    cargo.arg(target);
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    finish(cargo).exits(0);
    folder.join("examples/first_strategy")
}

/// What stands for cargo in the commands of the tutorial, which are typed at the top.
#[cfg(unix)]
const CARGO: &str = r#"
cargo() {
    case "$*" in
    "run --release --example first_strategy -- "*) shift 5; "$EXAMPLE" "$@" ;;
    "run --release -- "*) shift 3; "$PROGRAM" "$@" ;;
    *) echo "not foreseen: cargo $*" >&2; return 99 ;;
    esac
}
"#;

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long unless built with --release")]
fn the_tutorial_prints_what_it_says() {
    let scratch = support::Scratch::new("tutorial");
    let copied = ["scenarios"].map(|name| (root().join(name), scratch.at(name)));
    for (from, to) in copied {
        std::os::unix::fs::symlink(from, to).expect("a link can be made");
    }
    let text = text_of("TUTORIAL.md");
    let blocks = blocks(&text);
    let example = example();
    let mut compared = 0;
    for (index, block) in blocks.iter().enumerate().filter(|(_, b)| b.language == "sh") {
        let mut shell = command("sh");
        shell.current_dir(scratch.path()).args(["-c", &format!("{CARGO}{}", block.text)]);
        shell.env("PROGRAM", support::PROGRAM).env("EXAMPLE", &example);
        let ran = finish(shell);
        let place = format!("TUTORIAL.md:{}", block.line);
        assert_eq!(ran.code, Some(0), "{place}\n{}\n{}", ran.stdout, ran.stderr);
        if let Some(expected) = blocks.get(index + 1).filter(|next| next.language == "text") {
            assert!(is_like(&ran.stdout, &expected.text), "{place} prints\n{}", ran.stdout);
            compared += 1;
        }
    }
    assert!(compared > 4, "{compared}");
}
