use super::{Outcome, Verdict, held};

/// The whole of `PROOF.md`.
pub fn write(outcomes: &[Outcome], facts: &[(&str, String)]) -> String {
    let seconds: u64 = outcomes.iter().map(|outcome| outcome.seconds).sum();
    let mut text = format!(
        "# Proof\n\nWhat the README claims, tried in a short form on one machine by `cargo xtask proof`, which wrote this file: \
         {} of {} claims hold. It took {} minutes beside building.\n\n",
        held(outcomes),
        outcomes.len(),
        seconds.div_ceil(60),
    );
    for (name, value) in facts {
        text += &format!("- {name}: {value}\n");
    }
    text += "\n| claim | | seconds |\n| --- | --- | ---: |\n";
    for Outcome { claim, verdict, seconds, .. } in outcomes {
        text += &format!("| [{}](#{}) | {} | {seconds} |\n", claim.says, claim.key, word(*verdict));
    }
    outcomes.iter().for_each(|outcome| text += &section(outcome));
    text
}

fn section(Outcome { claim, verdict, lines, .. }: &Outcome) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let body = lines.join("\n");
    format!(
        "\n## {}\n\nClaimed: {}. Verdict: {}.\n\n```console\n$ {}\n{}\n```\n",
        claim.key,
        claim.says,
        word(*verdict),
        claim.command,
        body.trim_end(),
    )
}

fn word(verdict: Verdict) -> String {
    match verdict {
        Verdict::Holds => verdict.word().to_owned(),
        _ => format!("**{}**", verdict.word()),
    }
}
