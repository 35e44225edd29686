//! Single values as bytes: numbers, kernels, maths backends.

use core::iter;

use crate::error::{Error, FormatFault};
use crate::kernel::{
    Codes, Exp, Laplacian, Linear, Normalised, Poly, Product, Rbf, Sample, Scale, Sigmoid,
    Spectrum, Sum, Text,
};
#[cfg(feature = "micromath")]
use crate::math::Micromath;
use crate::math::{Fast, Libm};

/// A value that has a binary form of fixed size: kernels, so that a [`Detector`](crate::Detector)
/// with them can be stored.
///
/// A kernel writes a tag first, so that it is not taken for another one; tags from 0x80 are free
/// for your own kernels:
///
/// ```
/// use mercer::{Error, Kernel};
/// use mercer::detect::persist::{Encode, Reader, Writer};
///
/// /// `1/(1 + γ‖x−y‖²)`.
/// struct Cauchy {
///     gamma: f32,
/// }
/// # impl Kernel<[f32]> for Cauchy {
/// #     type Scalar = f32;
/// #     fn eval(&self, x: &[f32], y: &[f32]) -> f32 {
/// #         1.0 / (1.0 + self.gamma * x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum::<f32>())
/// #     }
/// # }
///
/// impl Encode for Cauchy {
///     const SIZE: usize = 1 + f32::SIZE;
///     fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
///         out.tag(0x80)?;
///         self.gamma.encode(out)
///     }
///     fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
///         input.tag("kernel", 0x80)?;
///         Ok(Self { gamma: f32::decode(input)? })
///     }
/// }
/// ```
pub trait Encode: Sized {
    /// How many bytes it takes.
    const SIZE: usize;

    /// Writes exactly [`SIZE`](Self::SIZE) bytes.
    ///
    /// # Errors
    /// [`Error::Capacity`] from the [`Writer`] when there is no room.
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error>;

    /// Reads what [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    /// [`Error::Format`] from the [`Reader`] when there is a wrong tag, or when bytes are missing.
    /// Whether parameters are in their domain is for [`Kernel::validate`](crate::Kernel::validate)
    /// to say.
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error>;
}

/// Where [`Encode`] writes to: a slice that is filled from the front.
#[derive(Debug)]
pub struct Writer<'a> {
    pub(super) rest: &'a mut [u8],
}

impl<'a> Writer<'a> {
    /// Fills this slice.
    pub const fn new(out: &'a mut [u8]) -> Self {
        Self { rest: out }
    }

    /// Writes some bytes.
    ///
    /// # Errors
    /// [`Error::Capacity`].
    pub fn bytes<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), Error> {
        let capacity = self.rest.len();
        let rest = core::mem::take(&mut self.rest);
        let no_room = Error::Capacity { what: "encoded value", needed: N, capacity };
        let (place, rest) = rest.split_first_chunk_mut().ok_or(no_room)?;
        (*place, self.rest) = (bytes, rest);
        Ok(())
    }

    /// Writes the byte that tells this kernel from others.
    ///
    /// # Errors
    /// [`Error::Capacity`].
    pub fn tag(&mut self, tag: u8) -> Result<(), Error> {
        self.bytes([tag])
    }

    pub(super) fn values<T: Encode>(&mut self, values: &[T]) -> Result<(), Error> {
        values.iter().try_for_each(|value| value.encode(self))
    }
}

/// Where [`Encode`] reads from: a slice that is used up from the front.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Uses up this slice.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Reads some bytes.
    ///
    /// # Errors
    /// [`FormatFault::Truncated`].
    pub fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let truncated = FormatFault::Truncated { needed: N, given: self.rest.len() };
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Error::Format(truncated))?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// Reads the byte that tells this kernel from others.
    ///
    /// # Errors
    /// [`FormatFault::Tag`] when it is another one.
    pub fn tag(&mut self, what: &'static str, expected: u8) -> Result<(), Error> {
        let [found] = self.bytes()?;
        match found == expected {
            true => Ok(()),
            false => Err(Error::Format(FormatFault::Tag { what, expected, found })),
        }
    }

    /// The next `count` values, unread.
    pub(super) fn section<T: Encode>(&mut self, count: usize) -> Result<Self, Error> {
        let needed = count.saturating_mul(T::SIZE);
        let truncated = FormatFault::Truncated { needed, given: self.rest.len() };
        let (section, rest) = self.rest.split_at_checked(needed).ok_or(Error::Format(truncated))?;
        self.rest = rest;
        Ok(Self { rest: section })
    }

    /// All values up to the end.
    pub(in crate::detect) fn values<T: Encode>(mut self) -> impl Iterator<Item = T> + use<'a, T> {
        iter::from_fn(move || T::decode(&mut self).ok())
    }
}

