//! Aligned columns of plain text. Cells of columns that may wrap do so at spaces and after
//! hyphens until the table fits. A no-break space holds words together and is shown as a space.

/// The width that tables try to keep to.
pub(crate) const WIDTH: usize = 120;

const GAP: usize = 2;

/// How a column is laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Words: left, wraps when the table is too wide.
    Text,
    /// A number: right, never wraps.
    Number,
}

/// One cell: its text and the ANSI style to paint it in, if any.
#[derive(Clone, Default)]
pub(crate) struct Cell {
    pub text: String,
    pub style: &'static str,
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { text, style: "" }
    }
}

/// ANSI styles.
pub(crate) const BOLD: &str = "1";
pub(crate) const DIM: &str = "2";

/// Paints a text, if it is to be painted.
pub(crate) fn paint(text: &str, style: &str, colour: bool) -> String {
    if colour && !style.is_empty() && !text.trim().is_empty() {
        format!("\u{1b}[{style}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// Control characters could move the cursor or end a line.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A table: titles, columns, rows. Every line ends with a newline and has no trailing spaces.
pub(crate) fn layout(
    columns: &[(&str, Column)],
    rows: &[Vec<Cell>],
    indent: usize,
    colour: bool,
) -> String {
    let titles = columns.iter().map(|(t, _)| Cell { text: (*t).to_owned(), style: BOLD }).collect();
    let mut all: Vec<Vec<Cell>> = vec![titles];
    all.extend(rows.iter().cloned());
    for cell in all.iter_mut().flatten() {
        cell.text = clean(&cell.text);
    }
    let widths = widths(columns, &all, WIDTH.saturating_sub(indent));
    let mut text = String::new();
    for row in &all {
        let wrapped: Vec<Vec<String>> =
            row.iter().zip(&widths).map(|(cell, &w)| wrap(&cell.text, w)).collect();
        for nth in 0..wrapped.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = " ".repeat(indent);
            let mut pending = 0;
            for (at, lines) in wrapped.iter().enumerate() {
                let part = lines.get(nth).map_or("", |l| l);
                let fill = widths[at] - part.chars().count();
                let (before, after) =
                    if columns[at].1 == Column::Number { (fill, 0) } else { (0, fill) };
                pending += before;
                if !part.is_empty() {
                    line.push_str(&" ".repeat(pending));
                    let part = part.replace('\u{a0}', " ");
                    line.push_str(&paint(&part, row[at].style, colour));
                    pending = 0;
                }
                pending += after + GAP;
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

fn widths(columns: &[(&str, Column)], rows: &[Vec<Cell>], limit: usize) -> Vec<usize> {
    let column = |at: usize| rows.iter().map(move |row| &row[at].text);
    let mut widths: Vec<usize> = (0..columns.len())
        .map(|at| {
            let body = column(at).skip(1).map(|t| t.chars().count()).max().unwrap_or(0);
            // A title over numbers wraps rather than widens.
            let title = match columns[at].1 {
                Column::Text => columns[at].0.chars().count(),
                Column::Number => longest_piece(columns[at].0),
            };
            body.max(title)
        })
        .collect();
    let least: Vec<usize> = (0..columns.len())
        .map(|at| column(at).map(|t| longest_piece(t)).max().unwrap_or(0))
        .collect();
    while widths.iter().sum::<usize>() + GAP * (widths.len() - 1) > limit {
        // Take from the column that costs the fewest lines, from the widest if that is the same.
        let cheapest = (0..widths.len())
            .filter(|&at| columns[at].1 == Column::Text && widths[at] > least[at])
            .min_by_key(|&at| {
                let mut narrower = widths.clone();
                narrower[at] -= 1;
                (height(rows, &narrower), usize::MAX - widths[at])
            });
        match cheapest {
            Some(at) => widths[at] -= 1,
            None => break,
        }
    }
    widths
}

/// Lines that the table takes.
fn height(rows: &[Vec<Cell>], widths: &[usize]) -> usize {
    let lines = |row: &Vec<Cell>| {
        row.iter().zip(widths).map(|(cell, &w)| wrap(&cell.text, w).len()).max().unwrap_or(0)
    };
    rows.iter().map(lines).sum()
}

/// The pieces between which a text may be broken: after spaces and hyphens.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '-'])
}

fn longest_piece(text: &str) -> usize {
    pieces(text).map(|p| p.trim_end().chars().count()).max().unwrap_or(0)
}

/// Breaks a text into lines of at most `width` characters, where its pieces allow it.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in pieces(text) {
        let line = lines.last_mut().expect("there is always a line");
        let needed = line.chars().count() + piece.trim_end().chars().count();
        if line.is_empty() || needed <= width {
            line.push_str(piece);
        } else {
            lines.push(piece.to_owned());
        }
    }
    lines.iter().map(|l| l.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_wrap_only_where_words_end() {
        assert_eq!(wrap("gap, values diverge", 11), ["gap, values", "diverge"]);
        assert_eq!(wrap("passive-standby", 10), ["passive-", "standby"]);
        assert_eq!(wrap("unbreakable", 3), ["unbreakable"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn numbers_stand_right_and_words_left() {
        let columns = [("name", Column::Text), ("lost", Column::Number)];
        let rows = [("a\u{1b}b", "7"), ("longer", "1234.5")]
            .map(|(a, b)| vec![Cell::from(a.to_owned()), Cell::from(b.to_owned())]);
        let text = layout(&columns, &rows, 0, false);
        assert_eq!(text, "name      lost\na b          7\nlonger  1234.5\n");
        assert!(layout(&columns, &rows, 0, true).starts_with("\u{1b}[1mname\u{1b}[0m    "));
    }
}
