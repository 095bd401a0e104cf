/// Something that the README says, and the command that shows it.
pub struct Claim {
    /// What the README links to, and what `cargo xtask proof` takes.
    pub key: &'static str,
    pub says: &'static str,
    /// As a user types it.
    pub command: &'static str,
    /// The first line of its output that is worth keeping begins with this.
    from: &'static str,
}

pub const CLAIMS: &[Claim] = &[
    Claim {
        key: "cap",
        says: "never above its bandwidth cap, counted on the wire",
        command: "cargo xtask capcheck --short",
        from: "scenario ",
    },
    Claim {
        key: "deadlines",
        says: "each site done by its deadline, or a warning before",
        command: "cargo xtask duecheck --short",
        from: "",
    },
    Claim {
        key: "kills",
        says: "nothing lost and nothing twice when it is killed, the disk is full, the clock jumps or the network is cut",
        command: "cargo xtask soak --minutes 3",
        from: "",
    },
    Claim {
        key: "polite",
        says: "polite: robots.txt, one request a host, the pace that was asked for",
        command: "cargo test --release --workspace --test polite",
        from: "running ",
    },
    Claim {
        key: "speed",
        says: "a fraction of the processor time of its peers, for more of the pages",
        command: "bench/run --scenario one,many --only weir,wget2,spider,scrapy --repeat 3 --check",
        from: "scenario",
    },
    Claim {
        key: "content",
        says: "title, author, date and main text as people marked them",
        command: "cargo xtask extraction",
        from: "corpus ",
    },
    Claim {
        key: "cluster",
        says: "one scheduler serves many downloaders at little cost",
        command: "bench/cluster --only cost --check",
        from: "",
    },
    Claim {
        key: "spark",
        says: "the same crawl on Apache Spark, an executor killed in the middle",
        command: "cargo xtask spark --short",
        from: "",
    },
    Claim {
        key: "dashboard",
        says: "a dashboard that costs a crawl of a thousand sites at most 3 % more processor time",
        command: "bench/dashboard --check",
        from: "1000 sites",
    },
];

impl Claim {
    /// The program and its arguments.
    pub fn words(&self) -> (&'static str, impl Iterator<Item = &'static str>) {
        let mut words = self.command.split_whitespace();
        (words.next().unwrap_or_default(), words)
    }

    /// The lines that are worth keeping: all, if none begins as it should.
    pub fn figures<'a>(&self, lines: &'a [String]) -> std::slice::Iter<'a, String> {
        let from = lines.iter().position(|line| line.starts_with(self.from)).unwrap_or(0);
        lines[from..].iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::shell::root_of_project;

    /// What stands between each `before` and the next character that is no part of a key.
    fn keys_after(file: &str, before: &str) -> BTreeSet<String> {
        let text = fs::read_to_string(root_of_project().join(file)).unwrap();
        let rests = text.split(before).skip(1);
        rests.map(|rest| rest.chars().take_while(char::is_ascii_alphabetic).collect()).collect()
    }

    #[test]
    fn each_claim_of_the_readme_has_its_place_in_the_paper() {
        let claims: BTreeSet<_> = CLAIMS.iter().map(|claim| claim.key.to_owned()).collect();
        assert_eq!(keys_after("README.md", "](PROOF.md#"), claims, "links of README.md");
        assert_eq!(keys_after("PROOF.md", "\n## "), claims, "sections of PROOF.md");
    }

    #[test]
    fn figures_begin_at_the_table() {
        let lines = ["noise", "scenario  a", "row"].map(String::from);
        let kept: Vec<_> = CLAIMS[0].figures(&lines).collect();
        assert_eq!(kept, ["scenario  a", "row"]);
        assert_eq!(
            CLAIMS[0].figures(&lines[..1]).count(),
            1,
            "what is not as expected is not hidden"
        );
    }
}
