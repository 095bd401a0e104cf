//! Every figure is written as what it is said to be.

#![allow(clippy::unwrap_used)]

use quick_xml::events::Event;
use weir_sim::figures::{FigureError, figure, list};

#[test]
fn a_figure_is_a_picture_and_a_table_of_bearable_size() {
    for name in ["zhu-4", "zhu-10", "zhu-12", "diligenti-1", "diligenti-3"] {
        let figure = figure(name).unwrap();
        let files = figure.files();
        assert!(files.iter().any(|(file, _)| *file == format!("{name}.csv")));
        let (_, svg) = files.iter().find(|(file, _)| *file == format!("{name}.svg")).unwrap();
        assert!(svg.len() < 60_000, "{name}: {}", svg.len());
        check_svg(svg);
        for (file, text) in files.iter().filter(|(file, _)| file.ends_with(".csv")) {
            let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
            let fields = lines[0].matches(',').count();
            assert!(lines.len() > 3, "{file}");
            assert!(lines.iter().all(|line| line.matches(',').count() == fields), "{file}");
        }
        assert!(figure.plain().lines().all(|line| line.chars().count() < 160), "{name}");
    }
}

/// Well-formed, and nothing that runs or is fetched.
fn check_svg(svg: &str) {
    let mut reader = quick_xml::Reader::from_str(svg);
    let (mut depth, mut texts) = (0, 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) => {
                depth += 1;
                texts += usize::from(element.name().as_ref() == "text");
                for attribute in element.attributes() {
                    let attribute = attribute.unwrap();
                    let value = &attribute.value;
                    let is_name = attribute.key.as_ref() == "xmlns";
                    assert!(is_name || !value.contains("//"), "{value}");
                    assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
                }
                assert_ne!(element.name().as_ref(), "script");
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(depth == 0 && texts > 20);
    assert!(!svg.contains("href") && !svg.contains("@import") && !svg.contains("url("));
}

#[test]
fn a_figure_is_the_same_every_time() {
    for name in ["zhu-8", "diligenti-2"] {
        assert_eq!(figure(name).unwrap(), figure(name).unwrap());
    }
}

#[test]
fn what_is_no_figure_is_refused_with_those_there_are() {
    let why = figure("zhu-1").unwrap_err();
    assert_eq!(why, FigureError::Unknown("zhu-1".to_owned()));
    for (name, _) in list() {
        assert!(why.to_string().contains(name));
    }
}
