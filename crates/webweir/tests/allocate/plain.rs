use serde_json::{Value, json};

use crate::support::{answers, command};

fn two() -> Value {
    json!({"id": "two", "U": 100, "sites": [{"D": 400, "deadline": 5}, {"D": 600}]})
}

#[test]
fn the_default_keeps_the_deadline_and_shows_its_plan() {
    let got = &answers(&[], &two())[0];
    assert_eq!(got["policy"], "deadline");
    assert_eq!(got["feasible"], true);
    assert_eq!((&got["U_bar"], &got["U_min"]), (&json!(80.0), &json!(80.0)));
    assert_eq!(got["end"], json!([4.0, 10.0]));
    let plan = json!([
        {"from": 0.0, "to": 4.0, "rates": [[0, 100.0]]},
        {"from": 4.0, "to": 10.0, "rates": [[1, 100.0]]},
    ]);
    assert_eq!(got["plan"], plan);
    assert_eq!(got["v"], Value::Null);
}

#[test]
fn every_field_of_the_contract_is_there_whatever_the_policy() {
    let fields = [
        "id",
        "policy",
        "feasible",
        "U_bar",
        "U_min",
        "v",
        "start",
        "end",
        "max_end",
        "sum_end",
        "sum_exec",
        "sum_tardiness",
        "n_met",
        "rounds",
        "plan",
    ];
    let help = command(&["--policy", "none"]).assert().code(2).get_output().stderr.clone();
    let help = String::from_utf8(help).unwrap();
    let names = help.split("there are ").nth(1).unwrap().lines().next().unwrap();
    let names: Vec<&str> = names.split(", ").map(str::trim).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let got = &answers(&["--policy", name], &two())[0];
        for field in fields {
            assert!(got.get(field).is_some(), "{name} has no {field}: {got}");
        }
        let constant = got["v"].is_array();
        assert!(constant != got["plan"].is_array(), "{name} gives either rates or a plan: {got}");
    }
}

#[test]
fn a_plan_can_be_left_out() {
    assert_eq!(answers(&["--no-plan"], &two())[0]["plan"], Value::Null);
}

#[test]
fn constant_rates_that_do_not_suffice_are_null() {
    let tight = json!({"U": 100, "sites": [{"D": 400, "deadline": 5}, {"D": 600, "deadline": 6}]});
    let got = &answers(&["--policy", "m-maxt"], &tight)[0];
    assert_eq!((&got["v"], &got["end"]), (&Value::Null, &Value::Null));
    assert!(got["refused"].as_str().unwrap().contains("180"), "{got}");
    let ours = &answers(&[], &tight)[0];
    assert_eq!((&ours["feasible"], &ours["n_met"]), (&json!(false), &json!(1)));
}

#[test]
fn null_is_absent() {
    let plain = answers(&["--no-plan"], &two());
    let mut filled = two();
    for name in ["U_profile", "m", "generator"] {
        filled[name] = Value::Null;
    }
    assert_eq!(answers(&[], &json!({"id": null, "U": 1, "sites": [{"D": 1}]}))[0]["id"], 0);
    for name in ["deadline", "cap", "weight", "release", "xi"] {
        filled["sites"][1][name] = Value::Null;
    }
    assert_eq!(answers(&["--no-plan"], &filled), plain);
    filled["U_profile"] = json!([[0, 100]]);
    filled["U"] = Value::Null;
    assert_eq!(answers(&["--no-plan"], &filled), plain);
    let generator = json!({"name": "splitmix64", "seed": "1", "n": 3, "dscale": 1});
    let made = json!({"U": null, "U_profile": null, "sites": null, "generator": generator});
    assert_eq!(answers(&[], &made), answers(&[], &json!({"generator": generator})));
}

#[test]
fn what_a_policy_cannot_be_used_with_is_null_among_others() {
    let later =
        json!({"id": "later", "U": 100, "sites": [{"D": 400, "deadline": 5, "release": 1}]});
    let list = json!([two(), later, two()]).to_string();
    let assert = command(&["--policy", "m-maxt"]).write_stdin(list).assert().success();
    let got: Vec<Value> = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!((got.len(), &got[0], &got[0]["v"]), (3, &got[2], &json!([80.0, 20.0])));
    assert_eq!((&got[1]["id"], &got[1]["U_min"]), (&json!("later"), &json!(100.0)));
    for field in ["v", "start", "end", "max_end", "n_met", "plan"] {
        assert_eq!(got[1][field], Value::Null, "{field}");
    }
    let warned = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    for told in [got[1]["refused"].as_str().unwrap(), warned.as_str()] {
        assert!(told.contains("m-maxt") && told.contains("use deadline"), "{told}");
    }
    assert!(warned.contains("later: ") && warned.contains("1 of 3"), "{warned}");
}

#[test]
fn one_problem_a_list_and_a_file_of_them_are_all_answered() {
    let one = answers(&[], &two());
    assert_eq!(answers(&[], &json!([two(), two()])), [one[0].clone(), one[0].clone()]);
    assert_eq!(answers(&[], &json!({"schema": "any", "instances": [two()]})), one);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.json");
    std::fs::write(&file, two().to_string()).unwrap();
    let assert = command(&[file.to_str().unwrap()]).assert().success();
    let from_file: Vec<Value> = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(from_file, one);
}

#[test]
fn the_calibration_factor_makes_a_site_larger() {
    let mut measured = two();
    measured["sites"][1]["xi"] = json!(1.5);
    assert_eq!(answers(&[], &measured)[0]["end"], json!([4.0, 13.0]));
}

#[test]
fn the_last_site_can_be_the_aim() {
    let sites = json!([{"D": 100, "cap": 60}, {"D": 100, "cap": 60}, {"D": 280, "cap": 40}]);
    let problem = json!({"U": 100, "sites": sites});
    let (sum, last) = (&answers(&[], &problem)[0], &answers(&["--goal", "last"], &problem)[0]);
    assert!(last["max_end"].as_f64() <= sum["max_end"].as_f64(), "{last} {sum}");
    assert!(last["sum_end"].as_f64() >= sum["sum_end"].as_f64(), "{last} {sum}");
    assert!((last["max_end"].as_f64().unwrap() - 7.0).abs() < 1e-6, "{last}");
}

#[test]
fn what_is_faster_than_the_limit_by_itself_does_not_start() {
    let queue = |limit: f64| json!({"kind": "activate", "queue_B": [500, 60, 140], "CB": 0, "L": limit, "idle": 3, "max_d": 3});
    let got = &answers(&[], &queue(140.0))[0];
    assert_eq!((&got["started"], &got["CB"]), (&json!([1]), &json!(60.0)));
    assert_eq!(answers(&[], &queue(500.0))[0]["started"], json!([0]), "CB + B <= L");
}
