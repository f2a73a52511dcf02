import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import type { LiveFinding } from '../../src/findings/live-findings.ts';
import { LivePage } from '../../src/live/live.ts';
import { pagesOf } from '../../src/live/live-pages.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { expectAccessible, expectFits, expectLegible, watchedPage } from '../page/watched-page.ts';
import { CHROMIUM, startBrowser } from '../services/chromium.ts';
import { itWith } from '../services/it-with.ts';
import type { Shop } from '../unit/sampled-shop.ts';
import { historyUpTo, liveInput, SETTINGS, sampled } from './live-input.ts';

const TOKEN = 'a-token-that-nobody-finds';
let browser: Promise<Browser> | undefined;

function started(path: string): Promise<Browser> {
  browser ??= startBrowser(path);
  return browser;
}

afterAll(async () => (await browser)?.close());

interface Process {
  /** Minutes have passed. */
  readonly pass: (minute: number, findings?: readonly LiveFinding[]) => void;
  /** Where the single lists come from. */
  readonly shop: Shop;
  readonly server: RunningServer;
  readonly url: string;
}

/** What serves the page; 0: any port. */
async function startProcess({ port = 0, token = false, cohorts = 0 } = {}): Promise<Process> {
  const ready = () => ({ ready: true, reasons: [], stopped: [] });
  let now = 0;
  const shop = sampled('r1');
  const live = new LivePage(SETTINGS, {
    ready,
    history: (question) => historyUpTo(now)(question),
    samples: shop.samples,
  });
  const pass = (minute: number, findings: readonly LiveFinding[] = []): void => {
    now = minute;
    live.update({ ...liveInput('B', minute, cohorts), findings });
  };
  for (const minute of [0, 1, 2]) pass(minute);
  const server = await startServer(
    { host: '127.0.0.1', port, token: token ? { kind: 'text', text: TOKEN } : undefined },
    { metrics: async () => '', contentType: 'text/plain', ready, healthy: () => true, page: pagesOf(live) },
  );
  return { pass, shop, server, url: `http://127.0.0.1:${server.port}/` };
}

const VIEWS = [390, 1024, 1920].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

