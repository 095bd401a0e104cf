//! Pictures as SVG, written by hand: lines over an axis, and who gets what rate when.
//!
//! A picture brings its own background and follows the reader's choice of light or dark. Nothing in
//! it depends on colour alone: lines have marks and dashes, areas have names.

mod lines;
mod plan;
mod scale;
mod style;
mod svg;

pub use lines::{Axis, Draw, Lines, Series};
pub use plan::Plan;

use svg::Svg;

/// One drawing of a picture; a picture stacks them.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    Lines(Lines),
    Plan(Plan),
}

const WIDTH: f64 = 860.0;
/// Above the first panel, for the title.
const HEAD: f64 = 34.0;
const CAPTION_LINE: f64 = 15.0;
const CAPTION_CHARS: usize = 134;

/// The whole picture: a title, the panels one below the other, and a caption in small print.
pub fn svg(title: &str, caption: &str, panels: &[Panel]) -> String {
    let lines = wrapped(caption, CAPTION_CHARS);
    let heights: Vec<f64> = panels.iter().map(Panel::height).collect();
    let body: f64 = heights.iter().sum();
    let height = HEAD + body + CAPTION_LINE * lines.len() as f64 + 12.0;
    let mut svg = Svg::new(WIDTH, height, title, caption);
    svg.text(WIDTH / 2.0, 22.0, "t m", title);
    let mut top = HEAD;
    for (panel, height) in panels.iter().zip(heights) {
        match panel {
            Panel::Lines(lines) => lines.draw(&mut svg, top, WIDTH, height),
            Panel::Plan(plan) => plan.draw(&mut svg, top, WIDTH, height),
        }
        top += height;
    }
    for line in lines {
        top += CAPTION_LINE;
        svg.text(14.0, top, "s", &line);
    }
    svg.finish()
}

impl Panel {
    fn height(&self) -> f64 {
        match self {
            Panel::Lines(lines) => lines.height(),
            Panel::Plan(plan) => plan.height(),
        }
    }
}

/// Lines of at most `most` characters, broken at spaces.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > most {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caption_is_broken_at_spaces() {
        assert_eq!(wrapped("a bb ccc\ndddd e", 4), ["a bb", "ccc", "dddd", "e"]);
        assert!(wrapped("", 4).is_empty());
    }
}
