import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './commands.ts';
import { debianProgram, ServiceMissing } from './debian.ts';
import type { Service } from './it-with.ts';
import { freePort } from './ports.ts';

const PACKAGE = 'prometheus-alertmanager';
const TEMPLATES = '/usr/share/prometheus/alertmanager/default.tmpl';

export const AMTOOL: Service<string> = {
  name: 'amtool',
  get: () => debianProgram({ command: 'amtool', debianPackage: PACKAGE }),
};
/** The words that start it. */
export const ALERTMANAGER: Service<readonly string[]> = {
  name: 'alertmanager',
  get: async () => {
    const program = await debianProgram({ command: 'prometheus-alertmanager', debianPackage: PACKAGE });
    if (existsSync(TEMPLATES)) return [program];
    // Debian's looks for its templates in one place only. Unpacked, it gets a /usr/share that nobody else sees.
    const enter = ['unshare', '-m', 'sh', '-c', 'mount --bind "$0" /usr/share && exec "$@"'];
    const words = [...enter, resolve(program, '../../share'), program];
    const tried = await run(words[0], [...words.slice(1), '--version']);
    if (tried.code === 0) return words;
    throw new ServiceMissing(`it needs its templates; as root: apt-get install -y --no-install-recommends ${PACKAGE}`);
  },
};

export interface RunningAlertmanager {
  readonly port: number;
  readonly url: string;
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>;
}

/** An Alertmanager of our own with the configuration of this file, ready to take alerts. */
export async function startAlertmanager(words: readonly string[], config: string): Promise<RunningAlertmanager> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-alertmanager-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    words[0],
    [
      ...words.slice(1),
      `--config.file=${config}`,
      `--storage.path=${folder}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  );
  const lastResort = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', lastResort);
  const stop = async (): Promise<void> => {
    await end(child);
    process.off('exit', lastResort);
    rmSync(folder, { recursive: true, force: true });
  };
  const until = Date.now() + 300_000;
  for (;;) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return { port, url, stop };
    if (child.exitCode !== null || child.pid === undefined || Date.now() > until) {
      await stop();
      throw new Error('alertmanager did not get ready');
    }
    await sleep(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
