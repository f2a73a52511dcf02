import { describe, expect, it } from 'vitest';
import { FEEDBACK_DROPS, IMPRESSION_DROPS } from '../../src/vocabulary/drops.ts';
import { itWith } from '../services/it-with.ts';
import { kafkaJars } from '../services/kafka-jars.ts';
import { REDIS } from '../services/redis.ts';
import { compareUnit, flat, noVerdict, type UnitResult, type Verdict } from './compare.ts';
import type { ProofParameters } from './parameters.ts';
import { type ProofReport, prove } from './proof.ts';

/** The long form is test/proof/run.ts. */
const SHORT: ProofParameters = {
  events: 50_000,
  brokers: 1,
  partitions: 12,
  workers: 2,
  exporters: 2,
  kills: 3,
  freezes: 0,
  redisRestarts: 1,
  seed: 142,
  pace: 2500,
};

const SERVERS = {
  name: 'Kafka and Redis',
  get: async (): Promise<void> => {
    await REDIS.get();
    await kafkaJars('4.3.1');
  },
};

/** What occurs at least once, by the totals of the reference. */
const OCCURS = [
  '0.impressions.drops.tombstone',
  '0.impressions.drops.invalid',
  '0.impressions.drops.future',
  '0.impressions.drops.late',
  '0.impressions.drops.duplicate',
  '0.impressions.drops.excluded',
  ...[1, 2].flatMap((topic) =>
    ['tombstone', 'invalid', 'late', 'orphan', 'duplicate', 'capped', 'excluded'].map(
      (reason) => `${topic}.feedback.drops.${reason}`,
    ),
  ),
  '1.feedback.drops.future',
  '1.feedback.drops.not_in_list',
];

describe('on real Kafka and Redis, with workers and Redis killed under load', () => {
  itWith(
    SERVERS,
    'every whole number in Redis and every gauge is the one of the reference',
    async () => {
      const report = await prove(SHORT, (line) => process.stderr.write(`proof: ${line}\n`));
      expect(report.verdict).toMatchObject({ lost: 0, double: 0, different: 0, examples: [] });
      expect(report.gaugeDifferences).toEqual([[], []]);
      expect(report.waitingFeedback).toBe(0);
      expect(report.exitCodes).toEqual([0, 0, 0, 0]);
      expectSubstance(report);
      expectTamperingToShow(report);
    },
    1_200_000,
  );
});

describe('the list of what occurs', () => {
  it.each([
    ['impressions', IMPRESSION_DROPS],
    ['feedback', FEEDBACK_DROPS],
  ])('has every reason for which %s can be dropped here', (side, reasons) => {
    const occurs = (reason: string): boolean => OCCURS.some((name) => name.endsWith(`.${side}.drops.${reason}`));
    // Brokers refuse a damaged batch.
    const missing = reasons.filter((reason) => reason !== 'undecodable' && !occurs(reason));
    expect(missing, 'add each to OCCURS, and send it in feed.ts').toEqual([]);
  });
});

/** Equal numbers say little if there were few of them, or if nothing went wrong on the way. */
function expectSubstance({ kills, redisRestarts, claims, records, totals, verdict, ...report }: ProofReport): void {
  expect([kills, redisRestarts]).toEqual([SHORT.kills, SHORT.redisRestarts]);
  expect(claims).toBeGreaterThan(SHORT.partitions);
  expect(records).toBeGreaterThan(SHORT.events);
  expect(verdict.rows).toBeGreaterThan(10_000);
  expect(report.gauges).toBeGreaterThan(100);
  expect(report.idleAdvances).toBeGreaterThan(0);
  expect(report.clockDrops).toBeGreaterThan(0);
  expect(report.differentWithoutInputs).toBeGreaterThan(0);
  expect(
    OCCURS.filter((name) => (totals.get(name) ?? 0n) === 0n),
    'let the traffic (feed.ts) produce these',
  ).toEqual([]);
  expect(Number(totals.get('0.impressions.accepted'))).toBeGreaterThan(0.9 * Number(totals.get('0.impressions.read')));
  expect(Number(totals.get('1.feedback.attributed'))).toBeGreaterThan(0.9 * Number(totals.get('1.feedback.read')));
}

/** One row, one number of a row, one total: whatever is changed in what Redis holds is seen. */
function expectTamperingToShow({ expected, stored }: ProofReport): void {
  const unit = expected.findIndex(({ rows }) => rows.size > 0);
  const [key, fields] = [...stored[unit].rows][0];
  const [field, row] = [...fields][0];
  const withRow = (changed: ReadonlyMap<string, bigint> | undefined): Verdict => {
    const others = new Map(fields);
    if (changed === undefined) others.delete(field);
    else others.set(field, new Map(changed));
    return verdictOn(unit, expected[unit], { ...stored[unit], rows: new Map(stored[unit].rows).set(key, others) });
  };
  const impressions = row.get('impressions') ?? 0n;
  expect(withRow(row)).toMatchObject({ lost: 0, double: 0, different: 0 });
  expect(withRow(new Map(row).set('impressions', impressions + 1n))).toMatchObject({
    lost: 0,
    double: 1,
    different: 1,
  });
  expect(withRow(new Map(row).set('impressions', impressions - 1n))).toMatchObject({
    lost: 1,
    double: 0,
    different: 1,
  });
  expect(withRow(undefined)).toMatchObject({ lost: Number(impressions), different: row.size });
  for (const [name, value] of row) {
    expect([name, withRow(new Map(row).set(name, value + 1n)).different]).toEqual([name, 1]);
  }
  for (const name of flat(stored[unit].counts).keys()) {
    const counts = JSON.parse(JSON.stringify(stored[unit].counts));
    raise(counts, name.split('.'));
    expect([name, verdictOn(unit, expected[unit], { ...stored[unit], counts }).different]).toEqual([name, 1]);
  }
}

function verdictOn(unit: number, expected: UnitResult, stored: UnitResult): Verdict {
  const verdict = noVerdict();
  compareUnit(verdict, unit, expected, stored);
  return verdict;
}

/** Adds 1 to the number at a path. */
function raise(tree: unknown, [name, ...rest]: readonly string[]): void {
  if (typeof tree !== 'object' || tree === null) return;
  const child: unknown = Reflect.get(tree, name);
  if (rest.length === 0) Reflect.set(tree, name, Number(child) + 1);
  else raise(child, rest);
}

describe('the comparison', () => {
  const unit = (impressions: bigint | undefined): UnitResult => ({
    counts: [],
    rows: new Map(
      impressions === undefined ? [] : [['pane', new Map([['1m||', new Map([['impressions', impressions]])]])]],
    ),
  });

  it.each([
    [5n, 5n, 0, 0],
    [5n, 4n, 1, 0],
    [5n, 6n, 0, 1],
    [5n, undefined, 5, 0],
    [undefined, 5n, 0, 5],
  ])('of %s expected and %s stored impressions finds %i lost and %i double', (wanted, found, lost, double) => {
    const different = wanted === found ? 0 : 1;
    expect(verdictOn(0, unit(wanted), unit(found))).toMatchObject({ lost, double, different, rows: 1 });
  });
});
