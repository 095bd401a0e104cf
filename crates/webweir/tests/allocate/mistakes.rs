use crate::support::{command, refuses};

#[test]
fn impossible_input_is_refused_with_its_id_its_field_and_a_remedy() {
    let site = |fields: &str| format!(r#"{{"id":"x7","U":5,"sites":[{{"D":1}},{{{fields}}}]}}"#);
    let cases = [
        (site(r#""D":-1"#), ["x7", "sites[1].D", "-1", "0 or more"]),
        (site(r#""D":NaN"#), ["x7", "sites[1].D", "NaN", "a number"]),
        (site(r#""D":1e999"#), ["x7", "sites[1].D", "1e999", "a number"]),
        (site(r#""D":-Infinity"#), ["x7", "sites[1].D", "-Infinity", "a number"]),
        (site(r#""D":"12""#), ["x7", "sites[1].D", "\"12\"", "a number"]),
        (site(r#""deadline":3"#), ["x7", "sites[1].D", "missing", "size"]),
        (site(r#""D":1,"deadline":-3"#), ["x7", "sites[1].deadline", "-3", "0 for none"]),
        (site(r#""D":1,"cap":0"#), ["x7", "sites[1].cap", "0", "above 0"]),
        (site(r#""D":1,"cap":-2"#), ["x7", "sites[1].cap", "-2", "above 0"]),
        (site(r#""D":1,"weight":0"#), ["x7", "sites[1].weight", "0", "above 0"]),
        (site(r#""D":1,"release":-1"#), ["x7", "sites[1].release", "-1", "0 up"]),
        (site(r#""D":1,"xi":0"#), ["x7", "sites[1].xi", "0", "above 0"]),
        (site(r#""D":1e308},{"D":1e308"#), ["x7", "sum of all sizes", "inf", "smaller"]),
        (r#"{"id":"x7","U":0,"sites":[{"D":1}]}"#.into(), ["x7", "U", "0", "above 0"]),
        (r#"{"id":"x7","U":-4,"sites":[{"D":1}]}"#.into(), ["x7", "U", "-4", "above 0"]),
        (r#"{"id":"x7","U":null,"sites":[{"D":1}]}"#.into(), ["x7", "U", "missing", "the cap"]),
        (r#"{"id":"x7","sites":[{"D":1}]}"#.into(), ["x7", "U", "missing", "the cap"]),
        (r#"{"id":"x7","U":5,"sites":[]}"#.into(), ["x7", "sites", "empty", "at least one"]),
        (r#"{"id":"x7","U":5}"#.into(), ["x7", "sites", "missing", "list"]),
        (r#"{"id":"x7","U":5,"sites":7}"#.into(), ["x7", "sites", "7", "list"]),
        (r#"{"id":"x7","U":5,"sites":[3]}"#.into(), ["x7", "sites[0]", "3", "object"]),
        (r#"{"id":"x7","U":5,"m":0,"sites":[{"D":1}]}"#.into(), ["x7", "m", "0", "from 1 up"]),
        (r#"{"id":"x7","U":5,"m":1.5,"sites":[{"D":1}]}"#.into(), ["x7", "m", "1.5", "whole"]),
        (
            r#"{"id":"x7","U_profile":[[0,5],[0,6]],"sites":[{"D":1}]}"#.into(),
            ["x7", "U_profile[1][0]", "0", "grow"],
        ),
        (
            r#"{"id":"x7","U_profile":[[0,0]],"sites":[{"D":1}]}"#.into(),
            ["x7", "U_profile", "[[0,0]]", "above 0"],
        ),
        (
            r#"{"id":"x7","U":5,"U_profile":[[0,5]],"sites":[{"D":1}]}"#.into(),
            ["x7", "U and U_profile", "both", "leave one out"],
        ),
        (
            r#"{"id":"x7","U_profile":[[0,-1]],"sites":[{"D":1}]}"#.into(),
            ["x7", "U_profile[0][1]", "-1", "0 or more"],
        ),
        (
            r#"{"id":"x7","generator":{"name":"splitmix64","seed":"a","n":3,"dscale":1}}"#.into(),
            ["x7", "generator.seed", "\"a\"", "whole"],
        ),
    ];
    for (input, message) in cases {
        refuses(&[], input, &message);
    }
}

#[test]
fn impossible_downloads_are_refused_with_their_field() {
    let ask = |field: &str, value: &str| {
        let mut fields = vec![
            ("id", r#""x7""#),
            ("kind", r#""predictor""#),
            ("mode", r#""circular""#),
            ("k", "0.3"),
            ("sigma", "120"),
            ("init", "50"),
            ("observations_t_w_wprev_wnext_M", "[[600,0,1,0,5]]"),
            ("lookups", "null"),
        ];
        fields.retain(|(name, _)| *name != field);
        let fields = fields.into_iter().chain((!value.is_empty()).then_some((field, value)));
        let fields = fields.map(|(name, value)| format!("\"{name}\":{value}"));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    };
    command(&[]).write_stdin(ask("lookups", "[[1439.5,0,1]]")).assert().success();
    let downloads = "observations_t_w_wprev_wnext_M";
    for (field, value, message) in [
        ("mode", r#""round""#, ["mode", "round", "circular or linear"]),
        ("mode", "", ["mode", "missing", "circular or linear"]),
        ("k", "-1", ["k is", "-1", "0 to 1"]),
        ("k", "1.5", ["k is", "1.5", "0 to 1"]),
        ("k", "NaN", ["k is", "NaN", "a number"]),
        ("k", "null", ["k is", "missing", "0 to 1"]),
        ("sigma", "0", ["sigma", "0", "above 0"]),
        ("init", "-50", ["init", "-50", "0 or more"]),
        ("init", "1e999", ["init", "1e999", "a number"]),
        (downloads, "", [downloads, "missing", "give a list"]),
        (downloads, "7", [downloads, "7", "give a list"]),
        (downloads, "[[1,0,0,5]]", ["M[0]", "[1,0,0,5]", "tomorrow, rate"]),
        (downloads, "[[1,0,0,0,5],[-1,0,0,0,5]]", ["M[1][0]", "-1", "below 1440"]),
        (downloads, "[[1440,0,0,0,5]]", ["M[0][0]", "1440", "from 0 up"]),
        (downloads, "[[1,2,0,0,5]]", ["M[0][1]", "2", "working day"]),
        (downloads, "[[1,0,0,-1,5]]", ["M[0][3]", "-1", "working day"]),
        (downloads, "[[1,0,0,0,-5]]", ["M[0][4]", "-5", "0 or more"]),
        (downloads, "[[1,0,0,0,NaN]]", ["M[0][4]", "NaN", "a number"]),
        ("lookups", "3", ["lookups", "3", "give a list"]),
        ("lookups", "[[1,0]]", ["lookups[0]", "[1,0]", "today, tomorrow"]),
        ("lookups", "[[-9,0,1]]", ["lookups[0][0]", "-9", "from 0 up"]),
    ] {
        refuses(&[], ask(field, value), &[&["x7"][..], &message].concat());
    }
}

#[test]
fn impossible_queues_are_refused_with_their_field() {
    let ask = |queue: &str, rest: &str| {
        format!(r#"{{"id":"x7","kind":"activate","queue_B":{queue},{rest}}}"#)
    };
    let usual = r#""CB":0,"L":140,"idle":2,"max_d":6"#;
    command(&[]).write_stdin(ask("[]", usual)).assert().success();
    for (queue, given, instead, message) in [
        ("[5,-5]", "", "", ["queue_B[1]", "-5", "0 or more"]),
        ("[NaN]", "", "", ["queue_B[0]", "NaN", "a number"]),
        ("5", "", "", ["queue_B", "5", "a list"]),
        ("null", "", "", ["queue_B", "missing", "a list"]),
        ("[5]", "\"CB\":0", "\"CB\":-1", ["CB", "-1", "0 or more"]),
        ("[5]", "\"L\":140", "\"L\":0", ["L is", "0", "above 0"]),
        ("[5]", "\"L\":140", "\"L\":-140", ["L is", "-140", "above 0"]),
        ("[5]", "\"L\":140", "\"L\":Infinity", ["L is", "Infinity", "a number"]),
        ("[5]", "\"L\":140,", "", ["L is", "missing", "above 0"]),
        ("[5]", "\"idle\":2", "\"idle\":-2", ["idle", "-2", "from 0 up"]),
        ("[5]", "\"max_d\":6", "\"max_d\":1.5", ["max_d", "1.5", "from 0 up"]),
    ] {
        let asked = ask(
            queue,
            &if given.is_empty() { usual.to_owned() } else { usual.replace(given, instead) },
        );
        refuses(&[], asked, &[&["x7"][..], &message].concat());
    }
}

#[test]
fn a_problem_without_a_name_is_called_by_its_number() {
    refuses(
        &[],
        r#"[{"U":1,"sites":[{"D":1}]},{"U":0,"sites":[{"D":1}]}]"#,
        &["problem 1", "U is 0"],
    );
}

#[test]
fn what_is_no_json_or_no_problem_is_refused() {
    refuses(&[], "", &["standard input", "not JSON"]);
    refuses(&[], "[", &["not JSON"]);
    refuses(&[], "{\"id\": \"\u{1}\"}", &["not JSON"]);
    refuses(&[], b"{\"id\": \"\xff\"}".to_vec(), &["not JSON"]);
    refuses(&[], "[]", &["empty"]);
    refuses(&[], "3", &["problem 0", "object"]);
    refuses(&[], r#"{"instances":3}"#, &["instances", "list"]);
    refuses(&[], "[".repeat(100_000), &["not JSON"]);
    refuses(&["no-such-file.json"], "", &["no-such-file.json", "standard input"]);
}

#[test]
fn a_policy_that_cannot_answer_says_which_can() {
    let later = r#"{"id":"x7","U":5,"sites":[{"D":1,"release":3}]}"#;
    refuses(&["--policy", "m-sumt"], later, &["x7", "m-sumt", "release", "use "]);
    let steps = r#"{"id":"x7","U_profile":[[0,5],[1,6]],"sites":[{"D":1}]}"#;
    refuses(&["--policy", "realloc-maxt"], steps, &["x7", "realloc-maxt", "use "]);
    let many = r#"{"id":"x7","U":5,"m":1,"sites":[{"D":1},{"D":2}]}"#;
    refuses(&["--policy", "m-maxt"], many, &["x7", "m-maxt", "use realloc-maxt"]);
    refuses(&["--policy", "fastest"], many, &["fastest", "deadline, edf"]);
}

#[test]
fn a_policy_that_suits_none_of_a_list_is_refused_before_anything_is_answered() {
    let steps = r#"{"id":"x7","U_profile":[[0,5],[1,6]],"sites":[{"D":1}]}"#;
    let later = r#"{"U":5,"sites":[{"D":1,"release":3}]}"#;
    refuses(&["--policy", "pro-data"], format!("[{steps},{later}]"), &["x7", "pro-data", "use "]);
    refuses(
        &["--policy", "m-maxt"],
        format!("[{later},{steps}]"),
        &["problem 0", "m-maxt", "use "],
    );
}

#[test]
fn a_mistake_in_the_last_of_a_list_leaves_nothing_half_said() {
    let list = r#"[{"U":5,"sites":[{"D":1}]},{"id":"x7","U":5,"sites":[{"D":-1}]}]"#;
    refuses(&[], list, &["x7", "sites[0].D", "-1"]);
}

#[test]
fn odd_problems_are_answered() {
    for odd in [
        r#"{"U":5,"sites":[{"D":0}]}"#,
        r#"{"U":5,"sites":[{"D":0,"deadline":1,"release":9},{"D":1e-300}]}"#,
        r#"{"U":1e-300,"sites":[{"D":1e-300,"deadline":1e-300}]}"#,
        r#"{"U":1e300,"sites":[{"D":1e300,"deadline":1e-9},{"D":1}]}"#,
        r#"{"U_profile":[[0,5],[1,0]],"sites":[{"D":1},{"D":100,"deadline":3}]}"#,
        r#"{"U_profile":[[3,5]],"sites":[{"D":1,"deadline":2}]}"#,
        "\u{feff}{\"U\":5,\"m\":2.0,\"sites\":[{\"D\":1}]}",
        r#"{"U":100,"sites":[{"D":25.3,"release":252271},{"D":3,"release":1e308}]}"#,
        r#"{"U":100,"m":1,"sites":[{"D":902000},{"D":31600},{"D":26400},{"D":5.46}]}"#,
        r#"{"U":5,"m":9,"sites":[{"D":1,"cap":1e-12},{"D":1e12,"deadline":1}]}"#,
        r#"{"U":5,"sites":[{"D":1,"deadline":1},{"D":1,"deadline":1},{"D":1,"deadline":1}]}"#,
        r#"{"U":5,"sites":[{"D":1,"cap":2,"deadline":1,"release":2},{"D":1,"cap":2,"deadline":4}]}"#,
    ] {
        for policy in ["deadline", "edf", "fair", "min-late", "stretch"] {
            command(&["--policy", policy]).write_stdin(odd).assert().success();
        }
    }
}

#[test]
fn what_can_never_be_delivered_never_ends() {
    let half = r#"{"U_profile":[[0,10],[1,0]],"sites":[{"D":20,"deadline":5},{"D":0}]}"#;
    for policy in ["deadline", "edf", "fair", "min-late", "stretch"] {
        let assert = command(&["--policy", policy]).write_stdin(half).assert().success();
        let got: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
        let got = &got[0];
        assert!(got["end"][0].is_null() && got["L_max"].is_null(), "{policy}: {got}");
        assert_eq!(got["n_met"], 1, "{policy}: {got}");
    }
}

#[test]
fn a_misspelt_field_is_pointed_out() {
    let typo = r#"{"U":5,"sites":[{"D":1,"dealine":3}]}"#;
    let assert = command(&[]).write_stdin(typo).assert().success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.contains("sites[0].dealine"), "{said}");
}
