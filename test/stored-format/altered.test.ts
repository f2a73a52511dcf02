/** Stored texts that were altered: refused with the name of the key, or read as something that they could have been; nothing else. */
import { describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { checkpointToStored, FIELDS_HELD, fromStored, rowsToStored } from '../../src/accumulators/store/checksums.ts';
import { CheckpointError } from '../../src/accumulators/store/json.ts';
import { STORE_FIELDS, unitKey } from '../../src/accumulators/store/layout.ts';
import { stateOfUnits } from '../../src/experiment/units.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { compareStored } from '../../src/service/compare-stored.ts';
import { readLost } from '../../src/service/lost-state.ts';
import type { Unit } from '../../src/unit/unit.ts';
import { stopCauseOf } from '../../src/worker/claims.ts';
import { RestorableStore, type StoreSnapshot } from '../restorable-store.ts';
import { altered } from './alter.ts';
import { claimRecorded, readRecorded, recordedLogs, settingsOf, startRecorded } from './history.ts';

const UNIT = unitKey('recorded', 0);
const RUNS = Number(process.env['RECEVAL_RUNS'] ?? '1');
/** For each field of the checkpoint. */
const FLIPS = 200;
/** For each kind of field of each key. */
const CLAIMS = 2;
const FORMATS = [2, 3, 4];

/** Draws that are the same each time: xorshift (G. Marsaglia, "Xorshift RNGs", 2003). */
function drawsOf(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Half of the history of a format, with two looks at its experiment. */
async function stored(format: number): Promise<StoreSnapshot> {
  const store = new RestorableStore();
  await startRecorded(store, format, 0.45);
  const unit = await claimRecorded(store, format);
  await readRecorded(unit, 0.5, format);
  await look(unit, format);
  unit.release();
  return store.snapshot();
}

async function look(unit: Unit, format: number): Promise<void> {
  const { experiments, measures } = settingsOf(format);
  unit.look(0, stateOfUnits(experiments[0], measures, [unit.part(0)], unit.join.watermark));
  await unit.commit();
}

const hashOf = (snapshot: StoreSnapshot, key: string): ReadonlyMap<string, string> => snapshot.get(key) ?? new Map();

/** One of the fields of each kind: a row of each set, a user, a place, a block of verdicts. */
function kinds(snapshot: StoreSnapshot): readonly (readonly [key: string, field: string])[] {
  const known = new Map<string, readonly [string, string]>();
  for (const [key, fields] of snapshot) {
    const ofKey = key.replace(/\d{6,}$/, '');
    for (const field of fields.keys()) {
      const isNamed = key === UNIT || key.includes(':looks:') || field === 'level' || field === '|';
      const kind = isNamed ? field.replace(/\d+$/, '') : field.includes('|') ? field.replace(/[^|]*$/, '') : '';
      known.set(`${ofKey} ${kind}`, [key, field]);
    }
  }
  return [...known.values()];
}

function withField(snapshot: StoreSnapshot, key: string, field: string, text: string): RestorableStore {
  const store = new RestorableStore();
  store.restoreSnapshot(new Map([...snapshot, [key, new Map([...hashOf(snapshot, key), [field, text]])]]));
  return store;
}

/** undefined: it is an error that stops this unit, and no other. */
function unexpected(error: unknown): unknown {
  return stopCauseOf(error) === undefined ? error : undefined;
}

/** Reads the next part of the history, as `readRecorded`; false: another record was found than the last one, which stops the unit. */
async function readOn(unit: Unit, format: number): Promise<boolean> {
  for (const [topic, log] of recordedLogs(format).entries()) {
    const next = Math.floor(0.55 * log.length);
    const from = unit.reading.from(topic);
    if (from < next) unit.feed({ partition: 0, topic, records: log.slice(from, next), next });
  }
  await unit.commit();
  return unit.reading.diverged === undefined;
}

/** What a worker makes of it: claims, reads on, takes a look. Returns an error that would end its process. */
async function claimed(store: RestorableStore, format: number): Promise<unknown> {
  let unit: Unit | undefined;
  try {
    unit = await claimRecorded(store, format);
    if (await readOn(unit, format)) await look(unit, format);
    return undefined;
  } catch (error) {
    return unexpected(error);
  } finally {
    unit?.release();
  }
}

/** What readers make of it: the exporter, `compare`, and what a start and doctor look for. */
async function read(store: RestorableStore, format: number): Promise<unknown> {
  const settings = settingsOf(format);
  const reads = [
    () => new Exporter(settings, { store, namespace: 'recorded', partitions: 1 }).refresh(),
    () => compareStored(settings, settings.experiments[0], 'recorded', store),
    () => readLost(settings, store, 1, { rowTtl: 1e12, now: Date.parse('2026-11-21T09:00:00Z') }),
  ];
  for (const one of reads) {
    try {
      await one();
    } catch (error) {
      const isTold = error instanceof CheckpointError || (error instanceof Error && error.name === 'NothingStored');
      if (!isTold) return error;
    }
  }
  return undefined;
}

describe.each(FORMATS)('of what format %i stores', (format) => {
  it('each altered field of a checkpoint is refused by name, or could have been stored', async () => {
    const fields = hashOf(await stored(format), UNIT);
    const draw = drawsOf(format);
    for (const [field, text] of fields) {
      for (let flip = 0; flip < FLIPS * RUNS; flip++) {
        const other = altered(text, draw, [...fields.values()]);
        try {
          decodeCheckpoint(new Map([...fields, [field, other]]));
        } catch (error) {
          expect(error, `${field}: ${other}`).toBeInstanceOf(CheckpointError);
          expect(String(error)).toContain(field === 'format' ? 'format version' : field);
        }
      }
    }
  });

  it('each altered field of any key ends no process, neither that of its worker nor that of a reader', async () => {
    const snapshot = await stored(format);
    const draw = drawsOf(100 + format);
    for (const [key, field] of kinds(snapshot)) {
      const fields = hashOf(snapshot, key);
      for (let flip = 0; flip < CLAIMS * RUNS; flip++) {
        const text = altered(fields.get(field) ?? '', draw, [...fields.values()]);
        const name = `${key} ${field}: ${text}`;
        expect(await read(withField(snapshot, key, field, text), format), name).toBe(undefined);
        expect(await claimed(withField(snapshot, key, field, text), format), name).toBe(undefined);
      }
    }
  });
});

/** The same as Redis holds it. */
function heldByRedis(snapshot: StoreSnapshot): StoreSnapshot {
  return new Map(
    [...snapshot].map(([key, fields]) => {
      if (key !== UNIT) return [key, new Map([...rowsToStored(key, fields), [FIELDS_HELD, String(fields.size)]])];
      const own = new Map([...fields].filter(([field]) => isOwn(field)));
      const checkpoint = new Map([...fields].filter(([field]) => !isOwn(field)));
      const commit = { unit: UNIT, checkpoint, seq: Number(own.get('seq')), cid: own.get('cid') ?? '' };
      return [key, new Map([...own, ...checkpointToStored(commit)])];
    }),
  );
}

function isOwn(field: string): boolean {
  return STORE_FIELDS.some((own) => own === field);
}

/** A store that reads as a Redis store would. */
function readFrom(held: StoreSnapshot): RestorableStore {
  const store = new RestorableStore();
  store.restoreSnapshot(new Map([...held].map(([key, fields]) => [key, fromStored(key, new Map(fields))])));
  return store;
}

describe('of what format 5 stores', () => {
  it('each altered, added or removed field of any key is found by doctor and by claims, and ends no process', async () => {
    const snapshot = await stored(5);
    const held = heldByRedis(snapshot);
    const settings = settingsOf(5);
    const expiry = { rowTtl: 1e12, now: Date.parse('2026-11-21T09:00:00Z') };
    expect(readFrom(held).snapshot()).toEqual(snapshot);
    expect(await readLost(settings, readFrom(held), 1, expiry)).toEqual([]);
    const draw = drawsOf(105);
    for (const [key, field] of kinds(snapshot)) {
      if (key === UNIT && (field === 'token' || field === 'format')) continue;
      const fields = hashOf(held, key);
      const whole = fields.get(field) ?? '';
      const digits = snapshot.get(key)?.get(field) ?? '';
      const texts = [
        altered(whole, draw, [...fields.values()]),
        altered(digits, draw, [...fields.values()]),
        altered(digits, draw, [...fields.values()]) + whole.slice(digits.length),
        undefined,
      ];
      for (const text of texts) {
        if (text === whole) continue;
        const others = [...fields].filter(([name]) => name !== field);
        // A key without fields is not there.
        if (text === undefined && others.length === 1) continue;
        const one = new Map(text === undefined ? others : [...fields, [field, text]]);
        const store = (): RestorableStore => readFrom(new Map([...held, [key, one]]));
        const name = `${key} ${field}: ${text}`;
        const [lost] = await readLost(settings, store(), 1, expiry);
        expect([...(lost?.keys.keys() ?? [])], name).toContain(key);
        expect(await read(store(), 5), name).toBe(undefined);
        expect(await claimed(store(), 5), name).toBe(undefined);
        // A claim reads no panes that cannot change any more.
        if (/:(?:pane|vector):/.test(key)) continue;
        const error: unknown = await claimRecorded(store(), 5).catch((found: unknown) => found);
        expect(stopCauseOf(error), name).toBe('damaged');
      }
    }
  });
});

describe('what cannot be read is named', () => {
  it.each([
    ['the level of users', ':users:', 'level', '1e300'],
    ['a level beyond the last one', ':users:', 'level', '33'],
    ['a user', ':users:', '5', '[3,1795248]'],
    ['evidence of looks', ':looks:', 'srm', '[0.5]'],
    ['a decision', ':looks:', '1m|treatment|decision', '["invAlid","crossover",1795248543208]'],
  ])('%s: by a claim, which stops this unit, and by readers, which show the rest', async (_, part, field, text) => {
    const snapshot = await stored(4);
    const key = [...snapshot.keys()].find((one) => one.includes(part)) ?? '';
    const store = withField(snapshot, key, field, text);
    const settings = settingsOf(4);
    const exporter = new Exporter(settings, { store, namespace: 'recorded', partitions: 1 });
    const { windows, lost } = await exporter.refresh();
    expect(windows.some(({ complete }) => complete !== undefined)).toBe(true);
    expect([...(lost?.keys ?? [])]).toEqual([[key, expect.stringContaining(field)]]);
    expect(lost?.found).toBe(1);
    const compared = await compareStored(settings, settings.experiments[0], 'recorded', store);
    expect([...(compared.lost?.keys() ?? [])]).toEqual([key]);
    const now = Date.parse('2026-11-21T09:00:00Z');
    const [found] = await readLost(settings, store, 1, { rowTtl: 1e12, now });
    expect([...found.keys.keys()]).toEqual([key]);
    const error: unknown = await claimRecorded(store, 4).catch((one: unknown) => one);
    expect(stopCauseOf(error)).toBe('damaged');
    expect(String(error)).toContain(`${key} is damaged: `);
  });

  it('places that are not those of the checkpoint, though nobody commits', async () => {
    const snapshot = await stored(3);
    const key = [...snapshot.keys()].find((one) => one.endsWith(':places:country')) ?? '';
    const store = withField(snapshot, key, '|', '[null,9]');
    const exporter = new Exporter(settingsOf(3), { store, namespace: 'recorded', partitions: 1 });
    await expect(exporter.refresh()).rejects.toThrow('unit 0 counts other places of cohorts than are stored');
    const [lost] = await readLost(settingsOf(3), store, 1, {
      rowTtl: 1e12,
      now: Date.parse('2026-11-21T09:00:00Z'),
    });
    expect([...lost.keys]).toEqual([[key, expect.stringContaining('other places')]]);
  });

  it('the hash of the unit itself, by a claim', async () => {
    const store = withField(await stored(4), UNIT, 'topics', '[{"committed":1}]');
    await expect(claimRecorded(store, 4)).rejects.toThrow(
      `${UNIT}: the stored checkpoint is damaged: topics[0].replay`,
    );
  });

  it('and a checkpoint whose commits are counted as 0 is gone on from: it is not begun anew', async () => {
    const unit = await claimRecorded(withField(await stored(4), UNIT, 'seq', '0'), 4);
    expect(unit.isNew).toBe(false);
    unit.release();
  });
});
