use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Int32Builder, Int64Builder, ListBuilder, MapBuilder, StringBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;

use super::Row;
use super::table::{TABLE, Value, map_names, schema};

/// Rows turned on their side, some at a time.
<<<<<<< HEAD
pub(crate) struct Columns {
    url: StringBuilder,
    final_url: StringBuilder,
    site: StringBuilder,
    depth: Int32Builder,
    parent: StringBuilder,
    status: Int32Builder,
    fetched_at: TimestampMillisecondBuilder,
    elapsed_ms: Int64Builder,
    content_type: StringBuilder,
    charset: StringBuilder,
    bytes_wire: Int64Builder,
    bytes_body: Int64Builder,
    digest: StringBuilder,
    etag: StringBuilder,
    last_modified: StringBuilder,
    duplicate_of: StringBuilder,
    lang: StringBuilder,
    title: StringBuilder,
    published: StringBuilder,
    author: StringBuilder,
    copyright: StringBuilder,
    text: StringBuilder,
    videos: ListBuilder<StringBuilder>,
    fields: Map,
    warc_file: StringBuilder,
    warc_offset: Int64Builder,
    canonical: StringBuilder,
    noindex: BooleanBuilder,
    simhash: Int64Builder,
    near_duplicate_of: StringBuilder,
    modified: StringBuilder,
    product: Map,
    sources: Map,
    topics: Map,
}

type Map = MapBuilder<StringBuilder, StringBuilder>;

/// Columns whose values are nearly all different: a dictionary of them would only cost.
pub(crate) const WITHOUT_DICTIONARY: [&str; 12] = [
    "url",
    "final_url",
    "fetched_at",
    "bytes_wire",
    "bytes_body",
    "digest",
    "etag",
    "title",
    "text",
    "warc_offset",
    "canonical",
    "simhash",
];

/// The columns of the table, in the order of the contract.
pub(crate) fn schema() -> SchemaRef {
    Columns::new().take().expect("no rows fit any schema").schema()
=======
pub(crate) struct Columns(Vec<Builder>);

enum Builder {
    Text(StringBuilder),
    Small(Int32Builder),
    Number(Int64Builder),
    Truth(BooleanBuilder),
    Time(TimestampMillisecondBuilder),
    List(ListBuilder<StringBuilder>),
    Map(MapBuilder<StringBuilder, StringBuilder>),
>>>>>>> i7-sinks
}

impl Columns {
    pub fn new() -> Self {
<<<<<<< HEAD
        let text = StringBuilder::new;
        let (number, small) = (Int64Builder::new, Int32Builder::new);
        Columns {
            url: text(),
            final_url: text(),
            site: text(),
            depth: small(),
            parent: text(),
            status: small(),
            fetched_at: TimestampMillisecondBuilder::new().with_timezone("UTC"),
            elapsed_ms: number(),
            content_type: text(),
            charset: text(),
            bytes_wire: number(),
            bytes_body: number(),
            digest: text(),
            etag: text(),
            last_modified: text(),
            duplicate_of: text(),
            lang: text(),
            title: text(),
            published: text(),
            author: text(),
            copyright: text(),
            text: text(),
            videos: ListBuilder::new(text()),
            fields: map(),
            warc_file: text(),
            warc_offset: number(),
            canonical: text(),
            noindex: BooleanBuilder::new(),
            simhash: number(),
            near_duplicate_of: text(),
            modified: text(),
            product: map(),
            sources: map(),
            topics: map(),
        }
    }

    pub fn push(&mut self, row: &Row<'_>) -> Result<(), ArrowError> {
        self.url.append_value(&row.url);
        self.final_url.append_option(Some(&row.final_url).filter(|url| !url.is_empty()));
        self.site.append_option(Some(&row.site).filter(|site| !site.is_empty()));
        self.depth.append_value(i32::try_from(row.depth).unwrap_or(i32::MAX));
        put(&mut self.parent, &row.parent);
        self.status.append_value(i32::from(row.status));
        self.fetched_at.append_value(row.fetched_at);
        self.elapsed_ms.append_value(signed(row.elapsed_ms));
        put(&mut self.content_type, &row.content_type);
        put(&mut self.charset, &row.charset);
        self.bytes_wire.append_value(signed(row.bytes_wire));
        self.bytes_body.append_value(signed(row.bytes_body));
        self.digest.append_value(&row.digest);
        put(&mut self.etag, &row.etag);
        put(&mut self.last_modified, &row.last_modified);
        put(&mut self.duplicate_of, &row.duplicate_of);
        put(&mut self.lang, &row.lang);
        put(&mut self.title, &row.title);
        put(&mut self.published, &row.published);
        put(&mut self.author, &row.author);
        put(&mut self.copyright, &row.copyright);
        put(&mut self.text, &row.text);
        row.videos.iter().for_each(|video| self.videos.values().append_value(video));
        self.videos.append(!row.videos.is_empty());
        put_pairs(&mut self.fields, &row.fields)?;
        put(&mut self.warc_file, &row.warc_file);
        self.warc_offset.append_option(row.warc_offset.map(signed));
        put(&mut self.canonical, &row.canonical);
        self.noindex.append_value(row.noindex);
        // The same bits: no engine has all types, and every one has this.
        self.simhash.append_option(row.simhash.map(u64::cast_signed));
        put(&mut self.near_duplicate_of, &row.near_duplicate_of);
        put(&mut self.modified, &row.modified);
        put_pairs(&mut self.product, &row.product)?;
        put_pairs(&mut self.sources, &row.sources)?;
        put_pairs(&mut self.topics, &row.topics)
    }

    /// What was pushed since the last time, in the order of the contract; `false` is never null.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns: [(&str, ArrayRef, bool); 34] = [
            ("url", Arc::new(self.url.finish()), false),
            ("final_url", Arc::new(self.final_url.finish()), true),
            ("site", Arc::new(self.site.finish()), true),
            ("depth", Arc::new(self.depth.finish()), false),
            ("parent", Arc::new(self.parent.finish()), true),
            ("status", Arc::new(self.status.finish()), false),
            ("fetched_at", Arc::new(self.fetched_at.finish()), false),
            ("elapsed_ms", Arc::new(self.elapsed_ms.finish()), false),
            ("content_type", Arc::new(self.content_type.finish()), true),
            ("charset", Arc::new(self.charset.finish()), true),
            ("bytes_wire", Arc::new(self.bytes_wire.finish()), false),
            ("bytes_body", Arc::new(self.bytes_body.finish()), false),
            ("digest", Arc::new(self.digest.finish()), false),
            ("etag", Arc::new(self.etag.finish()), true),
            ("last_modified", Arc::new(self.last_modified.finish()), true),
            ("duplicate_of", Arc::new(self.duplicate_of.finish()), true),
            ("lang", Arc::new(self.lang.finish()), true),
            ("title", Arc::new(self.title.finish()), true),
            ("published", Arc::new(self.published.finish()), true),
            ("author", Arc::new(self.author.finish()), true),
            ("copyright", Arc::new(self.copyright.finish()), true),
            ("text", Arc::new(self.text.finish()), true),
            ("videos", Arc::new(self.videos.finish()), true),
            ("fields", Arc::new(self.fields.finish()), true),
            ("warc_file", Arc::new(self.warc_file.finish()), true),
            ("warc_offset", Arc::new(self.warc_offset.finish()), true),
            ("canonical", Arc::new(self.canonical.finish()), true),
            ("noindex", Arc::new(self.noindex.finish()), false),
            ("simhash", Arc::new(self.simhash.finish()), true),
            ("near_duplicate_of", Arc::new(self.near_duplicate_of.finish()), true),
            ("modified", Arc::new(self.modified.finish()), true),
            ("product", Arc::new(self.product.finish()), true),
            ("sources", Arc::new(self.sources.finish()), true),
            ("topics", Arc::new(self.topics.finish()), true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns)
    }
}

