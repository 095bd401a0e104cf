//! The claims of the paper about its figures, each checked; those that cannot hold must fail.

#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use weir_sim::figures::{Figure, figure, list};
use weir_sim::orderings::{Expected, Verdict, claims, table};

/// Pictures in docs/figures are those that the command makes.
#[test]
fn the_pictures_in_the_docs_are_up_to_date() {
    for figure in FIGURES.iter() {
        let path = format!("{}/../../docs/figures/{}.svg", env!("CARGO_MANIFEST_DIR"), figure.name);
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(
            kept == figure.svg(),
            "make {path} anew: weir simulate --figure all --out docs/figures"
        );
    }
}

/// Made once for all tests.
static FIGURES: LazyLock<Vec<Figure>> =
    LazyLock::new(|| list().map(|(name, _)| figure(name).unwrap()).collect());

#[test]
fn every_claim_of_the_paper_holds_or_fails_for_the_reason_given() {
    let mut wrong = Vec::new();
    for claim in claims() {
        let verdict = claim.verdict(&FIGURES);
        println!("{}: {}: {verdict:?}", claim.figure, claim.text);
        let (holds, wanted) = (verdict == Verdict::Holds, claim.expected == Expected::Holds);
        if holds != wanted {
            wrong.push(format!("{}: {}: {verdict:?}", claim.figure, claim.text));
        }
    }
    assert!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n"));
    assert_eq!(table(&FIGURES).rows.len(), claims().count());
    for (name, _) in list() {
        assert!(claims().any(|claim| claim.figure == name), "nothing is claimed of {name}");
    }
}

#[test]
fn the_page_about_the_figures_counts_right_and_shows_each() {
    let page = include_str!("../../../docs/reproduction.md");
    let holds = claims().filter(|claim| claim.expected == Expected::Holds).count();
    let count = format!("{holds} hold, {} do not", claims().count() - holds);
    assert!(page.contains(&count), "{count}");
    for (name, _) in list() {
        assert!(page.contains(&format!("(figures/{name}.svg)")), "{name}");
    }
}

#[test]
fn a_claim_about_a_figure_that_was_not_made_does_not_hold() {
    assert!(matches!(claims().next().unwrap().verdict(&[]), Verdict::Not(_)));
}

#[test]
fn our_default_is_never_behind_in_what_a_figure_measures() {
    for figure in &FIGURES[..9] {
        let name = figure.name;
        for table in &figure.tables {
            for column in &table.columns[1..] {
                let (measure, _) = column.split_once(" of ").unwrap();
                let ours = table.column(&format!("{measure} of deadline (weir)")).unwrap();
                // More is better for this one.
                let sign = if measure == "met" { -1.0 } else { 1.0 };
                for (row, (own, theirs)) in
                    ours.iter().zip(table.column(column).unwrap()).enumerate()
                {
                    let (own, theirs) = (sign * own, sign * theirs);
                    let slip = 1e-6 * theirs.abs();
                    assert!(
                        own <= theirs || own <= theirs + slip,
                        "{name} {column}, row {row}: {own} {theirs}"
                    );
                }
            }
        }
    }
}
