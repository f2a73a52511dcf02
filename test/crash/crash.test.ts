import { describe, expect, it } from 'vitest';
import { wholeTable } from '../../src/accumulators/admission-state.ts';
import { parsePanesState } from '../../src/accumulators/panes-settings.ts';
import { placesKey } from '../../src/accumulators/store/layout.ts';
import type { Fields } from '../../src/accumulators/store/store-port.ts';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { FAULT_LABELS } from '../../src/vocabulary/fault-point.ts';
import { Worker } from '../../src/worker/worker.ts';
import { withMutation } from '../mutations/loader.ts';
import type { StoreSnapshot } from '../restorable-store.ts';
import { runs } from '../runs.ts';
import { type Crash, firstCrashes, passedBy, recovery } from './enumeration.ts';
import { live } from './life.ts';
import { RECOVERY_MUTATIONS } from './mutations.ts';
import { script } from './script.ts';
import { type Sources, workersOf } from './worker.ts';
import { BEGINNING, World } from './world.ts';

const STEPS = script();
const REAL = workersOf({ Worker, createDecoder });
/** Everything durable but the guard fields, what only says where a replay may begin, and what depends on when somebody looked. */
function durable(snapshot: StoreSnapshot): string {
  const without = new Set(['token', 'seq', 'cid', 'topics']);
  const keys = [...snapshot]
    .filter(([key]) => !isLooks(key) && !key.includes(':places:'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    keys.map(([key, fields]) => [
      key,
      [...fields]
        .filter(([name]) => !without.has(name))
        .map(([name, text]) => [name, name === 'panes' ? wholePanes(key, fields, snapshot) : text])
        .sort(),
    ]),
    undefined,
    1,
  );
}

/** The panes of a checkpoint with the places that are stored beside it, whose numbers only tell their order. */
function wholePanes(unit: string, fields: Fields, snapshot: StoreSnapshot): string {
  const panes = parsePanesState(fields.get('panes') ?? '');
  const [, namespace, partition] = /^receval:\{(.*):(\d+)\}/.exec(unit) ?? [];
  const owner = { namespace, unit: Number(partition), generation: fields.get('generation') ?? '' };
  const admission = panes.admission.map((table) => {
    const { by, folded, entries, candidates } = wholeTable(table, snapshot.get(placesKey(owner, table.by))) ?? NO_TABLE;
    return { by, folded, entries, candidates };
  });
  return JSON.stringify({ ...panes, admission });
}

/** Of places that are not those that the checkpoint counts. */
const NO_TABLE = { by: [], folded: 0, entries: [], candidates: [] };

const whole = live(new World(STEPS, BEGINNING, 'lost'), REAL);
const unbroken = whole.then(durable);

interface Recovered {
  readonly crash: Crash;
  /** Every crash that can come on the way back from it. */
  readonly next: readonly Crash[];
}

function nameOf({ at, fate }: Crash): string {
  return `killed at: ${at.join(', ')}; what was under way: ${fate}`;
}

/** Goes on after each crash. Answers those after which the same was stored as without any, and names the others. */
async function goOn(
  crashes: readonly Crash[],
  want: string,
  makeWorker = REAL,
): Promise<{ readonly recovered: readonly Recovered[]; readonly wrong: readonly string[] }> {
  const recovered: Recovered[] = [];
  const wrong: string[] = [];
  for (const crash of crashes) {
    const name = nameOf(crash);
    try {
      const { stored, crashes: next } = await recovery(STEPS, crash, makeWorker);
      if (durable(stored) !== want) wrong.push(name);
      wrong.push(...fallen(surviving(crash), stored).map((field) => `${name}: the evidence of ${field} fell`));
      recovered.push({ crash, next });
    } catch (error) {
      wrong.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { recovered, wrong };
}

function isLooks(key: string): boolean {
  return key.includes(':looks:');
}

/** What was stored at a crash and is never taken back: of moments between a backup and its return only the backup. */
function surviving({ moment: { steps, backup, stored } }: Crash): StoreSnapshot {
  const [saved, back] = (['backup', 'roll back'] as const).map((what) => STEPS.findIndex(({ does }) => does === what));
  return steps > saved && steps <= back ? backup : stored;
}

/** The evidence of looks by key and field. */
function evidenceIn(stored: StoreSnapshot): ReadonlyMap<string, number> {
  const looks = [...stored].filter(([key]) => isLooks(key));
  return new Map(
    looks.flatMap(([key, fields]) =>
      [...fields]
        .filter(([field]) => !field.endsWith('|decision'))
        .map(([field, text]) => [`${key} ${field}`, JSON.parse(text)[0]] as const),
    ),
  );
}

/** Where looks say less than they said before, though no look can. */
function fallen(before: StoreSnapshot, after: StoreSnapshot): readonly string[] {
  const now = evidenceIn(after);
  return [...evidenceIn(before)].flatMap(([field, logE]) =>
    (now.get(field) ?? Number.NEGATIVE_INFINITY) < logE ? [field] : [],
  );
}

async function load([path, decoder]: readonly string[]): Promise<Sources> {
  const { Worker: worker }: Pick<Sources, 'Worker'> = await import(/* @vite-ignore */ path);
  const { createDecoder: create }: Pick<Sources, 'createDecoder'> = await import(/* @vite-ignore */ decoder);
  return { Worker: worker, createDecoder: create };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

describe('a worker that is killed where it waits', () => {
  it('is killed in traffic that meets every rule', async () => {
    const stored: readonly [string, readonly [string, string][]][] = JSON.parse(await unbroken);
    const units = stored.filter(([key]) => key.endsWith(':unit')).map(([, fields]) => new Map(fields));
    expect(units).toHaveLength(2);
    for (const unit of units) {
      const [{ impressions }, { feedback }] = JSON.parse(unit.get('counts') ?? '[]');
      // A damaged batch is no part of it: the simulator and test/service/undecodable.test.ts have some.
      const { undecodable: _, ...drops } = { ...impressions.drops, ...feedback.drops };
      expect(Object.entries(drops).filter(([, n]) => n === 0)).toEqual([]);
      expect(Math.min(impressions.accepted, feedback.attributed)).toBeGreaterThan(50);
      expect(unit.get('panes')).toMatch(/"minutes":\[\[\d+,\d+\]\].*"folded":\d+/);
    }
    const rows = stored.filter(([key]) => !key.endsWith(':unit')).flatMap(([, fields]) => fields);
    expect(rows.length).toBeGreaterThan(100);
    expect(stored.filter(([key]) => /:(?:total|users):default:/.test(key))).toHaveLength(4);
    const looks = evidenceIn(await whole);
    // That of measures counts from more users on than a short script has.
    expect([...looks.keys()].map((name) => name.split(' ')[1])).toEqual(
      expect.arrayContaining(['srm', '3s|B|point|0']),
    );
    expect([...looks.keys()].every((name) => name.includes(':0}:'))).toBe(true);
  });

  it('passes every label without a crash', async () => {
    const times = await passedBy(STEPS, REAL);
    expect(FAULT_LABELS.filter((label) => times.get(label) === 0)).toEqual([]);
  });

  it('leaves a state from which the next stores the same, and that one too when it is killed on its way back', async () => {
    const want = await unbroken;
    const { recovered, wrong } = await goOn(await firstCrashes(STEPS, REAL), want);
    expect(wrong).toEqual([]);
    // After the last time at a label, when most is stored; after all of them if more runs are asked for.
    const isLast = ({ crash: { at } }: Recovered): boolean => at.some((label) => /\((\d+) of \1\)/.test(label));
    const first = runs(1) > 1 ? recovered : recovered.filter(isLast);
    for (const { crash, next } of first) {
      const { wrong } = await goOn(next, want);
      expect(wrong, `after a process that was ${nameOf(crash)}`).toEqual([]);
    }
    const twice = first.flatMap(({ crash, next }) => next.map(({ at }) => at.length * crash.at.length));
    process.stderr.write(`crashes: ${recovered.length} and ${twice.length} on the way back, which stand for `);
    process.stderr.write(`${sum(recovered.map(({ crash }) => crash.at.length))} and ${sum(twice)} by their labels\n`);
    expect(twice.length).toBeGreaterThan(400);
  }, 900_000);

  it.each(RECOVERY_MUTATIONS.map((each) => [each.name, each] as const))(
    'is caught, by one crash or two, when %s',
    async (_, { changes, shownAt }) => {
      const makeWorker = workersOf(
        await withMutation<Sources>(changes, ['worker/worker.ts', 'consumers/decode/decoder.ts'], load),
      );
      const want = await unbroken;
      // The last first: they come when most is stored.
      const crashes = [...(await firstCrashes(STEPS, makeWorker))].reverse();
      const isKnown = ({ at }: Crash): boolean => at.some((label) => label.startsWith(`${shownAt} (`));
      for (const crash of [...crashes.filter(isKnown), ...crashes.filter((one) => !isKnown(one))]) {
        const { recovered, wrong } = await goOn([crash], want, makeWorker);
        if (wrong.length > 0) return;
        for (const { next } of recovered) {
          for (const second of next) if ((await goOn([second], want, makeWorker)).wrong.length > 0) return;
        }
      }
      expect.fail('no crash and no second one shows it');
    },
    900_000,
  );
});
