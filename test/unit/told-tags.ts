/** What a unit stores whose engine knows the tags of contexts, and one that is asked for the tag of each impression. */
import fc from 'fast-check';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { Commit } from '../../src/accumulators/store/store-port.ts';
import { RunBatch } from '../../src/consumers/source/run-batch.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { decoderLimits, unitShape } from '../../src/unit/unit-settings.ts';
import { runOf } from '../consumers/source/run-of.ts';
import { settingsOf } from '../metrics/settings.ts';

/** What a mutation may change. */
export interface UnitParts {
  readonly Unit: typeof import('../../src/unit/unit.ts').Unit;
  readonly createDecoder: typeof import('../../src/consumers/decode/decoder.ts').createDecoder;
  readonly compile: typeof import('../../src/measures/scorer.ts').compile;
}

/** Lists that come in one batch, or the time that passes before the next. */
type Step =
  | { readonly kind: 'lists'; readonly of: readonly { readonly variant: number; readonly surface: number }[] }
  | { readonly kind: 'pass'; readonly ms: number };

export type TagHistory = readonly Step[];

const SETTINGS = settingsOf(
  '{measures: [mrr], cohorts: [[], [variant]], attribution: {horizons: [10s], outOfOrderness: 0s}, ' +
    'experiments: {default: {control: v2, variants: {v2: 0.5, v3: 0.5}}}}',
);
const T = 1_800_000_000_000;

const list = fc.record({ variant: fc.nat(3), surface: fc.nat(2) });
export const tagHistories: fc.Arbitrary<TagHistory> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('lists' as const), of: fc.array(list, { minLength: 1, maxLength: 4 }) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 2_000, 9_000, 11_000) }),
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
export async function stored(
  { Unit, createDecoder, compile }: UnitParts,
  history: TagHistory,
  isAsked: boolean,
): Promise<readonly unknown[]> {
  const commits: unknown[] = [];
  class Recording extends MemoryStore {
    override commit(commit: Commit): ReturnType<MemoryStore['commit']> {
      commits.push([...commit.rows].map(([key, fields]) => [key, [...fields].sort()]));
      return super.commit(commit);
    }
  }
  const scorer = compile(SETTINGS.measures, SETTINGS.grading);
  const unit = await Unit.claim(
    {
      ...unitShape(SETTINGS, scorer, 0),
      namespace: 'test',
      partition: 0,
      partitions: 1,
      generation: '1',
      permissions: NO_PERMISSIONS,
      fingerprint: { shape: '', additive: '' },
      sources: ['impressions:0', 'feedback:0'],
    },
    {
      store: new Recording(),
      scorer,
      decoders: SETTINGS.kafka.topics.map((topic) => createDecoder({ ...decoderLimits(SETTINGS), ...topic })),
      newId: () => 'token',
      now: () => undefined,
      ...(isAsked ? { hooks: { accepted: () => undefined } } : {}),
    },
  );
  let now = T;
  let offset = 0;
  for (const step of [...history, { kind: 'pass', ms: 60_000 } as const]) {
    if (step.kind === 'lists') {
      const records = step.of.map(({ variant, surface }) => {
        const event = {
          requestId: `r${offset}`,
          userId: `u${offset % 300}`,
          ts: now,
          surface: `s${surface}`,
          variant: `v${variant}`,
          items: ['a'],
        };
        return { offset: offset++, timestamp: now, value: Buffer.from(JSON.stringify(event)) };
      });
      unit.feed(new RunBatch(0, 0, [runOf(records)], offset));
      continue;
    }
    now += step.ms;
    for (const topic of [0, 1]) unit.idle(topic, now);
    await unit.commit();
  }
  return commits;
}
