use std::fmt::Write;

use super::style::{STYLE, Stroke};

/// An SVG in the making. Coordinates are pixels from the upper left corner.
pub struct Svg {
    text: String,
}

impl Svg {
    pub fn new(width: f64, height: f64, title: &str, about: &str) -> Svg {
        let mut svg = Svg { text: String::with_capacity(16 * 1024) };
        let (width, height) = (short(width), short(height));
        svg.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
        ));
        svg.put(format_args!("<title>{}</title>\n", escaped(title)));
        svg.put(format_args!("<desc>{}</desc>\n", escaped(about)));
        svg.put(format_args!("<style>{STYLE}</style>\n"));
        svg.put(format_args!("<rect class=\"b\" width=\"{width}\" height=\"{height}\"/>\n"));
        svg
    }

    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// `class` says how large and where it is anchored; `style.rs` has the classes.
    pub fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let (x, y) = (short(x), short(y));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>\n",
            escaped(text)
        ));
    }

    /// Reads upwards; for the label of a vertical axis.
    pub fn text_upwards(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let (x, y) = (short(x), short(y));
        self.put(format_args!(
            "<text transform=\"translate({x},{y}) rotate(-90)\" class=\"{class}\">{}</text>\n",
            escaped(text)
        ));
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.put(format_args!(
            "<path class=\"{class}\" d=\"M{},{}L{},{}\"/>\n",
            short(from.0),
            short(from.1),
            short(to.0),
            short(to.1)
        ));
    }

    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        self.put(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {fill}/>\n",
            short(x),
            short(y),
            short(width),
            short(height)
        ));
    }

    /// An area with a closed edge.
    pub fn area(&mut self, points: &[(f64, f64)], fill: &str) {
        if points.len() > 2 {
            let path = path_of(points);
            self.put(format_args!("<path d=\"{path}Z\" {fill}/>\n"));
        }
    }

    pub fn curve(&mut self, points: &[(f64, f64)], stroke: &Stroke) {
        if points.len() > 1 {
            let path = path_of(points);
            let Stroke { colour, dash, .. } = stroke;
            self.put(format_args!(
                "<path class=\"c\" d=\"{path}\" stroke=\"{colour}\" stroke-dasharray=\"{dash}\"/>\n"
            ));
        }
    }

    /// Marks of one kind, all in one element.
    pub fn marks(&mut self, points: &[(f64, f64)], stroke: &Stroke) {
        let mut path = String::new();
        for &(x, y) in points {
            let _ = write!(path, "M{},{}{}", short(x), short(y), stroke.mark);
        }
        if !path.is_empty() {
            self.put(format_args!(
                "<path class=\"k\" d=\"{path}\" stroke=\"{}\"/>\n",
                stroke.colour
            ));
        }
    }

    fn put(&mut self, what: std::fmt::Arguments<'_>) {
        self.text.write_fmt(what).expect("a String takes all that is written to it");
    }
}

fn path_of(points: &[(f64, f64)]) -> String {
    let mut path = String::with_capacity(points.len() * 12);
    for (index, &(x, y)) in points.iter().enumerate() {
        let step = if index == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{step}{},{}", short(x), short(y));
    }
    path
}

/// A tenth of a pixel is all that can be seen.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML has no way to write these.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            escaped("a<b>&\"c\"\u{0}\u{1b}"),
            "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 1.25, -0.01, 10.96].map(short), ["1", "1.2", "0", "11"]);
    }
}
