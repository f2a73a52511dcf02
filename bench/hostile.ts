/**
 * `npm run bench:hostile [-- --rounds N] [-- NAME]`: CPU per byte of records and files that were made to be slow, beside ordinary ones of
 * the same kind, in turn, each in its own process; medians. What stands in docs/performance.md must stay at or below 3 times.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createJoin } from '../src/consumers/join/join.ts';
import { FILE_ATTACKS, measureFile } from './hostile-files.ts';
import { median } from './median.ts';
import { decoders, JOIN_SETTINGS } from './stages.ts';

interface Sent {
  readonly topic: 0 | 1;
  readonly event: object | string;
}

/** Records of one kind, as an attacker makes them and as others do. */
interface Attack {
  readonly name: string;
  /** @param x how many times as many records as in the small size */
  readonly hostile: (x: number) => Iterable<Sent>;
  readonly ordinary: (x: number) => Iterable<Sent>;
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

/** Pages of 500 items, and on each a click on its own. */
function* pages(count: number, requestOf: (k: number) => string): Iterable<Sent> {
  for (let k = 0; k < count; k++) {
    const items = range(500).map((i) => `item-${digits(i, 5)}`);
    yield shown(requestOf(k), items, { offset: 500 * k, ts: START + ((k * 7919) % 60_000) });
    yield clicked(requestOf(k), `item-${digits(k % 500, 5)}`, `event-${k}`, { ts: START + 60_000 });
  }
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'lists of 500 ids with one suffix',
    hostile: (x) => lists(4000 * x, 500, (n) => `${digits(n, 7)}-suffix8`),
    ordinary: (x) => lists(4000 * x, 500, (n) => `prefix8-${digits(n, 7)}`),
  },
  {
    name: 'URLs that end in ?src=home-feed',
    hostile: (x) => lists(12_000 * x, 20, (n) => `https://shop.example/item/${digits(n, 7)}?src=home-feed`),
    ordinary: (x) => lists(12_000 * x, 20, (n) => `https://shop.example/item?src=home-feed&id=${digits(n, 4)}`),
  },
  {
    name: '20,000 clicks on one list of 1,000',
    hostile: (x) => clicks(1, 1000, 20_000 * x),
    ordinary: (x) => clicks(1000 * x, 20, 20),
  },
  {
    name: '20,000 clicks on 20 lists of 1,000',
    hostile: (x) => clicks(20, 1000, 1000 * x),
    ordinary: (x) => clicks(1000 * x, 20, 20),
  },
  {
    name: 'clicks with ids of 30 KB on lists of them',
    *hostile(x) {
      const suffix = 'x'.repeat(30_000);
      for (let k = 0; k < 60 * x; k++) {
        yield shown(
          `request-${k}`,
          range(8).map((i) => `${i}${suffix}`),
        );
        for (let c = 0; c < 30; c++) yield clicked(`request-${k}`, `${c % 8}${suffix}`, `event-${c}`);
      }
    },
    *ordinary(x) {
      const prefix = 'x'.repeat(30_000);
      for (let k = 0; k < 60 * x; k++) {
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
    *hostile(x) {
      for (let k = 0; k < 20_000 * x; k++) {
        yield shown('undefined', ['a', 'b', 'c', 'd']);
        yield clicked('undefined', 'nothing', `event-${k}`);
      }
    },
    *ordinary(x) {
      for (let k = 0; k < 20_000 * x; k++) {
        yield shown(`request-${k}`, ['a', 'b', 'c', 'd']);
        yield clicked(`request-${k}`, 'nothing', `event-${k}`);
      }
    },
  },
  {
    name: '2,000 pages of one request, 2,000 clicks',
    *hostile(x) {
      for (let k = 0; k < 2000 * x; k++) yield shown('request', [`item-${k}`, `other-${k}`], { offset: 2 * k });
      for (let k = 0; k < 2000 * x; k++) yield clicked('request', `item-${k}`, `event-${k}`);
    },
    *ordinary(x) {
      for (let k = 0; k < 2000 * x; k++) yield shown(`request-${k}`, [`item-${k}`, `other-${k}`], { offset: 2 * k });
      for (let k = 0; k < 2000 * x; k++) yield clicked(`request-${k}`, `item-${k}`, `event-${k}`);
    },
  },
  {
    name: '2,000 clicks that wait for 2,000 pages of one request',
    *hostile(x) {
      for (let k = 0; k < 2000 * x; k++) yield clicked('request', `item-${k}`, `event-${k}`);
      for (let k = 0; k < 2000 * x; k++) yield shown('request', [`some-${k}`, `other-${k}`], { offset: 2 * k });
    },
    *ordinary(x) {
      for (let k = 0; k < 2000 * x; k++) yield clicked(`request-${k}`, `item-${k}`, `event-${k}`);
      for (let k = 0; k < 2000 * x; k++) yield shown(`request-${k}`, [`some-${k}`, `other-${k}`], { offset: 2 * k });
    },
  },
  {
    name: '2,000 pages of one request at as many times, all of the same items',
    *hostile(x) {
      for (let k = 0; k < 2000 * x; k++) {
        yield shown('request', ['a', 'b', 'c', 'd'], { offset: k, ts: START + ((k * 7919) % 60_000) });
        yield clicked('request', 'none', `event-${k}`, { ts: START + ((k * 104_729) % 60_000) });
      }
    },
    *ordinary(x) {
      for (let k = 0; k < 2000 * x; k++) {
        yield shown(`request-${k}`, ['a', 'b', 'c', 'd'], { offset: k, ts: START + ((k * 7919) % 60_000) });
        yield clicked(`request-${k}`, 'none', `event-${k}`, { ts: START + ((k * 104_729) % 60_000) });
      }
    },
  },
  {
    name: '200 pages of one request, each with the same 500 items',
    hostile: (x) => pages(200 * x, () => 'request'),
    ordinary: (x) => pages(200 * x, (k) => `request-${k}`),
  },
  {
    name: '20,000 duplicates at a hundred times',
    *hostile(x) {
      for (let k = 0; k < 20_000 * x; k++) yield shown('request', ['a'], { ts: START + (k % 100) * 17_000 });
    },
    *ordinary(x) {
      for (let k = 0; k < 20_000 * x; k++) yield shown(`request-${k}`, ['a'], { ts: START + (k % 100) * 17_000 });
    },
  },
  {
    name: '50,000 orphans of one moment, then time creeps',
    hostile: (x) => creeping(50_000 * x, (k) => clicked(`orphan-${k}`, 'item', `event-${k}`), 1_800_000),
    ordinary: (x) =>
      creeping(
        50_000 * x,
        (k) => clicked(`orphan-${k}`, 'item', `event-${k}`, { ts: START + Math.floor((7 * k) / x) }),
        1_800_000,
      ),
  },
  {
    name: '50,000 lists of one second, and late ones among them',
    *hostile(x) {
      for (let k = 0; k < 50_000 * x; k++) yield shown(`request-${k}`, ['a'], { ts: START + 500 });
      for (let k = 0; k < 400; k++) {
        yield* until(START + 60_000 + k);
        for (let n = 0; n < 200 * x; n++) yield shown(`late-${k}-${n}`, ['a'], { ts: START + 400 });
      }
    },
    *ordinary(x) {
      for (let k = 0; k < 50_000 * x; k++) yield shown(`request-${k}`, ['a'], { ts: START + Math.floor(k / x) });
      for (let k = 0; k < 400; k++) {
        yield* until(START + 60_000 + k);
        for (let n = 0; n < 200 * x; n++) yield shown(`late-${k}-${n}`, ['a'], { ts: START + 50_000 + k });
      }
    },
  },
  {
    name: 'every id escaped',
    hostile: (x) =>
      raw(
        lists(3000 * x, 100, (n) => `item-${n}`),
        (json) => json.replaceAll('"item', '"\\u0069tem'),
      ),
    ordinary: (x) => lists(3000 * x, 100, (n) => `item-${n}`),
  },
  {
    name: 'a number above a thousand digits, texts nested 100 deep',
    hostile: (x) =>
      raw(
        lists(3000 * x, 100, (n) => `item-${n}`),
        (json) => json.replace('{', `{"x":${'['.repeat(100)}1${'0'.repeat(1000)}${']'.repeat(100)},`),
      ),
    ordinary: (x) => lists(3000 * x, 100, (n) => `item-${n}`),
  },
  {
    name: 'lists whose every item is invalid',
    hostile: (x) =>
      raw(
        lists(1000 * x, 500, (n) => `item-${n}`),
        (json) => json.replace(/"item-\d+"/g, '{"idx":"abc"}'),
      ),
    ordinary: (x) => lists(1000 * x, 500, (n) => `item-${n}`),
  },
  {
    name: 'a thousand unknown cohort keys',
    *hostile(x) {
      for (let k = 0; k < 400 * x; k++) {
        const cohorts = Object.fromEntries(range(1000).map((i) => [`Key-${k}-${i}`, `value-${k}-${i}`]));
        yield shown(`request-${k}`, ['a', 'b'], { cohorts });
      }
    },
    ordinary: (x) => lists(400 * x, 1500, (n) => `item-${digits(n, 12)}`),
  },
];

/** Records that are there, and nothing but time passes on both topics, 1 ms at a time. */
function* creeping(count: number, record: (k: number) => Sent, later: number): Iterable<Sent> {
  for (let k = 0; k < count; k++) yield record(k);
  for (let ms = 0; ms < 2000; ms++) yield* until(START + later + ms - 1000);
}

/** Event time continues to `at` on both topics. */
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
  const join = createJoin(JOIN_SETTINGS, { accepted: () => 1, unref: () => {}, closed: () => {} });
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

function measureApart(place: number, kind: 'hostile' | 'ordinary', size: number): Cost {
  const script = fileURLToPath(import.meta.url);
  const output = execFileSync(
    process.execPath,
    ['--max-old-space-size=4096', '--import', 'tsx/esm', script, '--one', String(place), kind, String(size)],
    { encoding: 'utf8' },
  );
  return JSON.parse(output);
}

/** The second of them shows whether the ratio grows with the number of records. */
const SIZES = [1, 4];

const [, , ...args] = process.argv;
if (args[0] === '--one') {
  const kind = args[2] === 'hostile' ? 'hostile' : 'ordinary';
  const place = Number(args[1]);
  const size = Number(args[3]);
  const cost =
    place < ATTACKS.length
      ? measure(ATTACKS[place][kind](size))
      : await measureFile(FILE_ATTACKS[place - ATTACKS.length][kind](size));
  process.stdout.write(`${JSON.stringify(cost)}\n`);
} else {
  const at = args.indexOf('--rounds');
  const rounds = at < 0 ? 3 : Number(args[at + 1]);
  const only = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1))[0] ?? '';
  const titles = SIZES.map(
    (size) => `${size === 1 ? 'ordinary' : `${size} times as many: ordinary`} | hostile | ratio |`,
  );
  process.stdout.write(`| attack | MB | ${titles.join(' ')}\n|---|---|${'---|'.repeat(3 * SIZES.length)}\n`);
  for (const [place, { name }] of [...ATTACKS, ...FILE_ATTACKS].entries()) {
    if (!name.includes(only)) continue;
    let mb = '';
    const cells = SIZES.map((size) => {
      const costs: { hostile: Cost[]; ordinary: Cost[] } = { hostile: [], ordinary: [] };
      for (let round = 0; round < rounds; round++) {
        costs.ordinary.push(measureApart(place, 'ordinary', size));
        costs.hostile.push(measureApart(place, 'hostile', size));
      }
      const ordinary = median(costs.ordinary.map((cost) => cost.nsPerByte));
      const hostile = median(costs.hostile.map((cost) => cost.nsPerByte));
      if (size === 1) mb = (costs.hostile[0].bytes / 1e6).toFixed(1);
      return `${ordinary.toFixed(1)} | ${hostile.toFixed(1)} | ${(hostile / ordinary).toFixed(1)} |`;
    });
    process.stdout.write(`| ${name} | ${mb} | ${cells.join(' ')}\n`);
  }
}
