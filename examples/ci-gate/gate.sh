#!/usr/bin/env bash
# Fails with 3 if a change ranks the judged queries worse than main does: gate.sh MAIN.run CHANGE.run QRELS
# Worse means that the whole 95 % interval of a measure's difference is below 0. A judged query without a list counts 0.
# 4: there is no difference to judge. Other codes are those of `receval score`.
set -euo pipefail
scores=$(receval score --run "main=$1" --run "change=$2" --qrels "$3" --missing zero --measures ndcg@5,mrr --p-values --output json)
node -e '
  const { comparisons } = JSON.parse(process.argv[1]);
  const rounded = (x) => (x === null ? "?" : x.toFixed(4));
  for (const { measure, effect, ci } of comparisons)
    console.log(`${measure}: ${rounded(effect)} (95 % interval ${ci === null ? "unknown" : ci.map(rounded).join(" to ")})`);
  if (comparisons.some(({ ci }) => ci !== null && ci[1] < 0)) process.exitCode = 3;
  else if (comparisons.some(({ effect }) => effect === null)) process.exitCode = 4;
' "$scores"
