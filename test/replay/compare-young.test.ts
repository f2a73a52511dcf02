/** Experiments on files decide by lists that are as old as the horizon (specification: join 4.1). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareFiles, type FilesCompared } from '../../src/replay/compare-files.ts';
import { load } from '../config/fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-young-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.UTC(2026, 10, 21, 8);
const OUT_OF_ORDER = 10_000;
const YAML = `
measures: [mrr]
attribution: {horizons: [1h, 24h]}
experiments: {default: {control: A, variants: {A: 1, B: 1}, primary: mrr, horizon: 24h}}
`;
const AT_1H = YAML.replace('horizon: 24h}', 'horizon: 1h}');

interface Shown {
  readonly id: string;
  readonly user: string;
  readonly variant: string;
  readonly ts: number;
  /** When it was bought from; undefined: it was not. */
  readonly bought: number | undefined;
}

/**
 * 3,000 lists of 1,000 users, two in five of them bought from. So many by either variant, but those of A after 9 to 21 h where those of
 * B come after minutes, or the reverse.
 */
function shop(hours: number, fast: 'A' | 'B', from: Readonly<Record<string, number>> = {}): readonly Shown[] {
  return Array.from({ length: 3000 }, (_, i) => {
    const user = (i * 7919) % 1000;
    const variant = user % 2 === 0 ? 'A' : 'B';
    const ts = BEGIN + Math.floor((i * hours * HOUR) / 3000);
    const delay = variant === fast ? MINUTE + (i % 20) * 1000 : 9 * HOUR + (i % 13) * HOUR;
    const isBought = ((i * 104_729 + user * 31) % 97) % 5 < 2;
    return { id: `r${i}`, user: `u${user}`, variant, ts, bought: isBought ? ts + delay : undefined };
  }).filter(({ variant, ts }) => ts >= BEGIN + (from[variant] ?? 0));
}

let files = 0;
/** The logs of what happened before `until`. */
async function compared(log: readonly Shown[], until: number, yaml = YAML, closeAll = false): Promise<FilesCompared> {
  const settings = load(yaml);
  const write = (lines: readonly object[]) => {
    const path = join(folder, `f${files++}.ndjson`);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return [{ path, defaults: new Map<string, string>() }];
  };
  const impressions = log
    .filter(({ ts }) => ts < until)
    .map(({ id, user, variant, ts }) => ({ requestId: id, userId: user, variant, ts, items: ['a', 'b'] }));
  const feedback = log
    .flatMap(({ id, bought }) =>
      bought === undefined || bought >= until ? [] : [{ requestId: id, itemId: 'a', ts: bought, action: 'purchase' }],
    )
    .sort((a, b) => a.ts - b.ts);
  return compareFiles(
    {
      settings,
      inputs: { impressions: write(impressions), feedback: write(feedback) },
      adapter: undefined,
      order: 'time',
      closeAll,
      newId: () => 'id',
      hashSeed: 0,
      onProgress: () => {},
    },
    settings.experiments[0],
  );
}

describe('a variant that moves the delay of feedback, and nothing else', () => {
  it.each(['A', 'B'] as const)(
    'decides nothing in a log of ten hours at a horizon of 24 h: fast in %s',
    async (fast) => {
      const { comparison } = await compared(shop(10, fast), BEGIN + 10 * HOUR);
      const [{ decision, reason, decidedAsOf, decidedAt, explanation }] = comparison.variants;
      expect([decision, reason, decidedAsOf, decidedAt]).toEqual(['insufficient', 'no_data', null, null]);
      expect(comparison).toMatchObject({
        impressions: { A: 0, B: 0 },
        open: { A: 1500, B: 1500 },
        users: { A: 0, B: 0 },
      });
      expect(explanation).toMatch(
        /^None of 3,000 lists of A and B is 24h old at the end of the feedback, 2026-11-21T17:/,
      );
      expect(explanation).toContain('The first will be at 2026-11-22T08:00:10.000Z, all at 2026-11-22T17:');
      expect(explanation).not.toContain('spelled');
    },
  );

  it.each(['A', 'B'] as const)('decides nothing where some lists are old enough: fast in %s', async (fast) => {
    const until = BEGIN + 30 * HOUR;
    const { comparison } = await compared(shop(30, fast), until);
    const [{ decision, measures }] = comparison.variants;
    expect(['insufficient', 'healthy']).toContain(decision);
    const both = (comparison.impressions['A'] ?? 0) + (comparison.impressions['B'] ?? 0);
    expect(both).toBeGreaterThan(500);
    expect(both).toBeLessThan(620);
    expect(measures[0].control).toBeCloseTo(0.4, 1);
    expect(measures[0].value).toBeCloseTo(0.4, 1);
  });

  it.each([
    ['B', 'improved'],
    ['A', 'regressed'],
  ] as const)('is decided with --close-all: fast in %s, %s', async (fast, decision) => {
    const { comparison } = await compared(shop(10, fast), BEGIN + 10 * HOUR, YAML, true);
    expect(comparison.variants[0].decision).toBe(decision);
    expect(comparison).toMatchObject({ impressions: { A: 1500, B: 1500 }, open: { A: 0, B: 0 } });
  });
});

