import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startAlertmanager } from '../services/alertmanager.ts';

/** So often the same is answered before it is believed. */
const SETTLED = 20;

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
  const alertmanager = await startAlertmanager(words, config);
  const url = `${alertmanager.url}/api/v2/alerts`;
  try {
    const body = JSON.stringify(alerts.map((labels) => ({ labels })));
    const sent = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    if (!sent.ok) throw new Error(`alertmanager takes no alerts: ${sent.status}`);
    const until = Date.now() + 300_000;
    let last = '';
    let same = 0;
    for (;;) {
      const found = answer.parse(await (await fetch(url)).json());
      // An alert that was not looked at yet is unprocessed.
      if (found.length === alerts.length && found.every(({ status }) => status.state !== 'unprocessed')) {
        const muted = found
          .filter(({ status }) => status.inhibitedBy.length > 0)
          .map(({ labels }) => [labels['alertname'], labels['instance']].filter(Boolean).join(' '))
          .sort();
        // What mutes may be learnt a moment after what is muted was looked at.
        same = muted.join() === last ? same + 1 : 0;
        last = muted.join();
        if (same === SETTLED) return muted;
      }
      if (Date.now() > until) throw new Error(`alertmanager did not look at all alerts: ${JSON.stringify(found)}`);
      await sleep(50);
    }
  } finally {
    await alertmanager.stop();
  }
}
