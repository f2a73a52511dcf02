/**
 * Draws the settings of a history and what producers write: every kind of disorder that the rules speak of. Times lie on
 * a coarse grid and horizons are a few steps of it, so that every boundary is hit often; requests, items and event ids
 * are few, so that everything meets.
 */
import type { Decoded } from '../../src/consumers/decode/decoder.ts';
import { INVALID_CODES } from '../../src/vocabulary/drops.ts';
import type { DurationMs, EpochMs, Event, Feedback, Impression, TopicRole } from '../../src/vocabulary/events.ts';
import type { Disorder } from './disorders.ts';
import { experimentOf, runOf } from './experiment.ts';
import type { Random } from './random.ts';
import type { Append, SimulatedSettings } from './scenario.ts';
import { SCORER } from './scoring.ts';

export const BEGIN: EpochMs = 1_760_000_040_000;
/** A step of the grid. */
export const STEP_MS: DurationMs = 5000;

const I: TopicRole = { impressions: true, feedback: false };
const F: TopicRole = { impressions: false, feedback: true };
const BOTH: TopicRole = { impressions: true, feedback: true };
const LAYOUTS: readonly (readonly [number, readonly TopicRole[]])[] = [
  [5, [I, F]],
  [2, [BOTH]],
  [1, [BOTH, F]],
  [2, [I, F, F]],
  [1, [F, I]],
  [1, [F, BOTH, F]],
];
const LADDERS = [[8], [2, 8], [1, 4, 8], [3, 5]] as const;
const LISTS = [['a'], ['a', 'b'], ['b', 'c'], ['c', 'a', 'b'], ['a', 'a', 'b'], []] as const;
/** Of records that no map is for. */
const KINDS = ['page_view', 'ping', '__none__'] as const;
const ACTIONS = ['click', 'click', 'buy', 'rate', 'view'] as const;

export function drawSettings(random: Random): SimulatedSettings {
  const steps = (lengths: readonly number[]): DurationMs => random.pick(lengths) * STEP_MS;
  const topics = random.weighted(LAYOUTS);
  const horizons = random.pick(LADDERS).map((length) => length * STEP_MS);
  const H = horizons[horizons.length - 1];
  const keepVectors = H + steps([0, 12, 30]);
  const spans = horizons.map((ms) => ({ text: `${ms / 1000}s`, ms }));
  const experiment = experimentOf(spans, BEGIN, STEP_MS, keepVectors / STEP_MS + horizons.length);
  const settings: SimulatedSettings = {
    partitions: random.chance(0.12) ? 2 : 1,
    slots: random.weighted([
      [3, 1],
      [5, 2],
      [1, 3],
    ]),
    join: {
      topics,
      horizons,
      outOfOrderness: steps([0, 1, 2, 2]),
      backward: steps([0, 0, 1, 2, 9]),
      futureSkew: steps([0, 2, 6, 200]),
      feedbackPerImpression: random.whole(1, 3),
      actions: SCORER.actions,
      hashSeed: random.whole(0, 1),
    },
    panes: {
      paneSize: steps([1, 4, 6]),
      hour: 12 * STEP_MS,
      horizons: spans,
      dimensions: ['country', 'variant'],
      sets: random.chance(0.5) ? [[], ['country']] : [[], ['variant', 'country']],
      shape: { names: SCORER.names, kinds: SCORER.kinds, ranks: 3 },
      positions: { sets: [[]], inTotals: true, horizon: spans.length - 1 },
      cohortsPerSet: random.whole(1, 3),
      keepMinutes: H + steps([0, 4, 30]),
      // What holds the vectors of an hour outlives them.
      keepHours: keepVectors + steps([0, 20, 60]),
      totals: ['all'],
      runs: [runOf(experiment, spans)],
      clustered: random.chance(0.3) ? [[]] : [],
      keepVectors,
    },
    experiments: [experiment],
    commitInterval: steps([1, 2, 3]),
    idleAfter: steps([4, 6, 8]),
    maxSkew: random.chance(0.3) ? 2 * STEP_MS : 100 * STEP_MS,
    openLimit: random.chance(0.3) ? random.whole(6, 20) : 1_000_000,
    stateLimit: Number.POSITIVE_INFINITY,
    chunk: random.pick([1, 3, 3, 10, 200]),
    begin: topics.map(() => random.pick([0, 0, 0, 3, 2 ** 40])),
  };
  // Tables are small and hours short, so that cohorts lose their places all the time; with two places one is reserved.
  const { cohortsPerSet } = settings.panes;
  const named = cohortsPerSet === 2 ? new Map([['country', ['FR']]]) : undefined;
  const takeover = { candidates: cohortsPerSet, ratio: 1 };
  // Then the larger tables are stored beside the checkpoint, and are part of it again when they have become smaller.
  const mostInCheckpoint = cohortsPerSet === 3 ? 1 : undefined;
  return { ...settings, panes: { ...settings.panes, named, takeover, mostInCheckpoint } };
}

