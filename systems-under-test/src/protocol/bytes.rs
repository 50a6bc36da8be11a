//! Encoded values: what crosses machines, and what is written to storage.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::{Debug, Formatter};
use std::ops::Deref;
use std::rc::Rc;

/// A value in our own encoding; to clone it copies nothing.
#[derive(Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Bytes(Rc<[u8]>);

impl Bytes {
    /// Encodes a value; decode with [`decode`].
    pub fn encode<T: Serialize>(value: &T) -> Bytes {
        Bytes(postcard::to_allocvec(value).expect("plain data always encodes").into())
    }
}

/// An encoding of one's own.
impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(bytes.into())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// How many they are, and a checksum (FNV-1a): nobody reads thousands of numbers, and whether two
/// are the same can be seen.
impl Debug for Bytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let sum = self
            .iter()
            .fold(0x811c_9dc5u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
        write!(f, "{} bytes #{sum:08x}", self.len())
    }
}

/// Decodes what [`Bytes::encode`] made.
///
/// # Panics
/// When they are of another type: whoever reads a message or a state knows what was written.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> T {
    postcard::from_bytes(bytes).expect("bytes are read as what they were written as")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_by_number_and_checksum() {
        // The checksums of nothing and of "a" that are published with the algorithm.
        assert_eq!(format!("{:?}", Bytes::default()), "0 bytes #811c9dc5");
        assert_eq!(format!("{:?}", Bytes::from(b"a".to_vec())), "1 bytes #e40c292c");
        assert_eq!(Bytes::encode(&b'a'), Bytes::from(b"a".to_vec()));
        let numbers: Vec<u16> = (0..1000).collect();
        let bytes = Bytes::encode(&numbers);
        assert!(format!("{bytes:?}").len() < 32);
        assert_eq!(decode::<Vec<u16>>(&bytes), numbers);
    }
}
