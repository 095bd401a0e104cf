//! Parts of the log that were read lately: what is asked for next was mostly found on the same page as what was asked for last.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

const BLOCK: usize = 4096;
/// A mebibyte at the most, for some hundreds of hosts whose URLs are read in turn.
const BLOCKS: usize = 256;

/// A block has the slot of its number, and a newcomer simply takes it. What was written is never changed, so a block
/// can only be shorter than the file is by now.
#[derive(Default)]
pub struct Blocks {
    slots: Vec<Block>,
}

#[derive(Default)]
struct Block {
    start: u64,
    bytes: Vec<u8>,
}

impl Blocks {
    /// What stands at `position`, to the end of its block: of a record perhaps not all.
    pub fn at(&mut self, file: &File, position: u64, written: u64) -> io::Result<&[u8]> {
        self.slots.resize_with(BLOCKS, Block::default);
        let start = position - position % BLOCK as u64;
        let block = &mut self.slots[(position / BLOCK as u64) as usize % BLOCKS];
        let there = written.saturating_sub(start).min(BLOCK as u64) as usize;
        if block.start != start || block.bytes.len() < there {
            block.bytes.clear();
            block.bytes.resize(there, 0);
            let read = file.read_exact_at(&mut block.bytes, start);
            if read.is_err() {
                block.bytes.clear();
            }
            block.start = start;
            read?;
        }
        Ok(block.bytes.get((position - start) as usize..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_is_written_later_is_read_too() {
        let mut file = tempfile::tempfile().unwrap();
        let mut blocks = Blocks::default();
        let mut written = 0;
        for part in 0..40_u8 {
            file.write_all(&[part; 300]).unwrap();
            written += 300;
            for earlier in 0..=part {
                let position = u64::from(earlier) * 300;
                let read = blocks.at(&file, position, written).unwrap();
                assert!(
                    !read.is_empty() && read[..read.len().min(300)].iter().all(|it| *it == earlier)
                );
            }
        }
        assert!(blocks.at(&file, written, written).unwrap().is_empty());
    }

    #[test]
    fn blocks_that_share_a_slot_take_turns() {
        let mut file = tempfile::tempfile().unwrap();
        let one = vec![1; BLOCK];
        (0..BLOCKS).for_each(|_| file.write_all(&one).unwrap());
        file.write_all(&[2; 10]).unwrap();
        let (mut blocks, far) = (Blocks::default(), (BLOCK * BLOCKS) as u64);
        for _ in 0..2 {
            assert_eq!(blocks.at(&file, 0, far + 10).unwrap(), one);
            assert_eq!(blocks.at(&file, far, far + 10).unwrap(), [2; 10]);
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_kept() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 100]).unwrap();
        let mut blocks = Blocks::default();
        assert!(blocks.at(&file, 0, 200).is_err(), "it is shorter than it was said to be");
        file.write_all(&[1; 100]).unwrap();
        assert_eq!(blocks.at(&file, 150, 200).unwrap(), [1; 50]);
    }
}
