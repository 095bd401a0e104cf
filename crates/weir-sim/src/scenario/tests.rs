use super::*;

const SMALL: &str = "cap = \"1MB/s\"\n[[site]]\nsize = \"5MB\"\n";

fn refused(text: &str) -> String {
    Scenario::parse(text).expect_err(text).to_string()
}

#[test]
fn little_is_needed() {
    let scenario = Scenario::parse(SMALL).unwrap();
    let world = scenario.world(1);
    assert_eq!(scenario.policies, [Policy::Deadline]);
    assert_eq!((world.replan, world.sites.len()), (1.0, 1));
    assert_eq!((world.sites[0].name.as_str(), world.sites[0].size), ("site-1", 5e6));
    assert_eq!(world.cap_at(0.0), 1e6);
}

#[test]
fn every_key_has_its_meaning() {
    let text = r#"
        cap = [["20:00", "2MB/s"], ["08:00", "500KB/s"]]
        start = "19:00"
        at-once = 3
        policies = ["edf", "realloc-maxt"]
        seed = 7
        runs = 4
        replan = "5s"
        until = "2d"
        speeds-known = true
        error = 0.3
        converge = false

        [[site]]
        name = "news"
        count = 2
        size = ["1MB", "2MB"]
        within = ["10m", "20m"]
        release = "1m"
        weight = 2
        max-rate = "100KB/s"
        speed = [["00:00", "90KB/s"], ["19:30", "10KB/s"]]
        latency = "2s"
        ramp-up = 4

        [[site]]
        name = "archive"
        size = 3000000
        predicted = "6MB"
        error = 0.0
        converge = true
        by = "18:00"
        speed = ["10KB/s", "20KB/s"]
    "#;
    let scenario = Scenario::parse(text).unwrap();
    assert_eq!(scenario.policies, [Policy::Edf, Policy::ReallocMaxt]);
    assert_eq!(scenario.seeds().collect::<Vec<u64>>(), [7, 8, 9, 10]);
    let world = scenario.world(7);
    assert_eq!((world.at_once, world.replan, world.speeds_known), (Some(3), 5.0, true));
    assert_eq!((world.cap_at(0.0), world.cap_at(3600.0)), (500e3, 2e6));
    let news = &world.sites[1];
    assert_eq!((news.name.as_str(), news.weight, news.max_rate), ("news-2", 2.0, 100e3));
    assert!((1e6..=2e6).contains(&news.size) && news.size != world.sites[0].size);
    assert!((660.0..=1260.0).contains(&news.deadline.unwrap()), "within counts from the release");
    assert_eq!((news.prediction.sigma, news.prediction.converges), (0.3, false));
    assert_eq!((news.latency, news.ramp_up), (2.0, 4.0));
    assert_eq!(news.speed.at(19.6 * 3600.0), 10e3);
    let archive = &world.sites[2];
    assert_eq!(archive.deadline, Some(23.0 * 3600.0), "the next 18:00 is tomorrow's");
    assert!((archive.prediction.error - 2_f64.ln()).abs() < 1e-12);
    assert!((10e3..=20e3).contains(&archive.speed.at(0.0)));
}

#[test]
fn a_seed_draws_the_same_web_and_another_seed_another() {
    let text = SMALL.replace("5MB\"", "5MB\"\nerror = 0.5");
    let scenario = Scenario::parse(&text).unwrap();
    assert_eq!(scenario.world(3), scenario.world(3));
    assert_ne!(scenario.world(3), scenario.world(4));
}

