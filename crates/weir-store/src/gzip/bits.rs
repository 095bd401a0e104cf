/// Writes bits into a slice, the lowest first, as deflate wants them.
pub(super) struct Bits<'a> {
    out: &'a mut [u8],
    at: usize,
    held: u64,
    count: u32,
}

impl<'a> Bits<'a> {
    /// `out` must have eight bytes more than will be written.
    pub fn new(out: &'a mut [u8]) -> Self {
        Bits { out, at: 0, held: 0, count: 0 }
    }

    /// Adds the bits of `code`. No more than 56 may come between two calls of `flush`.
    #[inline(always)]
    pub fn put(&mut self, code: Code) {
        self.held |= code.0 >> 8 << (self.count & 63);
        self.count += code.0 as u32 & 63;
    }

    #[inline(always)]
    pub fn flush(&mut self) {
        self.out[self.at..self.at + 8].copy_from_slice(&self.held.to_le_bytes());
        self.at += (self.count >> 3) as usize;
        self.held >>= self.count & 56;
        self.count &= 7;
    }

    /// Whole bytes that are written.
    pub fn len(&self) -> usize {
        self.at
    }

    /// Fills the last byte with zeros and returns how many bytes there are.
    pub fn finish(mut self) -> usize {
        self.flush();
        self.at + usize::from(self.count > 0)
    }
}

/// At most 56 bits that stand for something, above their number in the lowest byte.
#[derive(Clone, Copy, Default)]
pub(super) struct Code(u64);

impl Code {
    pub fn new(bits: u32, count: u8) -> Self {
        Code(u64::from(bits) << 8 | u64::from(count))
    }

    /// This, and then `count` bits more.
    #[inline(always)]
    pub fn then(self, bits: u32, count: u8) -> Self {
        Code((self.0 | u64::from(bits) << (8 + (self.0 & 31))) + u64::from(count))
    }

    /// This or nothing, without a branch: the processor would guess it wrong too often.
    #[inline(always)]
    pub fn only_if(self, wanted: bool) -> Self {
        Code(self.0 & 0_u64.wrapping_sub(u64::from(wanted)))
    }
}
