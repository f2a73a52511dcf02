import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { fromStored } from '../../src/accumulators/store/checksums.ts';
import { CheckpointError } from '../../src/accumulators/store/json.ts';
import { FORMAT_VERSION, OLDEST_FORMAT, unitKey } from '../../src/accumulators/store/layout.ts';
import { RedisStore } from '../../src/accumulators/store/redis-store.ts';
import { runOf } from '../../src/experiment/run-settings.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { readUnit } from '../../src/windows/unit-state.ts';
import { wholeTables } from '../accumulators/whole-tables.ts';
import { RestorableStore, type StoreSnapshot } from '../restorable-store.ts';
import { itWith } from '../services/it-with.ts';
import { REDIS, startRedis } from '../services/redis.ts';
import { claimRecorded, readRecorded, settingsOf, startRecorded } from './history.ts';

const UNIT = unitKey('recorded', 0);
const FORMATS = Array.from({ length: FORMAT_VERSION - OLDEST_FORMAT + 1 }, (_, i) => OLDEST_FORMAT + i);

/** What Redis held of the first half of its history (record.ts) when the first version of receval that wrote this format had stored it. */
function heldByRedis(format: number): Map<string, Map<string, string>> {
  const text = readFileSync(new URL(`state-${format}.json`, import.meta.url), 'utf8');
  const hashes: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(text);
  const plain = (base64: string): string => Buffer.from(base64, 'base64').toString();
  return new Map(
    Object.entries(hashes).map(([key, fields]) => [
      key,
      new Map(Object.entries(fields).map(([field, value]) => [field, plain(value)])),
    ]),
  );
}

/** The same as commits gave it. */
function asStored(format: number): Map<string, Map<string, string>> {
  return new Map([...heldByRedis(format)].map(([key, fields]) => [key, fromStored(key, fields)]));
}

/** The run of the experiment in this history: as it was named then, and as it is today. */
function runsOf(format: number): readonly [before: string, today: string] {
  const { experiments } = settingsOf(format);
  return [format === 3 ? '01dd739250ce5991' : 'd205e882127bab15', runOf(experiments[0])];
}

/**
 * The same under the names of today: since empty lists count, measures of grades have another entry in the fingerprint, and runs
 * another name. The history holds no empty list, so nothing else differs.
 */
function recorded(format: number): Map<string, Map<string, string>> {
  // What this version has stored has these names.
  if (format >= 4) return asStored(format);
  const [before, today] = runsOf(format);
  const { measures } = settingsOf(format);
  // A run was of all measures then.
  const since = JSON.stringify(measures.map(({ canonical }) => [canonical, null]));
  const named = (text: string): string =>
    text
      .replaceAll(`"run":"${before}"`, `"since":${since},$&`)
      .replaceAll(before, today)
      .replaceAll(/measure (?:mrr|ndcg@10)/g, '$& (empty lists count)');
  return new Map(
    [...asStored(format)].map(([key, fields]) => [
      named(key),
      new Map([...fields].map(([field, text]) => [field, named(text)])),
    ]),
  );
}

/** Rows in any order, and of the checkpoint all that does not depend on when it was stored. */
function outcome(stored: StoreSnapshot) {
  const rows = [...stored]
    .filter(([key]) => key !== UNIT && !key.includes(':places:'))
    .map(([key, fields]) => [key, [...fields].sort()] as const);
  const { join, panes, runs, generation, incompleteBefore, lastRecords } = decodeCheckpoint(
    stored.get(UNIT) ?? new Map(),
  );
  const { counts, watermark } = join;
  // Configured cohorts have their entries from the start of this version on; before, all stood in the order in which they came.
  const tables = wholeTables(panes.admission, { namespace: 'recorded', unit: 0, generation }, (key) => stored.get(key));
  const admission = tables.map((table) => ({
    ...table,
    entries: [...table.entries].sort(([a], [b]) => (a < b ? -1 : 1)),
  }));
  const checkpoint = {
    counts,
    watermark,
    panes: { ...panes, admission },
    runs,
    generation,
    incompleteBefore,
    lastRecords,
  };
  return { rows: rows.sort(([a], [b]) => (a < b ? -1 : 1)), checkpoint };
}

/** A run by this version alone, from the first record to the last. */
async function undisturbed(format: number) {
  const store = new RestorableStore();
  await startRecorded(store, format, 1);
  return outcome(store.snapshot());
}

