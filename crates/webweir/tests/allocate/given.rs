//! Every given instance through the command.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{answers, command};

/// What was compared, and what differed.
#[derive(Default)]
struct Tally {
    compared: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn close(&mut self, what: &str, got: &Value, expected: &Value, tolerance: &Value) {
        match (got, expected) {
            (Value::Array(got), Value::Array(expected)) => {
                assert_eq!(got.len(), expected.len(), "{what}");
                for (got, expected) in got.iter().zip(expected) {
                    self.close(what, got, expected, tolerance);
                }
            }
            _ => {
                self.compared += 1;
                let same = match (got.as_f64(), expected.as_f64()) {
                    (Some(got), Some(expected)) => {
                        let part = tolerance["rel"].as_f64().unwrap() * expected.abs();
                        (got - expected).abs() <= tolerance["abs"].as_f64().unwrap() + part
                    }
                    _ => got == expected,
                };
                if !same {
                    self.wrong.push(format!("{what}: {got}, not {expected}"));
                }
            }
        }
    }
}

/// The given files, a family each.
fn files(what_for: &str) -> Option<Vec<PathBuf>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/alloc"));
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("SKIPPED: {what_for}: shared/data/alloc does not lie beside this checkout");
        return None;
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    paths.sort();
    Some(paths)
}

fn instances(kind: &str) -> Option<Vec<Value>> {
    let paths = files(kind)?;
    let families = paths.iter().map(|path| std::fs::read_to_string(path).unwrap());
    let families = families.map(|text| serde_json::from_str::<Value>(&text).unwrap());
    let all = families.flat_map(|family| family["instances"].as_array().unwrap().clone());
    Some(all.filter(|instance| instance["kind"] == kind).collect())
}

/// Compares the fields that the files have for a policy with what the command says.
fn compare(kind: &str, fields: &[(&str, &str)], policies: &[&str], at_least: usize) {
    let Some(given) = instances(kind) else { return };
    let mut tally = Tally::default();
    for policy in policies {
        let got = answers(&["--policy", policy], &Value::from(given.clone()));
        assert_eq!(got.len(), given.len());
        for (instance, got) in given.iter().zip(&got) {
            assert_eq!(instance["id"], got["id"]);
            let Some(expected) = instance["expect"].get(policy) else { continue };
            for (theirs, ours) in fields {
                let expected = if expected.is_null() { &Value::Null } else { &expected[theirs] };
                if theirs == &"v" && expected.is_null() && got["v"].is_array() {
                    continue; // left out of the large ones
                }
                let what = format!("{} {policy} {ours}", instance["id"]);
                tally.close(&what, &got[ours], expected, &instance["tolerance"]);
            }
        }
    }
    assert!(tally.wrong.is_empty(), "{:#?}", &tally.wrong[..tally.wrong.len().min(20)]);
    assert!(tally.compared >= at_least, "only {} compared", tally.compared);
    eprintln!("{kind}: {} figures compared", tally.compared);
}

#[test]
fn constant_rates_are_as_given() {
    let fields = [
        ("v", "v"),
        ("max_t", "max_end"),
        ("sum_t", "sum_end"),
        ("sum_tardiness", "sum_tardiness"),
        ("n_met", "n_met"),
    ];
    let policies = ["m-maxt", "m-sumt", "m-stet", "m-stet-pure", "pro-bandwidth", "pro-data"];
    compare("static", &fields, &policies, 10_000);
}

#[test]
fn a_family_is_answered_whole_or_not_at_all() {
    let Some(files) = files("families") else { return };
    let (mut whole, mut none, mut in_part) = (0, 0, 0);
    for file in files {
        let family: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let asked = family["instances"].as_array().unwrap();
        let words = [file.to_str().unwrap(), "--no-plan", "--policy", "m-maxt"];
        let output = command(&words).output().unwrap();
        if output.status.code() == Some(2) {
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.stdout.is_empty() && said.contains("m-maxt"), "{file:?}: {said}");
            none += 1;
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{file:?}");
        let got: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(got.len(), asked.len(), "{file:?}");
        let unfit =
            |answer: &&Value| answer["refused"].as_str().is_some_and(|why| why.contains("use "));
        in_part += usize::from(got.iter().filter(unfit).count() > 0);
        whole += 1;
    }
    assert!(whole >= 10, "{whole} answered, {none} not");
    eprintln!("families: {whole} answered, {in_part} of them in part, {none} not");
}

