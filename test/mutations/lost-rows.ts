/** Weakened checks of rows that are lost, or contradict themselves: each must be caught. */
import { change, type Mutation } from './mutation.ts';

const RESTORE = 'unit/restore.ts';
const CHECK = 'accumulators/row-codec.ts';
const PANES = 'exporter/sealed-panes.ts';
const PARTS = 'experiment/experiment-parts.ts';
const SAMPLE = 'statistics/user-sample.ts';
const RUNS = 'accumulators/runs.ts';
const UNIT = 'unit/unit.ts';
const EXPERIMENTS = 'unit/unit-experiments.ts';

export const LOST_MUTATIONS: readonly Mutation[] = [
  change('a commit does not say which keys it has written', 'accumulators/panes.ts', 'table.isStored = true;', ''),
  change(
    'a commit does not say which keys were read',
    'accumulators/row-table.ts',
    'this.isStored = fields.size > 0;',
    '',
  ),
  change(
    'a claim does not look for panes',
    RESTORE,
    'live.filter(({ key }) => of(key).size === 0)',
    'live.slice(live.length)',
  ),
  change('a claim does not look at totals', RESTORE, 'return withLost(state, lacks);', 'return state;'),
  change(
    'rows are taken for lost, whoever owns the unit by now',
    RESTORE,
    'if (gone.length + short.length + tooMany.length > 0) {',
    'if (gone.length < 0) {',
  ),
  change(
    'a claim looks for panes that are final',
    RESTORE,
    'closedUpTo - longest(shape));\n  const gone',
    'Number.NEGATIVE_INFINITY);\n  const gone',
  ),
  change(
    'panes that are lost are complete',
    UNIT,
    'Math.max(resumed.incompleteBefore, lost.upTo)',
    'resumed.incompleteBefore',
  ),
  change('what was lost is forgotten', UNIT, 'Math.max(resumed.lostUpTo, lost.notedUpTo)', 'resumed.lostUpTo'),
  change(
    'sums by user bucket that are lost make windows incomplete',
    RESTORE,
    ".filter(({ size }) => size !== 'v')",
    '',
  ),
  change(
    'which sums by user bucket are stored is not known',
    'accumulators/panes.ts',
    'this.#listed.add(this.#listed.of(ts));',
    '{}',
  ),
  change('lists that are lost are not missing', RUNS, 'return missing + lost;', 'return missing;'),
  change(
    'lists are lost that are there',
    RUNS,
    'Math.max(0, lists - (held.lists ?? lists))',
    'Math.max(0, lists - (held.lists ?? lists) + 1)',
  ),
  change('users are lost that are there', RUNS, 'Math.max(0, users - heldUsers)', 'Math.max(0, users - heldUsers + 1)'),
  change('users who are lost are not missed', RUNS, 'if (goneUsers > 0)', 'if (goneUsers < 0)'),
  change('users who are lost stand for one list each', RUNS, 'Math.max(1, lists / Math.max(1, users))', '1'),
  change('a run forgets what it has lost', RUNS, 'lost: (state.lost ?? 0) + lists', 'lost: state.lost ?? 0'),
  change('a run forgets that its looks are lost', RUNS, "why.has('looks')", 'why.size < 0'),
  change('looks that are lost are not missed', RUNS, 'if (looks && held.looks)', 'if (why.length < 0)'),
  change('a commit does not say that it has written users', EXPERIMENTS, 'this.#stored.add(r);\n      }', '}'),
  change(
    'a commit does not say that it has written looks',
    EXPERIMENTS,
    'if (this.#stored.size > 0) stored.add(key);',
    '',
  ),
  change('a claim takes more than is counted', RESTORE, 'if (tooMany.length > 0)', 'if (tooMany.length < 0)'),
  change(
    'a total of more lists than are counted',
    PARTS,
    "if (isExact && more.size > 0) throw new Error(more.get('total'));",
    '',
  ),
  change('more users than are counted', PARTS, "if (isExact && more.size > 0) throw new Error(more.get('users'));", ''),
  change('a user of a variant that is none', SAMPLE, 'seen >= 2 ** variants || ', ''),
  change('users without their level', SAMPLE, 'if (fields.size > 0 && !fields.has(LEVEL))', 'if (fields.size < 0)'),
  change('users at a higher level than is counted', RUNS, 'heldLevel > level || (', '('),
  change('a reader takes a pane without rows for an empty one', PANES, 'if (hash.size === 0) return GONE;', ''),
  change('a reader reads on behind a row that contradicts itself', PANES, 'return messageOf(error);', 'return [];'),
  change('a total is whole, whatever it holds', PARTS, "missing: missing + lists, why: why.get('total')", 'missing'),
  change(
    'a total that cannot be read lacks nothing',
    PARTS,
    'missing: missing + Math.max(1, run?.lists ?? 0)',
    'missing',
  ),
  change('more positives than lists', CHECK, "['positives', 'userless', 'empty']", "['userless', 'empty']"),
  change('more lists without a user than lists', CHECK, "['positives', 'userless', 'empty']", "['positives', 'empty']"),
  change('more empty lists than lists', CHECK, "['positives', 'userless', 'empty']", "['positives', 'userless']"),
  change('fewer lists than none', CHECK, 'if (impressions < 0)', 'if (impressions < -1)'),
  change(
    'more of a measure than lists',
    CHECK,
    'if (isBeyond(sums[n], impressions))',
    'if (isBeyond(sums[n], sums[n]))',
  ),
  change(
    'more positives of a measure than its lists',
    CHECK,
    'if (isBeyond(sums[positives], sums[n]))',
    'if (isBeyond(sums[n], sums[n]))',
  ),
  change(
    'more lists in a bucket than in the row',
    CHECK,
    "if (isBeyond(n, impressions)) return excess('vector.n'",
    "if (isBeyond(n, n)) return excess('vector.n'",
  ),
  change('as many as there are is too many', CHECK, 'part > whole', 'part >= whole'),
];
