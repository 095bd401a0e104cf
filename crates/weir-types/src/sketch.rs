/// What a page's text looks like, in a few words: enough to tell whether it is nearly the same as
/// another page, or brings anything that pages like it did not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Pages whose texts are nearly equal differ in few of these bits.
    pub simhash: u64,
    /// The least hashes of the page's pieces of text: the same piece is in the sample of every
    /// page that has it, as long as the sample is not full of lesser ones.
    pub sample: Box<[u32]>,
}
