import type { Commit, Store } from '../../src/accumulators/store/store-port.ts';
import type { Settings } from '../../src/config/settings.ts';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { compile } from '../../src/measures/scorer.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitDeps } from '../../src/unit/unit-contract.ts';
import { decoderLimits, unitShape } from '../../src/unit/unit-settings.ts';
import type { RestorableStore, StoreSnapshot } from '../restorable-store.ts';

/** What a mutation may change. */
export interface UnitParts {
  readonly Unit: typeof Unit;
  readonly createDecoder: typeof createDecoder;
  readonly compile: typeof compile;
}
const PARTS: UnitParts = { Unit, createDecoder, compile };

let ids = 0;

/** Claims a unit of namespace `test`. `generation`: in another than '1' rows start empty. */
type Claim = (store: Store, deps?: Partial<UnitDeps>, generation?: string) => Promise<Unit>;

/** What claims one unit as the settings say; default: the only one. */
export function claimsOf(
  settings: Settings,
  { partition, partitions } = { partition: 0, partitions: 1 },
  parts = PARTS,
): Claim {
  const scorer = parts.compile(settings.measures, settings.grading, settings.itemFile);
  return (store, deps = {}, generation = '1') =>
    parts.Unit.claim(
      {
        ...unitShape(settings, scorer, 0),
        namespace: 'test',
        partition,
        partitions,
        generation,
        permissions: { ...NO_PERMISSIONS, newGeneration: generation !== '1', restartExperiments: true },
        fingerprint: { shape: JSON.stringify({ generation }), additive: '' },
        sources: ['impressions:0', 'feedback:0'],
      },
      {
        store,
        scorer,
        decoders: settings.kafka.topics.map((topic) => parts.createDecoder({ ...decoderLimits(settings), ...topic })),
        newId: () => String(ids++),
        now: () => undefined,
        ...deps,
      },
    );
}

/** A store that goes back right after a claim, before the claimant has read what is beside the checkpoint. */
export function goingBack(store: RestorableStore, to: StoreSnapshot): Store {
  return {
    claim: async (key: string, token: string) => {
      const claimed = await store.claim(key, token);
      store.restoreSnapshot(to);
      return claimed;
    },
    commit: (commit: Commit) => store.commit(commit),
    read: (keys: readonly string[]) => store.read(keys),
  };
}
