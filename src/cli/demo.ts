import { randomUUID } from 'node:crypto';
import { clearScreenDown, moveCursor } from 'node:readline';
import { Command } from 'commander';
import { urlOf } from '../config/http.ts';
import { loadConfiguration } from '../config/load.ts';
import { withFiles } from '../config/named-files.ts';
import { readTextFile } from '../connections/text-file.ts';
import { Demo, withAllOfThePage, withQuickDetection, withShopExperiment } from '../demo/shop-demo.ts';
import { fullView, lineView, type ViewInput } from '../demo/view.ts';
import { LivePage } from '../live/live.ts';
import { pagesOf } from '../live/live-pages.ts';
import { Metrics, MetricsPage } from '../metrics/registry.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import { memoryLimit } from '../service/service-settings.ts';
import { WallClock } from '../vocabulary/clock.ts';
import { parseDuration } from '../vocabulary/durations.ts';
import { aboutService } from './about-service.ts';
import { UsageError } from './failure.ts';
import { processLog } from './log.ts';
import { newHashSeed, untilStopped, version } from './process.ts';
import { COLOUR, painter } from './terminal.ts';

interface Flags {
  readonly config?: string;
  readonly seed: string;
  readonly speed: string;
  readonly port?: string;
  readonly for?: string;
  readonly color: string;
}

const REFRESH_MS = 1000;
/** Without a terminal, one line is printed per this many refreshes. */
const REFRESHES_PER_LINE = 5;

/** `receval demo`: the whole service in one process, with a simulated shop in front. */
export function demoCommand(): Command {
  return new Command('demo')
    .option('--seed <n>', 'another seed, another crowd', '1')
    .option('--speed <x>', 'simulated seconds per second', '60')
    .option('--port <n>', 'port of /metrics (default: http.port, 9464)')
    .option('--for <duration>', 'stop after this long, such as 60s (default: at Ctrl-C)')
    .option(...COLOUR)
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .action(async (flags: Flags, command: Command) => demo(flags, command.optsWithGlobals()['verbose'] === true));
}

async function demo(flags: Flags, verbose: boolean): Promise<void> {
  const speed = numberOf('--speed', flags.speed, 1, 600);
  const seed = numberOf('--seed', flags.seed, 0, Number.MAX_SAFE_INTEGER);
  const duration = flags.for === undefined ? undefined : parseDuration(flags.for);
  if (flags.for !== undefined && duration === undefined) {
    throw new UsageError(
      `--for: "${flags.for}" is not a duration; write a whole number with ms, s, m, h or d, such as 60s`,
    );
  }
  const paint = painter(process.stderr, flags.color);
  const configuration = loadConfiguration({
    file: flags.config,
    readFile: readTextFile,
    env: process.env,
    overrides: flags.port === undefined ? {} : { 'http.port': flags.port },
  });
  const configured = await withFiles(configuration.settings);
  const settings = withAllOfThePage(withShopExperiment(withQuickDetection(configured)));
  const facts = { version: version(), node: process.version, memoryLimit: memoryLimit() };
  const metrics = new Metrics(settings, { role: 'all', ...facts });
  const start = Math.floor(Date.now() / 60_000) * 60_000;
  const log = processLog(verbose ? 'debug' : 'warn');
  const shop = new Demo({
    settings,
    seed,
    speed,
    start,
    newId: randomUUID,
    hashSeed: newHashSeed(),
    log,
    onClaim: (partition, counts) => metrics.claimed(partition, counts),
  });
  const ready = () => ({ ready: shop.unready.length === 0, reasons: [...shop.unready], stopped: [] });
  const page = new LivePage(settings, {
    ready,
    history: (question) => shop.history(question),
    samples: shop.samples,
    about: aboutService(configuration),
  });
  const metricsPage = new MetricsPage({ metrics, status: () => ({ status: shop.status() }), clock: new WallClock() });
  // The port comes first: if it is in use, nothing else has started.
  const server = await startServer(settings.http, {
    metrics: () => metricsPage.text(),
    contentType: metrics.contentType,
    ready,
    healthy: () => true,
    page: settings.http.page ? pagesOf(page) : undefined,
    failed: (path, { message, stack }) => log.warn({ path, error: message, stack }, 'a page could not be made'),
  });
  const screen = new LiveScreen(process.stderr, paint);
  const running = shop.run();
  const view = async (): Promise<ViewInput> => {
    const snapshot = await shop.snapshot();
    const status = shop.status();
    await metrics.take({ snapshot, status });
    page.update({ snapshot, status, now: shop.clock.now() });
    const { columns } = screen;
    return { settings, snapshot, status, speed, now: shop.clock.now(), regression: shop.regression, columns };
  };
  const url = urlOf(settings.http.host, server.port);
  if (settings.http.page) screen.note(`receval demo: open ${url}/ in a browser.`);
  screen.note(`receval demo: gauges on ${url}/metrics, ${speed} x real time, seed ${seed}.`);
  const stopShowing = show(view, screen);
  try {
    await Promise.race([untilStopped(duration), running]);
  } finally {
    await stopShowing();
    await end(shop, running, server);
    screen.end();
  }
}

