import { Panes } from '../src/accumulators/panes.ts';
import { MemoryStore } from '../src/accumulators/store/memory-store.ts';
import { createDecoder, type Decoder } from '../src/consumers/decode/decoder.ts';
import type { FieldMap } from '../src/consumers/decode/decoder-settings.ts';
import { recordRows } from '../src/consumers/engine/record-rows.ts';
import type { JoinSettings, UnitJoin } from '../src/consumers/join/api.ts';
import { createJoin } from '../src/consumers/join/join.ts';
import { type RecordRun, RunBatch } from '../src/consumers/source/source-port.ts';
import { parseMeasures } from '../src/measures/grammar/measure-name.ts';
import { compile } from '../src/measures/scorer.ts';
import type { Grading, Scorer } from '../src/measures/scorer-contract.ts';
import { SCORE_WIDTH } from '../src/measures/sums.ts';
import { NO_PERMISSIONS } from '../src/unit/resume.ts';
import { Unit } from '../src/unit/unit.ts';
import type { UnitSettings } from '../src/unit/unit-contract.ts';
import type { Joined } from '../src/vocabulary/events.ts';
import { type Chunk, Chunks } from './chunks.ts';
import { ACTIONS, DIMENSIONS, HORIZONS, MEASURES, SETS, type WorkloadRecord } from './workload.ts';

const ROLES = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
];

/** @param maps of the topics; undefined: records are canonical */
export function decoders(maps?: readonly FieldMap[]): readonly Decoder[] {
  return ROLES.map((role, topic) =>
    createDecoder({
      adapter: maps === undefined ? 'canonical' : { map: maps[topic] },
      role,
      dimensions: DIMENSIONS,
      itemsPerList: 1000,
      impressionBytes: 262_144,
      feedbackBytes: 65_536,
      tsUnit: 'ms',
      positionBase: 1,
    }),
  );
}

export function scorer(): Scorer {
  const grading: Grading = {
    relevantFrom: 1,
    actions: ACTIONS.map((name, i) => ({
      name,
      rule: { from: 'grade', grade: 2 * i + 1, rule: 'max', max: 30, veto: false },
    })),
  };
  return compile(parseMeasures(MEASURES, grading).measures, grading);
}

export const JOIN_SETTINGS: JoinSettings = {
  topics: ROLES,
  horizons: HORIZONS.map((h) => h.ms),
  outOfOrderness: 10_000,
  backward: 0,
  futureSkew: 300_000,
  feedbackPerImpression: 1000,
  actions: ACTIONS,
};

/** How long panes are kept. */
export const KEPT = { keepMinutes: 27 * 3_600_000, keepHours: 22 * 24 * 3_600_000, keepVectors: 25 * 3_600_000 };

function panesSettings(s: Scorer): UnitSettings['panes'] {
  return {
    paneSize: 60_000,
    hour: 3_600_000,
    horizons: HORIZONS,
    dimensions: DIMENSIONS,
    sets: SETS,
    clustered: SETS.slice(0, 2),
    shape: { names: s.names, kinds: s.kinds },
    cohortsPerSet: 100,
    ...KEPT,
    totals: [],
    runs: [],
  };
}

/** One stage over what is read at a time; what it returns keeps the work from being optimised away. */
export interface Stage {
  readonly read: (chunk: Chunk) => number;
  /** After every turn of chunks. */
  readonly advance?: () => void;
  /** After about 20,000 records. */
  readonly commit?: () => Promise<void>;
}

/** The reference of every other stage: what the platform needs to parse the same bytes. */
export function parseStage(): Stage {
  return {
    read: ({ run }) => {
      let parsed = 0;
      for (let i = 0; i < run.count; i++) {
        const at = run.at[i];
        if (JSON.parse(run.bytes.toString('utf8', at, at + run.size[i])) !== null) parsed++;
      }
      return parsed;
    },
  };
}

export function decodeStage(): Stage {
  const all = decoders();
  return {
    read: ({ topic, run }) => {
      let events = 0;
      for (let i = 0; i < run.count; i++) {
        const at = run.at[i];
        if ('events' in all[topic].scan(run.bytes.subarray(at, at + run.size[i]), '0', i)) events++;
      }
      return events;
    },
  };
}