#[test]
fn a_mistake_is_told_with_the_key_the_value_and_the_remedy() {
    let site = |line: &str| format!("{SMALL}{line}\n");
    let top = |line: &str| format!("{line}\n{SMALL}");
    for (text, parts) in [
        (top("polices = [\"edf\"]"), &["`polices`", "did you mean `policies`"][..]),
        (top("colour = 1"), &["`colour`", "the keys are cap"]),
        (site("max_rate = \"1MB/s\""), &["`max_rate` in [[site]]", "`max-rate`"]),
        (site("within = \"soon\""), &["site.within (site-1)", "soon", "90s"]),
        (site("within = -5"), &["site.within", "-5", "from 0 up"]),
        (site("within = [\"9m\", \"3m\"]"), &["site.within", "the least first"]),
        (site("within = \"3m\"\nby = \"18:00\""), &["site.by", "18:00", "one deadline"]),
        (site("by = \"24:00\""), &["site.by", "24:00", "08:30"]),
        (site("weight = 0"), &["site.weight", "above 0"]),
        (site("weight = nan"), &["site.weight", "number"]),
        (site("count = 0"), &["site.count", "0", "from 1 up"]),
        (site("count = 1000000"), &["count", "1000000", "most"]),
        (site("error = 7.5"), &["site.error", "7.5", "0 to 3"]),
        (site("converge = 1"), &["site.converge", "true or false"]),
        (site("max-rate = \"fast\""), &["site.max-rate", "fast", "2MB/s"]),
        (site("max-rate = 100"), &["site.max-rate", "100", "in quotes"]),
        (site("speed = [[\"08:00\"]]"), &["site.speed", "a time and a rate"]),
        (site("speed = [[\"08:00\", \"0,5MB/s\"]]"), &["site.speed", "0,5MB/s", "2MB/s"]),
        (site("speed = [[\"08:00\", \"0/h\"]]"), &["site.speed", "0/h", "2MB/s"]),
        (site("speed = [[\"08:00\", \"0 cats/s\"]]"), &["site.speed", "0 cats/s", "2MB/s"]),
        (site("speed = [[\"08:00\", \"-0MB/s\"]]"), &["site.speed", "-0MB/s", "2MB/s"]),
        (site("speed = [[\"08:00\", \"0\"]]"), &["site.speed", "\"0\"", "2MB/s"]),
        (site("latency = \"-1s\""), &["site.latency", "-1s"]),
        (site("name = 3"), &["site.name", "in quotes"]),
        (top("seed = -1"), &["seed", "-1", "whole number"]),
        (top("at-once = 0"), &["at-once", "from 1 up"]),
        (top("replan = \"1ms\""), &["replan", "0.001", "until"]),
        (top("replan = 0"), &["replan", "above 0"]),
        (top("policies = [\"fastest\"]"), &["policies", "fastest", "deadline"]),
        (top("policies = []"), &["policies", "a list of names"]),
        (top("start = \"8\""), &["start", "08:30"]),
        (SMALL.replace("1MB/s", "1MB"), &["cap", "1MB", "2MB/s"]),
        (SMALL.replace("\"1MB/s\"", "[[\"00:00\", 0]]"), &["cap", "by the hour"]),
        (SMALL.replace("5MB", "-5MB"), &["site.size", "-5MB", "500MB"]),
        (SMALL.replace("\"5MB\"", "-5"), &["site.size", "-5", "20MB"]),
        (SMALL.replace("size", "predicted"), &["site.size", "missing"]),
        (SMALL.replace("cap = \"1MB/s\"", ""), &["cap is missing", "2MB/s"]),
        ("cap = \"1MB/s\"".to_owned(), &["[[site]] is missing", "20MB"]),
        ("cap = \"1MB/s\"\n[site]\nsize = 1".to_owned(), &["site", "two brackets"]),
        ("cap = \"1MB/s\"\nsite = [1]".to_owned(), &["site", "[[site]]"]),
        ("cap = \"1MB/s\"\n[[site]]".to_owned(), &["site.size", "missing"]),
        ("cap = ".to_owned(), &["line 1"]),
    ] {
        let why = refused(&text);
        for part in parts {
            assert!(why.contains(part), "{why}: lacks {part}");
        }
    }
}

#[test]
fn at_some_hours_nothing_may_come() {
    for (rate, read) in
        [("0", 0.0), ("\"0MB/s\"", 0.0), ("\" 0.0 kbit/s\"", 0.0), ("\"0.5MB/s\"", 0.5e6)]
    {
        let daily = format!("[[\"00:00\", {rate}], [\"06:00\", \"1MB/s\"]]");
        let world = Scenario::parse(&SMALL.replace("\"1MB/s\"", &daily)).unwrap().world(1);
        assert_eq!((world.cap_at(0.0), world.cap_at(6.0 * 3600.0)), (read, 1e6), "{rate}");
    }
}

#[test]
fn the_guide_names_every_key() {
    let guide = include_str!("../../../../docs/simulate.md");
    let top = guide.find("| `cap` |").expect("the first key");
    let of_sites = guide.find("| `name` |").expect("the first key of a site");
    for (keys, text) in
        [(&keys::KEYS[..11], &guide[top..of_sites]), (&keys::SITE_KEYS[..], &guide[of_sites..])]
    {
        for key in keys {
            assert!(text.contains(&format!("`{key}`")), "{key} is not explained");
        }
    }
}
