use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// An allocator that knows how much each thread holds. A test that wants to know declares it:
/// `#[global_allocator] static COUNTING: weir_fuzz::Counting = weir_fuzz::Counting;`
pub struct Counting;

thread_local! {
    /// What was freed on another thread than it was taken on makes this too large or negative,
    /// which `peak_of` does not see as long as the work stays on its thread.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// What `work` returns, and the most bytes it held at a time on this thread.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let done = work();
    (done, usize::try_from(PEAK.get() - before).unwrap_or(0))
}

fn took(bytes: usize) {
    HELD.set(HELD.get() + bytes as isize);
    PEAK.set(PEAK.get().max(HELD.get()));
}

fn gave_back(bytes: usize) {
    HELD.set(HELD.get() - bytes as isize);
}

// SAFETY: all is done by the system's allocator; counting allocates nothing, since the cells are
// made when the thread is and have no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller keeps the same promises to us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        gave_back(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there at a time.
        took(size);
        // SAFETY: as above.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        gave_back(layout.size());
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static COUNTING: Counting = Counting;

    #[test]
    fn the_peak_is_what_was_held_at_a_time() {
        let (_, peak) = peak_of(|| {
            for _ in 0..10 {
                drop(std::hint::black_box(vec![1u8; 1000]));
            }
        });
        assert!((1000..2000).contains(&peak), "{peak}");
        let (_, peak) = peak_of(|| std::hint::black_box(vec![vec![1u8; 1000]; 10]).len());
        assert!(peak >= 10_000, "{peak}");
    }
}