macro_rules! number {
    ($($t:ty),*) => {$(
        impl Encode for $t {
            const SIZE: usize = size_of::<Self>();
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
                out.bytes(self.to_le_bytes())
            }
            fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
                input.bytes().map(Self::from_le_bytes)
            }
        }
    )*};
}
number!(u8, u16, u32, i8, i16, i32, f32, f64);

/// One after the other.
impl<T: Encode + Copy + Default, const N: usize> Encode for [T; N] {
    const SIZE: usize = N * T::SIZE;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        out.values(self)
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::decode(input)?;
        }
        Ok(values)
    }
}

/// The number of codes in 4 bytes, then room for `N` of them; what is not in use is 0.
impl<const N: usize> Encode for Codes<N> {
    const SIZE: usize = 4 + N;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let codes = self.view();
        (codes.len() as u32).encode(out)?;
        let padding = core::iter::repeat_n(&0, N.saturating_sub(codes.len()));
        codes.iter().chain(padding).try_for_each(|code| code.encode(out))
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        let found = u32::decode(input)? as usize;
        let codes: [u8; N] = Encode::decode(input)?;
        let length = FormatFault::Length { expected: N, found };
        let (codes, padding) = codes.split_at_checked(found).ok_or(Error::Format(length))?;
        // Bytes that are not in use would be lost, and what is written again would differ.
        if padding.iter().any(|&byte| byte != 0) {
            return Err(Error::Parameter { name: "codes", rule: "0 where not in use" });
        }
        Self::try_from(codes)
    }
}

/// As [`Codes`], in UTF-8.
impl<const N: usize> Encode for Text<N> {
    const SIZE: usize = Codes::<N>::SIZE;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        Codes::<N>::try_from(self.view().as_bytes())?.encode(out)
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        let codes = Codes::<N>::decode(input)?;
        let text = core::str::from_utf8(codes.view());
        let broken = Error::Parameter { name: "text", rule: "UTF-8" };
        Self::try_from(text.map_err(|_| broken)?)
    }
}

/// Its tag and the length of the substrings; the type of its values is that of the detector's.
impl<T> Encode for Spectrum<T> {
    const SIZE: usize = 1 + u32::SIZE;
    fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        out.tag(0x06)?;
        self.length.encode(out)
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
        input.tag("kernel", 0x06)?;
        Ok(Self::new(u32::decode(input)?))
    }
}

/// A tag, then the fields in this order.
macro_rules! tagged {
    ($what:literal $tag:literal $name:ident<$($parameter:ident),*> { $($field:tt: $t:ty),* }) => {
        impl<$($parameter: Encode),*> Encode for $name<$($parameter),*> {
            const SIZE: usize = 1 $(+ <$t>::SIZE)*;
            fn encode(&self, out: &mut Writer<'_>) -> Result<(), Error> {
                out.tag($tag)?;
                $(self.$field.encode(out)?;)*
                Ok(())
            }
            fn decode(input: &mut Reader<'_>) -> Result<Self, Error> {
                input.tag($what, $tag)?;
                Ok(Self { $($field: <$t>::decode(input)?),* })
            }
        }
    };
}
tagged!("kernel" 0x01 Linear<> {});
tagged!("kernel" 0x02 Rbf<T, M> { gamma: T, math: M });
tagged!("kernel" 0x03 Laplacian<T, M> { gamma: T, math: M });
tagged!("kernel" 0x04 Poly<T> { gamma: T, coef0: T, degree: u32 });
tagged!("kernel" 0x05 Sigmoid<T, M> { gamma: T, coef0: T, math: M });
tagged!("kernel" 0x10 Scale<T, K> { factor: T, kernel: K });
tagged!("kernel" 0x11 Sum<A, B> { 0: A, 1: B });
tagged!("kernel" 0x12 Product<A, B> { 0: A, 1: B });
tagged!("kernel" 0x13 Exp<K, M> { kernel: K, math: M });
tagged!("kernel" 0x14 Normalised<K> { 0: K });
tagged!("maths" 0x01 Libm<> {});
tagged!("maths" 0x03 Fast<> {});
#[cfg(feature = "micromath")]
tagged!("maths" 0x02 Micromath<> {});
