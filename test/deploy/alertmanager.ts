import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { run } from '../services/commands.ts';
import { debianProgram, ServiceMissing } from '../services/debian.ts';
import type { Service } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';

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

export type Labels = Readonly<Record<string, string>>;

const answer = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    status: z.object({ state: z.string(), inhibitedBy: z.array(z.string()) }),
  }),
);

/** The names of those alerts that are muted while all of them fire, asked of an Alertmanager with this configuration. */
export async function mutedOf(
  words: readonly string[],
  config: string,
  alerts: readonly Labels[],
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-alertmanager-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/api/v2/alerts`;
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
  try {
    const body = JSON.stringify(alerts.map((labels) => ({ labels })));
    const until = Date.now() + 20_000;
    for (;;) {
      const sent = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }).catch(
        () => undefined,
      );
      if (sent?.ok === true) break;
      if (child.exitCode !== null || Date.now() > until)
        throw new Error(`alertmanager takes no alerts: ${sent?.status}`);
      await sleep(50);
    }
    for (;;) {
      const found = answer.parse(await (await fetch(url)).json());
      // An alert that was not looked at yet is unprocessed.
      if (found.length === alerts.length && found.every(({ status }) => status.state !== 'unprocessed')) {
        return found
          .filter(({ status }) => status.inhibitedBy.length > 0)
          .map(({ labels }) => [labels['alertname'], labels['instance']].filter(Boolean).join(' '))
          .sort();
      }
      if (Date.now() > until) throw new Error(`alertmanager did not look at all alerts: ${JSON.stringify(found)}`);
      await sleep(50);
    }
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.pid !== undefined) {
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