describe('the live page in a browser', () => {
  for (const { width, colorScheme } of VIEWS) {
    itWith(CHROMIUM, `fits ${width} px in ${colorScheme}, is accessible, and asks nobody else`, async (path) => {
      const { server, url } = await startProcess();
      const watched = await watchedPage(await started(path), { viewport: { width, height: 900 }, colorScheme });
      const { page, faults, requests } = watched;
      await page.goto(url);
      for (const summary of await page.locator('#lists summary, #positions summary').all()) {
        if (await summary.isVisible()) await summary.click();
      }
      await expectFits(page);
      await expectLegible(page);
      await expectAccessible(page);
      expect(faults).toEqual([]);
      expect(requests.every((one) => one.startsWith(url))).toBe(true);
      await watched.close();
      await server.close();
    });
  }

  itWith(CHROMIUM, 'follows new numbers, and keeps what the reader has chosen', async (path) => {
    const { pass, server, url } = await startProcess();
    const watched = await watchedPage(await started(path), {});
    const { page, faults } = watched;
    await page.goto(url);
    await page.getByText('All numbers').first().click();
    const horizon = page.getByRole('link', { name: '30m', exact: true });
    await horizon.focus();
    await page.keyboard.press('Enter');
    await until('the other horizon is chosen', async () => (await horizon.getAttribute('aria-current')) === 'true');
    pass(7);
    await until('the page is of the new time', async () =>
      (await page.locator('#live').innerText()).includes('live, as of 2026-11-21 12:07:00'),
    );
    expect(await page.locator('body').innerText()).toContain('B 0.28');
    expect(await page.locator('details').first().getAttribute('open')).not.toBeNull();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('30m');
    // The link carries the choice.
    const link = page.url();
    expect(link).toContain('?horizon=30m');
    const other = await watchedPage(await started(path), { javaScriptEnabled: false });
    await other.page.goto(link);
    const chosen = other.page.getByRole('link', { name: '30m', exact: true });
    expect(await chosen.getAttribute('aria-current')).toBe('true');
    await page.goBack();
    await until('the usual horizon is back', async () => (await horizon.getAttribute('aria-current')) === null);
    expect(faults).toEqual([]);
    await other.close();
    await watched.close();
    await server.close();
  });

  itWith(CHROMIUM, 'lets a list that is open be read, and goes on when it is closed', async (path) => {
    const { pass, shop, server, url } = await startProcess();
    const watched = await watchedPage(await started(path), {});
    const { page } = watched;
    await page.goto(url);
    const lists = page.locator('#lists');
    await lists.locator('.one-list summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await lists.innerText()).toContain('not_in_list the list does not hold its item');
    shop.shows('r2', 100_000, ['a']);
    shop.does('r2', 'z', 100_001);
    shop.at(200_000);
    pass(7);
    await until('the page is of the new time', async () =>
      (await page.locator('#live').innerText()).includes('live, as of 2026-11-21 12:07:00'),
    );
    expect(await lists.locator('.one-list').first().getAttribute('open')).not.toBeNull();
    expect(await lists.textContent()).not.toContain('r2');
    await page.keyboard.press('Enter');
    await until('the new list is there', async () => (await lists.textContent())?.includes('r2') === true);
    // Also the last lists come when they are asked for, even while one is open, and the address has it.
    await lists.locator('.one-list summary').first().click();
    await lists.getByRole('link', { name: 'Show the last 2 lists' }).click();
    await lists.getByRole('heading', { name: 'The last lists' }).waitFor();
    expect(page.url()).toContain('?lists=last');
    await lists.getByRole('link', { name: 'Hide the last 2 lists' }).click();
    await until('they are gone', async () => !(await lists.innerText()).includes('The last lists'));
    await watched.close();
    await server.close();
  });

  itWith(
    CHROMIUM,
    'leaves open what is open, and the focus where it is, when other parts come and go',
    async (path) => {
      const { pass, server, url } = await startProcess();
      const watched = await watchedPage(await started(path), {});
      const { page, faults } = watched;
      await page.goto(url);
      const opened = [
        page.locator('#lists .one-list').first(),
        page.locator('#experiments details').first(),
        page.locator('#positions details').first(),
      ];
      for (const one of opened) await one.locator('summary').first().click();
      const summary = opened[0].locator('summary').first();
      await summary.focus();
      const finding: LiveFinding = { code: 'few_joined', topic: undefined, cause: 'Few join.', remedy: 'Look.' };
      const isFocused = () => summary.evaluate((element) => element === document.activeElement);
      for (const [minute, findings] of [
        [7, [finding]],
        [8, []],
      ] as const) {
        pass(minute, findings);
        await until('the page is of the new time', async () =>
          (await page.locator('#live').innerText()).includes(`live, as of 2026-11-21 12:0${minute}:00`),
        );
        expect(await page.locator('#findings').count()).toBe(findings.length);
        for (const one of opened) expect(await one.getAttribute('open')).not.toBeNull();
        expect(await isFocused()).toBe(true);
      }
      // In the order of the server's page.
      expect(await page.locator('main > div').evaluateAll((parts) => parts.map(({ id }) => id))).toEqual([
        'overview',
        'history',
        'experiments',
        'cohorts',
        'positions',
        'pipeline',
        'lists',
      ]);
      expect(faults).toEqual([]);
      await watched.close();
      await server.close();
    },
  );

  itWith(
    CHROMIUM,
    'holds few elements over ten thousand cohorts, and changes those alone that are new',
    async (path) => {
      const { pass, server, url } = await startProcess({ cohorts: 10_000 });
      const watched = await watchedPage(await started(path), {});
      const { page } = watched;
      await page.goto(url);
      const live = page.locator('#live');
      await until('the page is live', async () => (await live.innerText()).includes('live, as of'));
      expect(await page.locator('*').count()).toBeLessThan(5000);
      await page.evaluate(() => {
        document.body.dataset['changes'] = '0';
        new MutationObserver((records) => {
          const elements = records.filter(({ type }) => type === 'childList').length;
          document.body.dataset['changes'] = String(Number(document.body.dataset['changes']) + elements);
        }).observe(document.querySelector('main') ?? document.body, { childList: true, subtree: true });
      });
      pass(3);
      await until('the page is of the new time', async () => (await live.innerText()).includes('12:03:00'));
      // The curve of B has one more point, and the cohorts stay where they are.
      expect(Number(await page.locator('body').getAttribute('data-changes'))).toBeLessThan(100);
      await watched.close();
      await server.close();
    },
  );

  itWith(
    CHROMIUM,
    'has as many elements over ten thousand cohorts as over a hundred: bench:page measures the time',
    async (path) => {
      const elements = async (cohorts: number): Promise<number> => {
        const { server, url } = await startProcess({ cohorts });
        const watched = await watchedPage(await started(path), {});
        const { page } = watched;
        await page.goto(url);
        await until('the page is live', async () => (await page.locator('#live').innerText()).includes('live, as of'));
        const count = await page.locator('*').count();
        await watched.close();
        await server.close();
        return count;
      };
      const [few, many] = [await elements(100), await elements(10_000)];
      expect(few).toBeGreaterThan(500);
      expect(Math.abs(many - few)).toBeLessThan(20);
    },
  );

  itWith(CHROMIUM, 'asks less and less often while its server is gone', async (path) => {
    const { server, url } = await startProcess();
    const watched = await watchedPage(await started(path), {});
    const { page } = watched;
    const asked: number[] = [];
    page.on('request', () => asked.push(Date.now()));
    await page.goto(url);
    await server.close();
    const loaded = asked.length;
    await until('it has asked five times', () => asked.length >= loaded + 5);
    const pauses = asked.slice(loaded + 1).map((at, i) => at - asked[loaded + i]);
    // 2 s, then half as long again each time.
    expect(pauses.at(-1)).toBeGreaterThan(1.5 * pauses[0]);
    await watched.close();
  });

  itWith(CHROMIUM, 'prints on A4', async (path) => {
    const { server, url } = await startProcess();
    const watched = await watchedPage(await started(path), {});
    await watched.page.goto(url);
    const pdf = (await watched.page.pdf({ preferCSSPageSize: true })).toString('latin1');
    // 210 by 297 mm, in points.
    expect(pdf).toMatch(/\/MediaBox \[0 0 59[456](?:\.\d+)? 84[123](?:\.\d+)?\]/);
    await watched.page.emulateMedia({ media: 'print' });
    expect(await watched.page.locator('#live').isVisible()).toBe(false);
    await watched.close();
    await server.close();
  });

  itWith(CHROMIUM, 'saves its report as a file', async (path) => {
    const { server, url } = await startProcess();
    const watched = await watchedPage(await started(path), {});
    const { page, faults } = watched;
    await page.goto(`${url}?window=5m`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Report', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('receval-report.html');
    const other = await watchedPage(await started(path), { viewport: { width: 390, height: 900 } });
    await other.page.setContent(readFileSync(await download.path(), 'utf8'));
    expect(await other.page.locator('h1').innerText()).toBe('Service default');
    expect(await other.page.locator('#cohorts').innerText()).toContain('over the last 5m');
    await expectFits(other.page);
    await expectAccessible(other.page);
    expect([...faults, ...other.faults]).toEqual([]);
    await other.close();
    await watched.close();
    await server.close();
  });

  for (const javaScriptEnabled of [true, false]) {
    itWith(
      CHROMIUM,
      `finds, sorts and opens cohorts ${javaScriptEnabled ? 'with' : 'without'} script`,
      async (path) => {
        const { server, url } = await startProcess({ cohorts: 300 });
        const watched = await watchedPage(await started(path), { javaScriptEnabled });
        const { page, faults } = watched;
        await page.goto(url);
        const rows = page.locator('.cohort-table tbody th');
        expect(await rows.count()).toBe(50);
        await page.getByRole('link', { name: 'Next' }).click();
        await until('the next page is there', async () => (await rows.first().innerText()) === 'cohort 251');
        await page.locator('#filter').fill('cohort 29');
        await page.keyboard.press('Enter');
        await until('they are found', async () => (await rows.count()) === 11);
        await page.getByRole('columnheader', { name: 'cohort', exact: true }).getByRole('link').click();
        await until('they are sorted', async () => (await rows.first().innerText()) === 'cohort 29');
        await page.getByRole('link', { name: 'cohort 294' }).click();
        await until('it is open', async () => (await page.locator('#cohort').count()) === 1);
        expect(await page.locator('#cohort h2').innerText()).toContain('cohort 294');
        if (javaScriptEnabled) await expectAccessible(page);
        expect(page.url()).toContain('filter=cohort+29');
        await page.getByRole('link', { name: 'dark' }).click();
        await until('it is dark', async () => (await page.locator('html').getAttribute('data-theme')) === 'dark');
        expect(faults).toEqual([]);
        await watched.close();
        await server.close();
      },
    );
  }

  itWith(CHROMIUM, 'says that its server is gone, and goes on when it is back', async (path) => {
    const first = await startProcess();
    const watched = await watchedPage(await started(path), {});
    const { page } = watched;
    await page.goto(first.url);
    await first.server.close();
    const status = page.locator('#live');
    await until('it says so', async () => (await status.innerText()).includes('receval does not answer'));
    expect(await page.locator('.tiles').first().innerText()).toContain('30 s');
    const second = await startProcess({ port: first.server.port });
    second.pass(9);
    await until('it goes on', async () => (await status.innerText()).includes('live, as of 2026-11-21 12:09:00'));
    await watched.close();
    await second.server.close();
  });

  itWith(CHROMIUM, 'shows the last numbers where script is blocked', async (path) => {
    const { server, url } = await startProcess();
    const watched = await watchedPage(await started(path), { javaScriptEnabled: false });
    await watched.page.goto(url);
    const text = await watched.page.locator('main').innerText();
    expect(text).toContain('Script is off: these are the numbers of 2026-11-21 12:02:00 UTC');
    expect(text).toMatch(/A\s+1,000\s+0\.45/);
    await watched.close();
    await server.close();
  });

  itWith(CHROMIUM, 'is behind a form where there is a token', async (path) => {
    const { server, url } = await startProcess({ token: true });
    const watched = await watchedPage(await started(path), {});
    const { page } = watched;
    await page.goto(url);
    await expectAccessible(page);
    expect(await page.locator('body').innerText()).not.toContain('ndcg@10');
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await until('it is refused', async () => (await page.locator('#refused').innerText()) === 'This is not the token.');
    await page.locator('#token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('#overview').waitFor();
    expect(page.url()).toBe(url);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await watched.close();
    await server.close();
  });
});
