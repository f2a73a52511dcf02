/** Files of feedback without the id of its list, against the same files with the ids that the rule gives (specification: join 10). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { compareFiles } from '../../src/replay/compare-files.ts';
import { type ReplayInputs, type ReplayOptions, replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';
import type { TopicRole } from '../../src/vocabulary/events.ts';
import { click, impression, log, TWO_TOPICS } from '../reference/builders.ts';
import { nameOf, referenceTouch } from '../reference/touch.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-touch-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BEGIN = Date.parse('2026-11-21T08:00:00Z');
const SHAPE = `
measures: [mrr, ctr]
cohorts: [[], [variant]]
attribution: {horizons: [10s, 40s], outOfOrderness: 5s, backward: 1s}
experiments: {default: {control: A, variants: {A: 1, B: 1}}}
`;

type Line = Readonly<Record<string, unknown>>;
let files = 0;

function file(lines: readonly Line[]) {
  const path = join(folder, `f${files++}.ndjson`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return [{ path, defaults: new Map<string, string>() }];
}

function optionsOf(yaml: string, inputs: ReplayInputs): ReplayOptions {
  const settings = loadSettings({ readFile: () => `${SHAPE}${yaml}`, env: {}, command: 'replay', reads: 'files' });
  const rest = { adapter: undefined, order: 'time', newId: () => 'id', hashSeed: 0, onProgress: () => {} } as const;
  return { settings, inputs, ...rest };
}

interface Said {
  readonly isList: boolean;
  readonly user: string;
  readonly pace: number;
  readonly age: number;
  readonly items: readonly string[];
  readonly item: string;
  readonly ownId: boolean;
}

const item = fc.constantFrom('a', 'b', 'c', 'd');
const said: fc.Arbitrary<Said> = fc.record({
  isList: fc.boolean(),
  user: fc.constantFrom('u', 'v', 'w'),
  pace: fc.integer({ min: 0, max: 6 }),
  age: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 3 }) },
    { weight: 1, arbitrary: fc.integer({ min: -20, max: 60 }) },
  ),
  items: fc.uniqueArray(item, { minLength: 1, maxLength: 3 }),
  item,
  ownId: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
});

/** The events in the order of the log. */
function linesOf(all: readonly Said[]): readonly (Line & { readonly ts: number })[] {
  let time = BEGIN;
  return all.map(({ isList, user, pace, age, items, item: itemId, ownId }, n) => {
    time += 500 * pace;
    const ts = time - 500 * age;
    const userId = user;
    if (isList) return { requestId: `r${n}`, ts, userId, variant: user === 'u' ? 'A' : 'B', items };
    return { ...(ownId ? { requestId: `r${n - 1}` } : {}), ts, userId, itemId, action: 'click' };
  });
}

/** The same lines with the ids that the rule gives. */
function withIds(topics: readonly TopicRole[], sides: readonly (readonly Line[])[], touch: 'last' | 'first') {
  const logs = sides.map((lines) =>
    log(
      lines.map((line) => {
        const [ts, requestId, joinKey] = [Number(line['ts']), String(line['requestId'] ?? ''), String(line['userId'])];
        if (Array.isArray(line['items'])) return impression(ts, { requestId, joinKey, items: line['items'] });
        return click(ts, { requestId, joinKey, itemId: String(line['itemId']) });
      }),
    ),
  );
  const settings = { ...TWO_TOPICS, topics, horizons: [10_000, 40_000], outOfOrderness: 5000, backward: 1000 };
  const { given, counts } = referenceTouch({ ...settings, futureSkew: 1e12 }, touch, logs);
  const lines = sides.map((own, topic) =>
    own.map((line, offset) => {
      const requestId = given.get(nameOf({ topic, offset, place: 0 }));
      return requestId === undefined ? line : { ...line, requestId: requestId === '' ? 'nobody' : requestId };
    }),
  );
  return { lines, counts };
}

const TWO = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
];
const ONE = [{ impressions: true, feedback: true }];

function inputsOf(sides: readonly (readonly Line[])[]): ReplayInputs {
  const [first, second] = sides;
  return second === undefined ? { events: file(first) } : { impressions: file(first), feedback: file(second) };
}

const numbersOf = ({ rows, impressions, feedback, asOf, feedbackEnd }: ReplayResult) => ({
  rows,
  impressions,
  feedback,
  asOf,
  feedbackEnd,
});