/** Decodes and joins: the engine does both in one call. */
export function joinStage(onClosed: (list: Joined) => void = () => {}): Stage {
  const all = decoders();
  const join = createJoin(JOIN_SETTINGS, {
    accepted: () => 1,
    unref: () => {},
    closed: ({ list }) => onClosed(list),
  });
  return {
    read: ({ topic, run }) => {
      feedAll(join, topic, run, all[topic]);
      return run.count;
    },
    advance: () => join.advance(),
  };
}

/** Throws where the engine does not know a record. */
export function feedAll(join: UnitJoin, topic: number, run: RecordRun, { reader }: Decoder): void {
  if (reader === undefined) throw new Error('there is no memory to scan in');
  for (let from = 0; from < run.count; ) {
    from = recordRows().fill(run, from, reader.limit);
    if (join.feed(topic, reader, recordRows(), undefined) >= 0) throw new Error('the engine does not know a record');
  }
}

/** Lists as the join hands them over, kept for the stages behind it. */
export function closedLists(records: readonly WorkloadRecord[]): Joined[] {
  const lists: Joined[] = [];
  const stage = joinStage((list) => {
    lists.push({
      ...list,
      slot: list.slot.slice(0, list.events),
      action: list.action.slice(0, list.events),
      value: list.value.slice(0, list.events),
      ts: list.ts.slice(0, list.events),
    });
  });
  for (const turn of new Chunks().turns(records)) {
    for (const chunk of turn) stage.read(chunk);
    stage.advance?.();
  }
  return lists;
}

/** Scores `lists` in turn: one call is one closing. */
export function scoreLoop(lists: readonly Joined[]): (n: number) => number {
  const s = scorer();
  const out = new Float64Array(SCORE_WIDTH * s.names.length);
  let at = 0;
  return (n) => {
    let positives = 0;
    for (let i = 0; i < n; i++) {
      if (s.score(lists[at], out)) positives++;
      if (++at === lists.length) at = 0;
    }
    return positives;
  };
}

/** Adds one scored list per call to its panes, three horizons in turn; rows are taken every 20,000 additions. */
export function accumulateLoop(): (n: number) => number {
  const s = scorer();
  const owner = { namespace: 'bench', unit: 0, generation: '1' };
  const panes = new Panes({ ...panesSettings(s), owner, closedUpTo: Number.NEGATIVE_INFINITY });
  const tags = ['DE', 'FR', 'BR', 'JP', 'US'].flatMap((country) =>
    ['A', 'B'].map((v) => panes.cohorts.tag([country, v])),
  );
  const out = new Float64Array(SCORE_WIDTH * s.names.length);
  for (let m = 0; m < s.names.length; m++) {
    out[SCORE_WIDTH * m] = 2;
    out[SCORE_WIDTH * m + 1] = 1 / (m + 2);
  }
  let i = 0;
  return (n) => {
    let rows = 0;
    for (let end = i + n; i < end; i++) {
      const at = 1_800_000_000_000 + Math.floor(i / 3) * 10;
      const horizon = i % 3;
      panes.add(
        { at, ts: at - HORIZONS[horizon].ms, horizon, tag: tags[i % 10], userless: false, bucket: (i * 37) & 255 },
        true,
        out,
      );
      if (i % 20_000 === 19_999) rows += panes.takeChanges().rows.size;
    }
    return rows;
  };
}

/** Bytes in, committed rows out: the whole path of a unit, over the store in memory. */
export async function pathStage(maps?: readonly FieldMap[]): Promise<Stage & { readonly unit: Unit }> {
  const s = scorer();
  let ids = 0;
  const unit = await Unit.claim(
    {
      namespace: 'bench',
      partition: 0,
      partitions: 1,
      generation: '1',
      permissions: NO_PERMISSIONS,
      fingerprint: { shape: '', additive: '' },
      join: JOIN_SETTINGS,
      panes: panesSettings(s),
      experiments: [],
      sources: ['impressions:0', 'feedback:0'],
    },
    { store: new MemoryStore(), decoders: decoders(maps), scorer: s, newId: () => `id${ids++}`, now: () => undefined },
  );
  return {
    unit,
    read: ({ topic, run, next }) => {
      unit.feed(new RunBatch(0, topic, [run], next));
      return run.count;
    },
    commit: async () => {
      const answer = await unit.commit();
      if (answer !== 'OK') throw new Error(`the commit was answered ${answer}`);
    },
  };
}
