"""What the peers say of the lists in a folder: values.py FOLDER writes FOLDER/values.json.

One entry for each peer and measure: {peer, files: [run, qrels] or [lists], flags, measure, values: {query: value}}. `measure` is how
receval writes it, beside the flags. Query `all` is a mean over queries, or a value over all of them together.
"""
import contextlib
import io
import json
import math
import os
import sys
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytrec_eval
import ranx
from pyflagr.Linear import CombMNZ, CombSUM
from scipy.stats import kendalltau, spearmanr
from sklearn import metrics as sk

warnings.filterwarnings("ignore")
FOLDER = sys.argv[1]
CUTS = [1, 3, 5, 10, 20]
entries = []


def path(name):
    return os.path.join(FOLDER, name)


def qrels_of(name):
    judged = {}
    for line in open(path(name)):
        query, _, item, grade = line.split()
        judged.setdefault(query, {})[item] = int(grade)
    return judged


def run_of(name):
    run = {}
    for line in open(path(name)):
        query, _, item, _, score, _ = line.split()
        run.setdefault(query, {})[item] = float(score)
    return run


def add(peer, files, flags, measure, values, digits=None):
    """digits: after the point, where the peer rounds."""
    kept = {q: float(v) for q, v in values.items() if v is not None and not math.isnan(v)}
    entries.append({"peer": peer, "files": files, "flags": flags, "measure": measure, "values": kept,
                    "digits": digits})


def trec(name):
    """Default relevance level, then level 2."""
    files = [f"{name}.run", f"{name}.qrels"]
    qrels, run = qrels_of(files[1]), run_of(files[0])
    cuts = ",".join(map(str, CUTS))
    asked = {"map", "ndcg", "recip_rank", "Rprec", "set_P", "set_recall", "set_F"}
    asked |= {f"{m}.{cuts}" for m in ("map_cut", "ndcg_cut", "P", "recall", "success")}
    whole = {"map": "ap", "ndcg": "ndcg", "recip_rank": "mrr", "Rprec": "rprec", "set_P": "precision",
             "set_recall": "recall", "set_F": "f1"}
    cut = {"map_cut": "ap", "ndcg_cut": "ndcg", "P": "precision", "recall": "recall", "success": "hit"}
    for level in (1, 2):
        found = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=level).evaluate(run)
        for key in sorted(next(iter(found.values()))):
            values = {q: v[key] for q, v in found.items()}
            stem, _, k = key.rpartition("_")
            name_of = whole[key] if key in whole else f"{cut[stem]}@{k}"
            base, _, at = name_of.partition("@")
            rel = f"(rel={level})" if base != "ndcg" and level != 1 else ""
            if base == "ndcg" and level != 1:
                continue
            add("pytrec_eval-terrier 0.5.11", files, ["--preset", "trec"], f"{base}{rel}{'@' + at if at else ''}", values)


def ir(name):
    """SetF's beta is the square of ours. RR@k orders equal scores in a way of its own, so ties are left out.
    Prices are no grades for 2^grade."""
    files = [f"{name}.run", f"{name}.qrels"]
    qrels, run = qrels_of(files[1]), run_of(files[0])
    from ir_measures import AP, ERR, RR, P, R, Rprec, SetF, SetP, SetR, Success, nDCG
    asked = {AP: "ap", RR: "mrr", Rprec: "rprec", SetP: "precision", SetR: "recall", SetF: "f1", nDCG: "ndcg",
             AP(rel=2): "ap(rel=2)", SetF(beta=4.0): "f1(beta=2)"}
    for k in CUTS:
        asked |= {AP @ k: f"ap@{k}", P @ k: f"precision@{k}", R @ k: f"recall@{k}", Success @ k: f"hit@{k}",
                  nDCG @ k: f"ndcg@{k}", P(rel=2) @ k: f"precision(rel=2)@{k}"}
        if name != "priced":
            asked |= {ERR @ k: f"err(gmax=4)@{k}", nDCG(dcg="exp-log2") @ k: f"ndcg(gain=exp)@{k}"}
        if name != "ties":
            asked[RR @ k] = f"mrr@{k}"
    values = {}
    for one in ir_measures.iter_calc(list(asked), qrels, run):
        if one.query_id in run and one.query_id in qrels:
            values.setdefault(one.measure, {})[one.query_id] = one.value
    for measure, found in values.items():
        rounded = 5 if "err" in asked[measure] or "gain=exp" in asked[measure] else None
        add("ir_measures 0.4.3", files, ["--preset", "trec"], asked[measure], found, rounded)