#[test]
fn rounds_are_as_given() {
    let fields =
        ["start", "end", "max_end", "sum_end", "sum_exec", "sum_tardiness", "n_met", "rounds"]
            .map(|name| (name, name));
    let policies = [
        "realloc-maxt",
        "realloc-sumt",
        "alloc-once-maxt",
        "alloc-once-sumt",
        "realloc-probandwidth",
        "realloc-prodata",
    ];
    compare("task", &fields, &policies, 10_000);
}

#[test]
fn the_default_keeps_what_can_be_kept_and_its_plan_delivers_it() {
    let mut checked = 0;
    for kind in ["static", "task", "malleable", "profile"] {
        let Some(given) = instances(kind) else { return };
        let got = answers(&[], &Value::from(given.clone()));
        for (instance, got) in given.iter().zip(&got) {
            let feasible = got["feasible"] == true;
            let late = deliver(instance, got);
            assert!(!feasible || late == 0, "{}: {late} late", instance["id"]);
            let best = instance["expect"].get("malleable").unwrap_or(&instance["expect"]);
            if let (true, Some(least)) = (feasible, best["sum_C_deadlines"].as_f64()) {
                let ratio = got["sum_end"].as_f64().unwrap() / least;
                assert!((1.0 - 1e-6..=1.10).contains(&ratio), "{}: {ratio}", instance["id"]);
            }
            checked += 1;
        }
    }
    assert!(checked >= 150, "only {checked} checked");
}

/// Adds up what the plan delivers; gives the number of late sites.
fn deliver(instance: &Value, got: &Value) -> usize {
    let sites = instance["sites"].as_array().unwrap();
    let mut volume = vec![0.0; sites.len()];
    let mut end = vec![0.0_f64; sites.len()];
    for stretch in got["plan"].as_array().unwrap() {
        let (from, to) = (stretch["from"].as_f64().unwrap(), stretch["to"].as_f64().unwrap());
        for pair in stretch["rates"].as_array().unwrap() {
            let site = usize::try_from(pair[0].as_u64().unwrap()).unwrap();
            volume[site] += pair[1].as_f64().unwrap() * (to - from);
            end[site] = end[site].max(to);
        }
    }
    let mut late = 0;
    for (index, site) in sites.iter().enumerate() {
        let size = site["D"].as_f64().unwrap();
        // A byte at the end of a very long plan is lost in the rounding of the clock.
        assert!((volume[index] - size).abs() <= 1e-6 * size + 1e-4, "{} {index}", instance["id"]);
        let due = site["deadline"].as_f64().unwrap();
        late += usize::from(due > 0.0 && end[index] > due * (1.0 + 1e-9));
    }
    late
}

#[test]
fn speeds_and_starts_are_as_given() {
    let (Some(speeds), Some(starts)) = (instances("predictor"), instances("activate")) else {
        return;
    };
    let mut tally = Tally::default();
    for instance in speeds {
        let mut asked = instance.clone();
        let lookups = instance["expect"]["lookups_t_w_wnext_nearest_interp"].as_array().unwrap();
        asked["lookups"] = lookups.iter().map(|one| json!([one[0], one[1], one[2]])).collect();
        let got = &answers(&[], &asked)[0];
        for field in ["B_working", "B_holiday"] {
            tally.close(field, &got[field], &instance["expect"][field], &instance["tolerance"]);
        }
        let expected = lookups.iter().map(|one| json!([one[3], one[4]])).collect();
        tally.close("lookups", &got["nearest_interp"], &expected, &instance["tolerance"]);
    }
    for instance in starts {
        let got = &answers(&[], &instance)[0];
        for field in ["started", "CB"] {
            tally.close(field, &got[field], &instance["expect"][field], &instance["tolerance"]);
        }
    }
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
    assert!(tally.compared > 150, "only {} compared", tally.compared);
}

#[test]
fn sites_can_be_described_by_a_seed() {
    let Some(given) = instances("generated") else { return };
    for instance in given {
        let got = &answers(&["--no-plan"], &instance)[0];
        let expected = &instance["expect"];
        let mut tally = Tally::default();
        tally.close("U_bar", &got["U_bar"], &expected["U_bar"], &instance["tolerance"]);
        tally.close("U_min", &got["U_min"], &expected["U_min_capped"], &instance["tolerance"]);
        assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
        assert_eq!(got["feasible"], true);
        assert_eq!(got["n_met"], instance["generator"]["n"]);
    }
}
