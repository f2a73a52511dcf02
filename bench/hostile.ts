/**
 * `npm run bench:hostile [-- --rounds N] [-- NAME]`: CPU per byte of records that were made to be slow, beside ordinary records of
 * the same kind, in turn, each in its own process; medians. What stands in docs/performance.md must stay at or below 3 times.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createJoin } from '../src/consumers/join/join.ts';
import { median } from './median.ts';
import { decoders, JOIN_SETTINGS } from './stages.ts';

interface Sent {
  readonly topic: 0 | 1;
  readonly event: object | string;
}

/** Records of one kind, as an attacker makes them and as others do. */
interface Attack {
  readonly name: string;
  readonly hostile: () => Iterable<Sent>;
  readonly ordinary: () => Iterable<Sent>;
}

const START = 1_760_000_040_000;
const shown = (requestId: string, items: readonly unknown[], more: object = {}): Sent => ({
  topic: 0,
  event: { requestId, ts: START, items, ...more },
});
const clicked = (requestId: string, itemId: string, eventId: string, more: object = {}): Sent => ({
  topic: 1,
  event: { requestId, itemId, ts: START + 1000, action: 'click', eventId, ...more },
});
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
const digits = (n: number, width: number): string => String(n).padStart(width, '0');

/** `lists` lists of `items` items whose ids `idOf` makes of a number. */
function* lists(count: number, items: number, idOf: (n: number) => string): Iterable<Sent> {
  for (let k = 0; k < count; k++)
    yield shown(
      `request-${k}`,
      range(items).map((i) => idOf(k * items + i)),
    );
}

