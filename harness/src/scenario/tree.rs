//! A scenario's text as a tree in which everything knows its place.

use super::diagnostic::{Diagnostic, Source};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One broken bracket makes a parser stumble over everything behind it.
const SYNTAX_ERRORS_MAX: usize = 5;

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Value {
    /// Bytes of the text; of a table with a header, the header.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Text.
    String(String),
    /// A whole number; `None` when it does not fit.
    Integer(Option<i64>),
    /// A float or a date: no setting takes one.
    Other(&'static str),
    /// True or false.
    Boolean(bool),
    /// A list.
    Array(Vec<Value>),
    /// A table.
    Table(Vec<Entry>),
}

impl Kind {
    /// With its article, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::String(_) => "a string",
            Kind::Integer(_) => "an integer",
            Kind::Other(name) => name,
            Kind::Boolean(_) => "a boolean",
            Kind::Array(_) => "an array",
            Kind::Table(_) => "a table",
        }
    }
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Its place.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Value,
}

/// Reads TOML.
///
/// # Errors
/// What is not TOML, one mistake a line.
pub fn parse(source: &Source) -> Result<Vec<Entry>, Vec<Diagnostic>> {
    let (table, errors) = DeTable::parse_recoverable(source.text);
    if errors.is_empty() {
        return Ok(entries(table.get_ref()));
    }
    let mut lines = BTreeSet::new();
    let end = source.text.len();
    let mistakes = errors.iter().map(|error| {
        let span = error.span().unwrap_or(end..end);
        let message = match error.message() {
            deep if deep.starts_with("cannot recurse") => "lists and tables are nested too deeply",
            message => message,
        };
        let mut mistake = source.at(span, message);
        if error.message() == "duplicate key" {
            let help =
                "every key and every [table] is written once; only [[lists]] of tables go on";
            mistake.help = Some(help.to_string());
        }
        mistake
    });
    let first = mistakes.filter(|m| lines.insert(m.place.as_ref().map(|p| p.line)));
    Err(first.take(SYNTAX_ERRORS_MAX).collect())
}

/// Takes everything that a tree says into a hash, but no comments and no layout. `text` is what it
/// was read from: numbers name the cases of a matrix as they are written, and braces make a table
/// that a case sets a value.
pub fn hash(entries: &[Entry], text: &str, hasher: &mut impl Hasher) {
    entries.len().hash(hasher);
    for entry in entries {
        entry.key.hash(hasher);
        hash_value(&entry.value, text, hasher);
    }
}

fn hash_value(value: &Value, text: &str, hasher: &mut impl Hasher) {
    let written = text.get(value.span.clone()).unwrap_or_default();
    std::mem::discriminant(&value.kind).hash(hasher);
    match &value.kind {
        Kind::String(text) => text.hash(hasher),
        Kind::Integer(_) | Kind::Other(_) | Kind::Boolean(_) => written.hash(hasher),
        Kind::Array(values) => {
            values.len().hash(hasher);
            values.iter().for_each(|value| hash_value(value, text, hasher));
        }
        Kind::Table(entries) => {
            written.starts_with('{').hash(hasher);
            hash(entries, text, hasher);
        }
    }
}

fn entries(table: &DeTable) -> Vec<Entry> {
    let mut list: Vec<Entry> = table
        .iter()
        .map(|(key, node)| Entry {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            value: value(node),
        })
        .collect();
    // In the order of the file, which the map has forgotten: cases of a matrix follow it.
    list.sort_by_key(|entry| entry.key_span.start);
    list
}

fn value(node: &Spanned<DeValue>) -> Value {
    let kind = match node.get_ref() {
        DeValue::String(text) => Kind::String(text.to_string()),
        DeValue::Integer(integer) => {
            Kind::Integer(i64::from_str_radix(integer.as_str(), integer.radix()).ok())
        }
        DeValue::Float(_) => Kind::Other("a float"),
        DeValue::Boolean(value) => Kind::Boolean(*value),
        DeValue::Datetime(_) => Kind::Other("a date"),
        DeValue::Array(array) => Kind::Array(array.iter().map(value).collect()),
        DeValue::Table(table) => Kind::Table(entries(table)),
    };
    Value { span: node.span(), kind }
}
