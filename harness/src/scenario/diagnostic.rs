//! Mistakes in a file, shown to people: where, what, and what to write instead.

use std::fmt;
use std::ops::Range;

/// More than this many characters of a source line are not shown.
const LINE_MAX: usize = 140;
/// More than this many characters of a message are not shown: it may quote what a file holds.
const MESSAGE_MAX: usize = 4_000;
/// More than this many mistakes are counted but not shown.
const SHOWN_MAX: usize = 50;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as the user wrote it.
    pub file: String,
    /// Where in the file; `None` when it is about the file as a whole.
    pub place: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// More facts, one a line.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line's text, or a window of it when it is very long.
    pub text: String,
    /// How many characters of `text` come before the carets.
    pub caret: usize,
    /// How many carets.
    pub width: usize,
}

/// All mistakes that were found at once, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Sorts them by place and keeps one of each.
    pub fn new(mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_cached_key(|d| {
            (d.file.clone(), d.place.as_ref().map(|p| (p.line, p.column)), d.message.clone())
        });
        list.dedup();
        Diagnostics(list)
    }

    /// The mistakes.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(one: Diagnostic) -> Self {
        Diagnostics(vec![one])
    }
}

impl std::error::Error for Diagnostics {}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().take(SHOWN_MAX).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            diagnostic.fmt(f)?;
        }
        match self.0.len().saturating_sub(SHOWN_MAX) {
            0 => Ok(()),
            more => writeln!(f, "\n... and {more} more"),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", printable(&self.message))?;
        let mut gutter = 1;
        if let Some(place) = &self.place {
            let number = place.line.to_string();
            gutter = number.len();
            writeln!(f, "{:gutter$}--> {}:{number}:{}", "", self.file, place.column)?;
            writeln!(f, "{:gutter$} |", "")?;
            writeln!(f, "{number} | {}", place.text)?;
            let carets = "^".repeat(place.width.max(1));
            writeln!(f, "{:gutter$} | {:caret$}{carets}", "", "", caret = place.caret)?;
        } else {
            writeln!(f, "{:gutter$}--> {}", "", self.file)?;
        }
        for note in &self.notes {
            writeln!(f, "{:gutter$} = note: {}", "", printable(note))?;
        }
        if let Some(help) = &self.help {
            writeln!(f, "{:gutter$} = help: {}", "", printable(help))?;
        }
        Ok(())
    }
}

/// The text with control characters replaced, so that what a file holds cannot steer a terminal,
/// and cut where it is so long that nobody reads it.
fn printable(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown: String = chars.by_ref().take(MESSAGE_MAX).map(show).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Whether a character has no shape of its own and changes how others are shown.
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn show(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() || turns_text(c) => '\u{fffd}',
        c => c,
    }
}

/// A file and its text: turns spans of bytes into places.
pub struct Source<'a> {
    /// The file, as the user wrote it.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Source<'_> {
    /// The place of a span of bytes. Any span is accepted: what lies outside is clamped.
    pub fn place(&self, span: Range<usize>) -> Place {
        let start = floor(self.text, span.start);
        let end = floor(self.text, span.end).max(start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |i| start + i);
        let text = self.text[line_start..line_end].trim_end_matches('\r');
        let line = self.text[..line_start].bytes().filter(|b| *b == b'\n').count() + 1;
        let before = self.text[line_start..start].chars().count();
        let width = self.text[start..end.min(line_end)].trim_end_matches('\r').chars().count();
        // A window of a very long line, with a little of what comes before.
        let long = text.chars().count() > LINE_MAX;
        let skip = if long { before.saturating_sub(LINE_MAX / 2) } else { 0 };
        Place {
            line,
            column: before + 1,
            text: text.chars().skip(skip).take(LINE_MAX).map(show).collect(),
            caret: before - skip,
            width: width.clamp(1, LINE_MAX - (before - skip).min(LINE_MAX - 1)),
        }
    }

    /// A mistake at a span of bytes.
    pub fn at(&self, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { place: Some(self.place(span)), ..whole(self.file, message) }
    }
}

