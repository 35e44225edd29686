"""Writes eigenvalues.csv: exact eigenvalues of matrices that have made eigensolvers fail.

The matrices are made here and in tests/torture/matrices.rs by the same operations on doubles, in the same order, so
that both have the same bits; for `f32` each entry is rounded once more. Their eigenvalues are computed with 60 digits
and rounded to doubles. LAPACK is asked, too, and must agree to rounding.

    python3 -m pip install mpmath==1.4.1 numpy==2.4.6
    python3 make.py
"""

from pathlib import Path

import mpmath
import numpy

mpmath.mp.dps = 60


def fill(n, entry):
    """A symmetric matrix from its upper triangle."""
    return [[entry(min(i, j), max(i, j)) for j in range(n)] for i in range(n)]


def wilkinson(n):
    def entry(i, j):
        return float(abs(n // 2 - i)) if i == j else float(j == i + 1)
    return fill(n, entry)


def glued_wilkinson(glue):
    """Two W21+ that hang together by next to nothing: pairs of pairs of almost equal eigenvalues."""
    def entry(i, j):
        if i == j:
            return float(abs(10 - i % 21))
        if j == i + 1:
            return glue if i == 20 else 1.0
        return 0.0
    return fill(42, entry)


def hilbert(n):
    return fill(n, lambda i, j: 1.0 / (i + j + 1))


def hadamard(n):
    return fill(n, lambda i, j: 1.0 if bin(i & j).count("1") % 2 == 0 else -1.0)


def graded(n, bits, rising):
    """D S D with a tame S and a diagonal D of powers of two."""
    def power(i):
        return 2.0 ** (-bits * (n - 1 - i if rising else i))
    return fill(n, lambda i, j: (1.0 if i == j else 0.25 / (1 + j - i)) * (power(i) * power(j)))


def rotated(spectrum):
    """The spectrum in the basis of a reflection."""
    n = len(spectrum)
    square = float(sum((i + 1) * (i + 1) for i in range(n)))

    def basis(i, j):
        return (1.0 if i == j else 0.0) - 2.0 * ((i + 1) * (j + 1)) / square

    def entry(i, j):
        total = 0.0
        for k in range(n):
            total = total + basis(i, k) * spectrum[k] * basis(k, j)
        return total
    return fill(n, entry)


def arrowhead(n, diagonal):
    def entry(i, j):
        if i == j:
            return diagonal(i)
        return 1.0 if j == n - 1 else 0.0
    return fill(n, entry)


def tridiagonal(n, diagonal, beside):
    return fill(n, lambda i, j: diagonal(i) if i == j else (beside(i) if j == i + 1 else 0.0))


CASES = {
    "one": lambda single: [[-3.0]],
    "two_equal": lambda single: [[1.0, 2.0 ** -40], [2.0 ** -40, 1.0]],
    "two_swapped": lambda single: [[2.0 ** -60, 1.0], [1.0, 2.0 ** -60]],
    "two_graded": lambda single: [[2.0 ** 60, 2.0 ** 29], [2.0 ** 29, 1.0]],
    "three_weak": lambda single: [[1.0, 2.0 ** -30, 0.0], [2.0 ** -30, 1.0, 2.0 ** -30], [0.0, 2.0 ** -30, 1.0]],
    "three_cyclic": lambda single: [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
    "zero": lambda single: fill(7, lambda i, j: 0.0),
    "identity": lambda single: fill(9, lambda i, j: float(i == j)),
    "diagonal": lambda single: fill(10, lambda i, j: float((7 * i) % 10 - 4) if i == j else 0.0),
    "ones": lambda single: fill(13, lambda i, j: 1.0),
    "rank_one": lambda single: fill(12, lambda i, j: float((i + 1) * (j + 1))),
    "wilkinson21": lambda single: wilkinson(21),
    "glued": lambda single: glued_wilkinson(2.0 ** -12 if single else 2.0 ** -26),
    "hilbert3": lambda single: hilbert(3),
    "hilbert8": lambda single: hilbert(8),
    "hilbert12": lambda single: hilbert(12),
    "hadamard4": lambda single: hadamard(4),
    "hadamard16": lambda single: hadamard(16),
    "hadamard32": lambda single: hadamard(32),
    "graded_falling": lambda single: graded(11, 5, False),
    "graded_rising": lambda single: graded(11, 5, True),
    "graded_steep": lambda single: graded(4, 17, False),
    "reflection": lambda single: rotated([1.0] * 8 + [-1.0]),
    "repeated": lambda single: rotated([3.0] * 4 + [1.0] * 5 + [-2.0] * 3),
    "clustered": lambda single: rotated([1.0 + k * (2.0 ** -21 if single else 1e-12) for k in range(10)]),
    "two_clusters": lambda single: rotated(
        [2.0 + k * (2.0 ** -20 if single else 1e-12) for k in range(5)]
        + [-1.0 + k * (2.0 ** -21 if single else 1e-12) for k in range(5)]),
    "arrowhead": lambda single: arrowhead(12, lambda i: float(i)),
    "arrowhead_equal": lambda single: arrowhead(12, lambda i: 2.0),
    "exchange": lambda single: fill(8, lambda i, j: float(i + j == 7)),
    "path": lambda single: tridiagonal(16, lambda i: 0.0, lambda i: 1.0),
    "kac": lambda single: fill(11, lambda i, j: float(numpy.sqrt((i + 1) * (10 - i))) if j == i + 1 else 0.0),
    "differences": lambda single: tridiagonal(20, lambda i: 2.0, lambda i: -1.0),
    "weak_links": lambda single: tridiagonal(
        12, lambda i: float(i % 3), lambda i: 2.0 ** -23 if single else 2.0 ** -52),
    "lehmer": lambda single: fill(14, lambda i, j: (i + 1) / (j + 1)),
    "pascal": lambda single: fill(8, lambda i, j: float(mpmath.binomial(i + j, i))),
    "moler": lambda single: fill(10, lambda i, j: float(i + 1) if i == j else float(i) - 1.0),
}


def main():
    lines = ["case,precision,n,index,value"]
    for name, make in CASES.items():
        for precision in ["f32", "f64"]:
            matrix = make(precision == "f32")
            if precision == "f32":
                matrix = [[float(numpy.float32(x)) for x in row] for row in matrix]
            n = len(matrix)
            values = sorted(mpmath.eigsy(mpmath.matrix(matrix), eigvals_only=True), reverse=True)
            lapack = numpy.linalg.eigvalsh(numpy.array(matrix))[::-1]
            norm = max(abs(values[0]), abs(values[-1]))
            for ours, theirs in zip(values, lapack):
                assert abs(ours - mpmath.mpf(float(theirs))) <= 4 * n * 2.0 ** -52 * norm, (name, ours, theirs)
            for index, value in enumerate(values):
                # What is left of nothing, at 60 digits.
                value = 0.0 if abs(value) < norm * mpmath.mpf(10) ** -50 else float(value)
                lines.append(f"{name},{precision},{n},{index},{value!r}")
    Path(__file__).with_name("eigenvalues.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
