//! How lines and areas differ: by mark and dash first, by colour only besides.

/// Classes: `b` background, `t` title, `s` small print, `m` middle and `e` end anchored, `a` axis, `g` grid,
/// `c` curve, `k` mark, `d` deadline, `o` outline, `l` the edge of a cap.
pub const STYLE: &str = "\
text{font:12px sans-serif;fill:#222}.t{font-size:15px;font-weight:bold}.s{font-size:11px;fill:#555}\
.m{text-anchor:middle}.e{text-anchor:end}.b{fill:#fff}\
.a,.g,.c,.k,.d,.o,.l{fill:none;stroke-width:1}.a{stroke:#444}.g{stroke:#ddd}.c{stroke-width:1.8}\
.k{stroke-width:1.6;fill:#fff}.d{stroke:#222;stroke-width:2}.o{stroke:#fff;stroke-width:.7}\
.l{stroke:#222;stroke-width:1.6;stroke-dasharray:6 3}.w{fill:#fff}\
@media (prefers-color-scheme:dark){text{fill:#e6e6e6}.s{fill:#aaa}.b{fill:#16191d}.a{stroke:#bbb}\
.g{stroke:#333}.k{fill:#16191d}.d{stroke:#eee}.o{stroke:#16191d}.l{stroke:#eee}.w{fill:#fff}}";

pub struct Stroke {
    pub colour: &'static str,
    pub dash: &'static str,
    /// The outline of a mark, as a path relative to its middle.
    pub mark: &'static str,
}

/// Of middling lightness, to be seen on white and on black.
const COLOURS: [&str; 9] = [
    "#2a7fc1", "#d1720f", "#3a9a4c", "#cf3f52", "#8b62c9", "#a5713f", "#c65aa8", "#7d7f82",
    "#1d9aa3",
];

const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

/// Circle, square, triangle up, diamond, cross, triangle down, plus, hexagon, bar.
const MARKS: [&str; 9] = [
    "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "m-3.5,-3.5h7v7h-7z",
    "m0,-4.5l4.3,7.5h-8.6z",
    "m0,-5l4,5l-4,5l-4,-5z",
    "m-3.5,-3.5l7,7m0,-7l-7,7",
    "m0,4.5l4.3,-7.5h-8.6z",
    "m-4.5,0h9m-4.5,-4.5v9",
    "m-4.5,0l2.2,-3.9h4.6l2.2,3.9l-2.2,3.9h-4.6z",
    "m-5,-1.5h10v3h-10z",
];

/// The look of the series with this number; no two of the first 36 are alike without colour.
pub fn stroke(index: usize) -> Stroke {
    Stroke {
        colour: COLOURS[index % COLOURS.len()],
        dash: DASHES[index % DASHES.len()],
        mark: MARKS[index % MARKS.len()],
    }
}

pub fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn lines_differ_without_their_colour() {
        let looks: HashSet<_> = (0..36).map(|i| (stroke(i).dash, stroke(i).mark)).collect();
        assert_eq!(looks.len(), 36);
    }
}
