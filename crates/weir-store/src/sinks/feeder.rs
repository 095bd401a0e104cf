/// Whom sinks are fed by: a crawl, or one of the stores that a crawl has on several machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeder {
    pub crawl: String,
    /// Which of several stores it is. Each has a place of its own in a table, and rows of all of
    /// them may go to one; files of all of them may go to one folder of an object store.
    pub part: Option<String>,
}

impl Feeder {
    /// The only store of a crawl.
    pub fn whole(crawl: impl Into<String>) -> Feeder {
        Feeder { crawl: crawl.into(), part: None }
    }

    /// What its place is noted under.
    pub(crate) fn place(&self) -> String {
        match &self.part {
            Some(part) => format!("{}-{part}", self.crawl),
            None => self.crawl.clone(),
        }
    }
}
