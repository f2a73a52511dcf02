/** What the specification lists and works out is what the code has: reasons, labels, stored fields and keys, presets, examples. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rowCodec, vectorRowCodec } from '../src/accumulators/row-codec.ts';
import { encodeCheckpoint } from '../src/accumulators/store/checkpoint-codec.ts';
import {
  clockKey,
  FORMAT_VERSION,
  looksKey,
  OLDEST_FORMAT,
  paneKey,
  placesKey,
  STORE_FIELDS,
  totalKey,
  unitKey,
  usersKey,
  vectorKey,
} from '../src/accumulators/store/layout.ts';
import { measure } from '../src/measures/measures.ts';
import { DECISION_MINIMUM, EXPERIMENT_REASONS, MOST_USERLESS, WATCHED_REASONS } from '../src/statistics/decision.ts';
import { balancedUsers } from '../src/statistics/exposure.ts';
import { MISMATCH_DEVIATION, MISMATCH_P } from '../src/statistics/sample-ratio.ts';
import { multiplierAt } from '../src/statistics/sequence.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS } from '../src/vocabulary/drops.ts';
import { bucketOf } from '../src/vocabulary/user-words.ts';

const FOLDER = resolve(import.meta.dirname, '../docs/specification');

/** What stands below a heading, up to the next one. */
function section(page: string, number: string): string {
  const text = readFileSync(join(FOLDER, `${page}.md`), 'utf8');
  const from = text.search(new RegExp(`^#+ ${number.replace('.', '\\.')} `, 'm'));
  expect(from, `${page} ${number}`).toBeGreaterThanOrEqual(0);
  const [heading, ...rest] = text.slice(from).split('\n');
  const end = rest.findIndex((line) => /^#+ \d/.test(line));
  return [heading, ...(end < 0 ? rest : rest.slice(0, end))].join('\n');
}

/** Rows of the first table of a section, as lists of cells. */
function rows(page: string, number: string): readonly (readonly string[])[] {
  const lines = section(page, number)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .replaceAll('\\|', '¦')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('¦', '|')),
  );
}

/** The words in `code` style. */
function words(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
}

/** In the order of the text, with a paragraph in one line. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Reasons by label, from columns of a table. */
function reasonsOf(table: readonly (readonly string[])[]): Readonly<Record<string, readonly string[]>> {
  const reasons = new Map<string, Set<string>>();
  for (const [, , label, reason] of table) {
    const known = reasons.get(label) ?? new Set();
    for (const word of words(reason)) known.add(word);
    reasons.set(label, known);
  }
  return Object.fromEntries([...reasons].map(([label, known]) => [label, [...known].sort()]));
}

function sorted(reasons: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(reasons).map(([label, list]) => [label, [...list].sort()]));
}

