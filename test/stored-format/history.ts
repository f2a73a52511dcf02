/**
 * A short history of one unit with most of what a state can hold: cohorts, an experiment with its users, vectors, measures of items,
 * drops of several reasons, lists that are open when it is stored. It must never change: what is recorded in state-1.json is
 * its first half, as the first version of receval stored it. In the history of format 2 the wall clock drops every second one of
 * many records, which that format is for; in that of format 3 every list has a cohort of its own; in that of format 4 a measure is added in the middle. Before
 * format 5, generations have no checksums.
 */
import type { Store } from '../../src/accumulators/store/store-port.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { LogRecord } from '../../src/consumers/source/source-port.ts';
import { compile } from '../../src/measures/scorer.ts';
import { serviceDecoders, WHOLE, workerSettings } from '../../src/service/service-settings.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';

const CONFIGURATION = `
namespace: recorded
attribution: {horizons: [1m, 5m], outOfOrderness: 10s}
measures: [mrr, ndcg@10, ctr, distinct@10]
cohorts: [[], [variant], [variant, country]]
windows: [5m, 1h]
experiments: {default: {control: control, variants: {control: 0.5, treatment: 0.5}, primary: mrr, horizon: 1m}}
statistics: {clustered: [[]]}
`;

const BEGIN = Date.parse('2026-11-21T08:00:30Z');
const LISTS = 240;
/** In the history of format 3, whose checkpoint has room for the places of half of them. */
const MANY_LISTS = 1100;
/** Between two lists. */
const STEP_MS = 5000;
const BATCH = 20;

const CONFIGURATION_3 = `
namespace: recorded
attribution: {horizons: [1m], outOfOrderness: 10s}
measures: [mrr]
cohorts: [[], [variant], [country]]
windows: [5m, 1h]
experiments: {default: {control: control, variants: {control: 0.5, treatment: 0.5}, primary: mrr, horizon: 1m}}
statistics: {clustered: [[]]}
limits: {series: 100000}
`;

/** Repeatable draws: [0, 2^31). The generator of POSIX's rand. */
function draws(): () => number {
  let state = 20_261_121;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state >>> 8;
  };
}

/** Of format 2: so many records that the clock drops, each beside one that it does not, are put in among the feedback. */
const FUTURE = 1200;
/** What the clock shows meanwhile: a day after the begin, and the dropped ones are of another day. */
const NOW = BEGIN + 86_400_000;

/** By topic: impressions, then feedback. */
export function recordedLogs(format: number): readonly (readonly LogRecord[])[] {
  const draw = draws();
  const impressions: Omit<LogRecord, 'offset'>[] = [];
  const feedback: Omit<LogRecord, 'offset'>[] = [];
  const append = (log: Omit<LogRecord, 'offset'>[], timestamp: number, value: object | string | null): void => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    log.push({ timestamp, value: value === null ? null : Buffer.from(text) });
  };
  for (let n = 0; n < (format === 3 ? MANY_LISTS : LISTS); n++) {
    const ts = BEGIN + n * STEP_MS - (draw() % 8000);
    const items = Array.from({ length: 3 + (draw() % 5) }, (_, i) => `item${(draw() % 40) * 8 + i}`);
    const list = {
      requestId: `r${n}`,
      ts,
      items,
      userId: `u${draw() % 50}`,
      variant: draw() % 2 === 0 ? 'control' : 'treatment',
      cohorts: { country: format === 3 ? `c${n}` : ['de', 'fr', 'it'][draw() % 3] },
    };
    append(impressions, ts, list);
    if (draw() % 12 === 0) append(impressions, ts, list);
    if (draw() % 25 === 0) append(impressions, ts, '{"requestId":');
    if (draw() % 30 === 0) append(impressions, ts, null);
    for (let clicks = draw() % 3; clicks > 0; clicks--) {
      const at = ts + (draw() % 200_000);
      const itemId = draw() % 10 === 0 ? 'elsewhere' : items[draw() % items.length];
      append(feedback, at, { requestId: `r${n}`, itemId, ts: at, action: draw() % 4 === 0 ? 'purchase' : 'click' });
    }
    if (draw() % 15 === 0) append(feedback, ts, { requestId: `none${n}`, itemId: 'a', ts, action: 'click' });
  }
  feedback.sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
  if (format === 2) {
    const at = Math.floor(0.45 * feedback.length);
    const timestamp = feedback[at].timestamp ?? 0;
    const among: Omit<LogRecord, 'offset'>[] = [];
    for (let n = 0; n < 2 * FUTURE; n++) {
      const ts = n % 2 === 0 ? timestamp : NOW + 86_400_000;
      append(among, ts, { requestId: `beside${n}`, itemId: 'a', ts, action: 'click' });
    }
    feedback.splice(at, 0, ...among);
  }
  return [impressions, feedback].map((log) => log.map((record, offset) => ({ offset, ...record })));
}

let ids = 0;

export function settingsOf(format: number): Settings {
  return load(format === 3 ? CONFIGURATION_3 : CONFIGURATION);
}

function load(yaml: string): Settings {
  return loadSettings({ readFile: () => yaml, env: {} });
}

/** The unit of the history over a store, as `receval run` makes it. */
export function claimRecorded(
  store: Store,
  format: number,
  { permissions = NO_PERMISSIONS, settings = settingsOf(format) } = {},
): Promise<Unit> {
  const scorer = compile(settings.measures, settings.grading);
  const begun = format < 5 ? { ...WHOLE, generation: '1' } : WHOLE;
  return Unit.claim(workerSettings(settings, scorer, 1, permissions, 0, begun).unit(0), {
    store,
    scorer,
    decoders: serviceDecoders(settings),
    newId: () => `id${ids++}`,
    now: () => (format === 2 ? NOW : undefined),
  });
}

/** The same where nothing is stored yet, up to this share of the history. In that of format 4 ctr is added after a quarter. */
export async function startRecorded(store: Store, format: number, share: number): Promise<void> {
  if (format === 4) {
    const settings = load(CONFIGURATION.replace(' ctr,', ''));
    await readRecorded(await claimRecorded(store, format, { settings }), 0.25, format);
  }
  await readRecorded(await claimRecorded(store, format), share, format);
}

/** Reads both topics, the one as far as the other, up to this share of them, and commits now and then. */
export async function readRecorded(unit: Unit, share: number, format: number): Promise<void> {
  const logs = recordedLogs(format);
  const ends = logs.map((log) => Math.floor(share * log.length));
  while (logs.some((_, topic) => unit.reading.from(topic) < ends[topic])) {
    for (const [topic, log] of logs.entries()) {
      const from = unit.reading.from(topic);
      const next = Math.min(ends[topic], from + BATCH);
      if (next > from) unit.feed({ partition: 0, topic, records: log.slice(from, next), next });
    }
    await unit.commit();
  }
}
