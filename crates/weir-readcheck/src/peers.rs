//! Tools of others that read articles: each a Python process that gets a page and answers it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::corpus::{Corpora, Page};
use crate::reading::Reading;
use crate::table::Column;

/// As `peers/read.py` names them.
pub const TOOLS: [&str; 3] = ["trafilatura", "readability", "newspaper"];

/// What a tool reads in all pages. It gets the text that weir decodes, too.
pub fn column(python: &Path, tool: &str, corpora: &Corpora) -> Result<Column> {
    let mut peer = Peer::start(python, tool)?;
    let mut column = Column::new(tool);
    for (set, pages) in corpora {
        eprintln!("{tool} reads {} pages of {set}", pages.len());
        for page in pages {
            let (reading, cpu) = peer.read(page).with_context(|| format!("{tool}: {}", page.id))?;
            column.add(set, reading, cpu);
        }
    }
    peer.stop()?;
    Ok(column)
}

struct Peer {
    child: Child,
    pages: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(python: &Path, tool: &str) -> Result<Peer> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/read.py");
        let mut command = Command::new(python);
        command.args([script, tool]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let (Some(pages), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("no pipe to {tool}");
        };
        Ok(Peer { child, pages, answers: BufReader::new(answers) })
    }

    fn read(&mut self, page: &Page) -> Result<(Reading, Duration)> {
        let ask = json!({ "url": page.url.as_str(), "html": page.decoded() });
        writeln!(self.pages, "{ask}")?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("it has ended: run peers/read.py by hand to see why");
        }
        let answer: Value = serde_json::from_str(&line)?;
        if let Some(why) = answer["error"].as_str() {
            eprintln!(
                "  cannot read {}: {}",
                page.id,
                why.split_whitespace().take(12).collect::<Vec<_>>().join(" ")
            );
        }
        let cpu = Duration::from_secs_f64(answer["cpu"].as_f64().unwrap_or(0.0).max(0.0));
        Ok((reading(&answer), cpu))
    }

    /// It ends when no more pages come.
    fn stop(mut self) -> Result<()> {
        drop(self.pages);
        self.child.wait()?;
        Ok(())
    }
}

/// An error is an answer with nothing in it, and counts as such.
fn reading(answer: &Value) -> Reading {
    let failed = answer["error"].is_string();
    let text = |key: &str| match answer[key].as_str() {
        Some(text) => Some(text.to_owned()),
        None => failed.then(String::new),
    };
    Reading {
        text: text("text"),
        title: text("title"),
        authors: text("author"),
        day: text("date"),
        ..Reading::default()
    }
}
