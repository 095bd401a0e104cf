//! Wrong use is refused with the value and the remedy, and exit code 2.

use crate::Desk;

#[test]
fn a_wrong_command_line_is_refused() {
    let desk = Desk::new();
    desk.write("bad.toml", "cap = \"fast\"\n[[site]]\nsize = \"1MB\"");
    desk.write("key.toml", "cpa = \"1MB/s\"\n[[site]]\nsize = \"1MB\"");
    desk.write("full.toml", "cap = \"1MB/s\"\n[[site]]\nsize = \"9MB\"\nwithin = 1");
    desk.write("file", "");
    for (words, expected) in [
        (&[][..], &["--figure"][..]),
        (&["--figure", "zhu-1"], &["zhu-1", "zhu-2", "zhu-12", "diligenti-3", "all"]),
        (&["--figure", "diligenti-4"], &["diligenti-4", "diligenti-1"]),
        (&["--figure", "zhu-2", "-c", "x.toml"], &["cannot be used"]),
        (&["--figure", "zhu-2", "--seed", "1"], &["--seed", "cannot be used"]),
        (&["--figure", "zhu-11", "--out", "file"], &["--out file", "folder"]),
        (&["-c", "nowhere.toml"], &["nowhere.toml", "check the path"]),
        (&["-c", "bad.toml"], &["bad.toml", "cap", "fast", "2MB/s"]),
        (&["-c", "key.toml"], &["cpa", "did you mean `cap`"]),
        (&["-c", "bad.toml", "--policy", "fastest"], &["fastest", "deadline"]),
        (&["-c", "full.toml", "--policy", "m-maxt"], &["m-maxt is left out", "needs", "no policy"]),
        (&["-c", "full.toml", "--seed", "x"], &["--seed", "x"]),
    ] {
        println!("weir simulate {}", words.join(" "));
        let assert = desk.weir(words).assert().code(2);
        let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        for part in expected {
            assert!(said.contains(part), "{said}: lacks {part}");
        }
    }
}
