//! The record of a run, and tables, plots and pages made from records alone.
//!
//! | question | file |
//! |---|---|
//! | What does one run leave behind? | [`record`] |
//! | How do records come back from a file? | [`load`] |
//! | How are files written? | [`files`] |
//! | Which files has a report? | [`write`](mod@write) |
//! | What do many runs of one case and strategy come to? | [`summary`], of `row` and `phases` |
//! | How is a guarantee, a time, a percentage said? | [`words`] |
//! | What does the terminal show? | [`table`], laid out by `grid` |
//! | What does a spreadsheet get? | [`summary_csv`] |
//! | What does a sweep of failures leave behind, and how is it shown? | [`sweep`] |
//! | What does a search over one setting leave behind? | [`search`] |
//! | What does a program that runs tests get? | [`junit`] |
//! | What does a pull request or an issue show? | [`markdown`] |
//! | What do the pictures show? | [`figures`], with scales from `axis` and looks from `style` |
//! | How does a picture become SVG or PNG? | `scene`, `paint`, `font` |
//! | What does the page show? | [`html`] and `templates/report.html` |
//!
//! Everything is a function of records: equal records give equal bytes. Nothing here knows how a
//! run was made, and nothing reads a clock, an environment variable or a host name.

mod axis;
pub mod figures;
pub mod files;
mod font;
mod grid;
pub mod html;
pub mod junit;
pub mod load;
pub mod markdown;
mod paint;
mod phases;
pub mod record;
mod row;
mod scene;
pub mod search;
pub mod setting;
mod spread;
mod style;
pub mod summary;
pub mod summary_csv;
pub mod sweep;
pub mod table;
pub mod words;
pub mod write;

#[cfg(test)]
mod documented;
#[cfg(test)]
mod sample;
