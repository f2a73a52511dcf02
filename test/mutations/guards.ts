/**
 * The weakened guards of the commit (specification: commit 11, faults 6.2), and what else keeps a unit's durable
 * state in one piece: each must be caught by the simulator. The memory store stands for the script that runs in Redis.
 */
import type { Change, Mutation } from './mutation.ts';

const STORE = 'accumulators/store/memory-store.ts';
const UNIT = 'unit/unit.ts';
const COMMITS = 'unit/commits.ts';
const PANES = 'accumulators/panes.ts';
const PACE = 'worker/pace.ts';
const LOAD = 'worker/memory-load.ts';
const ROW_TABLE = 'accumulators/row-table.ts';

const FENCED = "if (token !== commit.token) return 'FENCED';";
const ALREADY = "if (seq === commit.seq && cid === commit.cid) return 'ALREADY';";
const CONFLICT = "if (seq !== commit.seq - 1 || cid !== commit.parent) return 'CONFLICT';";

function inStore(text: string, replacement: string): Change {
  return { file: STORE, text, replacement };
}

const NO_FENCE = inStore(FENCED, '');
const NO_ALREADY = inStore(ALREADY, '');
const NO_CONFLICT = inStore(CONFLICT, '');
const SEQ_ONLY = [
  inStore(ALREADY, "if (seq === commit.seq) return 'ALREADY';"),
  inStore(CONFLICT, "if (seq !== commit.seq - 1) return 'CONFLICT';"),
];
/** The number of the claim in place of a random token: a rollback takes it back, too. */
const COUNTER = [
  inStore("hash.set('token', token);", "hash.set('token', String(Number(before.token) + 1));"),
  {
    file: UNIT,
    text: 'return new Unit(settings, deps, { unit, token, seq, cid }',
    replacement:
      'return new Unit(settings, deps, { unit, token: String(Number((await claiming).token) + 1), seq, cid }',
  },
];
/** A commit builds on offsets in place of another commit. */
const OFFSETS = [
  { file: COMMITS, text: 'parent: this.#cid,', replacement: 'parent: JSON.stringify(this.#committed.offsets),' },
  inStore(
    CONFLICT,
    `const topics = hash.get('topics');
    const offsets = topics === undefined ? commit.parent : JSON.stringify(JSON.parse(topics).map((topic) => topic.committed));
    if (offsets !== commit.parent) return 'CONFLICT';`,
  ),
];
/** Rows of minute panes travel as what was added since the last commit, marked by a +. Hours are read again: they tell scores. */
export const INCREMENTS: readonly Change[] = [
  // The codec writes all rows.
  { file: ROW_TABLE, text: 'this.#hasOnlySums ? this.#sums : undefined', replacement: 'undefined' },
  {
    file: ROW_TABLE,
    text: 'return codec.encodeAt(this, this.#sums, this.#at);',
    replacement: `const text = codec.encodeAt(this, this.#sums, this.#at);
    if (!this.#table.key.includes(':pane:m:')) return text;
    this.#sums.clear(this.#at, this.#table.width);
    this.positions = undefined;
    return '+' + text;`,
  },
  {
    file: ROW_TABLE,
    text: 'this.#rows[place].set(values, this.#newRow(field, this.#decoded(field, text, held)));',
    replacement:
      "if (!this.key.includes(':pane:m:')) this.#rows[place].set(values, this.#newRow(field, this.#decoded(field, text, held)));",
  },
  inStore(
    'for (const [key, fields] of commit.rows) this.#set(key, fields);',
    `const withEmpty = { impressions: 0, positives: 0, userless: 0, empty: 0 };
    const ordered = (a, b) => (a?.empty === undefined && b.empty === undefined ? { ...a, ...b } : { ...withEmpty, ...a, ...b });
    const add = (a, b) =>
      typeof b === 'number'
        ? (a ?? 0) + b
        : Array.isArray(b)
          ? b.map((one, i) => add(a?.[i], one))
          : b === undefined
            ? a
            : Object.fromEntries(Object.keys(ordered(a, b)).map((name) => [name, add(a?.[name], b[name])]));
    for (const [key, fields] of commit.rows) {
      const old = this.#hashes.get(key);
      const sum = (field, text) =>
        text.startsWith('+') ? JSON.stringify(add(JSON.parse(old?.get(field) ?? '{}'), JSON.parse(text.slice(1)))) : text;
      this.#set(key, new Map([...fields].map(([field, text]) => [field, sum(field, text)])));
    }`,
  ),
];

