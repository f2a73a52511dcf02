/** The shop of this guide: what every chapter takes for granted. */
import type { PanesSettings } from '../../src/accumulators/panes-settings.ts';
import { createDecoder, type Decoder } from '../../src/consumers/decode/decoder.ts';
import type { JoinSettings, JoinSink } from '../../src/consumers/join/api.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { compile } from '../../src/measures/scorer.ts';
import type { Grading } from '../../src/measures/scorer-contract.ts';
import type { Closing, EpochMs, Event, Feedback, Impression, TopicRole } from '../../src/vocabulary/events.ts';

/** Every chapter begins at eight o'clock. */
export const EIGHT: EpochMs = Date.parse('2026-11-21T08:00:00Z');

/** Two topics: 0 carries impressions, 1 carries feedback. */
export const ROLES = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
] as const;

/** A click is worth 1, a purchase 3; any of them makes a slot a positive. */
export const GRADING: Grading = {
  relevantFrom: 1,
  actions: [
    { name: 'click', rule: { from: 'grade', grade: 1, rule: 'max', max: 30, veto: false } },
    { name: 'purchase', rule: { from: 'grade', grade: 3, rule: 'max', max: 30, veto: false } },
  ],
};

/** Horizons of one and five minutes; records come at most ten seconds after younger ones. */
export const JOIN: JoinSettings = {
  topics: ROLES,
  horizons: [60_000, 300_000],
  outOfOrderness: 10_000,
  backward: 0,
  futureSkew: 300_000,
  feedbackPerImpression: 1000,
  actions: ['click', 'purchase'],
};

/** One measure: the reciprocal rank. */
export const SCORER = compile([parseMeasure('mrr', { relevantFrom: 1 })], GRADING);

/** One-minute panes for everything and by country. */
export const PANES: Omit<PanesSettings, 'owner' | 'closedUpTo'> = {
  paneSize: 60_000,
  hour: 3_600_000,
  horizons: [
    { text: '1m', ms: 60_000 },
    { text: '5m', ms: 300_000 },
  ],
  dimensions: ['country'],
  sets: [[], ['country']],
  clustered: [[]],
  shape: SCORER,
  cohortsPerSet: 2,
  keepMinutes: 3_600_000,
  keepHours: 7_200_000,
  keepVectors: 7_200_000,
  totals: [],
  runs: [],
};

export function decoderOf(role: TopicRole): Decoder {
  return createDecoder({
    role,
    adapter: 'canonical',
    dimensions: ['country'],
    itemsPerList: 1000,
    impressionBytes: 262_144,
    feedbackBytes: 65_536,
    tsUnit: 'ms',
    positionBase: 1,
  });
}

/** A record as it comes over the wire. */
export function bytes(event: object): Uint8Array {
  return Buffer.from(JSON.stringify(event));
}

export function impression(requestId: string, ts: EpochMs, items: readonly string[], pageOffset = 0): Impression {
  return { kind: 'impression', requestId, ts, userId: 'u', pageOffset, items, ranks: undefined, dimensions: [] };
}

export function click(requestId: string, itemId: string, ts: EpochMs): Feedback {
  return { kind: 'feedback', requestId, itemId, ts, action: 'click', eventId: undefined, value: undefined };
}

/** The time of an event that only lets time pass. */
export function tick(ts: EpochMs): Event {
  return click('nobody', 'nothing', ts);
}

/** A sink that hears of closings alone. */
export function onClosing(closed: (closing: Closing) => void): JoinSink {
  return { accepted: () => 0, unref: () => {}, closed };
}
