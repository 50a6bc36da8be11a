//! Imports between the modules of a crate lead one way. A module may use what it is part of and
//! what is part of it; of two that lie side by side, in `src/` or in any folder below, only one may
//! know the other, by whatever third ones.
//!
//! Read as text: `use` with its braces and renames, paths that begin with `crate`, `super` or
//! `self`, and names that a module hands on (`pub use`), which count as what they stand for. Tests
//! within a file are left out.

use super::{Source, none, sources};
use std::collections::{BTreeMap, BTreeSet};

/// A path from the top of a crate.
type Path = Vec<String>;

/// What the file of a module says.
struct Module {
    file: String,
    /// Names that it knows by `use`, with the path that is written there.
    known: BTreeMap<String, Path>,
    /// Paths that it mentions, as they are written.
    mentioned: Vec<Path>,
}

/// The words and signs of a text that matter here: names, `::`, braces, commas, semicolons.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let name = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let end = if name > 0 {
            name
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else if c == '"' {
            literal(rest)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            // Else a quote would seem to begin a text.
            4.min(rest.len())
        } else {
            c.len_utf8()
        };
        if name > 0 || ["::", "{", "}", ",", ";", "*"].contains(&&rest[..end]) {
            tokens.push(rest[..end].to_string());
        }
        rest = &rest[end..];
    }
    tokens
}

/// The length of the text in quotes that begins here.
fn literal(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '"' && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// The paths of a `use`, each with the name by which it is known afterwards, up to the brace, comma
/// or semicolon behind it.
fn tree(tokens: &mut std::slice::Iter<String>, above: &[String], found: &mut Vec<(String, Path)>) {
    let mut path = above.to_vec();
    let mut known_as = None;
    let mut ends_here = false;
    while let Some(token) = tokens.as_slice().first() {
        match token.as_str() {
            "}" | "," | ";" => break,
            "::" => _ = tokens.next(),
            "as" => {
                tokens.next();
                known_as = tokens.next().cloned();
            }
            "{" => {
                ends_here = false;
                while tokens.next().is_some_and(|token| token == "{" || token == ",") {
                    tree(tokens, &path, found);
                }
            }
            _ => {
                ends_here = true;
                path.extend(tokens.next().cloned());
            }
        }
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    if let (true, Some(last)) = (ends_here, path.last().cloned()) {
        found.push((known_as.unwrap_or(last), path));
    }
}

/// Reads the text of a module.
fn module(file: &str, text: &str) -> Module {
    let mut known = BTreeMap::new();
    let mut mentioned = Vec::new();
    let tokens = tokens(text);
    let mut rest = tokens.iter();
    while let Some(token) = rest.next() {
        if token == "use" {
            let mut found = Vec::new();
            tree(&mut rest, &[], &mut found);
            mentioned.extend(found.iter().map(|(_, path)| path.clone()));
            known.extend(found);
        } else if ["crate", "super", "self"].contains(&token.as_str()) {
            let mut path = vec![token.clone()];
            while let [colons, name, ..] = rest.as_slice() {
                if colons != "::" {
                    break;
                }
                path.push(name.clone());
                rest = rest.as_slice()[2..].iter();
            }
            mentioned.push(path);
        }
    }
    Module { file: file.to_string(), known, mentioned }
}

/// The modules of a crate by path, from its files below `top`.
fn modules<'t>(
    top: &str,
    files: impl Iterator<Item = (&'t str, String)>,
) -> BTreeMap<Path, Module> {
    let below = |file: &str| -> Option<Path> {
        let below = file.strip_prefix(top)?.strip_prefix('/')?.strip_suffix(".rs")?;
        let mut path: Path = below.split('/').map(str::to_string).collect();
        path.pop_if(|last| *last == "mod" || *last == "lib");
        Some(path)
    };
    files.filter_map(|(file, text)| Some((below(file)?, module(file, &text)))).collect()
}

/// What a path means that is written in a module, as far as it is in this crate: the module where
/// it ends.
fn meant(modules: &BTreeMap<Path, Module>, from: &Path, written: &Path) -> Option<Path> {
    let mut names = written.iter();
    let mut at = match written.first()?.as_str() {
        "crate" => Path::new(),
        "self" | "super" => from.clone(),
        child => {
            let child = [&from[..], &[child.to_string()]].concat();
            return modules.contains_key(&child).then(|| walk(modules, from.clone(), names));
        }
    };
    while names.as_slice().first().is_some_and(|n| ["crate", "self", "super"].contains(&n.as_str()))
    {
        if names.next().is_some_and(|name| name == "super") {
            at.pop();
        }
    }
    Some(walk(modules, at, names))
}

/// Follows names from a module to the one in which the last of them is at home.
fn walk(modules: &BTreeMap<Path, Module>, at: Path, mut names: std::slice::Iter<String>) -> Path {
    let Some(name) = names.next() else { return at };
    let inner = [&at[..], std::slice::from_ref(name)].concat();
    if modules.contains_key(&inner) {
        return walk(modules, inner, names);
    }
    // Perhaps it hands on what is at home elsewhere.
    let handed_on = modules.get(&at).and_then(|module| module.known.get(name));
    let home = handed_on.and_then(|path| meant(modules, &at, path));
    home.map_or(at, |home| walk(modules, home, names))
}

/// The imports between modules side by side that are part of a circle, told one a line.
fn circles(modules: &BTreeMap<Path, Module>) -> Vec<String> {
    // Of each pair of neighbours, the first to be found.
    let mut edges: BTreeMap<(Path, Path), String> = BTreeMap::new();
    for (path, module) in modules {
        for written in &module.mentioned {
            let Some(target) = meant(modules, path, written) else { continue };
            let common = path.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if common < path.len().min(target.len()) {
                let pair = (path[..=common].to_vec(), target[..=common].to_vec());
                let why = || format!("`{}` in {}", written.join("::"), module.file);
                edges.entry(pair).or_insert_with(why);
            }
        }
    }
    let reaches = |from: &Path, to: &Path| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                open.extend(edges.keys().filter(|(from, _)| from == at).map(|(_, to)| to));
            }
        }
        seen.contains(to)
    };
    let in_circle = edges.iter().filter(|((from, to), _)| reaches(to, from));
    let told = in_circle
        .map(|((from, to), why)| format!("{} -> {}: {why}", from.join("::"), to.join("::")));
    told.collect()
}

