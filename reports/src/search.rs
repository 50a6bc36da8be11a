//! What a search over one setting leaves behind: for each case and strategy what was seen at each
//! value, and between which values it becomes another. As JSON lines, CSV, a table and curves.

use crate::files;
use crate::summary_csv::text;
use crate::table;
use serde::Serialize;

/// In what a setting or a quantity is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Ones.
    One,
    /// Nanoseconds, shown as milliseconds.
    Nanoseconds,
    /// Parts per million, shown as percent.
    Millionths,
}

impl Unit {
    /// A count of them in the unit that is shown.
    pub(crate) fn shown(self, count: f64) -> f64 {
        match self {
            Unit::One => count,
            Unit::Nanoseconds => count / 1e6,
            Unit::Millionths => count / 1e4,
        }
    }

    /// A name with the unit that is shown, for an axis.
    pub(crate) fn beside(self, name: &str) -> String {
        match self {
            Unit::One => name.to_owned(),
            Unit::Nanoseconds => format!("{name}, ms"),
            Unit::Millionths => format!("{name}, %"),
        }
    }

    /// What a column's name ends in.
    fn suffix(self) -> &'static str {
        match self {
            Unit::One => "",
            Unit::Nanoseconds => "_ms",
            Unit::Millionths => "_percent",
        }
    }
}

/// A search that was made.
#[derive(Clone, PartialEq, Debug)]
pub struct Search {
    /// The setting that was varied.
    pub parameter: String,
    /// In what it is counted.
    pub unit: Unit,
    /// Its first value, as people write it.
    pub from: String,
    /// Its last value, as people write it.
    pub to: String,
    /// What was looked for.
    pub until: String,
    /// The quantity that this is about, if it is about one, and in what that is counted.
    pub quantity: Option<(String, Unit)>,
    /// One for each case and strategy, in the order of the scenario.
    pub curves: Vec<Curve>,
}

impl Search {
    /// What was asked, in one line.
    pub(crate) fn title(&self) -> String {
        format!("{} from {} to {}, until {}", self.parameter, self.from, self.to, self.until)
    }

    /// The quantity for an axis, if there is one.
    pub(crate) fn mean_title(&self) -> Option<String> {
        self.quantity.as_ref().map(|(name, unit)| unit.beside(&format!("mean {name}")))
    }
}

/// One case under one strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// The case.
    pub case: String,
    /// The strategy.
    pub strategy: String,
    /// Between which two values what is looked for begins or ends.
    pub border: Option<(Value, Value)>,
    /// How often it begins or ends along the grid.
    pub crossings: usize,
    /// What was seen, by value.
    pub points: Vec<Point>,
}

impl Curve {
    fn found_at_first(&self) -> bool {
        self.points.first().is_some_and(|point| point.found > 0)
    }
}

/// A value of the setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// How many of its unit.
    pub units: u64,
    /// As people write it.
    pub text: String,
}

/// What was seen at one value.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The value.
    pub value: Value,
    /// Runs.
    pub runs: u64,
    /// Runs in which what is looked for was found.
    pub found: u64,
    /// Runs that have the quantity, if there is one.
    pub measured: Option<u64>,
    /// Its mean over these runs, in its unit.
    pub mean: Option<f64>,
}

/// A curve as its JSON line says it.
#[derive(Serialize)]
struct CurveLine<'a> {
    case: &'a str,
    strategy: &'a str,
    parameter: &'a str,
    until: &'a str,
    found_at_first: bool,
    last_before: Option<&'a str>,
    first_after: Option<&'a str>,
    crossings: usize,
    points: Vec<PointLine<'a>>,
}

/// A point as the line of its curve says it.
#[derive(Serialize)]
struct PointLine<'a> {
    value: &'a str,
    runs: u64,
    found: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
}

impl Point {
    fn line(&self) -> PointLine<'_> {
        PointLine {
            value: &self.value.text,
            runs: self.runs,
            found: self.found,
            measured: self.measured,
            mean: self.mean,
        }
    }
}

impl Curve {
    fn line<'a>(&'a self, search: &'a Search) -> CurveLine<'a> {
        CurveLine {
            case: &self.case,
            strategy: &self.strategy,
            parameter: &search.parameter,
            until: &search.until,
            found_at_first: self.found_at_first(),
            last_before: self.border.as_ref().map(|(before, _)| before.text.as_str()),
            first_after: self.border.as_ref().map(|(_, after)| after.text.as_str()),
            crossings: self.crossings,
            points: self.points.iter().map(Point::line).collect(),
        }
    }
}

/// The curves as JSON, one a line; values are written as people write them.
pub fn jsonl(search: &Search) -> String {
    let lines: Vec<_> = search.curves.iter().map(|curve| curve.line(search)).collect();
    files::jsonl(&lines)
}

