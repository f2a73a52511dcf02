/**
 * `npm run bench:page`: what the live page costs. First each of its endpoints, in a process that knows about 1,000 series: that of the
 * demo, whose worker and exporter have run three hours of event time at 300 times the speed and then stand still. Then, where Chromium is,
 * the main thread of a page over 10,000 cohorts at each update.
 */
import { gzipSync } from 'node:zlib';
import { loadSettings } from '../src/config/load.ts';
import { Demo, withAllOfThePage, withShopExperiment } from '../src/demo/shop-demo.ts';
import type { CohortHistory, HistoryQuestion, QualitySnapshot } from '../src/exporter/exporter-contract.ts';
import { LivePage } from '../src/live/live.ts';
import { pagesOf } from '../src/live/live-pages.ts';
import type { Versioned } from '../src/server/routes.ts';
import { startServer } from '../src/server/server.ts';
import type { SampledDrop, SampledIds, SampledList, ShownSamples } from '../src/unit/samples.ts';
import { historyUpTo, liveInput, SETTINGS } from '../test/live/live-input.ts';
import { CHROMIUM, startBrowser } from '../test/services/chromium.ts';
import { flag } from './flag.ts';
import { median } from './median.ts';

const HOUR = 3_600_000;
const SPEED = 300;
const ROUNDS = 100;
const WARM_UP = 20;
const UPDATES = 30;
const COHORTS = 10_000;

const ready = () => ({ ready: true, reasons: [], stopped: [] });

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const CONFIG = `
attribution: {horizons: [1m, 30m]}
measures: [ndcg@10, mrr, hit@10, precision@5]
windows: [5m, 1h]
cohorts: [[], [variant], [country], [variant, country], [country, tenure], [variant, country, tenure]]
`;

async function endpoints(): Promise<void> {
  const settings = withAllOfThePage(
    withShopExperiment(loadSettings({ file: 'bench.yaml', readFile: () => CONFIG, env: {} })),
  );
  const start = Date.UTC(2026, 10, 21);
  const warn = (_: object, message: string): void => void process.stderr.write(`${message}\n`);
  const log = { info: () => {}, debug: () => {}, warn, error: warn };
  let id = 0;
  const shop = new Demo({
    settings,
    seed: 1,
    speed: SPEED,
    start,
    newId: () => `id-${id++}`,
    hashSeed: 1,
    log,
    onClaim: () => {},
  });
  const running = shop.run();
  const read = (): number => {
    const { units } = shop.status();
    return units.length === 0 ? start : Math.min(...units.map(({ watermark }) => watermark));
  };
  while (!(read() > start + 3 * HOUR)) await new Promise((done) => setTimeout(done, 500));
  const status = shop.status();
  await shop.stop();
  await running;
  const snapshot = await shop.snapshot();
  const history = (question: HistoryQuestion): CohortHistory => shop.history(question);
  const page = new LivePage(settings, { ready, history, samples: shop.samples });
  const busy = new LivePage(settings, { ready, history, samples: new NewLists(shop.samples) });
  let now = shop.clock.now();
  let stored = snapshot;
  // As each second; `isNew`: a pane has closed, so that all that is read from the store is other objects.
  const update = (isNew: boolean): void => {
    now += 1000;
    if (isNew) stored = asReadAgain(snapshot);
    for (const one of [page, busy]) one.update({ snapshot: stored, status, now });
  };
  let turn = 0;
  // More than are kept of one kind.
  const anything = ['control', 'treatment'].flatMap((variant) =>
    ['DE', 'ES', 'FR', 'GB'].flatMap((country) =>
      settings.measures.flatMap(({ canonical }) =>
        settings.windows.map(
          ({ text }) => `by=variant,country&cohort=${variant},${country}&measure=${canonical}&window=${text}`,
        ),
      ),
    ),
  );
  const other = (): string => anything[turn++ % anything.length];
  const series = snapshot.rows.length * settings.measures.length;
  update(true);
  const text = (await page.state()).body;
  const yardstick = await cost(async () => void JSON.parse(text));
  print(`${series} series; JSON.parse of /api/v1/state takes ${yardstick.toFixed(2)} ms`);
  print(`ms of the process's CPU: mean of ${ROUNDS}, longest turn: median of ${ROUNDS}\n`);
  print(
    '| what | after a pane has closed | its longest turn | each other second | once more in that second | a minute of one a second, mean | kB | kB gzipped |',
  );
  print('|---|---|---|---|---|---|---|---|');
  const cases: readonly (readonly [string, (() => Promise<Versioned>) | undefined])[] = [
    ['nobody looks', undefined],
    ['/', () => page.html()],
    ['/ with a cohort open', () => page.html('by=variant,country&cohort=treatment,DE')],
    ['/ with another cohort each time', () => page.html(other())],
    ['/ with the last lists', () => page.html('lists=last')],
    ['/ where all lists are new', () => busy.html()],
    ['/ with the last lists, all of them new', () => busy.html('lists=last')],
    ['/api/v1/state', () => page.state()],
    ['/api/v1/cohorts', () => page.cohorts('by=variant,country,tenure')],
    ['/api/v1/cohorts, history of one', () => page.cohorts('by=variant,country&cohort=treatment,DE')],
    ['/api/v1/lists', () => page.lists()],
    ['/api/v1/lists, all of them new', () => busy.lists()],
    ['/api/v1/report', () => page.report()],
    ['/api/v1/report, another measure and window each time', () => page.report(other())],
  ];
  const wanted = flag('--only') ?? '';
  for (const [name, ask] of cases.filter(([name]) => name.includes(wanted))) {
    const after = (isNew: boolean) => async (): Promise<void> => {
      update(isNew);
      await ask?.();
    };
    const closed = await cost(after(true));
    const turn = await longestTurn(after(true));
    const usual = await cost(after(false));
    const again = await cost(async () => void (await ask?.()));
    const body = (await ask?.())?.body ?? '';
    const size =
      body === '' ? '| - | - |' : `| ${kb(Buffer.byteLength(body))} | ${kb(gzipSync(body, { level: 1 }).length)} |`;
    // A pane closes once a minute.
    const mean = (closed + 59 * usual) / 60;
    print(
      `| ${name} | ${closed.toFixed(2)} | ${turn.toFixed(2)} | ${usual.toFixed(2)} | ${again.toFixed(2)} | ${mean.toFixed(2)} ${size}`,
    );
  }
}

