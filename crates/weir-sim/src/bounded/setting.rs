/// What the paper leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub servers: usize,
    /// The speed of a server in the middle, in bytes a second, and the spread of its logarithm.
    pub speed: f64,
    pub spread: f64,
    /// No server is faster on average over the day.
    pub fastest: f64,
    /// How far the speed of a download is off its server's: the spread of the logarithm.
    pub noise: f64,
    /// Seconds from the request to the first byte, in the middle.
    pub latency: f64,
    /// A document in the middle, in bytes, and the spread of its logarithm.
    pub size: f64,
    pub size_spread: f64,
    /// Documents of one server in a row, on average.
    pub in_a_row: f64,
    pub connections: Connections,
    pub fetchers: usize,
    pub search: Search,
    /// Seconds between searches besides those after a download; infinite if there are none.
    pub check: f64,
    /// A document that was often overtaken lets nobody pass until it fits. The paper says that fast
    /// servers are kept from starving, not how.
    pub patient: bool,
    /// Downloads of each server that the table of speeds knows beforehand.
    pub known: usize,
}

/// Several documents of one server at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connections {
    /// Each comes at the server's full speed.
    Apart,
    /// They share the speed of the server.
    Shared,
    /// One at a time; documents that wait for their server are passed over and not counted.
    One,
    /// One at a time; documents that wait for their server count as looked at, and use up the depth.
    OneCounted,
}

/// When the manager looks for documents that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// After a download, from the top again until nothing more fits.
    Fill,
    /// After a download, once down to the depth.
    Once,
    /// After a download, until one document is found.
    One,
}

impl Setting {
    /// A few servers are nearly as fast as the limit or faster, and fit only when the line is nearly empty.
    pub const MIXED: Setting = Setting {
        servers: 60,
        speed: 18_000.0,
        spread: 0.9,
        fastest: f64::INFINITY,
        noise: 0.3,
        latency: 0.01,
        size: 12_000.0,
        size_spread: 1.0,
        in_a_row: 1.0,
        connections: Connections::Apart,
        fetchers: 50,
        search: Search::Once,
        check: f64::INFINITY,
        patient: true,
        known: 10,
    };
    /// The servers are more alike, and none takes more than a part of the limit.
    pub const ALIKE: Setting = Setting { spread: 0.5, ..Setting::MIXED };
}
