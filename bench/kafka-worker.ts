import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/services/ports.ts';
import { type Child, inRoot, start } from './children.ts';
import { between, type Figures, FROM, type Mark, TO } from './figures.ts';
import type { Expected } from './kafka-workload.ts';
import type { Progress } from './progress.ts';
import { WorkerPage } from './worker-page.ts';

export interface WorkerRun {
  readonly brokers: readonly string[];
  readonly redisUrl: string;
  /** Group and namespace: nothing has been kept under it yet. */
  readonly groupId: string;
  readonly total: number;
  readonly expected: Expected;
  readonly progress: Progress;
  /** How many workers share the partitions. */
  readonly workers: number;
  readonly seconds: number;
}

const POLL_MS = 100;
/** How long its page may still be wrong when everything has been committed. */
const SETTLE_MS = 10_000;

/**
 * Lets compiled workers of one group read the topics to their ends. The CPU is that of all of them. Rejects when what they
 * counted is wrong: then they have no speed.
 */
export async function throughWorkers(run: WorkerRun): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-bench-'));
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clean);
  const started: Started[] = [];
  try {
    while (started.length < run.workers) started.push(await startWorker(folder, run));
    return await watch(started, run);
  } finally {
    await Promise.all(started.map(({ child }) => child.stop()));
    process.off('exit', clean);
    clean();
  }
}

export interface Started {
  readonly child: Child;
  /** Of its server. */
  readonly url: string;
}

interface WorkerStart extends Pick<WorkerRun, 'brokers' | 'redisUrl' | 'groupId' | 'seconds'> {
  /** Further settings of `kafka`. */
  readonly kafka?: { readonly sessionTimeout: string };
}

/** A compiled worker with default settings but for those given, whose configuration lies in `folder`. */
export async function startWorker(
  folder: string,
  { brokers, redisUrl, groupId, seconds, kafka }: WorkerStart,
): Promise<Started> {
  const port = await freePort();
  const config = join(folder, `${port}.yaml`);
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      namespace: groupId,
      kafka: { ...kafka, brokers, groupId },
      redis: { url: redisUrl },
      http: { port },
    }),
  );
  const args = [inRoot('dist/cli/main.js'), 'run', '--role', 'worker', '--config', config];
  return { child: start('worker', args, seconds), url: `http://127.0.0.1:${port}` };
}

async function watch(workers: readonly Started[], { total, expected, progress }: WorkerRun): Promise<Figures> {
  let from: Mark | undefined;
  let to: Mark | undefined;
  let last = '';
  let complete: number | undefined;
  let ended = false;
  const end = Promise.race(workers.map(({ child }) => child.done)).finally(() => {
    ended = true;
  });
  end.catch(() => {});
  while (!ended) {
    await Promise.race([sleep(POLL_MS), end]);
    const pages = await Promise.all(workers.map(({ url }) => pageOf(`${url}/metrics`)));
    const text = pages.join('\n');
    // A page is made again at most once a second.
    if (pages.includes('') || text === last) continue;
    last = text;
    const now = performance.now();
    const page = new WorkerPage(text);
    const mark = page.mark(progress, now);
    if (from === undefined && mark.events >= FROM * total) from = mark;
    if (mark.events <= TO * total) to = mark;
    if (page.committed < total) continue;
    const wrong = page.differences(expected);
    if (wrong.length === 0) return between('worker', from, to, total);
    complete ??= now;
    if (now - complete > SETTLE_MS) throw new Error(`worker: has no speed, its totals are wrong: ${wrong.join('; ')}`);
  }
  await end;
  throw new Error('worker: it ended before the topics did');
}

/** Empty: it does not respond. */
export function pageOf(url: string): Promise<string> {
  return fetch(url).then(
    (answer) => answer.text(),
    () => '',
  );
}
