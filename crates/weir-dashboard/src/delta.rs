//! Of each row, which of its fields have changed since when.

use serde_json::{Map, Value};

use crate::state::Site;

/// The rows as they are, and the number of the state in which each field was last another one.
#[derive(Default)]
pub struct Rows {
    rows: Vec<Row>,
}

struct Row {
    site: Site,
    fields: Map<String, Value>,
    changed: Vec<u64>,
    last: u64,
}

impl Rows {
    /// `seq` is the number of the state that these are part of.
    pub fn put(&mut self, sites: &[Site], seq: u64) {
        // Another crawl in the same place begins anew.
        let is_same = self.rows.iter().zip(sites).all(|(row, site)| row.site.site == site.site);
        if !is_same || sites.len() < self.rows.len() {
            self.rows.clear();
        }
        for (at, site) in sites.iter().enumerate() {
            match self.rows.get_mut(at) {
                Some(row) if row.site == *site => {}
                Some(row) => row.put(site, seq),
                None => self.rows.push(Row::new(site, seq)),
            }
        }
    }

    /// What has changed after state `since`, as pairs of a row's number and its fields.
    pub fn since(&self, since: u64) -> Vec<Value> {
        let changed = self.rows.iter().enumerate().filter(|(_, row)| row.last > since);
        changed.map(|(at, row)| Value::from(vec![Value::from(at), row.since(since)])).collect()
    }
}

impl Row {
    fn new(site: &Site, seq: u64) -> Row {
        let fields = fields(site);
        let changed = vec![seq; fields.len()];
        Row { site: site.clone(), fields, changed, last: seq }
    }

    fn put(&mut self, site: &Site, seq: u64) {
        let new = fields(site);
        for (at, (name, value)) in new.iter().enumerate() {
            if self.fields.get(name) != Some(value) {
                self.changed[at] = seq;
            }
        }
        (self.site, self.fields, self.last) = (site.clone(), new, seq);
    }

    fn since(&self, since: u64) -> Value {
        let pairs = self.fields.iter().zip(&self.changed).filter(|(_, seq)| **seq > since);
        Value::Object(pairs.map(|((name, value), _)| (name.clone(), value.clone())).collect())
    }
}

fn fields(site: &Site) -> Map<String, Value> {
    match serde_json::to_value(site) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn site(name: &str, pages: u64) -> Site {
        Site { site: name.to_owned(), pages, ..Site::default() }
    }

    #[test]
    fn only_what_has_changed_is_told_again() {
        let mut rows = Rows::default();
        rows.put(&[site("a", 1), site("b", 1)], 1);
        assert_eq!(rows.since(0).len(), 2);
        assert_eq!(rows.since(0)[0][1]["site"], "a");
        rows.put(&[site("a", 1), site("b", 2)], 2);
        assert_eq!(rows.since(1), [json!([1, {"pages": 2}])]);
        rows.put(&[site("a", 5), site("b", 2), site("c", 0)], 3);
        let told = rows.since(1);
        assert_eq!(told[0], json!([0, {"pages": 5}]));
        assert_eq!(told[1], json!([1, {"pages": 2}]), "who missed a state gets that too");
        assert_eq!(told[2][1]["site"], "c");
        assert!(rows.since(3).is_empty());
    }

    #[test]
    fn another_crawl_in_the_same_place_is_told_as_a_whole() {
        let mut rows = Rows::default();
        rows.put(&[site("a", 1), site("b", 1)], 1);
        rows.put(&[site("b", 1)], 2);
        assert_eq!(rows.since(1).len(), 1);
        assert_eq!(rows.since(1)[0][1]["site"], "b");
    }
}