def ranx_of(name):
    """Its RBP adds up grades, ours positives."""
    files = [f"{name}.run", f"{name}.qrels"]
    judged, found = qrels_of(files[1]), run_of(files[0])
    shared = sorted(set(judged) & set(found))
    qrels = ranx.Qrels({q: judged[q] for q in shared})
    run = ranx.Run({q: found[q] for q in shared})
    asked = {"mrr": "mrr", "map": "ap", "ndcg": "ndcg", "ndcg_burges": "ndcg(gain=exp)", "r-precision": "rprec",
             "precision": "precision", "recall": "recall", "f1": "f1", "hit_rate": "hit", "rbp.80": "rbp",
             "rbp.95": "rbp(p=0.95)", "dcg": "dcg", "dcg_burges": "dcg(gain=exp)"}
    for k in CUTS:
        for theirs, ours in [("mrr", "mrr"), ("map", "ap"), ("ndcg", "ndcg"), ("precision", "precision"),
                             ("recall", "recall"), ("f1", "f1"), ("hit_rate", "hit"), ("dcg", "dcg")]:
            asked[f"{theirs}@{k}"] = f"{ours}@{k}"
        asked[f"ndcg_burges@{k}"] = f"ndcg(gain=exp)@{k}"
    if name != "binary":
        del asked["rbp.80"], asked["rbp.95"]
    if name == "priced":
        asked = {theirs: ours for theirs, ours in asked.items() if "burges" not in theirs}
    flags = ["--preset", "trec"]
    for theirs, ours in asked.items():
        try:
            values = ranx.evaluate(qrels, run, theirs, return_mean=False, make_comparable=True)
        except (ValueError, KeyError):
            continue
        spelled = "rbp(p=0.8)" if ours == "rbp" else ours
        add("ranx 0.3.21", files, flags, spelled, dict(zip(list(qrels.keys()), values)))


def sklearn_of(name):
    """A grade below 0 says that nobody judged the item."""
    files = [f"{name}.run", f"{name}.qrels"]
    judged, found = qrels_of(files[1]), run_of(files[0])
    peer = "scikit-learn 1.9.1, scipy"
    mean = ["--preset", "sklearn"]
    per = {}
    rated, predicted = [], []
    pooled = {k: ([], []) for k in (3, 10)}
    for q in sorted(set(judged) & set(found)):
        items = sorted(found[q], key=lambda item: (found[q][item], item), reverse=True)
        scores = np.array([found[q][item] for item in items])
        grades = np.array([max(0, judged[q].get(item, 0)) for item in items])
        for k in [None, *CUTS]:
            at = "" if k is None else f"@{k}"
            if len(items) > 1:
                per.setdefault(f"ndcg{at}", {})[q] = sk.ndcg_score([grades], [scores], k=k)
                per.setdefault(f"dcg{at}", {})[q] = sk.dcg_score([grades], [scores], k=k)
        if len(set(grades > 0)) == 2:
            per.setdefault("auc", {})[q] = sk.roc_auc_score(grades > 0, scores)
        known = [(judged[q][item], found[q][item]) for item in items if judged[q].get(item, -1) >= 0]
        rated += [r for r, _ in known]
        predicted += [s for _, s in known]
        if len(known) > 1:
            r, s = zip(*known)
            per.setdefault("spearman", {})[q] = spearmanr(s, r)[0]
            per.setdefault("kendall", {})[q] = kendalltau(s, r, variant="b")[0]
            if len(set(r)) > 1 and len(set(s)) > 1:
                per.setdefault("kendall(tau=c)", {})[q] = kendalltau(s, r, variant="c")[0]
        for k, (truth, guess) in pooled.items():
            truth += list(grades > 0)
            guess += [i < k for i in range(len(items))]
    for measure, values in per.items():
        ties = ["--ties", "mean"] if measure.startswith(("ndcg", "dcg")) else ["--ties", "docno"]
        add(peer, files, mean + ties, measure, values)
    for measure, value in [("mae", sk.mean_absolute_error(rated, predicted)),
                           ("rmse", sk.root_mean_squared_error(rated, predicted))]:
        add(peer, files, mean + ["--ties", "docno"], measure, {"all": value})
    for k, (truth, guess) in pooled.items():
        for theirs, ours in [(sk.precision_score, "precision"), (sk.recall_score, "recall"), (sk.f1_score, "f1")]:
            for average in ("macro", "weighted", "micro"):
                avg = "" if average == "macro" else f",avg={average}"
                macro = ",avg=macro" if average == "macro" else avg
                add(peer, files, mean + ["--ties", "docno"], f"{ours}(per=class{macro})@{k}",
                    {"all": theirs(truth, guess, average=average, zero_division=0)})