describe('files of feedback without the id of its list', () => {
  it('give what files with the ids give that the rule finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(said, { minLength: 5, maxLength: 80, size: 'max' }),
        fc.boolean(),
        fc.constantFrom('last' as const, 'first' as const),
        async (all, isOneLog, touch) => {
          const lines = linesOf(all);
          const sides = isOneLog
            ? [lines]
            : [lines.filter((line) => 'items' in line), lines.filter((line) => !('items' in line))];
          const wanted = withIds(isOneLog ? ONE : TWO, sides, touch);
          const joined = optionsOf(`join: {by: userId, touch: ${touch}}`, inputsOf(sides));
          const plain = optionsOf('', inputsOf(wanted.lines));
          const [found, expected] = [await replay(joined), await replay(plain)];
          expect(numbersOf(found)).toEqual(numbersOf(expected));
          expect(found.join).toEqual({ by: 'userId', touch, ...wanted.counts });
          expect(expected.join).toBeUndefined();
          const [experiment] = joined.settings.experiments;
          const compared = await compareFiles(joined, experiment);
          expect(compared.comparison).toEqual((await compareFiles(plain, experiment)).comparison);
          expect(compared.replayed.join).toEqual(found.join);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('need no ids of lists either: two lists of one time are two, and one that was sent twice is one', async () => {
    const list = (items: readonly string[], more: Line = {}): Line => ({ ts: BEGIN, userId: 'u', items, ...more });
    const lists = [
      list(['a', 'b']),
      list(['b', 'c']),
      list(['b', 'c']),
      list(['b', 'c'], { offset: 2 }),
      list(['a'], { userId: 'v' }),
    ];
    const clicks = ['a', 'c', 'c', 'z'].map((itemId, n) => ({
      ts: BEGIN + 1000 * (n + 1),
      userId: 'u',
      itemId,
      action: 'click',
    }));
    const result = await replay({ ...optionsOf('join: {by: userId}', inputsOf([lists, clicks])), closeAll: true });
    expect(result.impressions).toMatchObject({ read: 5, accepted: 4, drops: { duplicate: 1 } });
    expect(result.feedback).toMatchObject({ read: 4, attributed: 3, drops: { not_in_list: 1 } });
    expect(result.join).toEqual({ by: 'userId', touch: 'last', looked: 4, several: 2, none: 1, listsWithoutKey: 0 });
    expect(result.rows.find(({ by, horizon }) => by.length === 0 && horizon === '40s')).toMatchObject({ positives: 2 });
  });

  it('are joined by session, with rows of one item each as lists', async () => {
    const rows = ['a', 'b', 'c'].flatMap((item, rank) =>
      ['q1', 'q2'].map((query, q) => ({ query, session: `s${q}`, ts: BEGIN, item, rank: rank + 1 })),
    );
    const inputs = inputsOf([
      rows.sort((x, y) => x.query.localeCompare(y.query)),
      [
        { ts: BEGIN + 1000, sessionId: 's1', itemId: 'b', action: 'click' },
        { ts: BEGIN + 2000, sessionId: 's2', itemId: 'b', action: 'click' },
      ],
    ]);
    const yaml = `join: {by: sessionId}
inputs: {impressions: {adapter: {list: {by: query, order: rank}, map: {ts: /ts, itemId: /item, sessionId: /session}}}}`;
    const result = await replay({ ...optionsOf(yaml, inputs), closeAll: true });
    expect(result.feedback).toMatchObject({ attributed: 1, drops: { orphan: 1 } });
    expect(result.rows[0].measures['mrr']).toMatchObject({ value: 0.25 });
  });

  it('without a user are invalid, unless they have an id of their own', async () => {
    const inputs = inputsOf([
      [
        { ts: BEGIN, items: ['a'] },
        { ts: BEGIN, userId: '', items: ['a'] },
        { ts: BEGIN, requestId: 'own', items: ['a'] },
      ],
      [
        { ts: BEGIN + 1, itemId: 'a', action: 'click' },
        { ts: BEGIN + 1, requestId: '', itemId: 'a', action: 'click' },
        { ts: BEGIN + 1, requestId: 'own', itemId: 'a', action: 'click' },
      ],
    ]);
    const result = await replay({ ...optionsOf('join: {by: userId}', inputs), closeAll: true });
    expect(result.invalid).toEqual({
      impressions: new Map([['missing_field', 2]]),
      feedback: new Map([['missing_field', 2]]),
    });
    expect(result.feedback).toMatchObject({ read: 3, attributed: 1 });
    expect(result.join).toMatchObject({ looked: 0, listsWithoutKey: 1 });
  });
});
