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

/** What is written where. */
interface Written {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** In something that is scrolled by itself. */
  readonly isScrolled: boolean;
  /** An ancestor hides a part of it, or it goes on beside its frame. */
  readonly isCut: boolean;
}

/** Words that overlap by less are beside each other: lines of type are higher than their letters. In pixels, and of the height. */
const TOUCHING = 2;
const TOUCHING_LINES = 0.45;

/** Every word that is shown can be read: none is cut off, outside of the window, or over another. */
export async function expectLegible(page: Page): Promise<void> {
  const written = await page.evaluate(textsShown);
  const window = await page.evaluate(() => document.documentElement.clientWidth);
  const name = ({ text, left, top }: Written): string => `${text} at ${Math.round(left)}, ${Math.round(top)}`;
  const outside = written.filter(({ left, right, isScrolled }) => !isScrolled && (left < -1 || right > window + 1));
  expect(outside.map(name)).toEqual([]);
  expect(written.filter(({ isCut }) => isCut).map(name)).toEqual([]);
  const lines = written.toSorted((a, b) => a.top - b.top);
  const over = lines.flatMap((one, i) => {
    const after = lines.slice(i + 1);
    const end = after.findIndex(({ top }) => top >= one.bottom);
    return after
      .slice(0, end === -1 ? undefined : end)
      .filter((other) => covers(one, other))
      .map((other) => `${name(one)} over ${name(other)}`);
  });
  expect(over).toEqual([]);
}

function covers(one: Written, other: Written): boolean {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  const line = Math.min(one.bottom - one.top, other.bottom - other.top);
  return width > TOUCHING && height > TOUCHING_LINES * line;
}

/** Runs in the page. */
function textsShown(): readonly Written[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const written: Written[] = [];
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    const parent = node.parentElement;
    if (text === '' || parent === null || parent.closest('.unseen, noscript, title, option') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      if (right - left < 1 || !parent.checkVisibility()) continue;
      let isScrolled = false;
      let isCut = false;
      for (let box: Element | null = parent; box !== null && box !== document.body; box = box.parentElement) {
        const { overflowX } = getComputedStyle(box);
        if (overflowX === 'auto' || overflowX === 'scroll') isScrolled = true;
        const place = box.getBoundingClientRect();
        if (!isScrolled && box.matches('.card, .tiles div')) isCut ||= left < place.left - 1 || right > place.right + 1;
        // Of pictures those parts are hidden that are drawn outside of the plot; words are none of them.
        if (overflowX !== 'hidden' && overflowX !== 'clip') continue;
        isCut ||= left < place.left - 1 || right > place.right + 1 || top < place.top - 2 || bottom > place.bottom + 2;
      }
      written.push({ text: text.slice(0, 60), left, right, top, bottom, isScrolled, isCut });
    }
  }
  return written;
}
