//! The command: starts a web as its flags say, tells where it is, serves until it is told to stop.

mod args;
mod control;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use clap::Parser;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use weir_testsite::Web;

use args::Args;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("weir-testsite: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> io::Result<()> {
    let web = Arc::new(Web::start(args.spec())?);
    let control = control::start(web.clone())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        // Before the line is printed, so that who has read it may already say stop.
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let closed = input_closes(args.stay);
        let mut out = io::stdout().lock();
        writeln!(out, "{}", json!({ "seeds": web.seeds(), "control": control }))?;
        out.flush()?;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = closed => {}
        }
        Ok(())
    })
}

/// Resolves at the end of standard input, or never if `stay` is set.
async fn input_closes(stay: bool) {
    if stay {
        return std::future::pending().await;
    }
    let (done, closed) = oneshot::channel::<()>();
    thread::spawn(move || {
        // The end and an error mean the same: nobody is there any more.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        drop(done);
    });
    // The only news is that the sender is gone.
    let _ = closed.await;
}
