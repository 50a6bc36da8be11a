//! The JSON schema of scenarios (draft 2020-12), for editors. It says less than the reader: which
//! machines there are, and what excludes what, is known to the reader alone. And it must refuse
//! nothing that the reader takes, so what a case may give instead is required only where there is
//! no case.

use super::{Form, Key, Kind, Least, WhenLeftOut, Words, told, top};
use aftermath_systems::strategies::Registry;
use serde_json::{Map, Value, json};

/// A span of time: a number that has no digit below a nanosecond, and its unit.
const DURATION: &str = r"^[0-9]+(ns|(\.[0-9]{1,3})?us|(\.[0-9]{1,6})?ms|(\.[0-9]{1,9})?s)$";
/// A span of nothing.
const NO_DURATION: &str = r"^0+(\.0+)?[a-z]+$";
/// A share.
const PERCENT: &str = r"^0*(100(\.0{1,4})?|[0-9]{1,2}(\.[0-9]{1,4})?)%$";

/// The whole schema, with these strategies.
pub fn schema(registry: &Registry) -> Value {
    let writer = Writer { registry };
    let keys = top::all();
    let mut schema = writer.table(&keys, false);
    let about = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of aftermath",
        "description": "What runs, what befalls it and what is expected.",
        // Cases may set what the file itself lacks.
        "if": { "not": { "required": ["case"] } },
        "then": {
            "required": ["pipeline", "input"],
            "properties": {
                "pipeline": { "required": ["name"] },
                "input": {
                    "required": ["rate_per_s"],
                    "properties": {
                        "generated": { "required": ["tuples", "keys"] },
                        "nexmark": { "required": ["events"] },
                    },
                },
                "fault": { "items": { "required": ["at"] } },
            },
        },
        "$defs": writer.definitions(&keys),
    });
    extend(&mut schema, about);
    schema
}

/// Adds what one object says to another.
fn extend(schema: &mut Value, more: Value) {
    if let (Value::Object(schema), Value::Object(more)) = (schema, more) {
        schema.extend(more);
    }
}

/// A reference to a definition.
fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Where the schema of a kind is defined, if it is in several places.
fn defined(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Duration(Least::Positive) => Some("durationPositive"),
        Kind::Duration(_) => Some("duration"),
        Kind::Percent => Some("percent"),
        Kind::Fault => Some("oneFault"),
        Kind::Expect => Some("expect"),
        Kind::ExpectOf => Some("expectOfStrategy"),
        Kind::Quantities => Some("quantities"),
        Kind::Bound { time: true } => Some("boundOfTime"),
        Kind::Bound { time: false } => Some("boundOfNumber"),
        Kind::Word(Words::Formulas) => Some("formula"),
        Kind::Word(Words::Strategies) => Some("strategyName"),
        Kind::Word(Words::Points) => Some("point"),
        Kind::Word(Words::PlantedBugs) => Some("plantedBug"),
        Kind::Settings { lists: false } => Some("set"),
        Kind::Settings { lists: true } => Some("matrix"),
        _ => None,
    }
}

/// Whether a key of the top with this kind is a section, which has a definition by its name. No
/// table within another one is called so.
fn is_section(kind: Kind) -> bool {
    matches!(kind, Kind::Table(_) | Kind::StrategyOptions | Kind::Named(..))
}

struct Writer<'a> {
    registry: &'a Registry,
}

