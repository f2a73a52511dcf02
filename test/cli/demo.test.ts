import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../consumers/source/kafka/collector.ts';
import { freePort } from '../services/ports.ts';
import { RECEVAL } from '../tested.ts';
import { ROOT, receval } from './receval.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null }>;
  readonly printed: () => string;
}

async function startDemo(...args: readonly string[]): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [RECEVAL, 'demo', '--port', String(port), ...args], {
    cwd: ROOT,
  });
  children.push(child);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null }>((done) => {
    child.on('close', (code) => done({ code }));
  });
  const url = `http://127.0.0.1:${port}`;
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until('the demo is up', isUp);
  return { url, child, ended, printed: () => stderr };
}

/** Polls the metrics until a series is there, and returns its value. */
async function seriesValue(url: string, series: RegExp): Promise<number> {
  let found: RegExpExecArray | null = null;
  await until(`there is a series ${series}`, async () => {
    found = series.exec(await fetch(`${url}/metrics`).then((answer) => answer.text()));
    return found !== null;
  });
  return Number(found?.[1]);
}

describe('receval demo', () => {
  it('shows quality by variant on /metrics and in words, and is ready', async () => {
    const { url, child, ended, printed } = await startDemo('--speed', '300', '--seed', '5');
    const ndcg = await seriesValue(
      url,
      /^receval_ndcg\{[^}]*window="5m",horizon="1m",by="variant",variant="treatment"[^}]*\} (\S+)$/m,
    );
    expect(ndcg).toBeGreaterThan(0.3);
    expect(ndcg).toBeLessThan(0.7);
    expect(await seriesValue(url, /^receval_events_total\{topic="feedback"\} (\S+)$/m)).toBeGreaterThan(100);
    expect(await seriesValue(url, /^receval_drops_total\{topic="feedback",reason="capped"\} (\S+)$/m)).toBe(0);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    for (const line of [
      /gauges on http:\/\/127\.0\.0\.1:\d+\/metrics/,
      /the ranking of treatment breaks/,
      /ndcg@10 control 0\.\d+ treatment 0\.\d+/,
    ]) {
      await until(`it prints ${line}`, () => line.test(printed()));
    }
    // What to open in a browser is said first, and is there.
    expect(printed().split('\n')[0]).toBe(`receval demo: open ${url}/ in a browser.`);
    expect(await (await fetch(`${url}/`)).text()).toContain('treatment');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('ends by itself with 0 when its time is over', async () => {
    const { code, stderr } = await receval(['demo', '--port', String(await freePort()), '--for', '2s']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/gauges on/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends soon after %s with everything released', async (signal) => {
    const { url, child, ended } = await startDemo();
    const began = Date.now();
    child.kill(signal);
    expect((await ended).code).toBe(0);
    // Well within what an orchestrator grants, 30 s.
    expect(Date.now() - began).toBeLessThan(20_000);
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
    [['--for', 'soon'], /--for: "soon" is not a duration/],
    [['--port', '99999'], /http\.port/],
  ])('explains %j', async (args, message) => {
    const { code, stderr } = await receval(['demo', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
