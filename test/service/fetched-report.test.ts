/** What `receval report` gets of services as they are met: with names that strangers chose, slow, breaking off, and sending elsewhere. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchReport, NoReport } from '../../src/cli/report.ts';
import { LivePage } from '../../src/live/live.ts';
import { pagesOf } from '../../src/live/live-pages.ts';
import { startServer } from '../../src/server/server.ts';
import { historyUpTo, liveInput, SETTINGS, sampled } from '../live/live-input.ts';
import { HOSTILE } from '../page/views.ts';
import { expectFits, watchedPage } from '../page/watched-page.ts';
import { CHROMIUM, startBrowser } from '../services/chromium.ts';
import { itWith } from '../services/it-with.ts';

const TIMEOUT = 60_000;
const TOKEN = 'a-token-that-nobody-finds';
const ended: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function livePage(name = 'B'): LivePage {
  const ready = () => ({ ready: true, reasons: [], stopped: [{ partition: 1, cause: name, advice: name }] });
  const { samples } = sampled(name);
  const page = new LivePage(SETTINGS, { ready, history: historyUpTo(2), samples, about: [['receval', name]] });
  for (const minute of [0, 1, 2]) {
    page.update({
      ...liveInput(name, minute),
      findings: [{ code: 'few_joined', topic: name, cause: name, remedy: name }],
    });
  }
  return page;
}

/** Returns its address. */
async function serve(page: LivePage): Promise<URL> {
  const server = await startServer(
    { host: '127.0.0.1', port: 0 },
    {
      metrics: async () => '',
      contentType: 'text/plain',
      ready: () => ({ ready: true, reasons: [], stopped: [] }),
      healthy: () => true,
      page: pagesOf(page),
    },
  );
  ended.push(() => server.close());
  return new URL(`http://127.0.0.1:${server.port}/`);
}

async function listen(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ended.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`);
}

const get = (address: URL, timeout = TIMEOUT): Promise<string> => fetchReport({ address, token: undefined, timeout });

async function refusal(asked: Promise<string>): Promise<string> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(NoReport);
  return error instanceof Error ? error.message : '';
}

describe('the report of a running service', () => {
  it('is the same bytes of equal state, whatever else was asked for before', async () => {
    const [quiet, busy] = [livePage(), livePage()];
    await busy.html('cohort=B&lists=last');
    await busy.report('window=5m');
    await busy.cohorts('sort=mrr');
    const [one, other] = [await get(await serve(quiet)), await get(await serve(busy))];
    expect(one).toBe(other);
    // The time of the numbers is in it, and not that of the asking.
    quiet.update(liveInput('B', 2));
    busy.update(liveInput('B', 2));
    expect((await quiet.report()).body).toBe((await busy.report()).body);
  });

  it('is not awaited from whoever sends without an end', async () => {
    let sent = 0;
    const address = await listen((_, response) => {
      const chunk = Buffer.alloc(2 ** 20, 'x');
      const more = (): void => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.on('drain', more);
      more();
    });
    expect(await refusal(get(address))).toMatch(/ sends more than 64 MiB, which is no report: name the address/);
    expect(sent).toBeLessThan(200 * 2 ** 20);
  });

  it('is another one when a number is', async () => {
    const page = livePage();
    const address = await serve(page);
    const before = await get(address);
    page.update(liveInput('B', 3));
    const after = await get(address);
    expect(after).not.toBe(before);
    expect(after).toContain('2026-11-21 12:03:00 UTC');
  });

  itWith(CHROMIUM, 'shows names that strangers chose as text, and asks nobody for anything', async (path) => {
    const folder = mkdtempSync(join(tmpdir(), 'receval-fetched-'));
    ended.push(() => rmSync(folder, { recursive: true, force: true }));
    const browser = await startBrowser(path);
    ended.push(() => browser.close());
    const watched = await watchedPage(browser, { viewport: { width: 390, height: 900 } });
    const { page, faults, requests } = watched;
    const opened: string[] = [];
    for (const [i, name] of HOSTILE.entries()) {
      const file = join(folder, `${i}.html`);
      writeFileSync(file, await get(await serve(livePage(name))));
      opened.push(pathToFileURL(file).href);
      await page.goto(pathToFileURL(file).href);
      await expectFits(page);
      const seen = (await page.locator('body').innerText()).replace(/\s+/g, ' ');
      const text = name.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\uFFFD').replace(/\s+/g, ' ');
      // Stopped partition, finding, what to do, a cohort, a variant, and what it says of the process.
      expect(seen.split(text).length - 1, name).toBeGreaterThan(5);
      // What the page is made of comes from here: none of it from a name.
      const foreign = await page.locator(
        'script, iframe, object, embed, link, img, base, textarea, [onload], [onerror]',
      );
      expect(await foreign.count(), name).toBe(0);
    }
    expect(faults).toEqual([]);
    expect(requests).toEqual(opened);
    await watched.close();
  });

  it('sends its token to nobody but who was named', async () => {
    const asked: string[] = [];
    const there = await listen((_, response) => {
      asked.push('there');
      response.end();
    });
    const here = await listen(({ headers }, response) => {
      asked.push(headers.authorization ?? '');
      response.writeHead(307, { location: `${there.href}api/v1/report` }).end();
    });
    const words = await refusal(fetchReport({ address: here, token: TOKEN, timeout: TIMEOUT }));
    expect(words).toBe(`${here.origin} sends elsewhere, to ${there.href}api/v1/report: name that address`);
    expect(asked).toEqual([`Bearer ${TOKEN}`]);
  });

  it('says that the service did not answer in time', async () => {
    const address = await listen(() => {});
    expect(await refusal(get(address, 50))).toContain(`${address.origin} did not answer within 0.05 s`);
  });

  it.each([
    ['before it began', (): void => {}],
    ['in its midst', (write: (text: string) => void): void => write('<!doctype html><meta name="generator"')],
  ])('says that the service went away %s', async (_, begin) => {
    const address = await listen((_request, response) => {
      response.setHeader('content-length', 100_000);
      begin((text) => response.write(text));
      setTimeout(() => response.destroy(), 20);
    });
    expect(await refusal(get(address))).toBe(
      `${address.origin} broke off its response: it may be starting or stopping, so try again; its log says why`,
    );
  });

  it('is there again when the service is', async () => {
    const first = await serve(livePage());
    const before = await get(first);
    for (const end of ended.splice(0)) await end();
    expect(await refusal(get(first))).toMatch(/nothing listens at|broke off its response/);
    expect(await get(await serve(livePage()))).toBe(before);
  });
});
