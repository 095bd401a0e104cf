//! The paper's figures.

use serde_json::Value;

use crate::{Desk, rows};

#[test]
fn the_figures_are_listed() {
    let said = Desk::new().says(&["--figure", "list"]);
    let names: Vec<&str> = said.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let expected: Vec<String> = (2..=12).map(|number| format!("zhu-{number}")).collect();
    assert_eq!(names, expected);
}

#[test]
fn all_figures_are_written_as_csv_and_svg_with_what_the_paper_says_of_them() {
    let desk = Desk::new();
    let said = desk.says(&["--figure", "all", "--out", "figures", "--quiet"]);
    let files = desk.files("figures");
    for number in 2..=12 {
        for ending in ["csv", "svg"] {
            assert!(files.contains(&format!("zhu-{number}.{ending}")), "{files:?}");
        }
    }
    assert_eq!(rows(&desk.path("figures/zhu-2.csv")).len(), 9);
    let (holds, not) = (said.matches("\nholds").count(), said.matches("\nNOT").count());
    assert!(holds > 40 && not > 5 && not < 15, "{holds} hold, {not} do not");
}

#[test]
fn a_figure_is_told_in_json_and_nothing_is_written_without_a_folder() {
    let desk = Desk::new();
    let all: Value = serde_json::from_str(&desk.says(&["--figure", "zhu-12", "--json"])).unwrap();
    let figure = &all["figures"][0];
    assert_eq!(figure["name"], "zhu-12");
    assert_eq!(figure["tables"][0]["rows"].as_array().unwrap().len(), 10);
    assert_eq!(figure["tables"][0]["columns"][0], "data amount (kb)");
    assert!(all["claims"][0]["holds"].is_string());
    assert!(desk.files(".").is_empty());
}
