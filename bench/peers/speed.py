"""Scores one run by one library, from the files to the means: speed.py LIBRARY RUN QRELS. Prints the means."""
import sys
import warnings

warnings.filterwarnings("ignore")
library, run_file, qrels_file = sys.argv[1:4]

if library == "pytrec_eval":
    import pytrec_eval

    with open(qrels_file) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with open(run_file) as file:
        run = pytrec_eval.parse_run(file)
    asked = {"map", "recip_rank", "ndcg_cut.10", "P.10", "recall.10"}
    found = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
    print({m: sum(v[m] for v in found.values()) / len(found) for m in next(iter(found.values()))})
elif library == "ir_measures":
    import ir_measures
    from ir_measures import AP, RR, P, R, nDCG

    qrels = ir_measures.read_trec_qrels(qrels_file)
    run = ir_measures.read_trec_run(run_file)
    print(ir_measures.calc_aggregate([AP, RR, nDCG @ 10, P @ 10, R @ 10], qrels, run))
elif library == "ranx":
    from ranx import Qrels, Run, evaluate

    qrels = Qrels.from_file(qrels_file, kind="trec")
    run = Run.from_file(run_file, kind="trec")
    print(evaluate(qrels, run, ["map", "mrr", "ndcg@10", "precision@10", "recall@10"]))
elif library == "scikit-learn":
    import numpy as np
    import pandas as pd
    from sklearn.metrics import ndcg_score

    names = ["q", "zero", "item", "rank", "score", "tag"]
    run = pd.read_csv(run_file, sep=" ", names=names, dtype={"q": str, "item": str})
    qrels = pd.read_csv(qrels_file, sep=" ", names=["q", "zero", "item", "grade"], dtype={"q": str, "item": str})
    both = run.merge(qrels[["q", "item", "grade"]], on=["q", "item"], how="left").fillna({"grade": 0})
    values = [ndcg_score([g["grade"].to_numpy()], [g["score"].to_numpy()], k=10) for _, g in both.groupby("q")]
    print({"ndcg@10": np.mean(values)})
elif library == "pyflagr":
    import os
    import tempfile

    import pandas as pd
    from pyflagr.Linear import CombSUM

    folder = tempfile.mkdtemp()
    run = pd.read_csv(run_file, sep=" ", names=["q", "zero", "item", "rank", "score", "tag"])
    votes, rels = os.path.join(folder, "votes.csv"), os.path.join(folder, "rels.csv")
    run[["q", "tag", "item", "rank", "score", "zero"]].to_csv(votes, header=False, index=False)
    pd.read_csv(qrels_file, sep=" ").to_csv(rels, index=False)
    merged, scored = CombSUM("rank", 10).aggregate(input_file=votes, rels_file=rels, out_dir=folder)
    print(scored.iloc[-1].to_dict())