fn map() -> Map {
    // The names that the Parquet standard gives the parts of a map.
    let names = MapFieldNames {
        entry: "key_value".to_owned(),
        key: "key".to_owned(),
        value: "value".to_owned(),
    };
    MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new())
}

/// No pairs at all are null.
fn put_pairs(column: &mut Map, pairs: &[(String, String)]) -> Result<(), ArrowError> {
    for (key, value) in pairs {
        column.keys().append_value(key);
        column.values().append_value(value);
    }
    column.append(!pairs.is_empty())
}

fn put(column: &mut StringBuilder, value: &Option<Cow<'_, str>>) {
    column.append_option(value.as_deref());
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
=======
        Columns(TABLE.iter().map(|column| Builder::of(column.value)).collect())
    }

    pub fn push(&mut self, row: &Row<'_>) -> Result<(), ArrowError> {
        let mut columns = self.0.iter_mut().zip(&TABLE);
        columns.try_for_each(|(builder, column)| builder.push(column.value, row))
    }

    /// What was pushed since the last time.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(schema(), self.0.iter_mut().map(Builder::take).collect())
    }
}

impl Builder {
    fn of(value: Value) -> Builder {
        let text = StringBuilder::new;
        match value {
            Value::Text(_) => Builder::Text(text()),
            Value::Small(_) => Builder::Small(Int32Builder::new()),
            Value::Number(_) => Builder::Number(Int64Builder::new()),
            Value::Truth(_) => Builder::Truth(BooleanBuilder::new()),
            Value::Time(_) => {
                Builder::Time(TimestampMillisecondBuilder::new().with_timezone("UTC"))
            }
            Value::List(_) => Builder::List(ListBuilder::new(text())),
            Value::Map(_) => Builder::Map(MapBuilder::new(Some(map_names()), text(), text())),
        }
    }

    fn push(&mut self, value: Value, row: &Row<'_>) -> Result<(), ArrowError> {
        match (self, value) {
            (Builder::Text(column), Value::Text(of)) => column.append_option(of(row)),
            (Builder::Small(column), Value::Small(of)) => column.append_option(of(row)),
            (Builder::Number(column), Value::Number(of)) => column.append_option(of(row)),
            (Builder::Truth(column), Value::Truth(of)) => column.append_option(of(row)),
            (Builder::Time(column), Value::Time(of)) => column.append_option(of(row)),
            (Builder::List(column), Value::List(of)) => {
                of(row).iter().for_each(|text| column.values().append_value(text));
                column.append(!of(row).is_empty());
            }
            (Builder::Map(column), Value::Map(of)) => {
                for (key, value) in of(row) {
                    column.keys().append_value(key);
                    column.values().append_value(value);
                }
                column.append(!of(row).is_empty())?;
            }
            _ => unreachable!("each builder was made for its column"),
        }
        Ok(())
    }

    fn take(&mut self) -> ArrayRef {
        match self {
            Builder::Text(column) => Arc::new(column.finish()),
            Builder::Small(column) => Arc::new(column.finish()),
            Builder::Number(column) => Arc::new(column.finish()),
            Builder::Truth(column) => Arc::new(column.finish()),
            Builder::Time(column) => Arc::new(column.finish()),
            Builder::List(column) => Arc::new(column.finish()),
            Builder::Map(column) => Arc::new(column.finish()),
        }
    }
}
>>>>>>> i7-sinks
