/// What a page's text looks like, in a few words: enough to tell whether it is nearly the same as
/// another page, or brings anything that pages like it did not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Pages whose texts are nearly equal differ in few of these bits.
    pub simhash: u64,
    /// The least hashes of what the page is made of: the same piece is in the sample of every
    /// page that has it, as long as the sample is not full of lesser ones. The last two bits of
    /// each say what it is: see [`Sketch::weight`].
    pub sample: Box<[u32]>,
}

/// What a piece of a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Piece {
    /// A number that is no date and no counter of a few pages.
    Number = 0,
    /// A few words.
    Short = 1,
    /// A sentence.
    Middle = 2,
    /// A paragraph, or a picture.
    Long = 3,
}

impl Sketch {
    /// How much a piece says about a page, if it is new.
    pub fn weight(hash: u32) -> u32 {
        [1, 2, 4, 6][(hash & 3) as usize]
    }

    /// The hash of a piece as it stands in a sample.
    pub fn hash(hash: u64, piece: Piece) -> u32 {
        ((hash >> 32) as u32 & !3) | piece as u32
    }
}
