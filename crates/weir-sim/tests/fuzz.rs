//! Spoiled scenarios are refused with words, or mean something.

#![allow(clippy::unwrap_used)]

use weir_fuzz::Fuzz;
use weir_sim::scenario::Scenario;

const WORDS: &[&str] =
    &["[[site]]\n", "size = ", "\"1MB\"", "[[\"08:00\", 0]]", "nan", "-1", "inf", "count = 99"];

#[test]
fn any_text_is_a_scenario_or_a_mistake() {
    let seeds = ["scenario", "policies", "policies-overload", "policies-rounds"].map(|name| {
        let path = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        std::fs::read(path).unwrap()
    });
    let mut sound = 0;
    Fuzz::new("scenario", 3000).words(WORDS).run(&seeds, |bytes, _| {
        match Scenario::parse(&String::from_utf8_lossy(bytes)) {
            Ok(scenario) => {
                sound += 1;
                let world = scenario.world(1);
                assert!(world.sites.iter().all(|site| site.size >= 0.0 && site.size.is_finite()));
            }
            Err(why) => assert!(!why.to_string().is_empty()),
        }
    });
    assert!(sound > 10, "{sound} of all were sound");
}