/** The same processes with little memory: a unit of these histories takes 5 to 250 kB. */
export function shortOfMemory(random: Random, settings: SimulatedSettings): SimulatedSettings {
  return { ...settings, openLimit: 1_000_000, stateLimit: random.whole(4, 110) * 1000 };
}

/** By time. */
export function drawTraffic(random: Random, settings: SimulatedSettings): readonly Append[] {
  const all: Append[] = [];
  for (let partition = 0; partition < settings.partitions; partition++) {
    all.push(...new Traffic(random, settings, partition).draw());
  }
  return all.sort((a, b) => a.at - b.at);
}

/** What producers write to one partition of every topic. */
class Traffic {
  readonly #random: Random;
  readonly #settings: SimulatedSettings;
  readonly #partition: number;
  /** Number of the newest request. */
  #request = 0;

  constructor(random: Random, settings: SimulatedSettings, partition: number) {
    this.#random = random;
    this.#settings = settings;
    this.#partition = partition;
  }

  draw(): readonly Append[] {
    const { topics } = this.#settings.join;
    const steps = this.#random.whole(24, 48);
    const silent = topics.length > 1 && this.#random.chance(0.1) ? this.#random.whole(0, topics.length - 1) : -1;
    return topics.flatMap((role, topic) => (topic === silent ? [] : this.#topic(role, topic, steps)));
  }

  #topic(role: TopicRole, topic: number, steps: number): readonly Append[] {
    const random = this.#random;
    const { topics } = this.#settings.join;
    const rate = random.pick([0.4, 0.8, 0.8, 1.3]);
    const behind = topics.length > 1 && random.chance(0.2) ? random.whole(2, 14) * STEP_MS : 0;
    const [pauseFrom, pauseTo] = random.chance(0.3)
      ? [random.whole(4, steps), random.whole(8, 24)].map((n, i, both) => (i === 0 ? n : both[0] + n))
      : [steps, steps];
    const clock = random.weighted([
      [8, 0],
      [1, random.whole(-4, -1) * STEP_MS],
      [1, random.whole(1, 12) * STEP_MS],
    ]);
    const always: Disorder[] = [];
    if (topics.length === 1) always.push('one topic for all');
    if (topics.length > 2) always.push('several feedback topics');
    if (topics.length > 1 && steps > 0 && behind > 0) always.push('a topic that is behind');
    if (pauseTo - pauseFrom > 8) always.push('a topic that is silent for long');
    if (clock > 0) always.push('producer clock ahead');
    if (clock < 0) always.push('producer clock behind');
    if (this.#settings.begin[topic] > 2 ** 32) always.push('offsets beyond 32 bits');
    const said: Event[] = [];
    const written: Append[] = [];
    this.#request = 0;
    for (let step = 0; step < steps; step++) {
      if (step % 2 === 0) this.#request++;
      if (step >= pauseFrom && step < pauseTo) continue;
      for (let n = random.whole(0, Math.round(2 * rate)); n > 0; n--) {
        const time = BEGIN + step * STEP_MS;
        written.push(this.#record(role, topic, time, time + behind + random.whole(0, STEP_MS), clock, said, always));
      }
    }
    return written;
  }

  #record(
    role: TopicRole,
    topic: number,
    time: EpochMs,
    at: EpochMs,
    clock: DurationMs,
    said: Event[],
    always: readonly Disorder[],
  ): Append {
    const random = this.#random;
    const disorders = [...always];
    const hole = random.chance(0.08) ? random.whole(1, 4) : 0;
    if (hole > 0) disorders.push('hole between offsets');
    const decoded = leftOut(this.#decoded(role, time, said, disorders), hole);
    const lead = random.chance(0.2) ? random.whole(-1, 3) * STEP_MS : 0;
    const timestamp = random.chance(0.1) ? undefined : time + clock + lead;
    if (timestamp === undefined) disorders.push('no timestamp');
    return { at, partition: this.#partition, topic, hole, timestamp, decoded, disorders };
  }

  #decoded(role: TopicRole, time: EpochMs, said: Event[], disorders: Disorder[]): Decoded {
    const random = this.#random;
    if (random.chance(0.05)) {
      const side = role.impressions && (!role.feedback || random.chance(0.5)) ? 'impressions' : 'feedback';
      if (random.chance(0.4)) return { refused: 'tombstone', side };
      const drawn = random.pick([...INVALID_CODES, ...KINDS]);
      const code = INVALID_CODES.find((one) => one === drawn);
      if (code === undefined) return { refused: 'unmapped', condition: { field: '/kind', value: drawn } };
      return { refused: 'invalid', side, code, field: undefined };
    }
    const count = random.chance(0.12) ? random.whole(2, 3) : 1;
    if (count > 1) disorders.push('several events in a record');
    return { events: Array.from({ length: count }, () => this.#event(role, time, said, disorders)) };
  }

  #event(role: TopicRole, time: EpochMs, said: Event[], disorders: Disorder[]): Event {
    const random = this.#random;
    const again =
      said.length > 0 && random.chance(0.1) ? said[said.length - random.whole(1, Math.min(6, said.length))] : undefined;
    if (again !== undefined) disorders.push('said again');
    const event = again ?? this.#newEvent(role, time, disorders);
    said.push(event);
    return event;
  }

  #newEvent(role: TopicRole, time: EpochMs, disorders: Disorder[]): Event {
    const random = this.#random;
    const age = random.weighted([
      [12, random.whole(0, 1)],
      [4, random.whole(0, 4)],
      [1, random.whole(4, 16)],
      [1, -random.whole(1, 9)],
    ]);
    if (age > 0) disorders.push('out of order');
    if (age < 0) disorders.push('device clock ahead');
    const ts = time - age * STEP_MS + (random.chance(0.15) ? random.pick([1, -1, 700, -1300]) : 0);
    const request = Math.max(0, this.#request - (random.chance(0.7) ? random.whole(0, 1) : random.whole(-1, 5)));
    const requestId = random.chance(0.06) ? `other ${random.whole(0, 3)}` : `r${request}`;
    return role.impressions && (!role.feedback || random.chance(0.5))
      ? this.#impression(requestId, ts, disorders)
      : this.#feedback(requestId, ts);
  }

  #impression(requestId: string, ts: EpochMs, disorders: Disorder[]): Impression {
    const random = this.#random;
    const items = random.pick(LISTS);
    const pageOffset = random.chance(0.2) ? 10 : 0;
    const userId = random.chance(0.85) ? random.pick(['u', 'v']) : undefined;
    if (new Set(items).size < items.length) disorders.push('an item twice in a list');
    if (pageOffset > 0) disorders.push('a later page');
    if (userId === undefined) disorders.push('no user');
    return {
      kind: 'impression',
      requestId,
      ts,
      userId,
      pageOffset,
      items,
      ranks: random.chance(0.1) ? items.map((_, slot) => pageOffset + 2 * slot + 1) : undefined,
      dimensions: [random.pick(['DE', 'FR', 'ES', 'IT']), random.pick(['A', 'B'])],
    };
  }

  #feedback(requestId: string, ts: EpochMs): Feedback {
    const random = this.#random;
    return {
      kind: 'feedback',
      requestId,
      itemId: random.pick(['a', 'a', 'a', 'b', 'b', 'c', 'z']),
      ts,
      action: random.pick(ACTIONS),
      eventId: random.chance(0.4) ? random.pick(['e', 'f']) : undefined,
      value: random.chance(0.5) ? random.pick([0, 2, 4.5]) : undefined,
    };
  }
}

/** Behind the largest holes all events but one of several are left out: so no more is drawn than before there was this. */
function leftOut(decoded: Decoded, hole: number): Decoded {
  if (hole < 4 || !('events' in decoded)) return decoded;
  const [first, ...others] = decoded.events;
  return others.length === 0 ? { events: [], excluded: [first] } : { events: [first], excluded: others };
}
