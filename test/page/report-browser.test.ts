import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { renderReport } from '../../src/page/report.tsx';
import { CHROMIUM, startBrowser } from '../services/chromium.ts';
import { itWith } from '../services/it-with.ts';
import { experimentReport, HOSTILE, scoresReport } from './views.ts';
import { expectAccessible, expectFits, expectLegible, watchedPage } from './watched-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-report-'));
let browser: Promise<Browser> | undefined;

function started(path: string): Promise<Browser> {
  browser ??= startBrowser(path);
  return browser;
}

afterAll(async () => {
  await (await browser)?.close();
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(name: string, html: string): string {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, html);
  return pathToFileURL(path).href;
}

const REPORTS = {
  experiment: renderReport(experimentReport('treatment')),
  scores: renderReport(scoresReport('second')),
} as const;
const KINDS = ['experiment', 'scores'] as const;
const VIEWS = [390, 1024, 1920].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

describe.each(KINDS)('the report of %s in a browser', (kind) => {
  const url = fileOf(kind, REPORTS[kind]);

  for (const { width, colorScheme } of VIEWS) {
    itWith(
      CHROMIUM,
      `fits ${width} px in ${colorScheme}, is accessible, and asks nobody for anything`,
      async (path) => {
        const viewport = { width, height: 900 };
        const watched = await watchedPage(await started(path), { viewport, colorScheme, bypassCSP: false });
        const { page, faults, requests } = watched;
        await page.goto(url);
        await expectFits(page);
        for (const summary of await page.locator('summary:visible').all()) await summary.click();
        await expectFits(page);
        await expectLegible(page);
        await expectAccessible(page);
        expect(faults).toEqual([]);
        expect(requests).toEqual([url]);
        await watched.close();
      },
    );
  }

  itWith(CHROMIUM, 'is switched by keyboard, also where script is blocked', async (path) => {
    const watched = await watchedPage(await started(path), { javaScriptEnabled: false });
    const { page } = watched;
    await page.goto(url);
    const shown = (): Promise<string> => page.locator('[data-m]:visible').first().innerText();
    const before = await shown();
    await page.locator('input[name=m]:checked').focus();
    await page.keyboard.press('ArrowRight');
    expect(await shown()).not.toBe(before);
    await page.keyboard.press('ArrowLeft');
    expect(await shown()).toBe(before);
    await watched.close();
  });

  itWith(CHROMIUM, 'prints on A4', async (path) => {
    const watched = await watchedPage(await started(path), {});
    await watched.page.goto(url);
    const pdf = (await watched.page.pdf({ preferCSSPageSize: true })).toString('latin1');
    // 210 by 297 mm, in points.
    expect(pdf).toMatch(/\/MediaBox \[0 0 59[456](?:\.\d+)? 84[123](?:\.\d+)?\]/);
    await watched.close();
  });
});

describe('a long name of a measure', () => {
  itWith(CHROMIUM, 'leaves room for its interval, also on a phone', async (path) => {
    const view = experimentReport('treatment');
    const experiments = (view.experiments ?? []).map((one) => {
      const [variant] = one.comparison.variants;
      const [first, ...others] = variant.measures;
      const measures = [first, ...others, { ...first, measure: 'rate(action=purchase)', role: 'other' as const }];
      return { ...one, comparison: { ...one.comparison, variants: [{ ...variant, measures }] } };
    });
    const watched = await watchedPage(await started(path), { viewport: { width: 390, height: 900 } });
    const { page } = watched;
    await page.goto(fileOf('long', renderReport({ ...view, experiments })));
    await expectLegible(page);
    const axis = await page.locator('.forest th.interval').first().boundingBox();
    expect(axis?.width).toBeGreaterThan(100);
    // No label of the axis is cut off where the table ends.
    const table = await page.locator('.forest').first().boundingBox();
    const labels = page.locator('.forest').first().locator('th.interval text');
    for (const label of await labels.all()) {
      const box = await label.boundingBox();
      if (box === null || table === null) continue;
      expect(box.x + box.width).toBeLessThanOrEqual(table.x + table.width + 1);
    }
    await watched.close();
  });
});

describe('a long name of a run', () => {
  for (const width of [390, 1024]) {
    itWith(CHROMIUM, `leaves the differences of queries in sight at ${width} px`, async (path) => {
      const watched = await watchedPage(await started(path), { viewport: { width, height: 900 } });
      const { page } = watched;
      const html = renderReport(scoresReport('bm25-k1=0.9-b=0.4-rm3-10-10-0.5-monot5-3b-msmarco-top100'));
      await page.goto(fileOf(`long-run-${width}`, html));
      await page.locator('input[name=m]').first().check({ force: true });
      const tables = page.locator('.columns .scroll:visible');
      expect(await tables.count()).toBe(2);
      for (const table of await tables.all()) {
        const hidden = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
        expect(hidden).toBeLessThanOrEqual(1);
      }
      await watched.close();
    });
  }
});

describe('the horizon', () => {
  itWith(CHROMIUM, 'is one at a time', async (path) => {
    const watched = await watchedPage(await started(path), { javaScriptEnabled: false });
    const { page } = watched;
    await page.goto(fileOf('horizon', REPORTS.experiment));
    const tile = (): Promise<string[]> => page.locator('.tiles b:visible').allInnerTexts();
    expect(await tile()).toEqual(['0.3', '–', '0.006028']);
    await page.getByText('1m', { exact: true }).click();
    expect(await tile()).toEqual(['0.15', '–', '0.006028']);
    await watched.close();
  });
});

describe('the JSON', () => {
  itWith(CHROMIUM, 'is saved where script is blocked', async (path) => {
    const watched = await watchedPage(await started(path), { javaScriptEnabled: false, acceptDownloads: true });
    const { page } = watched;
    await page.goto(fileOf('json', REPORTS.experiment));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Save all numbers').click()]);
    expect(download.suggestedFilename()).toBe('comparison.json');
    await watched.close();
  });
});

describe('names that strangers chose', () => {
  itWith(CHROMIUM, 'are seen as text, and do nothing', async (path) => {
    const watched = await watchedPage(await started(path), { viewport: { width: 390, height: 900 } });
    const { page, faults, requests } = watched;
    for (const [i, name] of HOSTILE.entries()) {
      for (const view of [experimentReport(name), scoresReport(name)]) {
        await page.goto(fileOf(`hostile-${i}`, renderReport(view)));
        await expectFits(page);
        // Whoever reads sees the signs; those that are not seen are replaced.
        const seen = await page.locator('body').innerText();
        expect(seen.replace(/\s+/g, ' ')).toContain(
          name.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\uFFFD').replace(/\s+/g, ' '),
        );
      }
    }
    expect(faults).toEqual([]);
    expect(requests.every((url) => url.startsWith('file:'))).toBe(true);
    await watched.close();
  });
});
