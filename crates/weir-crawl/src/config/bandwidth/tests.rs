use crate::{Admission, Config, Period, Settings};

/// What `weir.toml` with these lines means.
fn config(lines: &str) -> Result<Config, String> {
    let text = format!("urls = [\"http://a/\"]\n{lines}");
    let settings: Settings = toml::from_str(&text).map_err(|why| why.to_string())?;
    Config::try_from(settings).map_err(|why| why.to_string())
}

fn cap_at(config: &Config, now: &str) -> Option<u64> {
    let limit = config.limit.as_ref().expect("a limit");
    limit.rate_at(now.parse().unwrap()).cap()
}

#[test]
fn without_settings_nothing_is_limited() {
    let plain = config("").unwrap();
    assert!(plain.limit.is_none() && plain.budgets.is_empty() && plain.notices.is_empty());
    assert_eq!((plain.admission, plain.admission_depth), (Admission::Shape, 6));
    assert!(config("limit = \"none\"").unwrap().limit.is_none());
    assert!(config("limit = [{ rate = \"none\" }]").unwrap().limit.is_none());
}

#[test]
fn a_limit_is_a_rate_or_a_calendar_in_its_time_zone() {
    let plain = config("limit = \"2MB/s\"").unwrap();
    assert_eq!(cap_at(&plain, "2026-11-16T12:00:00Z"), Some(2_000_000));
    let calendar = config(
        "time-zone = \"America/New_York\"
         limit = [{ at = \"Mon-Fri 08:00-18:00\", rate = \"1MB/s\" }, { rate = \"5MB/s\" }]",
    );
    let calendar = calendar.unwrap();
    assert_eq!(cap_at(&calendar, "2026-11-16T13:00:00Z"), Some(1_000_000));
    assert_eq!(cap_at(&calendar, "2026-11-16T12:59:59Z"), Some(5_000_000));
    assert!(calendar.notices.is_empty());
}

#[test]
fn hours_without_a_limit_are_pointed_out() {
    let config = config("limit = [{ at = \"Mon-Fri 08:00-18:00\", rate = \"1MB/s\" }]").unwrap();
    assert!(config.notices[0].contains("no entry holds"), "{:?}", config.notices);
}

#[test]
fn a_day_and_a_month_may_both_have_a_budget() {
    let both = config("budget = [\"2GB/day\", \"50 GB / Month\"]").unwrap().budgets;
    assert_eq!(both.iter().map(|b| b.bytes / 1_000_000_000).collect::<Vec<_>>(), [2, 50]);
    assert_eq!(config("budget = \"1MiB/month\"").unwrap().budgets[0].period, Period::Month);
}

#[test]
fn a_site_has_a_limit_and_a_weight_of_its_own() {
    let config = config("[[site]]\nname = \"b.example\"\nlimit = \"50KB/s\"\nweight = 2.5");
    let config = config.unwrap();
    let site = config.site("b.example", "http://b.example");
    assert_eq!((site.limit.map(|limit| limit.0), site.weight), (Some(50_000), 2.5));
    let other = config.site("c.example", "http://c.example");
    assert_eq!((other.limit, other.weight), (None, 1.0));
}

#[test]
fn holidays_are_texts_or_dates() {
    let both = config("holidays = [2026-12-25, \"01-01\"]").unwrap();
    assert_eq!(both.almanac.holidays.len(), 2);
}

#[test]
fn nonsense_is_refused_with_its_key_its_value_and_a_remedy() {
    for (lines, words) in [
        ("limit = \"0\"", ["limit = \"0\"", "nothing could ever come"]),
        ("limit = \"-1\"", ["limit = \"-1\"", "2MB/s"]),
        ("limit = \"abc\"", ["limit = \"abc\"", "2MB/s"]),
        ("limit = \"2MB\"", ["limit = \"2MB\"", "2MB/s"]),
        ("limit = \"999B/s\"", ["limit = \"999B/s\"", "1.5 KB"]),
        ("limit = 5", ["limit = 5", "unit in quotes"]),
        ("limit = []", ["limit = []", "or a list such as"]),
        ("limit = [\"1MB/s\"]", ["\"1MB/s\"", "write { at ="]),
        ("limit = [{ at = \"Mon\" }]", ["at = \"Mon\"", "no `rate`"]),
        ("limit = [{ at = 8, rate = \"1MB/s\" }]", ["at = 8", "in quotes"]),
        ("limit = [{ when = \"Mon\", rate = \"1MB/s\" }]", ["no `when`", "write { at ="]),
        ("limit = [{ at = \"Mo-Fri\", rate = \"1MB/s\" }]", ["limit.at = \"Mo-Fri\"", "Mon, Tue"]),
        ("limit = [{ at = \"25:00-26:00\", rate = \"1MB/s\" }]", ["limit.at", "00:00 to 24:00"]),
        ("limit = [{ rate = \"fast\" }]", ["limit.rate = \"fast\"", "2MB/s"]),
        ("limit = [{ rate = \"0\" }]", ["limit = ", "nothing could ever come"]),
        ("limit = [{ rate = \"1MB/s\" }, { at = \"Mon\", rate = \"0\" }]", ["Mon", "move it up"]),
        ("time-zone = \"Mars/Olympus\"", ["time-zone = \"Mars/Olympus\"", "Europe/Berlin"]),
        ("holidays = [\"2026-02-30\"]", ["holidays = \"2026-02-30\"", "12-25"]),
        ("holidays = [12]", ["holidays = \"12\"", "12-25"]),
        ("budget = \"2GB\"", ["budget = \"2GB\"", "2GB/day"]),
        ("budget = \"2GB/week\"", ["budget = \"2GB/week\"", "per day or per month"]),
        ("budget = \"much/day\"", ["budget = \"much/day\"", "500MB"]),
        ("budget = \"0/day\"", ["budget = \"0/day\"", "at least"]),
        ("budget = 5", ["budget = 5", "2GB/day"]),
        ("budget = [\"1GB/day\", \"2GB/day\"]", ["budget = \"2GB/day\"", "another one"]),
        ("admission = \"hope\"", ["admission = \"hope\"", "shape, predict or feedback"]),
        ("admission = \"predict\"", ["admission = \"predict\"", "add `limit`"]),
        ("admission-depth = 0", ["admission-depth = \"0\"", "at least 1"]),
        ("[[site]]\nname = \"b\"\nweight = 0", ["site.weight = \"0\"", "0.001"]),
        ("[[site]]\nname = \"b\"\nweight = nan", ["site.weight = \"NaN\"", "0.001"]),
        ("[[site]]\nname = \"b\"\nlimit = \"0\"", ["site.limit = \"0\"", "exclude"]),
        ("[[site]]\nname = \"b\"\nlimit = \"1\"", ["site.limit = \"1\"", "2MB/s"]),
    ] {
        let why = config(lines).err().unwrap_or_else(|| panic!("{lines} was accepted"));
        assert!(words.iter().all(|word| why.contains(word)), "{lines}: {why}");
    }
}
