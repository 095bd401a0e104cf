/// What the pages of a web are like.
///
/// Studies that came back to hundreds of thousands of pages for weeks or months agree on the shape, not on the
/// numbers: most pages hardly ever change, a part changes every few days, a smaller one daily or
/// more, rates range over four powers of ten, and pages of one site are more alike than those of two. The
/// mixtures below have this shape. The numbers are ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    pub name: &'static str,
    /// Kinds of pages: their part, the days between changes in the middle, the spread of the logarithm.
    pub kinds: &'static [(f64, f64, f64)],
    /// How far sites are apart: the spread of the logarithm of what all rates of a site are multiplied by.
    pub site_spread: f64,
    /// How unequal pages are in value: the spread of the logarithm of their weight.
    pub weight_spread: f64,
    /// The part of the sites that answer conditional requests, and the part that date their changes.
    pub conditional: f64,
    pub dated: f64,
    /// The part of the pages whose rate is drawn anew half-way.
    pub shifting: f64,
}

const WEB: Mix = Mix {
    name: "web",
    kinds: &[(0.60, 200.0, 0.8), (0.25, 20.0, 0.8), (0.12, 1.5, 0.6), (0.03, 0.1, 0.6)],
    site_spread: 0.5,
    weight_spread: 0.0,
    conditional: 0.6,
    dated: 0.4,
    shifting: 0.0,
};

/// The mixes that are measured.
pub const MIXES: [Mix; 6] = [
    WEB,
    Mix { name: "broad", kinds: &[(1.0, 30.0, 2.2)], ..WEB },
    Mix {
        name: "news",
        kinds: &[(0.30, 100.0, 0.8), (0.30, 7.0, 0.8), (0.28, 1.0, 0.6), (0.12, 0.1, 0.6)],
        ..WEB
    },
    Mix { name: "unequal", weight_spread: 1.5, ..WEB },
    Mix { name: "silent", conditional: 0.0, dated: 0.0, ..WEB },
    Mix { name: "shifting", shifting: 0.2, ..WEB },
];
