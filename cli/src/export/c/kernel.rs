//! Kernels in C: a sum over the inputs of two vectors, and what becomes of it.

use super::super::Name;
use super::{literal, suffix};
use crate::{KernelSpec, Number};

/// What depends on the kernel.
pub(super) struct KernelParts {
    /// The definitions of `NAME_sum` and `NAME_kernel`.
    pub(super) functions: String,
    /// `k(x, x)` of a scaled reading.
    pub(super) diagonal: String,
    /// A look at a scaled reading before it is compared with others.
    pub(super) check: String,
}

/// What `NAME_sum` adds up, in words and in C.
type Sum = (&'static str, String);
/// What `NAME_kernel` makes of the sum, in words and in C.
type Body = (&'static str, String);

impl KernelParts {
    pub(super) fn new<T: Number>(kernel: &KernelSpec<T>, name: &Name) -> Self {
        let (number, f) = (T::NAMES[1], suffix::<T>());
        let (lower, upper) = (name.lower(), name.upper());
        let ((sum, term), (value, body)) = sum_and_body(kernel, name);
        let functions = format!(
            "/* {sum} */\n\
             static {number} {lower}_sum(const {number} *x, const {number} *y)\n\
             {{\n\
             \x20   {number} sum = 0.0{f};\n\
             \x20   int i;\n\n\
             \x20   for (i = 0; i < {upper}_INPUTS; i++) {{\n\
             \x20       sum += {term};\n\
             \x20   }}\n\
             \x20   return sum;\n\
             }}\n\n\
             /* {value} */\n\
             static {number} {lower}_kernel(const {number} *x, const {number} *y)\n\
             {{\n\
             {body}\
             }}\n"
        );
        let diagonal = match kernel {
            KernelSpec::Rbf { .. } | KernelSpec::Laplacian { .. } | KernelSpec::Cosine {} => {
                format!("1.0{f}")
            }
            KernelSpec::Linear {} | KernelSpec::Poly { .. } | KernelSpec::Sigmoid { .. } => {
                format!("{lower}_kernel(scaled, scaled)")
            }
        };
        let square = format!("{lower}_sum(scaled, scaled)");
        let check = match kernel {
            KernelSpec::Cosine {} => format!(
                "    if (!isfinite({square}) || {square} <= 0.0{f}) {{\n\
                 \x20       return {upper}_UNUSABLE;\n\
                 \x20   }}\n"
            ),
            _ => String::new(),
        };
        Self { functions, diagonal, check }
    }
}

fn sum_and_body<T: Number>(kernel: &KernelSpec<T>, name: &Name) -> (Sum, Body) {
    let (number, f, lower) = (T::NAMES[1], suffix::<T>(), name.lower());
    let sum = format!("{lower}_sum(x, y)");
    let product = ("Inner product.", "x[i] * y[i]".to_string());
    let decay = |gamma: &T| format!("    return exp{f}({} * {sum});\n", literal(&-*gamma));
    match kernel {
        KernelSpec::Linear {} => (product, ("Linear kernel.", format!("    return {sum};\n"))),
        KernelSpec::Rbf { gamma } => (
            ("Squared distance.", "(x[i] - y[i]) * (x[i] - y[i])".into()),
            ("Gaussian kernel.", decay(gamma)),
        ),
        KernelSpec::Laplacian { gamma } => (
            ("Sum of absolute differences.", format!("fabs{f}(x[i] - y[i])")),
            ("Laplacian kernel.", decay(gamma)),
        ),
        KernelSpec::Poly { gamma, coef0, degree } => {
            let (gamma, coef0) = (literal(gamma), literal(coef0));
            let body = format!(
                "    {number} square = {gamma} * {sum} + {coef0};\n\
                 \x20   {number} result = 1.0{f};\n\
                 \x20   unsigned long left;\n\n\
                 \x20   for (left = {degree}UL; left > 0; left >>= 1) {{\n\
                 \x20       if (left & 1) {{\n\
                 \x20           result *= square;\n\
                 \x20       }}\n\
                 \x20       square *= square;\n\
                 \x20   }}\n\
                 \x20   return result;\n"
            );
            (product, ("Polynomial kernel, by repeated squaring.", body))
        }
        KernelSpec::Sigmoid { gamma, coef0 } => {
            let (gamma, coef0) = (literal(gamma), literal(coef0));
            let body = format!("    return tanh{f}({gamma} * {sum} + {coef0});\n");
            (product, ("Sigmoid kernel.", body))
        }
        KernelSpec::Cosine {} => {
            let norms = format!("sqrt{f}({lower}_sum(x, x)) * sqrt{f}({lower}_sum(y, y))");
            let body = format!(
                "    const {number} norms = {norms};\n\n\
                 \x20   return norms > 0.0{f} ? {sum} / norms : 0.0{f};\n"
            );
            (product, ("Cosine of the angle between two vectors.", body))
        }
    }
}