/// Every point of every curve as CSV; means are in the unit that their column names.
///
/// # Errors
///
/// Never on any input we know of; the writer's error is handed on.
pub fn csv(search: &Search) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mean = match &search.quantity {
        Some((name, unit)) => format!("mean_{name}{}", unit.suffix()),
        None => "mean".to_owned(),
    };
    let setting = search.parameter.as_str();
    writer.write_record(["case", "strategy", setting, "runs", "found", "measured", &mean])?;
    let unit = search.quantity.as_ref().map_or(Unit::One, |(_, unit)| *unit);
    for curve in &search.curves {
        for point in &curve.points {
            let (runs, found) = (point.runs.to_string(), point.found.to_string());
            let measured = point.measured.map_or(String::new(), |n| n.to_string());
            let mean = point.mean.map_or(String::new(), |mean| unit.shown(mean).to_string());
            let value = &point.value.text;
            let (case, strategy) = (text(&curve.case), text(&curve.strategy));
            let fields = [&case, &strategy, value, &runs, &found, &measured, &mean];
            writer.write_record(fields)?;
        }
    }
    let bytes = writer.into_inner().map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8(bytes).expect("built from strings"))
}

/// The borders for a terminal, and what is to be said of curves that have none or several.
pub fn table(search: &Search) -> String {
    let first = |curve: &Curve| if curve.found_at_first() { "found" } else { "not found" };
    let row = |curve: &Curve| {
        let (before, after) = match &curve.border {
            Some((before, after)) => (before.text.as_str(), after.text.as_str()),
            None => ("-", "-"),
        };
        let (case, strategy) = (curve.case.as_str(), curve.strategy.as_str());
        [case, strategy, first(curve), before, after].map(str::to_owned).to_vec()
    };
    let rows: Vec<Vec<String>> = search.curves.iter().map(row).collect();
    let titles = ["case", "strategy", "at the first", "last before", "first after"];
    let mut text = format!("{}\n{}", search.title(), table::plain(&titles, &rows));
    for curve in &search.curves {
        let name = format!("{} / {}", curve.case, curve.strategy);
        match (curve.crossings, &curve.border) {
            (0, _) => {
                let same = first(curve);
                text += &format!("  {name}: no border inside, {same} at all values tried\n");
            }
            (1, _) | (_, None) => {}
            (crossings, Some((_, after))) => {
                text += &format!(
                    "  {name}: crosses {crossings} times on the grid; the first crossing is at \
                     {}\n",
                    after.text
                );
            }
        }
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn value(units: u64) -> Value {
        Value { units: units * 1_000_000, text: format!("{units}ms") }
    }

    /// A curve over these values, in ms; `border`: between which of them.
    fn curve(case: &str, values: &[u64], border: Option<(u64, u64)>) -> Curve {
        let from = border.map_or(u64::MAX, |(_, after)| after);
        let point = |at: &u64| Point {
            value: value(*at),
            runs: 4,
            found: if *at >= from { 3 } else { 0 },
            measured: Some(2),
            mean: Some(1_500_000.0),
        };
        Curve {
            case: case.to_owned(),
            strategy: "amnesia".to_owned(),
            border: border.map(|(before, after)| (value(before), value(after))),
            crossings: usize::from(border.is_some()),
            points: values.iter().map(point).collect(),
        }
    }

    /// A search of two cases: one with a border, one with none.
    pub(crate) fn sample() -> Search {
        let long = "a case with a very long name that says everything";
        let values = [10, 50, 51, 52, 90];
        Search {
            parameter: "fault.0.for".to_owned(),
            unit: Unit::Nanoseconds,
            from: "10ms".to_owned(),
            to: "90ms".to_owned(),
            until: "recovery.r2 > 50ms".to_owned(),
            quantity: Some(("recovery.r2".to_owned(), Unit::Nanoseconds)),
            curves: vec![curve(long, &values, Some((51, 52))), curve("b", &values, None)],
        }
    }

    #[test]
    fn means_are_in_the_unit_that_their_column_names() {
        let csv = csv(&sample()).unwrap();
        let mut lines = csv.lines();
        let head = "case,strategy,fault.0.for,runs,found,measured,mean_recovery.r2_ms";
        assert_eq!(lines.next(), Some(head));
        assert!(
            lines.next().is_some_and(|line| line.ends_with(",amnesia,10ms,4,0,2,1.5")),
            "{csv}"
        );
        assert_eq!(lines.count(), 9);
    }

    #[test]
    fn a_border_is_told_and_so_is_that_there_is_none() {
        let text = table(&sample());
        let line = |nth: usize| text.lines().nth(nth).unwrap_or_default().trim_end();
        assert_eq!(line(0), "fault.0.for from 10ms to 90ms, until recovery.r2 > 50ms");
        assert!(line(2).ends_with("51ms         52ms"), "{text}");
        assert!(text.ends_with("  b / amnesia: no border inside, not found at all values tried\n"));
        let mut several = sample();
        several.curves[0].crossings = 3;
        assert!(
            table(&several).contains("crosses 3 times on the grid; the first crossing is at 52ms")
        );
    }

    #[test]
    fn json_lines_say_values_as_people_write_them() {
        let text = jsonl(&sample());
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(
            (&lines[0]["last_before"], &lines[0]["first_after"]),
            (&"51ms".into(), &"52ms".into())
        );
        assert_eq!(lines[1]["last_before"], serde_json::Value::Null);
        assert_eq!(lines[0]["points"][0]["value"], "10ms");
    }
}