#[test]
fn imports_between_modules_lead_one_way() {
    let mut found = Vec::new();
    for top in ["harness/src", "reports/src", "systems-under-test/src"] {
        let sources = sources(&[top]);
        let code = |source: &Source| {
            source.code().map(|(_, line)| format!("{line}\n")).collect::<String>()
        };
        let files = sources.iter().map(|source| (source.path.as_str(), code(source)));
        let modules = modules(top, files);
        assert!(modules.len() > 20, "{top}");
        found.extend(circles(&modules));
    }
    none(found, "modules that lie side by side import each other");
}

/// The circles of a crate of these files.
fn planted(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(&str, String)> =
        files.iter().map(|(path, text)| (*path, text.to_string())).collect();
    circles(&modules("src", files.into_iter()))
}

#[test]
fn a_circle_is_found_however_modules_are_named() {
    let back = ("src/b.rs", "use crate::a::Thing;");
    for way in [
        "use crate::b::Other;",
        "use crate::{b, c};",
        "use crate::{c, b::{self, Other as Mine}};",
        "fn f(x: &crate::b::Other) {}",
        "fn f() { super::b::other() }",
        "const QUOTE: char = '\"'; use super::b::Other; const TEXT: &str = \"\";",
    ] {
        let found = planted(&[("src/a.rs", way), back, ("src/c.rs", "")]);
        assert_eq!(found.len(), 2, "{way}: {found:?}");
    }
    // By a third one, below the top, and by a name that the folder hands on.
    let by_third = [("src/a.rs", "use crate::c;"), ("src/c.rs", "use crate::b;"), back];
    assert_eq!(planted(&by_third).len(), 3);
    let handed_on = [
        ("src/f/mod.rs", "mod a; mod b; pub use {a::A, b::B as Bee};"),
        ("src/f/a.rs", "use super::Bee;"),
        ("src/f/b.rs", "use super::a::A;"),
    ];
    assert_eq!(
        planted(&handed_on),
        ["f::a -> f::b: `super::Bee` in src/f/a.rs", "f::b -> f::a: `super::a::A` in src/f/b.rs"]
    );
}

#[test]
fn parents_comments_and_texts_are_no_circle() {
    let fine = [
        ("src/f/mod.rs", "mod a; use a::A; pub struct Whole(A); use crate::g;"),
        ("src/f/a.rs", "use super::Whole; pub struct A;"),
        ("src/g.rs", "// use crate::f::Whole;\nconst F: &str = \"crate::f::Whole \\\" crate::f\";"),
    ];
    assert_eq!(planted(&fine), Vec::<String>::new());
}