def repeats_of(name):
    """scikit-learn credits every copy of an item."""
    per = {}
    for line in open(path(name)):
        one = json.loads(line)
        grades = [int(item in one["positives"]) for item in one["items"]]
        scores = list(range(len(grades), 0, -1))
        for k in [None, *CUTS]:
            at = "" if k is None else f"@{k}"
            per.setdefault(f"ndcg(dup=each){at}", {})[one["query"]] = sk.ndcg_score([grades], [scores], k=k)
            per.setdefault(f"dcg(dup=each){at}", {})[one["query"]] = sk.dcg_score([grades], [scores], k=k)
        if len(set(grades)) == 2:
            per.setdefault("auc(by=rank,dup=each)", {})[one["query"]] = sk.roc_auc_score(grades, scores)
    for measure, values in per.items():
        add("scikit-learn 1.9.1, scipy", [name], ["--preset", "sklearn"], measure, values)


def flagr_of(name):
    """FLAGR merges the voters' lists; receval scores the merged ones."""
    rels = f"{name}.rels.csv"
    for method, maker in [("CombSUM-borda", CombSUM("borda", 10)), ("CombSUM-rank", CombSUM("rank", 10)),
                          ("CombMNZ-borda", CombMNZ("borda", 10))]:
        with contextlib.redirect_stdout(io.StringIO()):
            merged, scored = maker.aggregate(input_file=path(f"{name}.votes.csv"), rels_file=path(rels))
        out = f"{name}.{method}.csv"
        merged.to_csv(path(out), index=False, header=False)
        for column in scored.columns:
            stem, _, k = column.rpartition("_")
            names = {"P": "precision", "recall": "recall", "dcg": "dcg", "ndcg": "ndcg", "dcg_cut": "dcg",
                     "ndcg_cut": "ndcg"}
            ours = "ap" if column == "map" else f"{names[stem]}@{k}" if stem in names else None
            if ours is None:
                continue
            values = {str(q).removeprefix("Topic "): v for q, v in zip(scored["q"], scored[column]) if str(q) != "all"}
            add("pyflagr 1.0.21", [out, rels], ["--preset", "flagr"], ours, values, 6)


for name in ("ties", "graded", "binary", "priced"):
    trec(name)
    ir(name)
for name in ("graded", "binary", "priced"):
    ranx_of(name)
for name in ("ties", "graded", "binary", "priced"):
    sklearn_of(name)
repeats_of("repeats.lists")
flagr_of("votes")
with open(path("values.json"), "w") as out:
    json.dump(entries, out)
