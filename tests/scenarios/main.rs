//! Scenarios as people write them: `mistakes`, what is said of wrong ones; `schema`, what editors
//! and the documentation are told of right ones; `setting`, what records say of them.
//!
//! `AFTERMATH_BLESS=1 cargo test --test scenarios` writes what is expected anew; review it.

mod mistakes;
mod schema;
mod setting;
#[path = "../support/mod.rs"]
mod support;

use support::{root, text_of};

/// Asserts that a file of the repository holds this text, or writes it there.
#[track_caller]
fn committed(path: &str, found: &str) {
    if std::env::var_os("AFTERMATH_BLESS").is_some() {
        std::fs::write(root().join(path), found).expect("the file can be written");
        return;
    }
    let old = if root().join(path).exists() { text_of(path) } else { String::new() };
    let line = old.lines().zip(found.lines()).position(|(old, new)| old != new);
    let line = line.unwrap_or(old.lines().count().min(found.lines().count()));
    let at = |text: &str| text.lines().nth(line).unwrap_or("nothing").to_string();
    assert!(
        old == found,
        "{path}:{}: `{}` is committed, found is `{}`.\n\
         If that was meant: AFTERMATH_BLESS=1 cargo test --test scenarios\n\n{found}",
        line + 1,
        at(&old),
        at(found)
    );
}