/** Clicks on items of lists, each click of its own: `each` on every list. */
function* clicks(count: number, items: number, each: number): Iterable<Sent> {
  for (let k = 0; k < count; k++) {
    yield shown(
      `request-${k}`,
      range(items).map((i) => `item-${digits(i, 5)}`),
    );
    for (let c = 0; c < each; c++) {
      yield clicked(`request-${k}`, `item-${digits((c * 7919) % items, 5)}`, `event-${k}-${c}`);
    }
  }
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'lists of 500 ids with one suffix',
    hostile: () => lists(4000, 500, (n) => `${digits(n, 7)}-suffix8`),
    ordinary: () => lists(4000, 500, (n) => `prefix8-${digits(n, 7)}`),
  },
  {
    name: 'URLs that end in ?src=home-feed',
    hostile: () => lists(12_000, 20, (n) => `https://shop.example/item/${digits(n, 7)}?src=home-feed`),
    ordinary: () => lists(12_000, 20, (n) => `https://shop.example/item?src=home-feed&id=${digits(n, 4)}`),
  },
  {
    name: '20,000 clicks on one list of 1,000',
    hostile: () => clicks(1, 1000, 20_000),
    ordinary: () => clicks(1000, 20, 20),
  },
  {
    name: '20,000 clicks on 20 lists of 1,000',
    hostile: () => clicks(20, 1000, 1000),
    ordinary: () => clicks(1000, 20, 20),
  },
  {
    name: 'clicks with ids of 30 KB on lists of them',
    *hostile() {
      const suffix = 'x'.repeat(30_000);
      for (let k = 0; k < 60; k++) {
        yield shown(
          `request-${k}`,
          range(8).map((i) => `${i}${suffix}`),
        );
        for (let c = 0; c < 30; c++) yield clicked(`request-${k}`, `${c % 8}${suffix}`, `event-${c}`);
      }
    },
    *ordinary() {
      const prefix = 'x'.repeat(30_000);
      for (let k = 0; k < 60; k++) {
        yield shown(
          `request-${k}`,
          range(8).map((i) => `${prefix}${i}`),
        );
        for (let c = 0; c < 30; c++) yield clicked(`request-${k}`, `${prefix}${c % 8}`, `event-${c}`);
      }
    },
  },
  {
    name: 'one request id for all (a broken client)',
    *hostile() {
      for (let k = 0; k < 20_000; k++) {
        yield shown('undefined', ['a', 'b', 'c', 'd']);
        yield clicked('undefined', 'nothing', `event-${k}`);
      }
    },
    *ordinary() {
      for (let k = 0; k < 20_000; k++) {
        yield shown(`request-${k}`, ['a', 'b', 'c', 'd']);
        yield clicked(`request-${k}`, 'nothing', `event-${k}`);
      }
    },
  },
  {
    name: '2,000 pages of one request, 2,000 clicks',
    *hostile() {
      for (let k = 0; k < 2000; k++) yield shown('request', [`item-${k}`, `other-${k}`], { offset: 2 * k });
      for (let k = 0; k < 2000; k++) yield clicked('request', `item-${k}`, `event-${k}`);
    },
    *ordinary() {
      for (let k = 0; k < 2000; k++) yield shown(`request-${k}`, [`item-${k}`, `other-${k}`], { offset: 2 * k });
      for (let k = 0; k < 2000; k++) yield clicked(`request-${k}`, `item-${k}`, `event-${k}`);
    },
  },
  {
    name: '2,000 clicks that wait for 2,000 pages of one request',
    *hostile() {
      for (let k = 0; k < 2000; k++) yield clicked('request', `item-${k}`, `event-${k}`);
      for (let k = 0; k < 2000; k++) yield shown('request', [`some-${k}`, `other-${k}`], { offset: 2 * k });
    },
    *ordinary() {
      for (let k = 0; k < 2000; k++) yield clicked(`request-${k}`, `item-${k}`, `event-${k}`);
      for (let k = 0; k < 2000; k++) yield shown(`request-${k}`, [`some-${k}`, `other-${k}`], { offset: 2 * k });
    },
  },
  {
    name: '50,000 orphans of one moment, then time creeps',
    hostile: () => creeping(50_000, (k) => clicked(`orphan-${k}`, 'item', `event-${k}`), 1_800_000),
    ordinary: () =>
      creeping(50_000, (k) => clicked(`orphan-${k}`, 'item', `event-${k}`, { ts: START + 7 * k }), 1_800_000),
  },
  {
    name: '50,000 lists of one second, and late ones among them',
    *hostile() {
      for (let k = 0; k < 50_000; k++) yield shown(`request-${k}`, ['a'], { ts: START + 500 });
      for (let k = 0; k < 400; k++) {
        yield* until(START + 60_000 + k);
        for (let n = 0; n < 200; n++) yield shown(`late-${k}-${n}`, ['a'], { ts: START + 400 });
      }
    },
    *ordinary() {
      for (let k = 0; k < 50_000; k++) yield shown(`request-${k}`, ['a'], { ts: START + k });
      for (let k = 0; k < 400; k++) {
        yield* until(START + 60_000 + k);
        for (let n = 0; n < 200; n++) yield shown(`late-${k}-${n}`, ['a'], { ts: START + 50_000 + k });
      }
    },
  },
  {
    name: 'every id escaped',
    hostile: () =>
      raw(
        lists(3000, 100, (n) => `item-${n}`),
        (json) => json.replaceAll('"item', '"\\u0069tem'),
      ),
    ordinary: () => lists(3000, 100, (n) => `item-${n}`),
  },
  {
    name: 'a number above a thousand digits, texts nested 100 deep',
    hostile: () =>
      raw(
        lists(3000, 100, (n) => `item-${n}`),
        (json) => json.replace('{', `{"x":${'['.repeat(100)}1${'0'.repeat(1000)}${']'.repeat(100)},`),
      ),
    ordinary: () => lists(3000, 100, (n) => `item-${n}`),
  },
  {
    name: 'lists whose every item is invalid',
    hostile: () =>
      raw(
        lists(1000, 500, (n) => `item-${n}`),
        (json) => json.replace(/"item-\d+"/g, '{"idx":"abc"}'),
      ),
    ordinary: () => lists(1000, 500, (n) => `item-${n}`),
  },
  {
    name: 'a thousand unknown cohort keys',
    *hostile() {
      for (let k = 0; k < 400; k++) {
        const cohorts = Object.fromEntries(range(1000).map((i) => [`Key-${k}-${i}`, `value-${k}-${i}`]));
        yield shown(`request-${k}`, ['a', 'b'], { cohorts });
      }
    },
    ordinary: () => lists(400, 1500, (n) => `item-${digits(n, 12)}`),
  },
];

