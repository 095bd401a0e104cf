mod sources;

use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use weir_crawl::Config;
use weir_store::{
    Export, ExportError, Exported, FileFormat, SinkTarget, Target, check_table, without_password,
};

use crate::args::ExportArgs;
use crate::exit::{Exit, WrongUse};
use crate::show::grouped;

pub fn run(args: &ExportArgs) -> Result<Exit> {
    let (to, name) = target(args)?;
    let found = sources::find(&args.out)?;
    let export = Export { from: &found.sources, to, latest: args.latest };
    let bar = Bar::new(args.quiet);
    let done = export.run(&mut |rows, total| bar.show(rows, total));
    bar.end();
    let exported = match done {
        // Whoever reads our output has seen enough, as `| head` does.
        Err(ExportError::Output { why, .. }) if why.kind() == ErrorKind::BrokenPipe => {
            return Ok(Exit::Done);
        }
        other => other?,
    };
    if !args.quiet {
        eprintln!("{}", summary(&exported, &name, found.running));
    }
    Ok(Exit::Done)
}

fn summary(exported: &Exported, name: &str, running: bool) -> String {
    let mut text = format!("exported {} rows to {name}", grouped(exported.rows));
    if exported.older > 0 {
        let older = grouped(exported.older);
        text.push_str(&format!(", without {older} that were fetched again later"));
    }
    if running {
        text.push_str("; the crawl is running, and this is what was committed so far");
    }
    text
}

/// Where it goes, and what that is called.
fn target(args: &ExportArgs) -> Result<(Target, String)> {
    let format = match args.to.as_str() {
        "parquet" => FileFormat::Parquet,
        "jsonl" => FileFormat::Jsonl,
        "csv" => FileFormat::Csv,
        _ => return database(args),
    };
    if args.table.is_some() {
        return wrong(
            "--table is for sqlite and postgres; leave it out, or name a database in --to",
        );
    }
    let path = match &args.file {
        Some(path) if path == Path::new("-") => None,
        Some(path) => Some(path.clone()),
        // There is always a first folder, if only the default.
        None => Some(args.out[0].join(format!("export.{}", args.to))),
    };
    if path.is_none() && format == FileFormat::Parquet && std::io::stdout().is_terminal() {
        return wrong("Parquet is not for terminals; name a file with --file, or use a pipe");
    }
    let shown = |path: &PathBuf| path.display().to_string();
    let name = path.as_ref().map_or_else(|| "standard output".to_owned(), shown);
    Ok((Target::File(format, path), name))
}

fn database(args: &ExportArgs) -> Result<(Target, String)> {
    let to = without_password(&args.to);
    let is_database = ["sqlite:", "postgres:", "postgresql:"].iter().any(|it| to.starts_with(it));
    if !is_database {
        return wrong(&format!(
            "--to {to}: write parquet, jsonl, csv, sqlite:FILE or postgres:URL (files: --file FILE)"
        ));
    }
    if args.file.is_some() {
        return wrong("--file is for parquet, jsonl and csv; leave it out, --to has the database");
    }
    let table = args.table.as_deref().unwrap_or(Config::TABLE);
    if let Err(remedy) = check_table(table) {
        return wrong(&format!("--table {table}: {remedy}"));
    }
    match args.to.parse::<SinkTarget>() {
        Ok(target) => {
            let name = format!("{table} in {target}");
            Ok((Target::Table(target, table.to_owned()), name))
        }
        Err(why) => wrong(&format!("--to {to}: {why}")),
    }
}

fn wrong<T>(why: &str) -> Result<T> {
    Err(WrongUse(why.to_owned()).into())
}

/// Progress for who sits before a terminal.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new(quiet: bool) -> Bar {
        let seen = !quiet && std::io::stderr().is_terminal();
        Bar(seen.then(|| {
            let style =
                ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} rows, {eta}");
            let bar = ProgressBar::new(0);
            style.into_iter().for_each(|style| bar.set_style(style));
            bar
        }))
    }

    fn show(&self, rows: u64, total: Option<u64>) {
        if let Some(bar) = &self.0 {
            bar.set_length(total.unwrap_or(rows));
            bar.set_position(rows);
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