/// A mistake about a file as a whole.
pub fn whole(file: &str, message: impl Into<String>) -> Diagnostic {
    let (file, message) = (file.to_string(), message.into());
    Diagnostic { file, place: None, message, notes: Vec::new(), help: None }
}

/// Text that should be UTF-8.
///
/// # Errors
/// A mistake at the first byte that is not.
pub fn utf8<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Vec<Diagnostic>> {
    std::str::from_utf8(bytes).map_err(|error| {
        // Only the line matters, so the rest of the file need not be decoded.
        let at = error.valid_up_to();
        let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |i| at + i);
        let text = String::from_utf8_lossy(&bytes[..end]);
        let mut wrong = Source { file, text: &text }.at(at..at, "the file is not UTF-8 text");
        wrong.notes.push(format!("byte {at} is 0x{:02x}", bytes[at]));
        vec![wrong]
    })
}

/// The nearest place at or before `at` where `text` may be cut.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// "did you mean" when something allowed is near, else the list of what is allowed.
pub fn suggest<'a>(
    wrong: &str,
    allowed: impl IntoIterator<Item = &'a str>,
    what: &str,
) -> Option<String> {
    let allowed: Vec<&str> = allowed.into_iter().collect();
    if let Some(best) = nearest(wrong, allowed.iter().copied()) {
        return Some(format!("did you mean `{best}`?"));
    }
    if allowed.is_empty() {
        return Some("none is known here".to_string());
    }
    Some(format!("{what}: {}", list(&allowed)))
}

/// Words in a row: "`a`, `b`, `c`".
pub fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The allowed word that is so near that it was probably meant.
pub fn nearest<'a>(wrong: &str, allowed: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Long input is no typing error, and the distance takes quadratic time.
    let length = wrong.chars().take(65).count();
    if length > 64 {
        return None;
    }
    let lower = wrong.to_lowercase().replace('_', "-");
    allowed
        .map(|word| (distance(&lower, &word.to_lowercase().replace('_', "-")), word))
        .filter(|(distance, _)| *distance <= (length / 3).max(1) && *distance < length)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// How many insertions, deletions, substitutions and swaps lead from one to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitution = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitution.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_span_of_any_text_has_a_place() {
        for text in ["", "\n", "a\r\nb", "äöü\nß", "\u{feff}x", "a\0b", &"é".repeat(500)] {
            for start in 0..text.len() + 3 {
                for end in 0..text.len().min(40) + 3 {
                    let place = Source { file: "f", text }.place(start..end);
                    assert!(place.caret + place.width <= LINE_MAX + 1 && place.line >= 1);
                }
            }
        }
    }

    #[test]
    fn a_place_counts_characters() {
        let source = Source { file: "f.toml", text: "ok = 1\r\nß\t= wrong\r\n" };
        assert_eq!(
            source.at(13..18, "bad").to_string(),
            "error: bad\n --> f.toml:2:5\n  |\n2 | ß = wrong\n  |     ^^^^^\n"
        );
    }

    #[test]
    fn near_words_are_suggested_and_others_listed() {
        let words = ["heartbeat", "misses", "store_at"];
        assert_eq!(suggest("hartbeat", words, "keys"), Some("did you mean `heartbeat`?".into()));
        assert_eq!(suggest("store-at", words, "keys"), Some("did you mean `store_at`?".into()));
        assert_eq!(
            suggest("latency", words, "known keys"),
            Some("known keys: `heartbeat`, `misses`, `store_at`".into())
        );
        assert_eq!(suggest("x", [], "known keys"), Some("none is known here".into()));
    }

    #[test]
    fn many_mistakes_are_counted() {
        let list = (0..60).map(|i| whole("f", format!("mistake {i}"))).collect();
        assert!(Diagnostics::new(list).to_string().ends_with("... and 10 more\n"));
    }
}
