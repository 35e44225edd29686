//! Parts and entries of slices, where the bounds are known to hold.
//!
//! The library has no panic path, so a slip in a bound cannot stop it. These functions are the one
//! place where such a slip would turn into an empty slice or a zero: with debug assertions, hence
//! in every test, it panics instead.

/// The first `count` entries.
#[inline(always)]
pub(crate) fn head<T>(slice: &[T], count: usize) -> &[T] {
    debug_assert!(count <= slice.len(), "{count} of {} entries", slice.len());
    slice.get(..count).unwrap_or_default()
}

/// The first `count` entries, and the others; for constants.
pub(crate) const fn split<T>(slice: &[T], count: usize) -> (&[T], &[T]) {
    match slice.split_at_checked(count) {
        Some(parts) => parts,
        None => {
            debug_assert!(false, "more entries than there are");
            (&[], &[])
        }
    }
}

/// The first `count` entries, to write.
#[inline(always)]
pub(crate) fn head_mut<T>(slice: &mut [T], count: usize) -> &mut [T] {
    debug_assert!(count <= slice.len(), "{count} of {} entries", slice.len());
    slice.get_mut(..count).unwrap_or_default()
}

/// The entries from `start` on.
#[inline(always)]
pub(crate) fn tail<T>(slice: &[T], start: usize) -> &[T] {
    debug_assert!(start <= slice.len(), "from {start} of {} entries", slice.len());
    slice.get(start..).unwrap_or_default()
}

/// The entries from `start` on, to write.
#[inline(always)]
pub(crate) fn tail_mut<T>(slice: &mut [T], start: usize) -> &mut [T] {
    debug_assert!(start <= slice.len(), "from {start} of {} entries", slice.len());
    slice.get_mut(start..).unwrap_or_default()
}

/// The `count` entries from `start` on, to write.
#[inline(always)]
pub(crate) fn part_mut<T>(slice: &mut [T], start: usize, count: usize) -> &mut [T] {
    debug_assert!(start + count <= slice.len(), "{start} + {count} of {} entries", slice.len());
    slice.get_mut(start..start + count).unwrap_or_default()
}

/// The entries before `at` and those from it on, to write.
#[inline(always)]
pub(crate) fn split_mut<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    debug_assert!(at <= slice.len(), "at {at} of {} entries", slice.len());
    slice.split_at_mut_checked(at).unwrap_or_default()
}

/// A copy of the entry at `index`.
#[inline(always)]
pub(crate) fn entry<T: Copy + Default>(slice: &[T], index: usize) -> T {
    debug_assert!(index < slice.len(), "entry {index} of {}", slice.len());
    slice.get(index).copied().unwrap_or_default()
}

/// Writes the entry at `index`.
#[inline(always)]
pub(crate) fn set<T>(slice: &mut [T], index: usize, value: T) {
    update(slice, index, |entry| *entry = value);
}

/// Changes the entry at `index`.
#[inline(always)]
pub(crate) fn update<T>(slice: &mut [T], index: usize, change: impl FnOnce(&mut T)) {
    debug_assert!(index < slice.len(), "entry {index} of {}", slice.len());
    if let Some(entry) = slice.get_mut(index) {
        change(entry);
    }
}

/// Exchanges the entries at `a` and `b`, which differ.
pub(crate) fn swap<T>(slice: &mut [T], a: usize, b: usize) {
    let (first, second) = (a.min(b), a.max(b));
    debug_assert!(first < second && second < slice.len(), "entries {first} and {second}");
    if let Some((head, [b, ..])) = slice.split_at_mut_checked(second)
        && let Some(a) = head.get_mut(first)
    {
        core::mem::swap(a, b);
    }
}

/// Copies to the front of a slice that has room.
pub(crate) fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    debug_assert!(from.len() <= to.len(), "{} entries for {}", from.len(), to.len());
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from;
    }
}
