//! Kernels in C: a sum over the inputs of two vectors, what becomes of it, and how it changes with
//! the first vector.

use super::super::Name;
use super::gaussian::Gaussian;
use super::{Centre, literal};
use crate::model::Model;
use crate::{KernelSpec, Number};

/// What depends on the kernel.
pub(super) struct KernelParts {
    /// The definitions of `name_kernel`, of what it needs, and of `name_compare`.
    pub(super) functions: String,
    /// `k(x, x)` of a scaled reading.
    pub(super) diagonal: String,
    /// A look at a scaled reading before it is compared with others.
    pub(super) check: String,
    /// Does it take the bits of numbers apart?
    pub(super) needs_bits: bool,
}

/// What `name_sum` adds up, in words and in C.
type Sum = (&'static str, String);
/// What `name_kernel` makes of the sum, in words and in C.
type Body = (&'static str, String);

impl KernelParts {
    pub(super) fn new<T: Number>(model: &Model<T>, name: &Name, centre: Centre) -> Self {
        let kernel = &model.kernel;
        let diagonal = match kernel {
            KernelSpec::Rbf { .. } | KernelSpec::Laplacian { .. } | KernelSpec::Cosine {} => "1.0@",
            KernelSpec::Linear {} | KernelSpec::Poly { .. } | KernelSpec::Sigmoid { .. } => {
                "name_kernel(scaled, scaled)"
            }
        };
        let check = if let KernelSpec::Cosine {} = kernel { CHECK_DIRECTION } else { "" };
        let gaussian = Gaussian::of(model);
        let functions = match &gaussian {
            Some(gaussian) => gaussian.functions(name, centre) + &gaussian.compare(centre),
            None => plain(kernel) + &compare(centre),
        };
        let (diagonal, check) = (diagonal.into(), check.into());
        Self { functions, diagonal, check, needs_bits: gaussian.is_some() }
    }
}

const CHECK_DIRECTION: &str =
    "    if (!isfinite(name_sum(scaled, scaled)) || name_sum(scaled, scaled) <= 0.0@) {
        return NAME_UNUSABLE;
    }
";

const POWER: &str = r#"
/* A power, by repeated squaring. */
static REAL name_power(REAL square, unsigned long exponent)
{
    REAL result = 1.0@;

    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            result *= square;
        }
        square *= square;
    }
    return result;
}
"#;

/// A kernel that is evaluated point by point.
pub(super) fn plain<T: Number>(kernel: &KernelSpec<T>) -> String {
    let ((sum, term), (value, body)) = sum_and_body(kernel);
    let power = if let KernelSpec::Poly { .. } = kernel { POWER } else { "" };
    format!(
        r#"{power}
/* {sum} */
static REAL name_sum(const REAL *x, const REAL *y)
{{
    REAL sum = 0.0@;
    int i;

    for (i = 0; i < NAME_INPUTS; i++) {{
        sum += {term};
    }}
    return sum;
}}

/* {value} */
static REAL name_kernel(const REAL *x, const REAL *y)
{{
{body}}}
"#
    )
}

/// The sums over the points, one point at a time.
fn compare(centre: Centre) -> String {
    let (parameter, start, add) = match centre {
        Centre::With => (
            ", REAL *centre_product",
            "    *centre_product = 0.0@;\n",
            "        *centre_product += NAME_READ(name_centre[i]) * value;\n",
        ),
        Centre::Without => ("", "", ""),
    };
    format!(
        r#"
/* Projects a scaled reading on the components, by its kernel with every point. */
static void name_compare(const REAL *x, REAL *projection{parameter})
{{
    int i, j;

    for (j = 0; j < NAME_COMPONENTS; j++) {{
        projection[j] = 0.0@;
    }}
{start}    for (i = 0; i < NAME_POINTS; i++) {{
        REAL room[NAME_INPUTS];
        const REAL value = name_kernel(x, NAME_ROW(name_points[i], room));

{add}        for (j = 0; j < NAME_COMPONENTS; j++) {{
            projection[j] += NAME_READ(name_weights[i][j]) * value;
        }}
    }}
    for (j = 0; j < NAME_COMPONENTS; j++) {{
        projection[j] -= NAME_READ(name_offsets[j]);
    }}
}}
"#
    )
}

fn sum_and_body<T: Number>(kernel: &KernelSpec<T>) -> (Sum, Body) {
    let sum = "name_sum(x, y)";
    let product = ("Inner product.", "x[i] * y[i]".to_string());
    let decay = |gamma: &T| format!("    return exp@({} * {sum});\n", literal(&-*gamma));
    match kernel {
        KernelSpec::Linear {} => (product, ("Linear kernel.", format!("    return {sum};\n"))),
        KernelSpec::Rbf { gamma } => (
            ("Squared distance.", "(x[i] - y[i]) * (x[i] - y[i])".into()),
            ("Gaussian kernel.", decay(gamma)),
        ),
        KernelSpec::Laplacian { gamma } => (
            ("Sum of absolute differences.", "fabs@(x[i] - y[i])".into()),
            ("Laplacian kernel.", decay(gamma)),
        ),
        KernelSpec::Poly { gamma, coef0, degree } => {
            let (gamma, coef0) = (literal(gamma), literal(coef0));
            let body = format!("    return name_power({gamma} * {sum} + {coef0}, {degree}UL);\n");
            (product, ("Polynomial kernel.", body))
        }
        KernelSpec::Sigmoid { gamma, coef0 } => {
            let (gamma, coef0) = (literal(gamma), literal(coef0));
            let body = format!("    return tanh@({gamma} * {sum} + {coef0});\n");
            (product, ("Sigmoid kernel.", body))
        }
        KernelSpec::Cosine {} => {
            let body = format!(
                "    const REAL norms = sqrt@(name_sum(x, x)) * sqrt@(name_sum(y, y));\n\n\
                 \x20   return norms > 0.0@ ? {sum} / norms : 0.0@;\n"
            );
            (product, ("Cosine of the angle between two vectors.", body))
        }
    }
}
