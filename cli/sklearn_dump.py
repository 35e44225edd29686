import json

def dump(kpca, path, scaler=None):
    """Writes a fitted KernelPCA, and its StandardScaler if there is one, for `mercer import sklearn`."""
    floats = lambda a: None if a is None else a.tolist()
    model = {
        "kernel": kpca.kernel,
        "gamma": kpca.gamma_,
        "degree": kpca.degree,
        "coef0": kpca.coef0,
        "samples": floats(kpca.X_fit_),
        "eigenvalues": floats(kpca.eigenvalues_),
        "eigenvectors": floats(kpca.eigenvectors_),
    }
    if scaler is not None:
        model["scaler"] = {"mean": floats(scaler.mean_), "scale": floats(scaler.scale_)}
        if hasattr(scaler, "feature_names_in_"):
            model["columns"] = floats(scaler.feature_names_in_)
    with open(path, "w") as file:
        json.dump(model, file)