/** As the exporter gives it after each pane: nothing of it is the same object. */
function asReadAgain(snapshot: QualitySnapshot): QualitySnapshot {
  const { trails } = snapshot;
  return {
    ...snapshot,
    ...(trails === undefined ? {} : { trails: trails.map((trail) => new Map(trail)) }),
    rows: snapshot.rows.map((row) => ({ ...row })),
    experiments: snapshot.experiments.map((comparison) => ({ ...comparison })),
    decisions: [...snapshot.decisions],
  };
}

/** The same lists, as if others had closed since the last look. */
class NewLists implements ShownSamples {
  readonly #samples: ShownSamples | undefined;

  constructor(samples: ShownSamples | undefined) {
    this.#samples = samples;
  }

  get ids(): SampledIds {
    return 'shown';
  }

  get last(): readonly SampledList[] {
    return (this.#samples?.last ?? []).map((list) => ({ ...list }));
  }

  get withDrops(): readonly SampledList[] {
    return (this.#samples?.withDrops ?? []).map((list) => ({ ...list }));
  }

  get drops(): readonly SampledDrop[] {
    return (this.#samples?.drops ?? []).map((drop) => ({ ...drop }));
  }

  renew(): void {}
}

/** In ms of CPU, on average. CPU and not time: other programs of the machine take none of it. */
async function cost(once: () => Promise<void>): Promise<number> {
  for (let round = 0; round < WARM_UP; round++) await once();
  const from = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) await once();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000 / ROUNDS;
}

/** What the process does in one go, before anything else of it can run: the median of the longest turn of each round, in ms of CPU. */
async function longestTurn(once: () => Promise<void>): Promise<number> {
  const longest: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let isOver = false;
    let [from, most] = [process.cpuUsage(), 0];
    const turn = (): void => {
      const { user, system } = process.cpuUsage(from);
      most = Math.max(most, (user + system) / 1000);
      from = process.cpuUsage();
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await once();
    isOver = true;
    await new Promise((done) => setImmediate(done));
    longest.push(most);
  }
  longest.sort((a, b) => a - b);
  return median(longest);
}

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(0);
}

async function mainThread(): Promise<void> {
  const page = new LivePage(SETTINGS, { ready, history: historyUpTo(60) });
  let minute = 0;
  const pass = (): void => page.update(liveInput('B', ++minute, COHORTS));
  pass();
  const server = await startServer(
    { host: '127.0.0.1', port: 0 },
    { metrics: async () => '', contentType: 'text/plain', ready, healthy: () => true, page: pagesOf(page) },
  );
  const browser = await startBrowser(await CHROMIUM.get());
  const tab = await browser.newPage();
  const client = await tab.context().newCDPSession(tab);
  // Time of the processor, which other programs of the machine take none of.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await client.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  await tab.goto(`http://127.0.0.1:${server.port}/`);
  await tab.getByText('live, as of').waitFor({ timeout: 60_000 });
  const took: number[] = [];
  for (let update = 0; update < UPDATES; update++) {
    const before = await tab.locator('#live').textContent();
    const from = await busy();
    pass();
    while ((await tab.locator('#live').textContent()) === before) await new Promise((done) => setTimeout(done, 200));
    took.push((await busy()) - from);
  }
  const elements = await tab.evaluate('document.querySelectorAll("*").length');
  took.sort((a, b) => a - b);
  print(
    `\nA page over ${COHORTS} cohorts, ${elements} elements: ${median(took).toFixed(0)} ms of its main thread per update (median of ${UPDATES}; the longest ${took[took.length - 1].toFixed(0)} ms)`,
  );
  await browser.close();
  await server.close();
}

await endpoints();
if (!process.argv.includes('--endpoints')) await mainThread();
