import { createJoin } from '../src/consumers/join/join.ts';
import { Chunks } from './chunks.ts';
import { decoders, feedAll, JOIN_SETTINGS } from './stages.ts';
import { randomStream } from './workload.ts';

const H = JOIN_SETTINGS.horizons[JOIN_SETTINGS.horizons.length - 1];
const CHUNK = 200;

export interface StateFigures {
  readonly open: number;
  /** Packed state by open impression with its feedback, when so many are open; and in steady state, with the ids of those that have closed. */
  readonly stateBytes: number;
  readonly steadyStateBytes: number;
  /** Growth of the process by open impression. */
  readonly processBytes: number;
  /** The most CPU for 200 impressions with their feedback, scanned and joined, while filling and in steady state. */
  readonly longestFillMs: number;
  readonly longestSteadyMs: number;
  /** CPU per impression with its feedback in steady state, scanned and joined. */
  readonly steadyUs: number;
}

/** Fills the join with this many open impressions, then continues for half as many more while as many close. */
export function measureState(open: number): StateFigures {
  const random = randomStream(7);
  const items = Array.from({ length: 50_000 }, () => `itm_${1_000_000 + Math.floor(random() * 8_999_999)}`);
  const uuid = (n: number, kind: number): string =>
    `${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0')}-4f1c-7aa${kind}-8000-${n.toString(16).padStart(12, '0')}`;
  const spacing = H / open;
  const start = 1_760_000_000_000;
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const join = createJoin(JOIN_SETTINGS, { accepted: () => 1, unref: () => {}, closed: () => {} });
  const all = decoders();
  const chunks = new Chunks();
  const impression = (n: number): object => ({
    requestId: uuid(n, 0),
    ts: Math.floor(start + n * spacing),
    userId: 'u',
    cohorts: { country: 'DE' },
    variant: 'A',
    items: Array.from({ length: 20 }, (_, s) => items[(n * 31 + s * 17) % items.length]),
  });
  const feedback = (n: number, ts: number): object => ({
    requestId: uuid(n, 0),
    itemId: items[(n * 31 + Math.floor(random() * 20) * 17) % items.length],
    ts: Math.floor(ts),
    action: 'click',
    eventId: uuid(clicks++, 1),
    value: 1,
  });
  let clicks = 0;
  let longest = 0;
  let used = 0;
  const run = (from: number, to: number): void => {
    for (let n = from; n < to; n += CHUNK) {
      const records: { readonly topic: 0 | 1; readonly value: Buffer }[] = [];
      const say = (topic: 0 | 1, event: object): void =>
        void records.push({ topic, value: Buffer.from(JSON.stringify(event)) });
      for (let i = n; i < n + CHUNK; i++) {
        say(0, impression(i));
        const shown = i - Math.floor((-Math.log(1 - random()) * 150_000) / spacing);
        for (let f = 0; f < 1 + (i % 2) && shown >= 0; f++) say(1, feedback(shown, start + i * spacing));
      }
      const turns = [...chunks.turns(records)];
      const cpu = process.cpuUsage();
      for (const turn of turns) for (const { topic, run } of turn) feedAll(join, topic, run, all[topic]);
      join.advance();
      const { user, system } = process.cpuUsage(cpu);
      longest = Math.max(longest, (user + system) / 1000);
      used += user + system;
    }
  };
  run(0, open);
  const longestFillMs = longest;
  const stateBytes = join.stateBytes / join.openImpressions;
  const processBytes = (process.memoryUsage().rss - before) / join.openImpressions;
  longest = 0;
  used = 0;
  const steady = Math.floor(open / 2 / CHUNK) * CHUNK;
  run(open, open + steady);
  return {
    open: join.openImpressions,
    stateBytes,
    steadyStateBytes: join.stateBytes / join.openImpressions,
    processBytes,
    longestFillMs,
    longestSteadyMs: longest,
    steadyUs: used / steady,
  };
}
