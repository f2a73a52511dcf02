import { describe, expect, it } from 'vitest';
import type { UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { checkStored } from '../../src/service/checks.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { load } from '../config/fixture.ts';

const SETTINGS = load('attribution: {horizons: [1m, 10m]}');
const MEANING = { rebuild: false, ...NO_PERMISSIONS };
const READ = [[5, 5]];

function stored(yaml = 'attribution: {horizons: [1m, 10m]}'): UnitCheckpoint {
  const topic = { committed: 9, replay: 5, replayWatermark: 0, idleAdvances: [], clockDrops: [] };
  return {
    format: 1,
    generation: '1',
    fingerprint: fingerprint(load(yaml)),
    partitions: 2,
    incompleteBefore: 0,
    lostUpTo: Number.NEGATIVE_INFINITY,
    since: {},
    hasGap: false,
    feedbackFrom: 0,
    join: { topics: [topic, topic], counts: [noCounts(2), noCounts(2)], watermark: 0 },
    panes: { minutes: [], hours: [], admission: [] },
    runs: [],
    lastRecords: [undefined, undefined],
  };
}

/** What is said of a start that is refused; undefined: it is not. */
function refusal(
  units: readonly (UnitCheckpoint | undefined)[],
  flags: Partial<typeof MEANING>,
  facts: Parameters<typeof checkStored>[4] = {},
): string | undefined {
  try {
    checkStored(SETTINGS, units, READ, { ...MEANING, ...flags }, facts);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 2 });
    return error instanceof Error ? error.message : '';
  }
}

describe('a start to rebuild', () => {
  it('is refused where no state is lost, with the commands that count again', () => {
    const message = refusal([stored(), stored()], { rebuild: true });
    expect(message).toContain('of no partition is the state lost or damaged: nothing was done');
    expect(message).toContain('--new-generation --from earliest');
    expect(message).toContain('take a new namespace and a new kafka.groupId');
  });

  it.each([
    ['some of it is', [stored(), undefined]],
    ['all of it is', [undefined, undefined]],
  ])('goes on where %s', (_, units) => {
    expect(refusal(units, { rebuild: true })).toBeUndefined();
    expect(refusal(units, {})).toContain('--rebuild');
  });
});

const DAMAGED = { damaged: new Map([[1, { generation: '1' }]]) };

describe('a start to rebuild where rows are damaged', () => {
  it('goes on, of any partition', () => {
    expect(refusal([stored(), stored()], { rebuild: true }, DAMAGED)).toBeUndefined();
  });

  it('goes on where a checkpoint cannot be read, without which that unit alone is stopped', () => {
    const facts = { damaged: new Map([[1, { cid: 'c' }]]), unreadable: new Set([1]) };
    expect(refusal([stored(), undefined], { rebuild: true }, facts)).toBeUndefined();
    expect(refusal([stored(), undefined], {}, { unreadable: facts.unreadable })).toBeUndefined();
  });

  it('is not needed to go on without them', () => {
    expect(refusal([stored(), stored()], {}, DAMAGED)).toBeUndefined();
  });
});

describe('a start with a new generation from the earliest record', () => {
  it('is refused where no setting has changed the meaning of rows', () => {
    expect(refusal([stored(), stored()], { newGeneration: 'earliest' })).toContain('nothing was done');
  });

  it('goes on where one has, of any partition', () => {
    const old = stored('attribution: {horizons: [1m, 5m]}');
    expect(refusal([old, stored()], { newGeneration: 'earliest' })).toBeUndefined();
    expect(refusal([old, old], {})).toContain('--new-generation --from earliest');
  });

  it('does not make up for lost state', () => {
    expect(refusal([undefined, undefined], { newGeneration: 'earliest' })).toContain('--rebuild');
  });
});
