import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AcceptedLevel,
  acceptedKey,
  acceptedLevels,
  acceptLevel,
  withdrawLevel,
} from '../../../src/accumulators/store/accepted-level.ts';
import { MemoryStore } from '../../../src/accumulators/store/memory-store.ts';
import { receval } from '../../cli/receval.ts';
import { redisIsThere } from '../../contracts/store/redis-harness.ts';
import { type RunningRedis, startRedis } from '../../services/redis.ts';

const LEVEL: AcceptedLevel = {
  by: ['variant', 'country'],
  values: ['B', 'DE'],
  measure: 'ndcg(k=10)',
  from: 1_700_000_000_000,
  at: 1_700_000_100_000,
  note: 'new ranker, "v2" | since Monday',
};

let drawn = 0;
const newId = (): string => `id-${++drawn}`;

describe('accepted levels', () => {
  const all = async (store: MemoryStore): Promise<readonly AcceptedLevel[]> => {
    const [hash] = await store.read([acceptedKey('ns')]);
    return [...acceptedLevels(hash).values()];
  };

  it('are read back as they were written, one for each measure of a cohort', async () => {
    const store = new MemoryStore();
    const everything: AcceptedLevel = { ...LEVEL, by: [], values: [] };
    expect(await acceptLevel(store, 'ns', LEVEL, newId)).toBe(true);
    expect(await acceptLevel(store, 'ns', everything, newId)).toBe(true);
    expect(await all(store)).toEqual([LEVEL, everything]);
    const later = { ...LEVEL, from: LEVEL.from + 1, note: 'again' };
    expect(await acceptLevel(store, 'ns', later, newId)).toBe(true);
    expect(await all(store)).toEqual([later, everything]);
  });

  it('are gone when they were withdrawn, and can be accepted again', async () => {
    const store = new MemoryStore();
    await acceptLevel(store, 'ns', LEVEL, newId);
    expect(await withdrawLevel(store, 'ns', LEVEL, newId)).toBe(true);
    expect(await all(store)).toEqual([]);
    await acceptLevel(store, 'ns', LEVEL, newId);
    expect(await all(store)).toEqual([LEVEL]);
  });

  it('say which of them cannot be read', () => {
    expect(() => acceptedLevels(new Map([['||mrr', '{"from":"soon"}']]))).toThrow(
      'accepted level "||mrr": from: expected a whole number',
    );
    expect(() => acceptedLevels(new Map([['||mrr', 'soon']]))).toThrow('accepted level "||mrr": expected JSON');
  });

  it('of one store do not stand in the way of its units, whose hashes bear numbers', () => {
    expect(acceptedKey('ns')).toBe('receval:{ns:accepted}:unit');
  });
});

describe.skipIf(!redisIsThere)('receval accept', () => {
  let redis: RunningRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const config = (): string => {
    const file = join(mkdtempSync(join(tmpdir(), 'receval-accept-')), 'receval.yaml');
    const text = JSON.stringify({
      redis: { url: redis.url },
      measures: ['mrr', 'ndcg@10'],
      cohorts: [[], ['variant']],
      detect: { sets: [[], ['variant']], measures: ['mrr', 'ndcg@10'] },
    });
    writeFileSync(file, text);
    return file;
  };
  const accept = async (...args: string[]) => {
    const file = config();
    const done = await receval(['accept', '--config', file, ...args]);
    rmSync(dirname(file), { recursive: true });
    return { ...done, lines: done.stdout.split('\n').filter((line) => line.includes('2026')) };
  };

  it('stores a level with its reason, lists it and takes it back', async () => {
    const from = ['--from', '2026-11-20T08:00:00Z', '--note', 'ranker v2 is meant to do this'];
    const stored = await accept('--cohort', 'variant=B', '--measure', 'mrr', ...from);
    expect(stored.stderr).toContain('within a detect.step');
    expect(stored.code).toBe(0);
    expect(stored.lines).toHaveLength(1);
    expect(stored.lines[0]).toMatch(/variant=B.* mrr .*2026-11-20T08:00:00\.000Z.*ranker v2 is meant to do this/);
    expect((await accept(...from)).lines).toHaveLength(3);
    expect((await accept('--list')).lines).toHaveLength(3);
    expect((await accept('--withdraw', '--cohort', 'variant=B', '--measure', 'mrr')).lines).toHaveLength(2);
    expect((await accept('--withdraw')).stdout).toContain('nothing was accepted');
  });

  it.each([
    [
      ['--note', 'why', '--cohort', 'country=DE'],
      '--cohort: country is not watched; watched are: all lists (no --cohort); variant',
    ],
    [['--note', 'why', '--cohort', 'variant'], '--cohort: "variant" is not a dimension=value'],
    [
      ['--note', 'why', '--measure', 'mr'],
      '--measure: "mr" is not watched (detect.measures: mrr, ndcg@10); did you mean "mrr"?',
    ],
    [['--note', 'why', '--from', 'monday'], '--from: "monday" is not a time such as 2026-11-21T08:00:00Z'],
    [['--cohort', 'variant=B'], '--note: say why'],
  ])('refuses %j: %s', async (args, message) => {
    const { code, stderr } = await accept(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect((await accept('--list')).stdout).toContain('nothing was accepted');
  });
});
