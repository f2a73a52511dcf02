/** A page of a browser whose faults are written down: errors, refusals of the policy, and requests to anybody. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

/** For machines that are slow. */
const PATIENCE_MS = 300_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface WatchedPage {
  readonly page: Page;
  /** What a console would show as a warning or an error. */
  readonly faults: readonly string[];
  /** Addresses that were asked for, without those inside of the page. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function watchedPage(browser: Browser, options: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  return { page, faults, requests, close: () => context.close() };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** axe-core finds nothing; it needs script. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const found: readonly Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  expect(found.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)).toEqual([]);
}

/** Nothing is wider than the window. */
export async function expectFits(page: Page): Promise<void> {
  const [wide, window] = await page.evaluate((): readonly [number, number] => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  expect(wide).toBeLessThanOrEqual(window);
}
