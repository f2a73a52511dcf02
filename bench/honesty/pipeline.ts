import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExperimentSettings } from '../../src/config/settings.ts';
import { type Trail, Watcher } from '../../src/experiment/take-looks.ts';
import { compareFiles, type FilesCompared } from '../../src/replay/compare-files.ts';
import { USUAL_SETTINGS } from '../../src/simulate/simulation-settings.ts';
import { Traffic } from '../../src/simulate/traffic.ts';
import { BEGIN, EXPERIMENT, experimentWith, HOUR_MS, NAMES, SETTINGS } from './experiment.ts';
import { drawStream, type StreamSettings } from './model.ts';
import { Totals } from './totals.ts';

interface Logs {
  readonly impressions: readonly string[];
  readonly feedback: readonly string[];
}

/** Logs on disk through the whole data path: files, decoder, join, rows, looks. */
async function compareLogs(logs: Logs, experiment: ExperimentSettings): Promise<FilesCompared> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-honesty-'));
  const file = (name: keyof Logs) => {
    const path = join(folder, `${name}.ndjson`);
    writeFileSync(path, logs[name].map((line) => `${line}\n`).join(''));
    return { path, defaults: new Map<string, string>() };
  };
  try {
    const inputs = { impressions: [file('impressions')], feedback: [file('feedback')] };
    return await compareFiles(
      {
        settings: SETTINGS,
        inputs,
        adapter: undefined,
        order: 'time',
        // What comes within ten seconds has come.
        closeAll: true,
        newId: () => 'id',
        hashSeed: 0,
        onProgress: () => {},
      },
      experiment,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The simulated shop with two variants of one quality, with all of its usual faults, over 28 hours. */
export function compareShop(seed: number): Promise<FilesCompared> {
  const logs = { impressions: [] as string[], feedback: [] as string[] };
  const variants = USUAL_SETTINGS.variants.map((variant) => ({ ...variant, quality: 0.6 }));
  const settings = { ...USUAL_SETTINGS, seed, events: 20_000, rate: 0.2, variants };
  for (const { topic, value } of new Traffic(settings)) logs[topic].push(value);
  return compareLogs(logs, EXPERIMENT);
}

/** What the looks at a stream saw of the primary measure: straight from its totals, and through logs. */
export async function bothWays(
  seed: number,
  settings: StreamSettings,
): Promise<{ readonly direct: Trail; readonly logged: Trail }> {
  const stream = drawStream(seed, settings);
  const totals = new Totals(stream);
  const watcher = new Watcher();
  for (let look = 0; look < settings.looks; look++) watcher.look(totals.next());

  const logs = { impressions: [] as string[], feedback: [] as string[] };
  const items = Array.from({ length: 10 }, (_, i) => `i${i + 1}`);
  for (let look = 0, i = 0; look < settings.looks; look++) {
    const first = i;
    for (; i < stream.ends[look]; i++) {
      const user = stream.users[i];
      const ts = BEGIN + look * HOUR_MS + Math.floor((HOUR_MS * (i - first)) / (stream.ends[look] - first));
      const requestId = `r${i}`;
      const variant = NAMES[stream.variants[user]];
      logs.impressions.push(JSON.stringify({ requestId, ts, userId: stream.ids[user], variant, items }));
      if (stream.ranks[i] === 0) continue;
      const itemId = items[stream.ranks[i] - 1];
      logs.feedback.push(JSON.stringify({ requestId, itemId, ts: ts + 10_000, action: 'click' }));
    }
  }
  const { trail } = await compareLogs(logs, experimentWith(settings.nStar));
  return { direct: watcher.trail, logged: trail };
}

/** Looks of which the two ways differ in effect or bounds, by at most rounding. */
export function differences(direct: Trail, logged: Trail): { readonly looks: number; readonly differ: number } {
  let looks = 0;
  let differ = 0;
  for (const [variant, points] of direct) {
    const others = logged.get(variant) ?? [];
    looks += points.length;
    differ += Math.abs(points.length - others.length);
    for (const [i, other] of others.slice(0, points.length).entries()) {
      const { effect, lower, upper } = points[i];
      if (effect !== other.effect || lower !== other.lower || upper !== other.upper) differ++;
    }
  }
  return { looks, differ };
}
