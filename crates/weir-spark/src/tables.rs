//! What a task writes besides pages and WARC: its links, the URLs that it was first to know, and what
//! it has found for other buckets. Parquet, a file each.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, Int64Builder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use weir_crawl::{Traveller, bucket_of};
use weir_frontier::UrlKind;
use weir_types::{LinkKind, Links};

use crate::TaskError;

/// Rows that are gathered before they are encoded.
const BATCH: usize = 8192;

/// A file that comes into being with its first row.
struct Table {
    path: PathBuf,
    writer: Option<ArrowWriter<File>>,
}

impl Table {
    fn new(path: PathBuf) -> Table {
        Table { path, writer: None }
    }

    fn write(&mut self, columns: Vec<(&str, ArrayRef)>) -> Result<(), TaskError> {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, column)| (name, column, true)),
        );
        let batch = batch.map_err(|why| TaskError::table(&self.path)(why.into()))?;
        if self.writer.is_none() {
            let file = File::create(&self.path).map_err(TaskError::io("make", &self.path))?;
            let level = ZstdLevel::try_new(3).map_err(TaskError::table(&self.path))?;
            let properties =
                WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
            let writer = ArrowWriter::try_new(file, batch.schema(), Some(properties));
            self.writer = Some(writer.map_err(TaskError::table(&self.path))?);
        }
        match &mut self.writer {
            Some(writer) => writer.write(&batch).map_err(TaskError::table(&self.path)),
            None => Ok(()),
        }
    }

    /// The file, if it has any rows.
    fn close(mut self) -> Result<Option<PathBuf>, TaskError> {
        let Some(writer) = self.writer.take() else { return Ok(None) };
        writer.close().map_err(TaskError::table(&self.path))?;
        Ok(Some(self.path))
    }
}

/// `url`, `target`, `kind`: each link of each page, known before or not.
pub struct LinkTable {
    table: Table,
    from: StringDictionaryBuilder<Int32Type>,
    target: StringBuilder,
    kind: StringDictionaryBuilder<Int32Type>,
}

impl LinkTable {
    pub fn new(path: PathBuf) -> LinkTable {
        LinkTable {
            table: Table::new(path),
            from: StringDictionaryBuilder::new(),
            target: StringBuilder::new(),
            kind: StringDictionaryBuilder::new(),
        }
    }

    pub fn add(&mut self, from: &str, links: &Links) -> Result<(), TaskError> {
        for link in links.iter() {
            self.from.append_value(from);
            self.target.append_value(link.url);
            self.kind.append_value(kind_of(link.kind));
        }
        if self.target.values_slice().len() > BATCH * 64 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), TaskError> {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("url", Arc::new(self.from.finish())),
            ("target", Arc::new(self.target.finish())),
            ("kind", Arc::new(self.kind.finish())),
        ];
        self.table.write(columns)
    }

    pub fn close(mut self) -> Result<Option<PathBuf>, TaskError> {
        if !self.target.values_slice().is_empty() {
            self.flush()?;
        }
        self.table.close()
    }
}

/// `url`, `depth`, `kind`: URLs that nobody knew before.
pub fn write_seen(
    path: &Path,
    seen: impl Iterator<Item = (String, u32, UrlKind)>,
) -> Result<Option<PathBuf>, TaskError> {
    let mut table = Table::new(path.to_owned());
    let mut seen = seen.peekable();
    while seen.peek().is_some() {
        let (mut url, mut depth) = (StringBuilder::new(), Int32Builder::new());
        let mut kind = StringDictionaryBuilder::<Int32Type>::new();
        for (text, deep, what) in seen.by_ref().take(BATCH) {
            url.append_value(text);
            depth.append_value(small(deep));
            kind.append_value(url_kind(what));
        }
        table.write(vec![
            ("url", Arc::new(url.finish()) as ArrayRef),
            ("depth", Arc::new(depth.finish())),
            ("kind", Arc::new(kind.finish())),
        ])?;
    }
    table.close()
}

/// `bucket`, `url`, `parent`, `depth`, `redirects`, `kind`, `lastmod_s`, `promise`: what others have to know.
pub fn write_outbox(
    path: &Path,
    leaving: &[Traveller],
    buckets: u32,
) -> Result<Option<PathBuf>, TaskError> {
    let mut table = Table::new(path.to_owned());
    for some in leaving.chunks(BATCH) {
        let mut bucket = Int32Builder::new();
        let (mut url, mut parent) = (StringBuilder::new(), StringBuilder::new());
        let (mut depth, mut redirects) = (Int32Builder::new(), Int32Builder::new());
        let mut kind = StringBuilder::new();
        let (mut lastmod_s, mut promise) = (Int64Builder::new(), Int32Builder::new());
        for traveller in some {
            bucket.append_value(small(bucket_of(&traveller.url, buckets)));
            url.append_value(&traveller.url);
            parent.append_option(traveller.parent.as_deref());
            depth.append_value(small(traveller.depth));
            redirects.append_value(small(traveller.redirects));
            kind.append_value(url_kind(traveller.kind));
            lastmod_s.append_option(traveller.lastmod_s.map(i64::from));
            promise.append_value(i32::from(traveller.promise));
        }
        table.write(vec![
            ("bucket", Arc::new(bucket.finish()) as ArrayRef),
            ("url", Arc::new(url.finish())),
            ("parent", Arc::new(parent.finish())),
            ("depth", Arc::new(depth.finish())),
            ("redirects", Arc::new(redirects.finish())),
            ("kind", Arc::new(kind.finish())),
            ("lastmod_s", Arc::new(lastmod_s.finish())),
            ("promise", Arc::new(promise.finish())),
        ])?;
    }
    table.close()
}

/// `url`, `depth`: pages that turned out to be nearer than they were kept with.
pub fn write_nearer(path: &Path, nearer: &[(String, u32)]) -> Result<Option<PathBuf>, TaskError> {
    let mut table = Table::new(path.to_owned());
    for some in nearer.chunks(BATCH) {
        let (mut url, mut depth) = (StringBuilder::new(), Int32Builder::new());
        for (text, deep) in some {
            url.append_value(text);
            depth.append_value(small(*deep));
        }
        table.write(vec![
            ("url", Arc::new(url.finish()) as ArrayRef),
            ("depth", Arc::new(depth.finish())),
        ])?;
    }
    table.close()
}

/// Spark has no unsigned numbers.
fn small(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn url_kind(kind: UrlKind) -> &'static str {
    match kind {
        UrlKind::Page => "page",
        UrlKind::Sitemap => "sitemap",
    }
}

fn kind_of(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Anchor => "anchor",
        LinkKind::Frame => "frame",
        LinkKind::Related => "related",
        LinkKind::Refresh => "refresh",
        LinkKind::Asset => "asset",
        LinkKind::Redirect => "redirect",
        LinkKind::Listed => "listed",
        LinkKind::Sitemap => "sitemap",
    }
}
