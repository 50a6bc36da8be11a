//! The record of a run, and tables, plots and pages made from records alone.
//!
//! | question | file |
//! |---|---|
//! | What does one run leave behind? | [`record`] |
//! | How do records come back from a file? | [`load`] |
//! | How are the files of a report written? | [`write`](mod@write) |
//! | What do many runs of one case and strategy come to? | [`summary`] |
//! | How is a guarantee, a time, a percentage said? | [`words`] |
//! | What does the terminal show? | [`table`], laid out by `grid` |
//! | What does a spreadsheet get? | [`summary_csv`] |
//! | What does the picture show? | [`plot`], with scales from `axis` and looks from `style` |
//! | What does the page show? | [`html`] and `templates/report.html` |
//!
//! Everything is a function of records: equal records give equal bytes. Nothing here knows how a
//! run was made, and nothing reads a clock, an environment variable or a host name.

mod axis;
mod grid;
pub mod html;
pub mod load;
pub mod plot;
pub mod record;
mod spread;
mod style;
pub mod summary;
pub mod summary_csv;
pub mod table;
pub mod words;
pub mod write;

#[cfg(test)]
mod sample;
