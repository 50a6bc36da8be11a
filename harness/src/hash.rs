//! The hash of whatever must be told apart: the events and effects of a node, a scenario's text.
//!
//! It feeds on `derive(Hash)`, whose sequence of words is a function of the values alone; the
//! hasher below is ours, so that it is the same on every platform and in every build.

use aftermath_systems::operator::mix;
use std::hash::Hasher;

/// A stable 64-bit hasher; not for hash tables.
///
/// Words go to four lanes in turn, so that four mixings are under way at once: in one lane each
/// would wait for the one before. Every event of every run passes here.
#[derive(Clone, Copy, Debug)]
pub struct TraceHash([u64; 4]);

impl Default for TraceHash {
    fn default() -> TraceHash {
        // Not zero, so that zeros at the beginning count.
        TraceHash([1, 2, 3, 4])
    }
}

impl Hasher for TraceHash {
    fn finish(&self) -> u64 {
        self.0.into_iter().fold(0, mix)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u16(&mut self, word: u16) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        // Turning the lanes costs nothing: it only says which register is which.
        let [next, second, third, last] = self.0;
        self.0 = [second, third, last, mix(next, word)];
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }
}
