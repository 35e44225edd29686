"""Times scikit-learn's Nystroem and PCA on rows.f64; called by fit.rs.

Prints the seconds by the clock and of processors, and the most memory that the process had, in
megabytes.
"""
import resource
import sys
import time

columns, landmarks, gamma = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])

import numpy as np
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import StandardScaler

x = np.fromfile("rows.f64", dtype="<f8").reshape(-1, columns)
start, worked = time.perf_counter(), time.process_time()
z = StandardScaler().fit_transform(x)
features = Nystroem(gamma=gamma, n_components=landmarks, random_state=0).fit_transform(z)
PCA().fit(features)
seconds, processor = time.perf_counter() - start, time.process_time() - worked
print(seconds, processor, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