impl Writer<'_> {
    fn definitions(&self, keys: &[Key]) -> Value {
        let mut all = Map::new();
        all.insert("duration".to_string(), json!({ "type": "string", "pattern": DURATION }));
        let positive =
            json!({ "type": "string", "pattern": DURATION, "not": { "pattern": NO_DURATION } });
        all.insert("durationPositive".to_string(), positive);
        all.insert("percent".to_string(), json!({ "type": "string", "pattern": PERCENT }));
        for time in [true, false] {
            let kind = Kind::Bound { time };
            let name = defined(kind).expect("it has a name").to_string();
            all.insert(name, self.several_kinds(kind.any().unwrap_or_default()));
        }
        for words in [Words::Formulas, Words::Strategies, Words::Points, Words::PlantedBugs] {
            let name = defined(Kind::Word(words)).expect("it has a name").to_string();
            all.insert(name, self.words(words));
        }
        for kind in [Kind::Fault, Kind::Expect, Kind::ExpectOf, Kind::Quantities] {
            let name = defined(kind).expect("these have names").to_string();
            let keys = kind.keys(self.registry).expect("these are tables");
            let mut table = self.table(&keys, false);
            if let Kind::Fault = kind {
                let named = crate::faults::ALL.iter().map(|f| json!({ "required": [f.name] }));
                extend(&mut table, json!({ "oneOf": named.collect::<Vec<_>>() }));
            }
            all.insert(name, table);
        }
        // Tables that stand at the top and are set by cases.
        for key in keys {
            if is_section(key.kind) {
                let mut table = self.value(key.kind);
                if key.name == "pipeline" {
                    extend(&mut table, self.options_of_pipelines());
                }
                all.insert(key.name.to_string(), table);
            }
        }
        all.insert("set".to_string(), self.settings(keys, false));
        all.insert("matrix".to_string(), self.settings(keys, true));
        Value::Object(all)
    }

    /// Where the pipeline is known, so are its options.
    fn options_of_pipelines(&self) -> Value {
        let all = aftermath_systems::pipelines::ALL.iter().map(|pipeline| {
            let known: Vec<_> = pipeline.options.iter().map(|option| option.name).collect();
            let name = json!({ "properties": { "name": { "const": pipeline.name } } });
            let mut only = json!({ "if": name });
            extend(&mut only["if"], json!({ "required": ["name"] }));
            let names = json!({ "propertyNames": { "enum": known } });
            // An empty enumeration is not allowed.
            let names = if known.is_empty() { json!({ "maxProperties": 0 }) } else { names };
            extend(&mut only, json!({ "then": { "properties": { "options": names } } }));
            only
        });
        json!({ "allOf": all.collect::<Vec<_>>() })
    }

    /// A table with these keys and no others. Of names with a dot either part may be a table.
    fn table(&self, keys: &[Key], required: bool) -> Value {
        let mut properties = Map::new();
        for key in keys {
            let property = self.property(key);
            if let Some((outer, inner)) = key.name.split_once('.') {
                let nested = json!({
                    "type": "object", "properties": {}, "additionalProperties": false,
                });
                let nested = properties.entry(outer.to_string()).or_insert(nested);
                nested["properties"][inner] = property.clone();
            }
            match properties.get_mut(key.name) {
                None => drop(properties.insert(key.name.to_string(), property)),
                // Options of two owners that share a name.
                Some(other) => *other = json!({ "anyOf": [other.take(), property] }),
            }
        }
        let mut table = json!({
            "type": "object", "properties": properties, "additionalProperties": false,
        });
        let names = keys.iter().filter(|key| key.default == WhenLeftOut::Required);
        let names: Vec<_> = names.map(|key| key.name).collect();
        if required && !names.is_empty() {
            extend(&mut table, json!({ "required": names }));
        }
        table
    }

    fn property(&self, key: &Key) -> Value {
        let table = is_section(key.kind) && top::all().iter().any(|other| other.name == key.name);
        let mut property = if table { reference(key.name) } else { self.value(key.kind) };
        let owner = match key.owner {
            "" => String::new(),
            owner => format!("Of `{owner}`: "),
        };
        let takes = told::takes(key.kind);
        let default = told::default(key);
        extend(
            &mut property,
            json!({
                "description": format!("{owner}{}\n\nTakes {takes}; {default}.", key.doc),
            }),
        );
        if let WhenLeftOut::Is(text) = key.default {
            let value = match key.kind {
                Kind::Integer { .. } => json!(key.default_number()),
                Kind::Boolean => json!(text == "true"),
                _ => json!(text),
            };
            extend(&mut property, json!({ "default": value }));
        }
        property
    }

    fn value(&self, kind: Kind) -> Value {
        if let Some(name) = defined(kind) {
            return reference(name);
        }
        match kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Boolean => json!({ "type": "boolean" }),
            Kind::Integer { least, most, .. } => match i64::try_from(most) {
                Ok(most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
                Err(_) => json!({ "type": "integer", "minimum": least }),
            },
            Kind::Word(words) => self.words(words),
            Kind::Form(Form { pattern, .. }) => json!({ "type": "string", "pattern": pattern }),
            Kind::List(of, least, most) => {
                let mut list = json!({ "type": "array", "items": self.value(*of) });
                if least > 0 {
                    extend(&mut list, json!({ "minItems": least }));
                }
                if most < usize::MAX {
                    extend(&mut list, json!({ "maxItems": most }));
                }
                list
            }
            Kind::Named(_, of) => {
                json!({ "type": "object", "additionalProperties": self.value(*of) })
            }
            Kind::Any(kinds) => self.several_kinds(kinds),
            _ => self.table(&kind.keys(self.registry).unwrap_or_default(), false),
        }
    }

    fn several_kinds(&self, kinds: &[Kind]) -> Value {
        // Which of several tables is meant shows in what they require.
        let one = |kind: &Kind| match kind {
            Kind::Table(keys) => self.table(keys, true),
            kind => self.value(*kind),
        };
        json!({ "anyOf": kinds.iter().map(one).collect::<Vec<_>>() })
    }

    fn words(&self, words: Words) -> Value {
        json!({ "enum": words.list(self.registry) })
    }

    /// What a case may set: a setting with its tables before dots, or tables in tables.
    fn settings(&self, keys: &[Key], lists: bool) -> Value {
        let other: Vec<_> = top::NOT_OF_A_RUN.iter().map(|key| key.name).collect();
        let (mut properties, mut patterns) = (Map::new(), Map::new());
        for key in keys.iter().filter(|key| !other.contains(&key.name)) {
            let tables = json!({ "type": "object" });
            let at = format!("#/properties/{}", key.name);
            match key.kind {
                Kind::List(..) => drop(properties.insert(key.name.to_string(), tables)),
                kind if kind.keys(self.registry).is_none() && !matches!(kind, Kind::Named(..)) => {
                    drop(properties.insert(key.name.to_string(), several(&at, lists)));
                }
                _ if lists => drop(properties.insert(
                    key.name.to_string(),
                    json!({
                        "anyOf": [tables, several(&at, true)],
                    }),
                )),
                _ => drop(properties.insert(key.name.to_string(), reference(key.name))),
            }
            let below = Below { lists, out: &mut patterns };
            let at = match key.kind {
                Kind::List(..) => "#/$defs/oneFault".to_string(),
                _ => format!("#/$defs/{}", key.name),
            };
            let (path, kind) = match key.kind {
                Kind::List(of, ..) => (format!("^{}\\.[0-9]+", key.name), *of),
                kind => (format!("^{}", key.name), kind),
            };
            self.enter(&path, &at, kind, below);
        }
        json!({
            "type": "object",
            "properties": properties,
            "patternProperties": patterns,
            "additionalProperties": false,
        })
    }

    /// Notes every setting in a table, as a pattern of its path and where its schema is.
    fn enter(&self, path: &str, at: &str, kind: Kind, below: Below) {
        let Below { lists, out } = below;
        match kind {
            Kind::Named(_, of) => {
                let (path, at) = (format!("{path}\\..+"), format!("{at}/additionalProperties"));
                out.insert(format!("{path}$"), several(&at, lists));
                self.enter(&path, &at, *of, Below { lists, out });
            }
            Kind::Any(kinds) => {
                for (number, kind) in kinds.iter().enumerate() {
                    let at = format!("{at}/anyOf/{number}");
                    self.enter(path, &at, *kind, Below { lists, out });
                }
            }
            _ => {
                for key in kind.keys(self.registry).unwrap_or_default() {
                    let path = format!("{path}\\.{}", key.name);
                    let at = format!("{at}/properties/{}", key.name);
                    out.insert(format!("{path}$"), several(&at, lists));
                    self.enter(&path, &at, key.kind, Below { lists, out });
                }
            }
        }
    }
}

/// The settings that were found so far.
struct Below<'a> {
    /// Whether each has a list of values.
    lists: bool,
    /// By pattern.
    out: &'a mut Map<String, Value>,
}

/// What is at a place of the schema, or a list of it.
fn several(at: &str, lists: bool) -> Value {
    let one = json!({ "$ref": at });
    if lists { json!({ "type": "array", "items": one, "minItems": 1 }) } else { one }
}
