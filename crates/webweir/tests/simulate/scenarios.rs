//! Webs that users describe.

use serde_json::Value;

use crate::{Desk, rows};

const SCENARIO: &str = r#"
cap = "1MB/s"
policies = ["edf", "fair", "m-maxt", "deadline"]
runs = 2
error = 0.2
[[site]]
name = "a"
size = "4MB"
within = "5s"
[[site]]
name = "b"
size = "6MB"
within = "10500ms"
[[site]]
name = "c"
size = "1MB"
"#;

#[test]
fn policies_are_compared_in_a_table_in_files_and_in_json() {
    let desk = Desk::new();
    desk.write("s.toml", SCENARIO);
    let output = desk.weir(&["-c", "s.toml", "-o", "runs"]).assert().success();
    let said = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[1].starts_with("edf") && lines[3].starts_with("deadline"), "{said}");
    let complaint = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(complaint.contains("m-maxt is left out: needs"), "{complaint}");
    let files = ["deadline.svg", "edf.svg", "fair.svg", "rates.csv", "sites.csv", "summary.csv"];
    assert_eq!(desk.files("runs"), files);
    assert_eq!(rows(&desk.path("runs/sites.csv")).len(), 3 * 2 * 3);

    let all: Value = serde_json::from_str(&desk.says(&["-c", "s.toml", "--json"])).unwrap();
    assert_eq!(all["summary"][0]["policy"], "edf");
    assert_eq!(all["summary"][0]["late"], 0.0);
    assert_eq!(all["sites"].as_array().unwrap().len(), 18);
    assert_eq!(all["refused"][0]["policy"], "m-maxt");
    assert!((all["sites"][0]["end_s"].as_f64().unwrap() - 4.0).abs() < 1e-6);
}

#[test]
fn the_command_line_comes_before_the_file() {
    let desk = Desk::new();
    desk.write("s.toml", SCENARIO);
    let words = ["-c", "s.toml", "--policy", "stretch", "--policy", "edf", "--seed", "7", "--json"];
    let all: Value = serde_json::from_str(&desk.says(&words)).unwrap();
    let policies = all["summary"].as_array().unwrap().iter().map(|line| line["policy"].clone());
    assert_eq!(policies.collect::<Vec<_>>(), ["stretch", "edf"]);
    let seeds = all["sites"].as_array().unwrap().iter().map(|site| site["seed"].as_f64().unwrap());
    assert!(
        seeds.clone().all(|seed| seed == 7.0 || seed == 8.0)
            && seeds.min_by(f64::total_cmp) == Some(7.0)
    );
}

#[test]
fn a_run_is_the_same_every_time() {
    let desk = Desk::new();
    desk.write("s.toml", SCENARIO);
    let words = ["-c", "s.toml", "--policy", "deadline", "--policy", "random", "--json"];
    assert_eq!(desk.says(&words), desk.says(&words));
}

#[test]
fn the_example_scenarios_run() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for (name, policies) in
        [("scenario", 5), ("policies", 11), ("policies-overload", 6), ("policies-rounds", 6)]
    {
        let said = Desk::new().says(&["-q", "-c", &format!("{examples}/{name}.toml")]);
        assert_eq!(said.lines().count(), policies + 1, "{name}: {said}");
    }
}

#[test]
fn the_pictures_in_the_docs_are_those_of_the_examples() {
    let project = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let pictures = std::path::Path::new(project).join("docs/figures/policies");
    let guide = std::fs::read_to_string(format!("{project}/docs/policies.md")).unwrap();
    let mut compared = 0;
    for (example, suffix) in
        [("policies", ""), ("policies-rounds", ""), ("policies-overload", "-overload")]
    {
        let desk = Desk::new();
        desk.says(&["-q", "-c", &format!("{project}/examples/{example}.toml"), "--out", "out"]);
        for file in desk.files("out").iter().filter(|file| file.ends_with(".svg")) {
            let name = file.trim_end_matches(".svg");
            // In overload only the two that are shown twice have a name of their own.
            let twice = format!("{name}{suffix}.svg");
            let shown = if pictures.join(&twice).exists() { twice } else { file.clone() };
            let drawn = std::fs::read_to_string(desk.path(&format!("out/{file}"))).unwrap();
            let kept = std::fs::read_to_string(pictures.join(&shown)).unwrap();
            assert!(drawn == kept, "docs/figures/policies/{shown} is out of date: make it again");
            assert!(guide.contains(&format!("figures/policies/{shown}")), "{shown} is not shown");
            compared += 1;
        }
    }
    assert_eq!(compared, std::fs::read_dir(&pictures).unwrap().count());
}
