use std::path::PathBuf;

use clap::{Args, Subcommand};
use url::Url;

#[derive(Args)]
#[command(
    after_help = "Nothing is fetched: what is asked about is typed, in a file, or on standard \
    input. With --jsonl, one JSON request a line comes in on standard input and one JSON answer a \
    line goes out, in order; flags then hold for requests that say nothing else."
)]
pub struct InspectArgs {
    #[command(subcommand)]
    pub what: Inspect,
}

#[derive(Subcommand)]
pub enum Inspect {
    /// The canonical form of URLs, by which weir knows them again
    Url(UrlArgs),
    /// What a robots.txt allows
    Robots(RobotsArgs),
    /// What a sitemap names
    Sitemap(SitemapArgs),
    /// What weir reads in a page
    Page(PageArgs),
}

#[derive(Args)]
#[command(after_help = "Examples:
  weir inspect url HTTP://Example.com:80/a/../b
  weir inspect url --base https://example.com/dir/ ../page '?q=1'
  echo '{\"url\":\"../page\",\"base\":\"https://example.com/dir/\"}' | weir inspect url --jsonl")]
pub struct UrlArgs {
    /// The URLs in question
    #[arg(value_name = "URL", required_unless_present = "jsonl", conflicts_with = "jsonl")]
    pub urls: Vec<String>,
    /// Resolve relative URLs against this one
    #[arg(long, value_name = "URL", value_parser = whole_url)]
    pub base: Option<Url>,
    /// Many at once: requests {"url", "base"?} on standard input
    #[arg(long)]
    pub jsonl: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  weir inspect robots robots.txt https://example.com/private/
  curl -s https://example.com/robots.txt | weir inspect robots --agent otherbot - /private/
  weir inspect robots --status 503 robots.txt https://example.com/")]
pub struct RobotsArgs {
    /// The robots.txt; - reads standard input
    #[arg(value_name = "FILE", required_unless_present = "jsonl", conflicts_with = "jsonl")]
    pub file: Option<PathBuf>,
    /// URLs, or paths that begin with a slash
    #[arg(value_name = "URL", conflicts_with = "jsonl")]
    pub urls: Vec<String>,
    /// The crawler that asks
    #[arg(long, value_name = "NAME", default_value = "weir")]
    pub agent: String,
    /// Answer as if robots.txt had been served with this status
    #[arg(long, value_name = "CODE", default_value_t = 200,
          value_parser = clap::value_parser!(u16).range(100..=999))]
    pub status: u16,
    /// Many at once: requests {"robots" or "robots_b64", "agent", "url", "status"?} on standard input
    #[arg(long)]
    pub jsonl: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  weir inspect sitemap sitemap.xml.gz
  curl -s https://example.com/feed | weir inspect sitemap --url https://example.com/feed -")]
pub struct SitemapArgs {
    /// The sitemap, gzipped or not; - reads standard input
    #[arg(value_name = "FILE", required_unless_present = "jsonl", conflicts_with = "jsonl")]
    pub file: Option<PathBuf>,
    /// Where it came from: what it names is resolved against this
    #[arg(long, value_name = "URL", value_parser = whole_url)]
    pub url: Option<Url>,
    /// The Content-Type it came with
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Only entries in the sitemap's own directory, as the standard would have it
    #[arg(long)]
    pub strict: bool,
    /// Many at once: requests {"body" or "body_b64", "url", "content_type"?} on standard input
    #[arg(long)]
    pub jsonl: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  weir inspect page index.html --url https://example.com/
  curl -s https://example.com/ | weir inspect page - --url https://example.com/
  weir inspect page -c weir.toml product.html --url https://shop.example/product")]
pub struct PageArgs {
    /// The page as it came; - reads standard input
    #[arg(value_name = "FILE", required_unless_present = "jsonl", conflicts_with = "jsonl")]
    pub file: Option<PathBuf>,
    /// Where it came from: its links are resolved against this
    #[arg(long, value_name = "URL", value_parser = whole_url, required_unless_present = "jsonl")]
    pub url: Option<Url>,
    /// The Content-Type it came with, such as 'text/html; charset=utf-8'
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Fields, rules and topics from this file (see `weir init`)
    #[arg(short = 'c', long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The text as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Many at once: requests {"html" or "html_b64", "url", "content_type"?} on standard input
    #[arg(long)]
    pub jsonl: bool,
}

fn whole_url(text: &str) -> Result<Url, String> {
    Url::parse(text).map_err(|why| format!("{why}; write it whole, such as https://example.com/a"))
}