export const GUARD_MUTATIONS: readonly Mutation[] = [
  { name: 'no guard', changes: [NO_FENCE, NO_ALREADY, NO_CONFLICT] },
  { name: 'counter epoch only', changes: [...COUNTER, NO_ALREADY, NO_CONFLICT] },
  { name: 'offset check only', changes: [...OFFSETS, NO_FENCE, NO_ALREADY] },
  { name: 'offset check and counter epoch', changes: [...OFFSETS, ...COUNTER, NO_ALREADY] },
  { name: 'plain increments, and a client that sends again', changes: [...INCREMENTS, NO_ALREADY, NO_CONFLICT] },
  { name: 'seq without cid and without token', changes: [NO_FENCE, ...SEQ_ONLY] },
  { name: 'counter epoch and seq', changes: [...COUNTER, ...SEQ_ONLY] },
  {
    name: 'counter epoch, seq and cid, but not what it builds on',
    changes: [...COUNTER, inStore(CONFLICT, "if (seq !== commit.seq - 1) return 'CONFLICT';")],
  },
  {
    name: 'a unit whose state was lost begins again',
    changes: [
      {
        file: 'service/checks.ts',
        text: 'return committedByGroup.some((topic) => isMark(topic[partition]));',
        replacement: 'return committedByGroup.length < 0 && partition < 0;',
      },
    ],
  },
  {
    name: 'lists whose feedback was not read are counted',
    changes: [
      {
        file: 'unit/unit-scoring.ts',
        text: 'if (closing.ts < this.#completeness.feedbackFrom) {',
        replacement: 'if (closing.ts < 0 && this.#completeness.feedbackFrom > 0) {',
      },
    ],
  },
  {
    name: 'lists of a run are counted before they are folded',
    changes: [
      {
        file: UNIT,
        text: 'const changes = this.#panes.takeChanges();',
        replacement:
          'const early = this.#panes.listsOfRuns.map((lists) => lists + 1);\n    const changes = this.#panes.takeChanges();',
      },
      {
        file: UNIT,
        text: 'this.#experiments.state(this.#panes.listsOfRuns)',
        replacement: 'this.#experiments.state(early)',
      },
    ],
  },
  {
    name: 'panes are deleted last in a batch',
    changes: [{ file: PANES, text: 'if (at >= this.#due) this.#runDue(at);', replacement: '' }],
  },
  {
    name: 'panes are deleted first in a batch',
    changes: [
      {
        file: UNIT,
        text: 'if (batch.next > this.#join.position(topic)) this.#join.seek(topic, batch.next);',
        replacement:
          'if (batch.next > this.#join.position(topic)) this.#join.seek(topic, batch.next);\n    if (Number.isFinite(this.#join.watermark)) this.#panes.advance(this.#join.watermark);',
      },
    ],
  },
  {
    // Alone it would not show: before its first commit a unit also reads the last record of every topic again.
    name: 'a commit while one topic still replays, and nothing is read again to see whether it is the same',
    changes: [
      {
        file: 'consumers/join/join.ts',
        text: 'this.#topics.some((topic) => topic.position < topic.committed)',
        replacement: 'this.#topics.every((topic) => topic.position < topic.committed)',
      },
      {
        file: UNIT,
        text: 'return this.#join.replaying || this.#reading.awaits;',
        replacement: 'return this.#join.replaying;',
      },
    ],
  },
  {
    name: 'who leads is asked only when something is read',
    changes: [
      {
        file: PACE,
        text: 'for (const owned of all) this.pauseLeaders(owned);',
        replacement: '',
      },
      {
        file: PACE,
        text: 'this.#load.count(owned);\n      this.pauseLeaders(owned);\n      if (unit',
        replacement: 'if (unit',
      },
    ],
  },
  {
    name: 'what is held is limited by its number alone',
    changes: [
      {
        file: LOAD,
        text: "const KINDS: readonly (keyof Held)[] = ['state', 'rows', 'open'];",
        replacement: "const KINDS: readonly (keyof Held)[] = ['open'];",
      },
    ],
  },
  {
    name: 'a replay waits for topics in which nothing comes',
    changes: [
      { file: PACE, text: 'this.#load.isFull && (!unit.replaying || others)', replacement: 'this.#load.isFull' },
    ],
  },
  {
    name: 'a topic is read to its end where a transaction is open',
    changes: [
      {
        file: PACE,
        text: 'bounds === undefined ? undefined : Math.max(0, bounds.end - position);',
        replacement: 'bounds === undefined ? undefined : Math.max(0, (bounds.openFrom ?? bounds.end) - position);',
      },
    ],
  },
  {
    name: 'a replay waits for the end of a transaction',
    changes: [{ file: PACE, text: '(unit.replaying ? openFrom : end)', replacement: 'end' }],
  },
  {
    name: 'feedback waits for impressions that are in an open transaction',
    changes: [
      {
        file: PACE,
        text: 'unit.join.judgedBelow(topic), openFrom)',
        replacement: 'unit.join.judgedBelow(topic), end)',
      },
    ],
  },
  {
    name: 'silence is counted from a question that is older than the last record',
    changes: [
      { file: PACE, text: 'silentSince[topic] ?? this.#clock.now()', replacement: 'silentSince[topic] ?? checked' },
    ],
  },
];
