use super::*;
use crate::config::Kept;

/// A stream of 10 tuples with this in its section.
fn stream(more: &str) -> Result<Scenario, String> {
    read(&format!("{}{more}\n", MINIMAL.replace("tuples = 1000", "tuples = 10")))
}

fn kept(more: &str) -> Kept {
    good(stream(more)).cases[0].config.kept.clone()
}

#[test]
fn tuples_are_kept_by_their_numbers() {
    assert!(kept("").is_all());
    assert_eq!(kept("only = [\"0\"]").of(10), [0]);
    assert_eq!(kept("only = [\"0..2\", \"2\", \"7..10\"]").of(10), [0, 1, 2, 7, 8, 9]);
    let case = "[[case]]\nset = { \"input.only\" = [\"3\"] }";
    assert_eq!(kept(case).of(10), [3]);
}

#[test]
fn what_names_no_tuples_is_refused_at_its_place() {
    for (only, expected) in [
        ("[]", "`input.only` keeps no tuple"),
        ("[\"\"]", "\"\" names no tuples"),
        ("[\"1..\"]", "\"1..\" names no tuples"),
        ("[\"-1\"]", "\"-1\" names no tuples"),
        ("[\"18446744073709551615\"]", "names no tuples"),
        ("[\"4..4\"]", "no tuple is in that range"),
        ("[\"5..4\"]", "no tuple is in that range"),
        ("[\"10\"]", "the stream has the tuples 0 to 9"),
        ("[\"3..11\"]", "the stream has the tuples 0 to 9"),
        ("[\"3\", \"3\"]", "do not come after those before"),
        ("[\"3..6\", \"5\"]", "do not come after those before"),
        ("[3]", "must be a string, not an integer"),
        ("\"3\"", "`input.only` must be an array, not a string"),
    ] {
        let text = wrong(stream(&format!("only = {only}")), &[expected, "test.toml:7:"]);
        assert_eq!(count(&text), 1, "{only}\n{text}");
    }
    wrong(stream("onyl = [\"3\"]"), &["did you mean `only`?"]);
}

#[test]
fn the_number_of_draws_is_a_number() {
    let fault = |draws: &str| {
        let loss = "message-loss = { between = [\"source\", \"count\"] }\nat = \"100ms\"";
        minimal(&format!("[[fault]]\n{loss}\n{draws}\n"))
    };
    let draws = |text: &str| good(fault(text)).cases[0].config.faults[0].draws;
    assert_eq!((draws(""), draws("draws = 0"), draws("draws = 7")), (None, Some(0), Some(7)));
    wrong(fault("draws = -1"), &["`fault.0.draws` must be from 0 to 1000000000"]);
    wrong(fault("draws = \"1\""), &["`fault.0.draws` must be an integer, not a string"]);
    wrong(fault("draw = 1"), &["did you mean `draws`?"]);
}
