use std::path::PathBuf;

use clap::Args;
use weir_crawl::Config;

#[derive(Args)]
#[command(after_help = "Examples:
  weir export --to jsonl --file - | jq .title
  weir export -o weir-out --to sqlite:pages.db
  weir export -o monday -o tuesday --to csv --latest --file week.csv
  PGPASSWORD=... weir export --to postgres://user@localhost/web
A crawl that is running or was killed is read as far as it is committed. What several downloaders
kept (DIR/downloaders/*) is read together. In databases the newest row of each URL counts, whichever
folder it is in. Columns: docs/formats/pages.md. More: docs/sinks.md.
Exit codes: 0 done, 1 could not go on, 2 wrong use")]
pub struct ExportArgs {
    /// Folder of the crawl; given several times, all of them together
    #[arg(short = 'o', long, value_name = "DIR", default_value = Config::OUT)]
    pub out: Vec<PathBuf>,
    /// What to make: parquet, jsonl, csv, sqlite:FILE or postgres:URL
    #[arg(long, value_name = "WHAT")]
    pub to: String,
    /// Where parquet, jsonl and csv go; `-` is standard output [default: export.WHAT in the first DIR]
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The table in a database, made if there is none [default: pages]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Only the newest row of each URL, in files too
    #[arg(long)]
    pub latest: bool,
    /// Say nothing but errors
    #[arg(short = 'q', long)]
    pub quiet: bool,
}
