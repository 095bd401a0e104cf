use weir_crawl::Outlets;

/// Where pages go on to, for whoever keeps them.
#[derive(clap::Args, Default)]
pub struct OutletArgs {
    /// Rows go here too: postgres:URL, sqlite:FILE, jsonl:FILE or csv:FILE (repeatable)
    #[arg(long, value_name = "SINK", help_heading = "Output")]
    pub sink: Vec<String>,
    /// The table of sinks that are databases, made if there is none [default: pages]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    pub table: Option<String>,
    /// How long to wait at the end for a sink that is away [default: 1m]
    #[arg(long, value_name = "DUR", help_heading = "Output")]
    pub sink_wait: Option<String>,
    /// WARC and Parquet files go here too, such as s3://bucket/folder
    #[arg(long, value_name = "URL", help_heading = "Output")]
    pub store_to: Option<String>,
}

impl OutletArgs {
    pub fn outlets(&self) -> Outlets {
        Outlets {
            sink: super::list(&self.sink),
            table: self.table.clone(),
            sink_wait: self.sink_wait.clone(),
            store_to: self.store_to.clone(),
        }
    }
}
