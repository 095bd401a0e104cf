//! The paper's figures.

use serde_json::Value;

use crate::{Desk, rows};

#[test]
fn the_figures_are_listed() {
    let said = Desk::new().says(&["--figure", "list"]);
    let names: Vec<&str> = said.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let zhu = (2..=12).map(|number| format!("zhu-{number}"));
    let diligenti = (1..=3).map(|number| format!("diligenti-{number}"));
    let ours = ["recrawl".to_owned()];
    assert_eq!(names, zhu.chain(diligenti).chain(ours).collect::<Vec<_>>());
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
    for number in 1..=3 {
        for ending in [".csv", "-mixed.csv", "-alike.csv", ".svg"] {
            assert!(files.contains(&format!("diligenti-{number}{ending}")), "{files:?}");
        }
    }
    assert_eq!(rows(&desk.path("figures/zhu-2.csv")).len(), 9);
    let (holds, not) = (said.matches("\nholds").count(), said.matches("\nNOT").count());
    assert!(holds > 50 && not > 5 && not < 20, "{holds} hold, {not} do not");
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

#[test]
fn forty_seconds_are_told_of_a_crawler_with_a_limit() {
    let desk = Desk::new();
    let said = desk.says(&["--figure", "diligenti-1", "--out", "out"]);
    assert!(said.contains("140 KB/s") && said.contains("NOT    diligenti-1"), "{said}");
    let rows = rows(&desk.path("out/diligenti-1.csv"));
    assert_eq!(rows.len(), 40);
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    for row in &rows {
        // Time; then measured, predicted and limit, for both kinds of web.
        assert_eq!(row.len(), 7);
        for kind in [1, 4] {
            assert!(number(&row[kind]) > 0.0 && number(&row[kind + 2]) == 140.0, "{row:?}");
            assert!(number(&row[kind + 1]) <= 140.0, "predicted above the limit: {row:?}");
        }
    }
    let all: Value =
        serde_json::from_str(&desk.says(&["--figure", "diligenti-3", "--json"])).unwrap();
    assert_eq!(all["figures"][0]["tables"][1]["name"], "mixed");
    assert_eq!(all["claims"].as_array().unwrap().len(), 4);
}
