/** What a unit stores whose engine knows the tags of contexts, and one that is asked for the tag of each impression. */
import fc from 'fast-check';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { Commit } from '../../src/accumulators/store/store-port.ts';
import type { Settings } from '../../src/config/settings.ts';
import { type LogRecord, RunBatch } from '../../src/consumers/source/source-port.ts';
import { runOf } from '../consumers/source/run-of.ts';
import { settingsOf } from '../metrics/settings.ts';
import { claimsOf, type UnitParts } from './claimed-unit.ts';

/** Lists that come in one batch, or the time that passes before the next. */
type Step =
  | { readonly kind: 'lists'; readonly of: readonly { readonly variant: number; readonly surface: number }[] }
  | { readonly kind: 'pass'; readonly ms: number }
  /** Another process goes on, with other weights of the variants: a run that begins there. */
  | { readonly kind: 'takeover' };

export type TagHistory = readonly Step[];

function settingsWith(weight: number): Settings {
  const variants = `{v2: ${weight}, v3: ${1 - weight}}`;
  return settingsOf(
    '{measures: [mrr], cohorts: [[], [variant]], attribution: {horizons: [10s], outOfOrderness: 0s}, ' +
      `experiments: {default: {control: v2, variants: ${variants}}}}`,
  );
}
const RUNS = [settingsWith(0.5), settingsWith(0.25)];
const T = 1_800_000_000_000;

const list = fc.record({ variant: fc.nat(3), surface: fc.nat(2) });
export const tagHistories: fc.Arbitrary<TagHistory> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('lists' as const), of: fc.array(list, { minLength: 1, maxLength: 4 }) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 2_000, 9_000, 11_000) }),
    fc.constantFrom<Step>({ kind: 'takeover' }, { kind: 'pass', ms: 1 }, { kind: 'pass', ms: 1 }),
  ),
  { minLength: 10, maxLength: 40 },
);

/** So many contexts that the scanner forgets them, and gives their numbers to others. */
export const MANY_CONTEXTS: TagHistory = Array.from({ length: 90 }, (_, n): readonly Step[] => [
  {
    kind: 'lists',
    of: Array.from({ length: 100 }, (_, m) => ({ variant: (n + m) % 5, surface: 1000 + ((100 * n + m) % 4500) })),
  },
  { kind: 'pass', ms: 3_000 },
]).flat();

/** What each commit has stored. `isAsked`: the host is asked for each tag. */
export async function stored(parts: UnitParts, history: TagHistory, isAsked: boolean): Promise<readonly unknown[]> {
  const commits: unknown[] = [];
  class Recording extends MemoryStore {
    override commit(commit: Commit): ReturnType<MemoryStore['commit']> {
      commits.push([...commit.rows].map(([key, fields]) => [key, [...fields].sort()]));
      return super.commit(commit);
    }
  }
  const store = new Recording();
  const hooks = isAsked ? { accepted: () => undefined } : undefined;
  const claims = RUNS.map((settings) => claimsOf(settings, undefined, parts));
  let taken = 0;
  let unit = await claims[0](store, { hooks });
  const log: LogRecord[] = [];
  let now = T;
  for (const step of [...history, { kind: 'pass', ms: 60_000 } as const]) {
    if (step.kind === 'lists') {
      const from = log.length;
      for (const { variant, surface } of step.of) {
        const offset = log.length;
        const event = {
          requestId: `r${offset}`,
          userId: `u${offset % 300}`,
          ts: now,
          surface: `s${surface}`,
          variant: `v${variant}`,
          items: ['a'],
        };
        log.push({ offset, timestamp: now, value: Buffer.from(JSON.stringify(event)) });
      }
      unit.feed(new RunBatch(0, 0, [runOf(log.slice(from))], log.length));
      continue;
    }
    if (step.kind === 'takeover') {
      taken++;
      unit = await claims[taken % 2](store, { hooks });
      const again = log.slice(unit.reading.from(0));
      if (again.length > 0) unit.feed(new RunBatch(0, 0, [runOf(again)], log.length));
      continue;
    }
    now += step.ms;
    for (const topic of [0, 1]) unit.idle(topic, now);
    await unit.commit();
  }
  return commits;
}
