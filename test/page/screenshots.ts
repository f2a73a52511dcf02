/** Makes the pictures of docs/images again: `npm run screenshots`. It takes some minutes, and Chromium, which also makes them small. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { CHROMIUM, startBrowser } from '../services/chromium.ts';
import { run } from '../services/commands.ts';
import { freePort } from '../services/ports.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RECEVAL = join(ROOT, 'bin/receval');
const IMAGES = join(ROOT, 'docs/images');
/** For machines that are slow. */
const PATIENCE_MS = 300_000;
const SIZE = { width: 1120, height: 760 };
/** The ranking of the demo's treatment breaks after a minute and a half; the picture is taken when that is decided. */
const LOOK_EVERY_MS = 2000;

const CONFIG = `attribution: {horizons: [1m, 30m]}
measures: [ndcg@10, mrr, hit@10, precision@5, rate(action=purchase)]
cohorts: [[], [variant]]
experiments:
  default: {control: control, variants: {control: 0.5, treatment: 0.5}, guardrails: [hit@10], tolerance: 0.02}
`;

const DEMO_CONFIG = CONFIG.replace('[variant]', '[variant], [variant, country]');
const LOGS = ['--impressions', 'shop/impressions.ndjson.gz', '--feedback', 'shop/feedback.ndjson.gz'];
const SAMPLES = join(ROOT, 'sample/score');
/** Of a part of a page, at most. */
const MOST_HEIGHT = 900;
/** Around what is taken out of a card. */
const ROOM = 10;
/** Of 100: type stays sharp. */
const QUALITY = 82;
const PHONE = { width: 390, height: 844 };

const folder = mkdtempSync(join(tmpdir(), 'receval-screenshots-'));
const browser = await startBrowser(await CHROMIUM.get());
try {
  await makeReports();
  for (const name of ['report', 'report-replay', 'report-score']) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
    if (name === 'report-replay') await shootPart(page, '#cohorts section[aria-label^="By"]', name);
    else if (name === 'report-score') await shootPart(page, '#scores', name);
    else await shoot(page, name);
    await page.close();
  }
  await shootTerminal();
  await shootDemo();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function makeReports(): Promise<void> {
  writeFileSync(join(folder, 'receval.yaml'), CONFIG);
  const variants = ['--variants', 'control:0.5:0.7,treatment:0.5:0.7', '--regression', 'treatment@10h..24h:0.25'];
  await receval('simulate', '--to', 'shop', '--rate', '3', '--users', '12000', ...variants, '--events', '160000');
  await receval('compare', ...LOGS, '--report', 'report.html');
  writeFileSync(join(folder, 'replay.yaml'), CONFIG.replace('[variant]', '[variant], [country]'));
  await receval('replay', '--config', 'replay.yaml', ...LOGS, '--report', 'report-replay.html');
  const runs = ['popular', 'personal'].flatMap((name) => ['--run', join(SAMPLES, `${name}.run`)]);
  const qrels = ['--qrels', join(SAMPLES, 'qrels.txt'), '--measures', 'ndcg@1..5,mrr'];
  await receval('score', ...runs, ...qrels, '--report', 'report-score.html');
}

/** What a terminal prints, as a terminal shows it. */
async function shootTerminal(): Promise<void> {
  const shown = 'receval compare --impressions impressions.ndjson.gz --feedback feedback.ndjson.gz';
  const printed = await receval('compare', ...LOGS);
  const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  await page.setContent(
    `<body style="margin:0;background:#10151d"><pre id="terminal" style="margin:0;padding:18px 22px;width:112ch;white-space:pre-wrap;color:#dfe5ee;font:13px/1.45 'DejaVu Sans Mono',monospace"></pre>`,
  );
  await page.evaluate(
    ([text]) => {
      const terminal = document.getElementById('terminal');
      if (terminal !== null) terminal.textContent = text;
    },
    [`$ ${shown}\n${printed.trimEnd()}`],
  );
  await shootPart(page, '#terminal', 'terminal');
  await page.close();
}

/** Returns what it prints. */
async function receval(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(process.execPath, [RECEVAL, ...args], { cwd: folder, env: process.env });
  // 3: the variant regressed, as it shall.
  if (code !== 0 && code !== 3) throw new Error(`receval ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function shootDemo(): Promise<void> {
  writeFileSync(join(folder, 'demo.yaml'), DEMO_CONFIG);
  const port = await freePort();
  const demo = spawn(process.execPath, [RECEVAL, 'demo', '--port', String(port), '--config', 'demo.yaml'], {
    cwd: folder,
    stdio: 'ignore',
  });
  try {
    const url = `http://127.0.0.1:${port}/`;
    const open = async (address: string, options: Parameters<typeof browser.newPage>[0]): Promise<Page> => {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(address);
      await page.getByText('live, as of').waitFor();
      return page;
    };
    while (!(await isServed(url))) await sleep(LOOK_EVERY_MS);
    const light = await open(url, { viewport: SIZE, colorScheme: 'light' });
    const dark = await open(url, { viewport: SIZE, colorScheme: 'dark' });
    const phone = await open(url, { viewport: PHONE, colorScheme: 'light', isMobile: true });
    while (!(await hasRegressed(url))) await sleep(LOOK_EVERY_MS);
    // The pages ask for newer numbers by themselves.
    await sleep(2 * LOOK_EVERY_MS);
    await shoot(light, 'page');
    await shoot(dark, 'page-dark');
    await shoot(phone, 'page-phone');
    await shootPart(light, '#experiments', 'page-experiment');
    await shootPart(light, '#positions', 'page-positions');
    await shootPart(light, '#pipeline', 'page-events');
    const worst = 'section[aria-labelledby=lists-worst]';
    await light.locator(`${worst} .one-list summary`).first().click();
    await shootPart(light, worst, 'page-lists');
    await light.goto(`${url}?by=variant%2Ccountry&sort=ndcg%4010&order=rising`);
    await shootPart(light, '#cohorts', 'page-cohorts');
  } finally {
    demo.kill('SIGTERM');
  }
}

interface State {
  readonly verdict: { readonly badge: string };
}

async function hasRegressed(url: string): Promise<boolean> {
  const answer = await fetch(`${url}api/v1/state`);
  const { verdict }: State = JSON.parse(await answer.text());
  return verdict.badge === 'regressed';
}

async function isServed(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => undefined);
  return answer?.ok ?? false;
}

async function shoot(page: Page, name: string): Promise<void> {
  const { width, height } = page.viewportSize() ?? SIZE;
  await save(page, name, { x: 0, y: 0, width, height });
}

/** A part of a page, from its top. */
async function shootPart(page: Page, part: string, name: string): Promise<void> {
  const place = await page.locator(part).first().boundingBox();
  if (place === null) throw new Error(`the page has no ${part}`);
  const [x, y] = await page.evaluate((): readonly [number, number] => [scrollX, scrollY]);
  const height = Math.min(place.height, MOST_HEIGHT);
  // A card has room of its own.
  const room = part.startsWith('section') ? ROOM : 0;
  await save(page, name, {
    x: place.x + x - room,
    y: place.y + y - room,
    width: place.width + 2 * room,
    height: height + 2 * room,
  });
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Playwright makes no WebP: Chromium does. */
async function save(page: Page, name: string, place: Rectangle): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const { data } = await client.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    captureBeyondViewport: true,
    clip: { ...place, scale: 1 },
  });
  await client.detach();
  writeFileSync(join(IMAGES, `${name}.webp`), Buffer.from(data, 'base64'));
}