describe('a comparison', () => {
  it('counts each list once, and the users of those that count alone', async () => {
    const until = BEGIN + 5 * HOUR;
    const log = shop(5, 'B');
    const { comparison, replayed } = await compared(log, until, AT_1H);
    const reach = Date.parse(replayed.feedbackEnd ?? '') - OUT_OF_ORDER - HOUR;
    for (const name of ['A', 'B']) {
      const own = log.filter(({ variant }) => variant === name);
      const old = own.filter(({ ts }) => ts <= reach);
      expect(comparison.impressions[name]).toBe(old.length);
      expect(comparison.open?.[name]).toBe(own.length - old.length);
      expect(comparison.users[name]).toBe(new Set(old.map(({ user }) => user)).size);
    }
  });

  it('says of a variant that began too late that it is too young, and not misspelt', async () => {
    const log = shop(5, 'B', { A: 3.9 * HOUR, B: 4.1 * HOUR });
    const { comparison } = await compared(log, BEGIN + 5 * HOUR, AT_1H);
    const [{ reason, explanation }] = comparison.variants;
    expect(reason).toBe('no_data');
    expect(explanation).toMatch(/^None of 270 lists of B is 1h old at the end of the feedback/);
    expect(comparison.impressions['A']).toBeGreaterThan(20);
  });

  it('says of a variant that is misspelt that it is, however young the others are', async () => {
    const yaml = YAML.replace('variants: {A: 1, B: 1}', 'variants: {A: 1, b: 1}');
    const { comparison } = await compared(shop(10, 'B'), BEGIN + 10 * HOUR, yaml);
    expect(comparison.variants[0].explanation).toContain('spelled as in the configuration');
    expect(comparison).toMatchObject({ open: { A: 1500, b: 0 }, others: { B: 1500 } });
  });

  it('leaves out what was shown before its start, open or not', async () => {
    const yaml = YAML.replace('primary: mrr,', `primary: mrr, start: ${new Date(BEGIN + 9 * HOUR).toISOString()},`);
    const { comparison } = await compared(shop(10, 'B'), BEGIN + 10 * HOUR, yaml);
    expect(comparison.open).toEqual({ A: 150, B: 150 });
  });

  it('says when its look could first be taken: a horizon later, in the time of the logs', async () => {
    const log = shop(10, 'B');
    const until = BEGIN + 34 * HOUR;
    const decidedAt = async (yaml: string, closeAll: boolean) => {
      const { comparison } = await compared(log, until, yaml, closeAll);
      const [{ decidedAsOf, decidedAt }] = comparison.variants;
      return (Date.parse(decidedAt ?? '') - Date.parse(decidedAsOf ?? '')) / HOUR;
    };
    // Both see B ahead at the first look.
    expect(await decidedAt(AT_1H, false)).toBe(1);
    expect(await decidedAt(AT_1H, true)).toBe(1);
    const end = BEGIN + 10 * HOUR;
    const [{ decidedAt: atEnd }] = (await compared(log, end, YAML, true)).comparison.variants;
    const times = log.flatMap(({ ts, bought = ts }) => [ts, bought]).filter((ts) => ts < end);
    expect(Date.parse(atEnd ?? '')).toBe(Math.max(...times));
  });
});
