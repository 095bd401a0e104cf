//! What is written wrongly is named.

use crate::support::command::weir;

#[test]
fn what_makes_no_sense_is_refused_with_the_key_and_a_remedy() {
    for (flags, words) in [
        (&["--within", "soon"][..], &["within", "soon", "30m"][..]),
        (&["--within", "0s"], &["within", "no time"]),
        (&["--by", "25:00"], &["by", "25:00", "18:00"]),
        (&["--policy", "fastest"], &["policy", "fastest", "deadline"]),
        (&["--policy", "ga"], &["policy", "ga", "weir simulate"]),
        (&["--max-sites", "0"], &["max-sites", "at least one"]),
        (&["--sample", "0"], &["sample", "1 at least"]),
        (&["--sample-bytes", "much"], &["sample-bytes", "much"]),
    ] {
        for command in ["crawl", "plan"] {
            let all = [&[command, "http://127.0.0.1:9/"][..], flags].concat();
            weir(&all).expect_code(2).says(words);
        }
    }
    weir(&["crawl", "http://127.0.0.1:9/", "--within", "1h", "--by", "18:00"]).expect_code(2);
}
