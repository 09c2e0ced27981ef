"""The estimator that users of the library call, after scikit-learn's conventions. Entry point: `model.CoClustering`."""
