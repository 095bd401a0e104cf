use anyhow::Result;
use serde_json::json;
use weir_sim::figures::{self, Figure, FigureError};
use weir_sim::orderings;

use super::{Progress, json, print, write};
use crate::args::SimulateArgs;
use crate::exit::{Exit, WrongUse};

pub fn run(name: &str, args: &SimulateArgs) -> Result<Exit> {
    if name == "list" {
        return list(args.json);
    }
    let names: Vec<&str> = match name {
        "all" => figures::list().map(|(name, _)| name).collect(),
        name => vec![name],
    };
    let mut progress = Progress::new(args.quiet);
    let mut made: Vec<Figure> = Vec::with_capacity(names.len());
    for name in &names {
        progress.say(made.len(), names.len(), name);
        let figure = figures::figure(name).map_err(|why| match why {
            FigureError::Unknown(_) => WrongUse(format!("--figure: {why}")).into(),
            other => anyhow::Error::from(other),
        })?;
        write(args.out.as_deref(), &figure.files())?;
        made.push(figure);
    }
    let claims = orderings::table(&made);
    if made.len() > 1 {
        let about = "What the papers say of their figures, and whether it holds here";
        write(args.out.as_deref(), &[("claims.csv".to_owned(), claims.csv(about))])?;
    }
    if args.json {
        let figures: Vec<serde_json::Value> = made.iter().map(json::figure).collect();
        let all = json!({"figures": figures, "claims": json::rows(&claims)});
        print(&format!("{all}\n"))?;
    } else {
        made.iter().try_for_each(|figure| print(&shown(figure)))?;
        if !claims.rows.is_empty() {
            print(&verdicts(&claims))?;
        }
    }
    Ok(Exit::Done)
}

fn list(as_json: bool) -> Result<Exit> {
    if as_json {
        let all: Vec<_> = figures::list()
            .chain(figures::own())
            .map(|(name, title)| json!({"name": name, "title": title}))
            .collect();
        print(&format!("{}\n", json!(all)))?;
    } else {
        for (name, title) in figures::list().chain(figures::own()) {
            print(&format!("{name:<13}{title}\n"))?;
        }
    }
    Ok(Exit::Done)
}

fn shown(figure: &Figure) -> String {
    format!("{}\n{}\n{}\n", figure.title, figure.settings, figure.plain())
}

/// The claims as lines, with what speaks against those that do not hold.
fn verdicts(claims: &weir_sim::table::Table) -> String {
    let mut text = String::from("What the paper says:\n");
    for row in json::rows(claims) {
        let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let mark = if word("holds") == "yes" { "holds" } else { "NOT  " };
        text.push_str(&format!("{mark}  {:<12} {}\n", word("figure"), word("claim")));
        for why in [word("counterexample"), word("why")] {
            if !why.is_empty() {
                text.push_str(&format!("                    {why}\n"));
            }
        }
    }
    text
}
