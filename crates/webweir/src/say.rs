//! What is printed, for as long as somebody reads it. The macros of these names in `std` panic when nobody does any
//! more, as after `| head -1`; all of this crate has these instead.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use crate::exit::Exit;

/// A line for standard output. A reader who has seen enough is no failure, and what is being done goes on; what cannot
/// be written for another reason, as on a full disk, ends the command.
macro_rules! println {
    ($($words:tt)*) => { $crate::say::line(format_args!($($words)*)) };
}

/// A line for standard error. If nobody can be told, nobody is.
macro_rules! eprintln {
    ($($words:tt)*) => { $crate::say::aside(format_args!($($words)*)) };
}

pub fn line(words: Arguments<'_>) {
    match writeln!(std::io::stdout().lock(), "{words}") {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write to standard output: {why}");
            std::process::exit(Exit::CouldNotGoOn as i32);
        }
        _ => {}
    }
}

pub fn aside(words: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{words}");
}
