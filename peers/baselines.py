"""Other detectors on the six sets of ADBench that docs/EVALUATION.md is about; writes docs/baselines.csv.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    venv/bin/python peers/baselines.py ../shared/data/adbench > docs/baselines.csv

The folder holds <set>.csv (features, then `label`: 1 is an anomaly) and splits.csv (data,split,train_rows); docs/EVALUATION.md says how to make it from the
public repository. Every detector learns from the first 32, 64 or all rows of a split, standardised by their mean and deviation, and scores all rows that are
not in the split. For each set and number of rows: the mean over the splits of the AUROC, and of the share of anomalies that score above 95 % of the normal
rows.
"""
import csv
import sys
import warnings

import numpy as np
import scipy
import sklearn
from scipy.linalg import eigh
from sklearn.cluster import KMeans
from sklearn.covariance import EllipticEnvelope, LedoitWolf
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.neural_network import MLPRegressor
from sklearn.svm import OneClassSVM

SETS = ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"]
ROWS = [32, 64, 128]


def neighbours(k):
    return lambda x, y, _: NearestNeighbors(n_neighbors=k).fit(x).kneighbors(y)[0][:, -1]


def mixture(components, floor):
    return lambda x, y, seed: -GaussianMixture(components, reg_covar=floor, n_init=3, random_state=seed).fit(x).score_samples(y)


def one_class(share):
    return lambda x, y, _: -OneClassSVM(nu=share).fit(x).score_samples(y)


def forest(trees, rows):
    def score(x, y, seed):
        samples = rows if rows == "auto" else min(rows, len(x))
        return -IsolationForest(n_estimators=trees, max_samples=samples, random_state=seed).fit(x).score_samples(y)

    return score


def half(x):
    return x.shape[1] // 2


def linear(components):
    def score(x, y, _):
        pca = PCA(components(x)).fit(x)
        return ((y - pca.inverse_transform(pca.transform(y))) ** 2).sum(axis=1)

    return score


def autoencoder(x, y, seed):
    """Half as many hidden nodes as inputs, tanh. Of the settings that were tried (relu, Adam, other penalties) the best here."""
    network = MLPRegressor(
        hidden_layer_sizes=(half(x),), activation="tanh", solver="lbfgs", alpha=0.1, max_iter=2000, random_state=seed
    ).fit(x, x)
    return ((y - network.predict(y)) ** 2).sum(axis=1)


def kernel(x, y, _):
    """Exact kernel PCA by the formulas, as a check of the library: gamma 1/(8 d), 99 % of the variance, SPE."""
    n, d = x.shape
    gram = lambda a, b: np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / (8 * d))
    k = gram(x, x)
    mean, total = k.mean(axis=0), k.mean()
    values, vectors = eigh(k - mean[:, None] - mean[None] + total)
    values, vectors = values[::-1], vectors[:, ::-1]
    q = int(np.searchsorted(np.cumsum(values), 0.99 * values.sum())) + 1
    cross = gram(y, x)
    centred = cross - cross.mean(axis=1)[:, None] - mean[None] + total
    f = centred @ vectors[:, :q] / np.sqrt(values[:q])
    return 1 - 2 * cross.mean(axis=1) + total - (f**2).sum(axis=1)


METHODS = {
    "1-NN": neighbours(1),
    "5-NN": neighbours(5),
    "Gaussian mixture, 2": mixture(2, 1e-3),
    "Gaussian mixture, 4": mixture(4, 1e-2),
    "k-means, 8": lambda x, y, seed: KMeans(8, n_init=10, random_state=seed).fit(x).transform(y).min(axis=1),
    "local outlier factor, 20": lambda x, y, _: -LocalOutlierFactor(20, novelty=True).fit(x).score_samples(y),
    "one-class SVM": one_class(0.1),
    "one-class SVM, half of the rows": one_class(0.5),
    "isolation forest": forest(100, "auto"),
    "isolation forest, 100 × 64": forest(100, 64),
    "isolation forest, 25 × 32": forest(25, 32),
    "Mahalanobis, Ledoit-Wolf": lambda x, y, _: LedoitWolf().fit(x).mahalanobis(y),
    "elliptic envelope": lambda x, y, seed: -EllipticEnvelope(contamination=0.1, random_state=seed).fit(x).score_samples(y),
    "linear PCA, 90 %": linear(lambda x: 0.9),
    "linear PCA, half": linear(half),
    "autoencoder": autoencoder,
    "kernel PCA in numpy": kernel,
}


def read(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


def main(folder):
    warnings.filterwarnings("ignore")
    versions = f"Python {sys.version.split()[0]}, numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}"
    print(f"# {versions}\nset,rows,method,auroc,detected")
    splits = read(f"{folder}/splits.csv")
    for name in SETS:
        table = np.array(read(f"{folder}/{name}.csv"), dtype=float)
        x, label = table[:, :-1], table[:, -1]
        for rows in ROWS:
            sums = {method: np.zeros(2) for method in METHODS}
            own = [line for line in splits if line[0] == name]
            for _, split, numbers in own:
                split_rows = [int(row) for row in numbers.split()]
                training = x[split_rows[:rows]]
                deviation = training.std(axis=0)
                deviation[deviation == 0] = 1
                scaled = lambda values: (values - training.mean(axis=0)) / deviation
                unseen = np.setdiff1d(np.arange(len(x)), split_rows)
                truth = label[unseen]
                for method, score in METHODS.items():
                    scores = score(scaled(training), scaled(x[unseen]), int(split))
                    limit = np.quantile(scores[truth == 0], 0.95, method="higher")
                    sums[method] += roc_auc_score(truth, scores), (scores[truth == 1] > limit).mean()
            for method, (area, detected) in sums.items():
                print(f'{name},{rows},"{method}",{area / len(own):.4f},{detected / len(own):.4f}', flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
