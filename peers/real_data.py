"""Makes the tables of docs/EVALUATION.md's real data from clones of their public repositories.

    git clone https://github.com/Minqi824/ADBench && git -C ADBench checkout 3dac822
    git clone https://github.com/waico/SKAB && git -C SKAB checkout b2c0d46
    python3 peers/real_data.py ADBench SKAB OUT          # needs numpy

OUT/adbench: <set>.csv (features x0.., then label: 1 is an anomaly; at most 2000 normal and 500 anomalous rows) and splits.csv, five splits of min(128, half)
normal rows in random order. OUT/skab: four recordings, one second a row. The splits, and the 2000 rows of thyroid, are drawn anew, so that results differ from
the document's by what a draw makes of them. ADBench is under BSD-2-Clause, SKAB under GPL-3.0.
"""
import csv
import datetime
import pathlib
import random
import sys

import numpy as np

SETS = ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"]
RECORDINGS = ["valve1/0", "valve2/0", "other/9", "other/13"]
SENSORS = ["acc1_rms", "acc2_rms", "current", "pressure", "temperature", "thermocouple", "voltage", "flow_rate"]
MOST = {0: 2000, 1: 500}
SPLITS = 5


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def adbench(clone, out):
    out.mkdir(parents=True, exist_ok=True)
    splits = []
    for name in SETS:
        [path] = clone.glob(f"**/Classical/*_{name}.npz")
        data = np.load(path)
        x, label = data["X"], data["y"].astype(int)
        chance = random.Random(name)
        rows_of = lambda kind: [i for i in range(len(label)) if label[i] == kind]
        kept = sorted(row for kind in (0, 1) for row in chance.sample(rows_of(kind), min(MOST[kind], len(rows_of(kind)))))
        x, label = x[kept], label[kept]
        write(out / f"{name}.csv", [f"x{j}" for j in range(x.shape[1])] + ["label"], [[*map(repr, map(float, row)), y] for row, y in zip(x, label)])
        normal = rows_of(0)
        for split in range(SPLITS):
            rows = chance.sample(normal, min(128, len(normal) // 2))
            splits.append([name, split, " ".join(map(str, rows))])
    write(out / "splits.csv", ["data", "split", "train_rows"], splits)


def skab(clone, out):
    out.mkdir(parents=True, exist_ok=True)
    for name in RECORDINGS:
        with open(clone / "data" / f"{name}.csv", newline="") as file:
            _, *rows = csv.reader(file, delimiter=";")
        times = [datetime.datetime.fromisoformat(row[0]) for row in rows]
        seconds = [int((time - times[0]).total_seconds()) for time in times]
        labels = [[int(float(cell)) for cell in row[9:11]] for row in rows]
        lines = [[t, *row[1:9], *marks] for t, row, marks in zip(seconds, rows, labels)]
        write(out / f"{name.replace('/', '_')}.csv", ["t_s", *SENSORS, "anomaly", "changepoint"], lines)


if __name__ == "__main__":
    ad, sk, target = map(pathlib.Path, sys.argv[1:4])
    adbench(ad, target / "adbench")
    skab(sk, target / "skab")