/** Adds a field that this version does not know to every object of stored JSON. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (typeof value !== 'object' || value === null) return value;
  return { ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, grown(one)])), later: { a: [1] } };
}

describe.each(FORMATS)('state of format %i that the first version to write it has stored', (format) => {
  it('has rows, users, vectors and lists that are open, so that going on from it says something', () => {
    const keys = [...recorded(format).keys()].join('\n');
    for (const part of [':pane:m:', ':pane:h:', ':total:default:', ':users:default:', ':vector:h:']) {
      expect(keys).toContain(part);
    }
    const { join } = decodeCheckpoint(recorded(format).get(UNIT) ?? new Map());
    expect(join.topics.every(({ replay, committed }) => replay < committed)).toBe(true);
    expect(join.counts[1].feedback.attributed).toBeGreaterThan(50);
    const drops = format === 3 ? { invalid: 25, duplicate: 45 } : { invalid: 5, duplicate: 10 };
    expect(join.counts[0].impressions.drops).toMatchObject({ undecodable: 0, ...drops });
    expect(recorded(format).get(UNIT)?.get('format')).toBe(String(format));
    expect(join.counts[1].feedback.drops.future > 512).toBe(format === 2);
    expect([...recorded(format).keys()].some((key) => key.endsWith(':clock'))).toBe(format === 2);
    expect([...recorded(format).keys()].some((key) => key.endsWith(':places:country'))).toBe(format === 3);
  });

  it('is gone on from in memory, to the same totals and rows as without any upgrade', async () => {
    const store = new RestorableStore();
    store.restoreSnapshot(recorded(format));
    const unit = await claimRecorded(store, format);
    expect(unit.isNew).toBe(false);
    await readRecorded(unit, 1, format);
    expect(outcome(store.snapshot())).toEqual(await undisturbed(format));
  });

  itWith(REDIS, 'is gone on from in Redis, to the same totals and rows', async () => {
    const server = await startRedis();
    const client = new Redis(server.port, '127.0.0.1');
    const store = await RedisStore.connect({ url: server.url });
    try {
      const held = format < 5 ? recorded(format) : heldByRedis(format);
      for (const [key, fields] of held) await client.hset(key, Object.fromEntries(fields));
      await readRecorded(await claimRecorded(store, format), 1, format);
      const keys = await client.keys('receval:{recorded:*');
      const stored = await Promise.all(
        keys.map(async (key) => [key, fromStored(key, new Map(Object.entries(await client.hgetall(key))))] as const),
      );
      expect(outcome(new Map(stored))).toEqual(await undisturbed(format));
    } finally {
      await store.close();
      client.disconnect();
      await server.stop();
    }
  });
});

it.each([1, 2, 3])(
  'state of format %i is not mixed with what its measures mean today: windows lack them, and runs begin anew if that is asked for',
  async (format) => {
    const store = new RestorableStore();
    store.restoreSnapshot(asStored(format));
    await expect(claimRecorded(store, format)).rejects.toThrow('--restart-experiments');
    await readRecorded(
      await claimRecorded(store, format, { permissions: { ...NO_PERMISSIONS, restartExperiments: true } }),
      1,
      format,
    );
    const state = store.snapshot();
    const before = decodeCheckpoint(asStored(format).get(UNIT) ?? new Map());
    const { since, runs, format: now } = decodeCheckpoint(state.get(UNIT) ?? new Map());
    const [old, today] = runsOf(format);
    const { measures } = settingsOf(format);
    const at = before.join.watermark;
    const added = measures.filter(({ params }) => params.get('min_list_length') === 0);
    expect(since).toEqual(
      Object.fromEntries(added.map(({ canonical }) => [`measure ${canonical} (empty lists count)`, at])),
    );
    // The rows of its generation have no checksums, so it stays without.
    expect(now).toBe(4);
    expect(runs).toEqual([
      {
        name: 'default',
        run: today,
        begins: before.join.topics.map(({ committed }) => committed),
        missing: 0,
        lists: expect.any(Number),
        users: [0, expect.any(Number)],
        since: Object.fromEntries(measures.map(({ canonical }) => [canonical, Number.NEGATIVE_INFINITY])),
      },
      { ...before.runs[0], ended: { at, generation: before.generation } },
    ]);
    // It is kept for a week.
    const keysOf = (of: Iterable<string>): readonly string[] => [...of].filter((key) => key.includes(old)).sort();
    expect(keysOf(state.keys())).toEqual(keysOf(asStored(format).keys()));
  },
);

describe('state that a later version has stored', () => {
  const format = OLDEST_FORMAT;

  it('in this format is read without the fields that it has beside, in the hash and in every object', () => {
    const fields = recorded(format).get(UNIT) ?? new Map<string, string>();
    const isJson = (name: string): boolean => !['format', 'generation', 'token', 'seq', 'cid'].includes(name);
    const more = new Map(
      [...fields].map(([name, text]) => [name, isJson(name) ? JSON.stringify(grown(JSON.parse(text))) : text]),
    );
    more.set('later', 'unknown');
    expect(decodeCheckpoint(more)).toEqual(decodeCheckpoint(fields));
  });

  it('in this format is gone on from, though a field that is not known here stands in it', async () => {
    const state = recorded(format);
    state.get(UNIT)?.set('later', 'unknown');
    const store = new RestorableStore();
    store.restoreSnapshot(state);
    await readRecorded(await claimRecorded(store, format), 1, format);
    expect(outcome(store.snapshot())).toEqual(await undisturbed(format));
    // It is not deleted: whoever knows it must expect that it is older than the rest.
    expect(store.snapshot().get(UNIT)?.get('later')).toBe('unknown');
  });

  it('in the next format is neither read nor changed, and the message says what to do', async () => {
    const state = recorded(format);
    state.get(UNIT)?.set('format', String(FORMAT_VERSION + 1));
    const store = new RestorableStore();
    store.restoreSnapshot(state);
    const before = new Map(state.get(UNIT));
    const claim = claimRecorded(store, format);
    await expect(claim).rejects.toThrow(CheckpointError);
    await expect(claim).rejects.toThrow(
      `the stored state has format version ${FORMAT_VERSION + 1}; this build reads versions up to ${FORMAT_VERSION}: run the build that wrote it`,
    );
    await expect(claim).rejects.toMatchObject({ exitCode: 2 });
    expect(() => readUnit(0, before, undefined)).toThrow(`unit 0: the stored state has format version`);
    for (const [key, fields] of state) if (key !== UNIT) expect(store.snapshot().get(key)).toEqual(fields);
    expect(store.snapshot().get(UNIT)?.get('topics')).toBe(before.get('topics'));
  });
});
