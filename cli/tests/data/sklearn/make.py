"""Models of scikit-learn and what they make of new readings, for cli/tests/import.rs.

python3 cli/tests/data/sklearn/make.py FOLDER    (needs numpy and scikit-learn; made with scikit-learn 1.9.1)
"""
import pathlib
import sys

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.preprocessing import StandardScaler

here = pathlib.Path(__file__).parent
exec((here / "../../../sklearn_dump.py").read_text())
golden = here / "../../../../tests/data/golden"
train = np.loadtxt(golden / "iris_data_train.csv", delimiter=",", skiprows=1)[::3]
test = np.loadtxt(golden / "iris_data_test.csv", delimiter=",", skiprows=1)
out = pathlib.Path(sys.argv[1])

for name, scaled, options in [
    ("rbf", True, {"kernel": "rbf", "gamma": 0.25}),
    ("poly", False, {"kernel": "poly", "degree": 2, "coef0": 0.5}),
    ("cosine", False, {"kernel": "cosine"}),
    ("sigmoid", True, {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.1}),
    ("linear", True, {"kernel": "linear"}),
]:
    scaler = StandardScaler().fit(train) if scaled else None
    scale = scaler.transform if scaled else (lambda x: x)
    kpca = KernelPCA(2, eigen_solver="dense", **options).fit(scale(train))
    dump(kpca, out / f"{name}.json", scaler)
    projected = kpca.transform(scale(test))
    np.savetxt(out / f"{name}.csv", projected, fmt="%.17g", delimiter=",", header="f0,f1", comments="")
