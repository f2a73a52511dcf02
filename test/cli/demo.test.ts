import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../services/ports.ts';
import { ROOT, receval } from './receval.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

async function startDemo(...args: readonly string[]): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [resolve(ROOT, 'bin/receval'), 'demo', '--port', String(port), ...args], {
    cwd: ROOT,
  });
  children.push(child);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((done) => {
    child.on('close', (code) => done({ code, stderr }));
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries++) {
    const up = await fetch(`${url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (up) return { url, child, ended };
    await new Promise((wait) => setTimeout(wait, 50));
  }
  throw new Error(`the demo did not come up: ${stderr}`);
}

/** Polls the metrics until a series is there, and answers its value. */
async function seriesValue(url: string, series: RegExp): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const text = await fetch(`${url}/metrics`).then((answer) => answer.text());
    const found = series.exec(text);
    if (found !== null) return Number(found[1]);
    await new Promise((wait) => setTimeout(wait, 100));
  }
  throw new Error(`no series ${series}`);
}

describe('receval demo', () => {
  it('shows quality by variant on /metrics, is ready, and ends by itself with 0', async () => {
    const { url, ended } = await startDemo('--for', '12s', '--speed', '300', '--seed', '5');
    const ndcg = await seriesValue(
      url,
      /^receval_ndcg\{[^}]*window="5m",horizon="1m",by="variant",variant="treatment"[^}]*\} (\S+)$/m,
    );
    expect(ndcg).toBeGreaterThan(0.3);
    expect(ndcg).toBeLessThan(0.7);
    expect(await seriesValue(url, /^receval_events_total\{topic="feedback"\} (\S+)$/m)).toBeGreaterThan(100);
    expect(await seriesValue(url, /^receval_drops_total\{topic="feedback",reason="capped"\} (\S+)$/m)).toBe(0);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/gauges on http:\/\/127\.0\.0\.1:\d+\/metrics/);
    expect(stderr).toMatch(/ndcg@10 control 0\.\d+ treatment 0\.\d+/);
    expect(stderr).toMatch(/the ranking of treatment breaks/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends within 5 s of %s with everything released', async (signal) => {
    const { url, child, ended } = await startDemo();
    const began = Date.now();
    child.kill(signal);
    expect((await ended).code).toBe(0);
    expect(Date.now() - began).toBeLessThan(5000);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('says that its port is in use, and what to do', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    try {
      const { code, stderr } = await receval(['demo', '--port', String(port)]);
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`${port}.*in use.*--port`));
      expect(stderr).not.toMatch(/\n\s+at /);
    } finally {
      other.close();
    }
  });

  it.each([
    [['--speed', 'fast'], /--speed: expected a number from 1 to 600, found "fast"/],
    [['--for', 'soon'], /--for: "soon" is no duration/],
    [['--port', '99999'], /http\.port/],
  ])('explains %j', async (args, message) => {
    const { code, stderr } = await receval(['demo', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
