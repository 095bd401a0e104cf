use clap::{Arg, CommandFactory};
use weir_crawl::{EXAMPLE, Settings, SiteSettings};

use super::{MADE, cell, hold};
use crate::args::Args;

/// Some keys of the file that `weir init` writes, with the words above them.
#[derive(Default)]
struct Entry {
    words: Vec<&'static str>,
    lines: Vec<&'static str>,
    keys: Vec<&'static str>,
}

#[test]
fn the_keys_of_the_reference_are_those_of_the_file_that_init_writes() {
    let mut page = format!(
        "# Keys of weir.toml\n\n{MADE}\n\nWhat `weir init` writes, key by key. The value that is shown is the default, or an example \
         where there is none. A flag of the same name wins over the file.\n"
    );
    let flags = flags();
    for entry in entries() {
        entry.print(&flags, &mut page);
    }
    hold("keys.md", &page);
}

#[test]
fn every_key_of_the_code_is_in_the_reference() {
    let entries = entries();
    let has = |key: &str| entries.iter().any(|entry| entry.keys.contains(&key));
    let top = toml::from_str::<Settings>("no-such-key = 1").unwrap_err();
    let of_site = toml::from_str::<SiteSettings>("no-such-key = 1").unwrap_err();
    for why in [top.to_string(), of_site.to_string()] {
        let known = why.split("expected one of").nth(1).unwrap();
        let names = known.split('`').skip(1).step_by(2).filter(|name| !name.contains('_'));
        names.for_each(|name| assert!(has(name), "{name}"));
    }
}

impl Entry {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.lines.is_empty()
    }

    fn print(&self, flags: &[Arg], page: &mut String) {
        page.push_str(&format!("\n## {}\n\n", self.heading()));
        page.push_str(&format!("{}\n\n", self.words.join("\n").replace('<', "&lt;")));
        page.push_str(&format!("```toml\n{}\n```\n", self.lines.join("\n")));
        // The keys of a site mean the same as those above, which have told of their flags.
        let flags = flags.iter().filter(|flag| !self.is_of_table() && self.is_key(flag));
        let rows: Vec<_> = flags.map(row).collect();
        if !rows.is_empty() {
            page.push_str(&format!("\n| flag | |\n| --- | --- |\n{}", rows.concat()));
        }
    }

    fn heading(&self) -> String {
        match self.lines.first() {
            Some(table) if self.is_of_table() => format!("`{table}`"),
            _ => self.keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "),
        }
    }

    fn is_key(&self, flag: &Arg) -> bool {
        flag.get_long().is_some_and(|long| self.keys.contains(&long))
    }

    fn is_of_table(&self) -> bool {
        self.lines.first().is_some_and(|line| line.starts_with('['))
    }

    /// `bare` is the line without what makes it a comment; of a table, words stay comments between its keys.
    fn take(&mut self, line: &'static str, bare: &'static str) {
        match is_code(bare) {
            true => self.lines.push(bare),
            false if self.is_of_table() => self.lines.push(line),
            false => self.words.push(bare),
        }
        self.keys.extend(key(bare).filter(|key| !self.keys.contains(key)));
    }
}

fn row(flag: &Arg) -> String {
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    format!("| `{}` | {} |\n", cell(&flag.to_string()).replace("&lt;", "<"), cell(&help))
}

/// Those of a crawl, and those that only a scheduler has.
fn flags() -> Vec<Arg> {
    let mut weir = Args::command();
    weir.build();
    let scheduler = weir.find_subcommand("scheduler").unwrap();
    scheduler.get_arguments().filter(|flag| flag.get_long().is_some()).cloned().collect()
}

/// A table is one entry; elsewhere words begin a new one.
fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut entry = Entry::default();
    let after_heading = EXAMPLE.lines().skip_while(|line| !line.is_empty());
    for line in after_heading {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let is_next = !is_code(bare) && !entry.lines.is_empty() && !entry.is_of_table();
        if (line.is_empty() || is_next) && !entry.is_empty() {
            entries.push(std::mem::take(&mut entry));
        }
        if !line.is_empty() {
            entry.take(line, bare);
        }
    }
    entries.push(entry);
    entries
}

fn is_code(line: &str) -> bool {
    key(line).is_some() || line.starts_with("  {") || line.starts_with(']')
}

/// `depth` of `depth = 5`, `fields` of `fields.price = …`, `site` of `[[site]]`.
fn key(line: &str) -> Option<&str> {
    let name = match line.strip_prefix('[') {
        Some(table) => table.trim_start_matches('[').split([']', '.']).next()?,
        None => line.split_once(" = ")?.0.split('.').next()?,
    };
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}
