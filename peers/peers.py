"""Times the same work in numpy, scipy and scikit-learn; called by src/python.rs.

Its first argument is `few` for methods that find few eigenpairs of a large matrix, else `all`. Prints a line for each method: task;name;milliseconds for each size;residual for each size. The residual is the largest of |A v - l v| over the largest l;
nan where there is none.
"""
import sys
import time

few, folder, leading = sys.argv[1] == "few", sys.argv[2], int(sys.argv[3])
inputs, gamma = int(sys.argv[4]), float(sys.argv[5])
sizes = [int(n) for n in sys.argv[6:]]

try:
    import numpy as np
except ImportError as error:
    sys.exit(f"skipped: numpy, scipy and scikit-learn ({error})")


def best(work):
    """Milliseconds of the best of several runs, as src/timing.rs counts them."""
    least, total, runs = float("inf"), 0.0, 0
    while total < 0.4 or runs < 5:
        start = time.perf_counter()
        work()
        took = time.perf_counter() - start
        least, total, runs = min(least, took), total + took, runs + 1
    return 1e3 * least


def readings(kind, n):
    return np.fromfile(f"{folder}/{kind}{n}.f64", dtype="<f8").reshape(n, inputs)


def centred_gram(n):
    x = readings("train", n)
    squares = (x * x).sum(axis=1)
    k = np.exp(-gamma * (squares[:, None] + squares[None, :] - 2 * x @ x.T))
    means = k.mean(axis=0)
    return k - means[:, None] - means[None, :] + means.mean()


def report(task, name, work, residual=lambda n: float("nan")):
    times = [best(work(n)) for n in sizes]
    residuals = [residual(n) for n in sizes]
    numbers = [f"{ms:.6f}" for ms in times] + [f"{r:.3e}" for r in residuals]
    print(f"{task};{name};" + ";".join(numbers), flush=True)


def prepared(solve):
    def of_size(n):
        k = centred_gram(n)
        return lambda: solve(k)

    return of_size


def report_eigen(name, solve):
    def residual(n):
        k = centred_gram(n)
        values, vectors = solve(k)
        errors = np.linalg.norm(k @ vectors - vectors * values, axis=0)
        return errors[-leading:].max() / values[-1]

    report("eigen", name, prepared(solve), residual)


if not few:
    report_eigen(f"numpy {np.__version__} eigh", np.linalg.eigh)
try:
    import scipy
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh

    def subset(k):
        return eigh(k, subset_by_index=[len(k) - leading, len(k) - 1])

    if not few:
        report_eigen(f"scipy {scipy.__version__} eigh, {leading} of n", subset)
    report_eigen(f"scipy {scipy.__version__} eigsh", lambda k: eigsh(k, leading))
except ImportError as error:
    print(f"skipped: scipy ({error})", file=sys.stderr)
if few:
    sys.exit()

try:
    import sklearn
    from sklearn.decomposition import KernelPCA
    from sklearn.preprocessing import StandardScaler

    def detector(solver):
        def of_size(n):
            train, test = readings("train", n), readings("test", n)

            def work():
                scaler = StandardScaler().fit(train)
                x = scaler.transform(train)
                model = KernelPCA(leading, kernel="rbf", gamma=gamma, eigen_solver=solver, random_state=0)
                model.fit(x)
                y = scaler.transform(test)
                f = model.transform(y)
                # The reconstruction error is not part of it: k(x, x) = 1, centred, less the squared projections.
                k = model._get_kernel(y, model.X_fit_)
                centre = model._centerer
                distance = 1 - 2 * k.mean(axis=1) + centre.K_fit_all_
                return distance - (f * f).sum(axis=1)

            return work

        return of_size

    for solver in ["dense", "arpack", "randomized"]:
        report("fit", f"scikit-learn {sklearn.__version__} KernelPCA, {solver}", detector(solver))
except ImportError as error:
    print(f"skipped: scikit-learn ({error})", file=sys.stderr)
