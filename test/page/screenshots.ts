/** Makes the pictures of docs/images again: `npm run screenshots`. It takes a minute, and Chromium. */
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
/** The ranking of the demo's treatment breaks after a minute and a half; then the picture is taken. */
const LOOK_EVERY_MS = 2000;
const BROKEN = 0.4;
const SHOWN_AFTER_MS = 20_000;

const CONFIG = `attribution: {horizons: [1m, 30m]}
measures: [ndcg@10, mrr, hit@10, precision@5, rate(action=purchase)]
cohorts: [[], [variant]]
experiments:
  default: {control: control, variants: {control: 0.5, treatment: 0.5}, guardrails: [hit@10], tolerance: 0.02}
`;

const folder = mkdtempSync(join(tmpdir(), 'receval-screenshots-'));
const browser = await startBrowser(await CHROMIUM.get());
try {
  const report = await reportFile();
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  await page.goto(pathToFileURL(report).href);
  await shoot(page, 'report.png');
  await shootDemo();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function reportFile(): Promise<string> {
  writeFileSync(join(folder, 'receval.yaml'), CONFIG);
  const variants = ['--variants', 'control:0.5:0.7,treatment:0.5:0.7', '--regression', 'treatment@10h..24h:0.25'];
  await receval('simulate', '--to', 'shop', '--rate', '3', '--users', '12000', ...variants, '--events', '160000');
  const logs = ['--impressions', 'shop/impressions.ndjson.gz', '--feedback', 'shop/feedback.ndjson.gz'];
  await receval('compare', ...logs, '--report', 'report.html');
  return join(folder, 'report.html');
}

async function receval(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(process.execPath, [RECEVAL, ...args], { cwd: folder, env: process.env });
  // 3: the variant regressed, as it shall.
  if (code !== 0 && code !== 3) throw new Error(`receval ${args.join(' ')}: ${stderr}`);
}

async function shootDemo(): Promise<void> {
  const port = await freePort();
  const demo = spawn(process.execPath, [RECEVAL, 'demo', '--port', String(port)], { cwd: folder, stdio: 'ignore' });
  try {
    while (!(await isBroken(port))) await sleep(LOOK_EVERY_MS);
    await sleep(SHOWN_AFTER_MS);
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'dark' });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByText('live, as of').waitFor();
    await shoot(page, 'page.png');
  } finally {
    demo.kill('SIGTERM');
  }
}

interface State {
  readonly history: { readonly series: readonly { readonly points: readonly { readonly value: number }[] }[] } | null;
}

async function isBroken(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/state`).catch(() => undefined);
  if (answer === undefined) return false;
  const { history }: State = JSON.parse(await answer.text());
  return history?.series.some(({ points }) => (points.at(-1)?.value ?? 1) < BROKEN) ?? false;
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(IMAGES, name) });
}
