import { describe, expect, it } from 'vitest';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { Metrics, MetricsPage, type MetricsUpdate } from '../../src/metrics/registry.ts';
import { startServer } from '../../src/server/server.ts';
import type { UnitStatus } from '../../src/worker/status.ts';
import { ManualClock } from '../manual-clock.ts';
import { parse, sampleValue } from './parse.ts';
import { settingsOf } from './settings.ts';
import { unitStatus, workerStatus } from './statuses.ts';

const SETTINGS = settingsOf();

/** A unit that has read so many impressions. */
function unitOf(read: number, partition = 0): UnitStatus {
  const counts = [noCounts(3), noCounts(3)];
  counts[0].impressions.read = read;
  return unitStatus(partition, { counts });
}

/** A worker whose status is taken each second and at scrapes, as the service does. */
class Scraped {
  readonly clock = new ManualClock();
  readonly metrics = new Metrics(SETTINGS, { role: 'worker', version: '1', node: '20' });
  readonly page: MetricsPage;
  units: readonly UnitStatus[] = [];
  problem: Error | undefined;
  renderings = 0;

  constructor() {
    const { metrics, clock } = this;
    const counted = {
      take: (update: MetricsUpdate) => metrics.take(update),
      text: () => {
        this.renderings++;
        return this.problem === undefined ? metrics.text() : Promise.reject(this.problem);
      },
    };
    this.page = new MetricsPage({ metrics: counted, status: () => this.#status(), clock });
    clock.every(1000, () => metrics.take(this.#status()));
  }

  #status(): MetricsUpdate {
    return { status: workerStatus(this.units) };
  }

  /** Impressions that a scrape shows as read. */
  async read(): Promise<number | undefined> {
    return readIn(await this.page.text());
  }
}

function readIn(text: string): number | undefined {
  return sampleValue(parse(text), 'receval_events_total', { topic: 'impressions' });
}

describe('a scrape', () => {
  it('shows what was counted since the last second began', async () => {
    const scraped = new Scraped();
    scraped.units = [unitOf(5)];
    await scraped.clock.advance(1000);
    scraped.units = [unitOf(8)];
    await scraped.clock.advance(999);
    expect(await scraped.read()).toBe(8);
  });

  it('shows what a unit counted that came and was released since the last scrape', async () => {
    const scraped = new Scraped();
    expect(await scraped.read()).toBe(0);
    scraped.units = [unitOf(5), unitOf(2, 1)];
    await scraped.clock.advance(1000);
    scraped.units = [unitOf(2, 1)];
    await scraped.clock.advance(14_000);
    expect(await scraped.read()).toBe(7);
    scraped.units = [];
    await scraped.clock.advance(15_000);
    expect(await scraped.read()).toBe(7);
  });

  it('shows what is true before the first second is over, too', async () => {
    const scraped = new Scraped();
    scraped.units = [unitOf(3)];
    expect(await scraped.read()).toBe(3);
  });

  it('shows the dead letters of its moment, and what is known of the rest', async () => {
    let written = 1;
    const metrics = new Metrics(SETTINGS, { role: 'worker', version: '1', node: '20' });
    const status = (): MetricsUpdate => ({
      deadLetters: { written, failed: 0, dropped: 0 },
      redis: { usedBytes: 70, limitBytes: 100, evicted: 3 },
    });
    const page = new MetricsPage({ metrics, status, clock: new ManualClock() });
    await metrics.take(status());
    written = 4;
    const families = parse(await page.text());
    expect(sampleValue(families, 'receval_dead_letters_total', { outcome: 'written' })).toBe(4);
    expect(sampleValue(families, 'receval_redis_memory_used_bytes', {})).toBe(70);
  });
});

describe('the page', () => {
  it('is not rendered while nobody requests it', async () => {
    const scraped = new Scraped();
    scraped.units = [unitOf(5)];
    await scraped.clock.advance(60_000);
    expect(scraped.renderings).toBe(0);
    expect(await scraped.read()).toBe(5);
    expect(scraped.renderings).toBe(1);
  });

  it('is rendered once for all who request it at once', async () => {
    const scraped = new Scraped();
    scraped.units = [unitOf(5)];
    const texts = await Promise.all(Array.from({ length: 100 }, () => scraped.page.text()));
    expect(new Set([...texts, await scraped.page.text()]).size).toBe(1);
    expect(scraped.renderings).toBe(1);
  });

  it.each([
    [999, 1, 5],
    [1000, 2, 8],
    [1001, 2, 8],
  ])('requested %d ms after its rendering began has been rendered %d times', async (age, renderings, read) => {
    const scraped = new Scraped();
    scraped.units = [unitOf(5)];
    expect(await scraped.read()).toBe(5);
    scraped.units = [unitOf(8)];
    await scraped.clock.advance(age);
    expect(await scraped.read()).toBe(read);
    expect(scraped.renderings).toBe(renderings);
  });

  it('is shared by who comes while it is rendered, however long that takes', async () => {
    const clock = new ManualClock();
    const waiting: ((text: string) => void)[] = [];
    const metrics = {
      take: async () => {},
      text: () => new Promise<string>((resolve) => waiting.push(resolve)),
    };
    const page = new MetricsPage({ metrics, status: () => ({}), clock });
    const first = page.text();
    await clock.advance(5000);
    const second = page.text();
    await clock.advance(0);
    expect(waiting.length).toBe(1);
    waiting[0]('the text');
    expect(await Promise.all([first, second])).toEqual(['the text', 'the text']);
    // Its age counts from the beginning.
    void page.text();
    await clock.advance(0);
    expect(waiting.length).toBe(2);
  });

  it('is rendered again where the clock was set back', async () => {
    let now = 1_800_000_000_000;
    let renderings = 0;
    const metrics = { take: async () => {}, text: async () => String(++renderings) };
    const page = new MetricsPage({ metrics, status: () => ({}), clock: { now: () => now } });
    expect(await page.text()).toBe('1');
    now -= 3_600_000;
    expect(await page.text()).toBe('2');
    expect(await page.text()).toBe('2');
  });

  it.each(['its text', 'the status'])(
    'that fails for %s rejects for all who wait, and is tried again at once',
    async (what) => {
      const clock = new ManualClock();
      let isBroken = true;
      const fail = (part: string): void => {
        if (isBroken && part === what) throw new Error(`no ${part}`);
      };
      const metrics = {
        take: async () => {},
        text: async () => {
          fail('its text');
          return 'the text';
        },
      };
      const status = (): MetricsUpdate => {
        fail('the status');
        return {};
      };
      const page = new MetricsPage({ metrics, status, clock });
      const requests = await Promise.allSettled([page.text(), page.text()]);
      expect(requests.map(({ status: outcome }) => outcome)).toEqual(['rejected', 'rejected']);
      isBroken = false;
      expect(await page.text()).toBe('the text');
    },
  );

  it('is served by HTTP: one rendering for many scrapes, 500 while it fails, and the next one right after', async () => {
    const scraped = new Scraped();
    const told: string[] = [];
    const server = await startServer(
      { host: '127.0.0.1', port: 0 },
      {
        metrics: () => scraped.page.text(),
        contentType: scraped.metrics.contentType,
        ready: () => ({ ready: true, reasons: [], stopped: [] }),
        healthy: () => true,
        failed: (path, { message }) => told.push(`${path} ${message}`),
      },
    );
    const scrape = () => fetch(`http://127.0.0.1:${server.port}/metrics`);
    try {
      scraped.problem = new Error('broken');
      expect((await scrape()).status).toBe(500);
      expect(told).toEqual(['/metrics broken']);
      scraped.problem = undefined;
      scraped.units = [unitOf(5)];
      const answers = await Promise.all(Array.from({ length: 50 }, scrape));
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(texts).size).toBe(1);
      expect(readIn(texts[0])).toBe(5);
      expect(scraped.renderings).toBe(2);
    } finally {
      await server.close();
    }
  });
});