/** Records that are there, and nothing but time passes on both topics, 1 ms at a time. */
function* creeping(count: number, record: (k: number) => Sent, later: number): Iterable<Sent> {
  for (let k = 0; k < count; k++) yield record(k);
  for (let ms = 0; ms < 2000; ms++) yield* until(START + later + ms - 1000);
}

/** Event time goes on to `at` on both topics. */
function* until(at: number): Iterable<Sent> {
  const ts = at + JOIN_SETTINGS.outOfOrderness;
  yield shown(`clock-${at}`, [], { ts });
  yield clicked(`clock-${at}`, 'none', 'none', { ts });
}

function* raw(records: Iterable<Sent>, change: (json: string) => string): Iterable<Sent> {
  for (const { topic, event } of records) yield { topic, event: change(JSON.stringify(event)) };
}

interface Cost {
  readonly nsPerByte: number;
  readonly bytes: number;
}

/** Decodes and joins all of them, in chunks as a worker takes them. */
function measure(records: Iterable<Sent>): Cost {
  const all = decoders();
  const join = createJoin(JOIN_SETTINGS, { accepted: () => 1, released: () => {}, closed: () => {} });
  const next: [number, number] = [0, 0];
  const values = Array.from(records, ({ topic, event }) => ({
    topic,
    value: Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)),
  }));
  const bytes = values.reduce((sum, { value }) => sum + value.length, 0);
  const cpu = process.cpuUsage();
  for (const [i, { topic, value }] of values.entries()) {
    const decoded = all[topic].scan(value, '0', i);
    join.record(topic, next[topic]++, undefined, 'events' in decoded ? decoded.events : [], undefined);
    if (i % 50 === 49) join.advance();
  }
  join.idle(0, START + 86_400_000);
  join.idle(1, START + 86_400_000);
  join.advance();
  const { user, system } = process.cpuUsage(cpu);
  return { nsPerByte: ((user + system) * 1000) / bytes, bytes };
}

function measureApart(place: number, kind: 'hostile' | 'ordinary'): Cost {
  const script = fileURLToPath(import.meta.url);
  const output = execFileSync(
    process.execPath,
    ['--max-old-space-size=4096', '--import', 'tsx/esm', script, '--one', String(place), kind],
    { encoding: 'utf8' },
  );
  return JSON.parse(output);
}

const [, , ...args] = process.argv;
if (args[0] === '--one') {
  const attack = ATTACKS[Number(args[1])];
  process.stdout.write(`${JSON.stringify(measure(args[2] === 'hostile' ? attack.hostile() : attack.ordinary()))}\n`);
} else {
  const at = args.indexOf('--rounds');
  const rounds = at < 0 ? 3 : Number(args[at + 1]);
  const only = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1))[0] ?? '';
  process.stdout.write('| attack | MB | ordinary, ns per byte | hostile | ratio |\n|---|---|---|---|---|\n');
  for (const [place, { name }] of ATTACKS.entries()) {
    if (!name.includes(only)) continue;
    const costs: { hostile: Cost[]; ordinary: Cost[] } = { hostile: [], ordinary: [] };
    for (let round = 0; round < rounds; round++) {
      costs.ordinary.push(measureApart(place, 'ordinary'));
      costs.hostile.push(measureApart(place, 'hostile'));
    }
    const ordinary = median(costs.ordinary.map((cost) => cost.nsPerByte));
    const hostile = median(costs.hostile.map((cost) => cost.nsPerByte));
    const mb = (costs.hostile[0].bytes / 1e6).toFixed(1);
    process.stdout.write(
      `| ${name} | ${mb} | ${ordinary.toFixed(1)} | ${hostile.toFixed(1)} | ${(hostile / ordinary).toFixed(1)} |\n`,
    );
  }
}
