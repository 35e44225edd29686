//! What others take for the same work: Σ α k(x, point) of a Gaussian kernel in `f32` on a
//! Cortex-M4F, instructions a call.
//!
//! Counted with the same method (QEMU 7.2, `-icount`, the timer of the MPS2 board) on code that is
//! not part of this project, hence constants: gcc 12.2 with newlib for C, rustc 1.96 with LTO and
//! one codegen unit for Rust. The shapes are those of `SHAPES`.

/// Points and inputs; four components.
pub(crate) const SHAPES: [(u32, u32); 3] = [(32, 3), (64, 8), (128, 16)];

pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// In the order of `SHAPES`; none where nobody has counted.
    pub(crate) instructions: [Option<u64>; 3],
}

pub(crate) const PEERS: [Peer; 4] = [
    Peer {
        name: "CMSIS-DSP `arm_svm_rbf_predict_f32`, −O2 and −O3; *one* output",
        instructions: [Some(3_328), Some(8_268), Some(22_871)],
    },
    Peer {
        name: "plain Rust with `libm::expf`, four outputs, opt-level 3",
        instructions: [Some(4_786), Some(12_168), Some(33_639)],
    },
    Peer { name: "… opt-level s", instructions: [None, Some(12_494), None] },
    Peer { name: "… opt-level z", instructions: [None, Some(13_128), None] },
];

/// `arm_rfft_fast_f32` of CMSIS-DSP for 128, 256 and 512 samples: instructions counted in QEMU, and
/// cycles by the same model as ours.
pub(crate) const CMSIS_TRANSFORM: [(u64, u64); 3] =
    [(4_575, 6_702), (11_330, 16_288), (24_217, 34_484)];