/** Redraws until the returned function is called, which waits for the last redraw. */
function show(view: () => Promise<ViewInput>, screen: LiveScreen): () => Promise<void> {
  let refreshes = 0;
  let busy: Promise<void> = Promise.resolve();
  let idle = true;
  const refresh = async (): Promise<void> => {
    const input = await view();
    if (screen.isTerminal) screen.draw(fullView(input));
    else if (refreshes % REFRESHES_PER_LINE === 0) screen.note(lineView(input));
    refreshes++;
    idle = true;
  };
  const timer = setInterval(() => {
    if (!idle) return;
    idle = false;
    busy = refresh();
  }, REFRESH_MS);
  return async () => {
    clearInterval(timer);
    await busy;
  };
}

async function end(shop: Demo, running: Promise<void>, server: RunningServer): Promise<void> {
  await shop.stop();
  await running;
  await server.close();
}

function numberOf(option: string, text: string, low: number, high: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= low && value <= high) return value;
  throw new UsageError(`${option}: expected a number from ${low} to ${high}, found "${text}"`);
}

/** A block of text that is redrawn in place on a terminal, and lines above it that stay. */
class LiveScreen {
  readonly #stream: NodeJS.WriteStream;
  readonly #paint: (text: string) => string;
  /** Lines of the block on the terminal. */
  #drawn = 0;

  /** @param paint adds colours, after lines have been cut to their length */
  constructor(stream: NodeJS.WriteStream, paint: (text: string) => string) {
    this.#stream = stream;
    this.#paint = paint;
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Width of the terminal; 80 without one. */
  get columns(): number {
    return this.#stream.columns ?? 80;
  }

  /** A line that stays. */
  note(line: string): void {
    this.#clear();
    this.#stream.write(`${this.#paint(line)}\n`);
  }

  /** Replaces the block, cut to the size of the terminal. */
  draw(block: string): void {
    const { columns } = this;
    const { rows = 24 } = this.#stream;
    const lines = block
      .split('\n')
      .slice(0, rows - 1)
      .map((line) => line.slice(0, columns));
    this.#clear();
    this.#stream.write(this.#paint(lines.join('\n')));
    this.#drawn = lines.length;
  }

  /** Leaves the last block where it is. */
  end(): void {
    if (this.#drawn > 0) this.#stream.write('\n');
    this.#drawn = 0;
  }

  #clear(): void {
    if (this.#drawn === 0) return;
    this.#stream.write('\r');
    moveCursor(this.#stream, 0, 1 - this.#drawn);
    clearScreenDown(this.#stream);
    this.#drawn = 0;
  }
}