describe('the specification', () => {
  it('lists the reasons of drops in the order of judgement', () => {
    const of = (side: string): readonly string[] => {
      const table = rows('join', '3.1').filter(([what]) => what === 'any' || what === side);
      return [...new Set(table.flatMap(([, reason]) => words(reason)))];
    };
    const same =
      'the table of docs/specification/join.md 3.1 and src/vocabulary/drops.ts have the same reasons in the same order';
    expect(of('impression i'), `impressions: ${same}`).toEqual(IMPRESSION_DROPS);
    expect(of('feedback f'), `feedback: ${same}`).toEqual(FEEDBACK_DROPS);
  });

  it('lists the labels of decisions with their reasons', () => {
    expect(reasonsOf(rows('statistics', '9.1'))).toEqual(sorted(EXPERIMENT_REASONS));
    expect(reasonsOf(rows('statistics', '10.4'))).toEqual(sorted(WATCHED_REASONS));
  });

  it('says what a decision needs at least', () => {
    const { users, buckets, kish, positives } = DECISION_MINIMUM;
    const conditions = rows('statistics', '9.1').map(([, condition]) => condition);
    expect(conditions[4]).toBe(`more than ${100 * MOST_USERLESS} % of the lists without a user in one`);
    expect(conditions[5]).toBe(`fewer than ${users} users in one, or k < ${kish} in one`);
    expect(conditions[6]).toBe(`fewer than ${buckets} buckets that are not empty in one`);
    expect(conditions[7]).toContain(`fewer than ${positives} lists with a positive in both`);
    const decimal = (value: number): string => String(value).replace(/^0/, '');
    expect(section('statistics', '5.3')).toContain(
      `p < ${decimal(MISMATCH_P)} and largest |O-E|/E now >= ${decimal(MISMATCH_DEVIATION)}`,
    );
  });

  it('works its examples of statistics out rightly', () => {
    const multipliers = [100, 1_000, 5_000, 10_000, 100_000].map((users) =>
      multiplierAt(users, { alpha: 0.05, nStar: 5_000 }).toFixed(3),
    );
    expect(plain(section('statistics', '4.1'))).toContain(`c(N) is ${multipliers.join(', ')} at N =`);
    expect(section('statistics', '1.2')).toContain(
      `user \`user-42\` has bucket ${bucketOf('user-42')} of 256, and ${bucketOf('user-42', 64)} of 64`,
    );
    expect([balancedUsers(500, 500), balancedUsers(950, 50)]).toEqual([1_000, 190]);
    expect(plain(section('statistics', '5.2'))).toContain('500 and 500 are 1,000; 950 and 50 are 190.');
  });

  it('names every field of a checkpoint', () => {
    const checkpoint = encodeCheckpoint({
      format: 1,
      generation: '1',
      fingerprint: { shape: '', additive: '' },
      partitions: 1,
      topicNames: [],
      incompleteBefore: 0,
      lostUpTo: Number.NEGATIVE_INFINITY,
      since: {},
      hasGap: false,
      feedbackFrom: Number.NEGATIVE_INFINITY,
      join: { topics: [], counts: [], watermark: 0 },
      panes: { minutes: [], hours: [], admission: [] },
      runs: [],
      lastRecords: [],
    });
    const named = rows('layout', '2.1').flatMap(([fields]) => words(fields));
    expect([...named].sort()).toEqual([...STORE_FIELDS, ...checkpoint.keys()].sort());
    const versions = rows('layout', '9').map(([version]) => Number(version));
    expect([Math.min(...versions), Math.max(...versions)]).toEqual([OLDEST_FORMAT, FORMAT_VERSION]);
  });

  it('names every key as it is written', () => {
    const owner = { namespace: '<namespace>', unit: 0, generation: '<gen>' };
    const [name, run] = ['<experiment>', '<run>'];
    const written = [
      unitKey(owner.namespace, owner.unit),
      ...[paneKey(owner, 'm', 0), paneKey(owner, 'h', 0), vectorKey(owner, 0)].map((key) =>
        key.replace(/0$/, '<start>'),
      ),
      totalKey(owner, name, run),
      usersKey(owner, name, run),
      looksKey(owner, name, run),
      clockKey(owner),
      placesKey(owner, ['<by>']),
    ].map((key) => key.replace('{<namespace>:0}', '<tag>'));
    const named = rows('layout', '1').flatMap(([key]) => words(key));
    expect(named.filter((key) => key.includes('<tag>'))).toEqual(written);
  });

  it('shows rows and vectors as they are stored', () => {
    const shape = { names: ['mrr'], kinds: ['mean'] } as const;
    const shown = (number: string): string => /^ {4}(\{.*\})$/m.exec(section('layout', number))?.[1] ?? '';
    const head = rowCodec(shape);
    expect(head.encode(head.decode(shown('3.1')))).toBe(shown('3.1'));
    const vector = vectorRowCodec(shape);
    expect(vector.encode(vector.decode(shown('4')))).toBe(shown('4'));
  });

  it('lists what each preset sets', () => {
    const names = ['mrr', 'hit', 'precision', 'recall', 'f1', 'ap', 'rprec', 'dcg', 'ndcg', 'rbp', 'auc'];
    const table = rows('measures', '6');
    expect(table.length).toBeGreaterThan(6);
    for (const [cell, sets] of table) {
      const [preset] = words(cell);
      for (const name of names) {
        const params = sets.split('; ').flatMap((clause) => {
          const [who, set] = clause.split(': ');
          const applies = who.startsWith('all')
            ? name !== 'auc' && !who.replace('all but', '').split(', ').includes(name) && !who.endsWith(` ${name}`)
            : who.split(', ').includes(name);
          return applies ? words(set).flatMap((list) => list.split(',')) : [];
        });
        const last = new Map(params.map((param) => [param.split('=')[0], param]));
        const written = last.size === 0 ? '' : `(${[...last.values()].join(',')})`;
        const k = ['rprec', 'auc'].includes(name) ? '' : '@5';
        expect(measure(`${name}(preset=${preset})${k}`).name, `${preset} ${name}`).toBe(
          measure(`${name}${written}${k}`).name,
        );
      }
    }
  });

  it('works its examples of measures out rightly', () => {
    const score = (name: string, list: Parameters<ReturnType<typeof measure>['score']>[0]) => measure(name).score(list);
    const page = { grades: [0, 1, 0], offset: 10 };
    expect(score('mrr', page)).toBeCloseTo(1 / 12, 12);
    expect(score('precision@20', page)).toBeCloseTo(0.1, 12);
    expect(score('mrr@10', page)).toBeUndefined();
    const gaps = { grades: [0, 1, 0], ranks: [1, 3, 4] };
    expect(score('mrr', gaps)).toBeCloseTo(1 / 3, 12);
    expect(score('precision@3', gaps)).toBeCloseTo(1 / 3, 12);
    expect(score('precision(denom=list)@3', gaps)).toBe(0.5);
    expect(score('ndcg@4', gaps)).toBeCloseTo(0.5, 12);
    const examined = { grades: [1, 0, 1, 0, 0] };
    expect(score('precision@5', examined)).toBe(0.4);
    expect(score('precision(examined=last_positive)@5', examined)).toBeCloseTo(2 / 3, 12);
    expect(score('auc', examined)).toBeCloseTo(0.833333, 6);
    expect(score('auc(examined=last_positive)', examined)).toBe(0.5);
    expect(plain(section('measures', '5.5'))).toContain(
      'page two (offset 10, grades 0 1 0) has mrr 1/12, `precision@20` 0.1, and no value @10. Ranks 1 3 4 with grades 0 1 0 have mrr 1/3, `precision@3` 1/3, `precision(denom=list)@3` 0.5, `ndcg@4` 0.5.',
    );
    expect(plain(section('measures', '5.6'))).toContain(
      'grades 1 0 1 0 0 have `precision@5` 0.4; with `last_positive` 2/3; with views on slots 1 to 4 and `viewport` 0.5. `auc` is 0.833333, with `last_positive` 0.5.',
    );
  });

  it('prints names of measures as the examples say', () => {
    const examples = ['1.2', '1.3'].flatMap((number) => [
      ...plain(section('measures', number)).matchAll(/`([^`]+)` prints `([^`]+)`/g),
    ]);
    expect(examples.length).toBeGreaterThan(3);
    for (const [, written, printed] of examples) expect(measure(written).name).toBe(printed);
  });
});
