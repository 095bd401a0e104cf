use tokio::sync::watch;
use weir_cluster::bank::Held;
use weir_crawl::{Progress, Stop};

use crate::TaskError;
use crate::task::{Done, Task, run_beside};

/// Crawls a bucket that the bank has given to this attempt: within what the bank grants, and only as long
/// as it is this attempt's. The result is for the caller to hand in, when the files are where they belong.
pub fn run_held(
    mut task: Task,
    held: &Held,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Done, TaskError> {
    task.shaper = held.shaper();
    let (end, ending) = watch::channel(Stop::No);
    let mut before = None;
    let mut look = |progress: &Progress| {
        // What earlier rounds brought is counted, too.
        let (pages, bytes) = *before.get_or_insert((progress.pages, progress.bytes_wire));
        held.tell(
            progress.pages.saturating_sub(pages),
            progress.bytes_wire.saturating_sub(bytes),
            0,
        );
        let wanted = if held.is_lost() { Stop::Now } else { *stop.borrow() };
        end.send_if_modified(|now| std::mem::replace(now, wanted) != wanted);
        watch(progress);
    };
    let done = run_beside(task, Some(held.servers()), ending, &mut look);
    match held.is_lost() {
        true => Err(TaskError::Lost),
        false => done,
    }
}
