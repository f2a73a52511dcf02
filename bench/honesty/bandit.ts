import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { loadSettings } from '../../src/config/load.ts';
import type { ComparedMeasure, Comparison } from '../../src/experiment/comparison.ts';
import { compareFiles } from '../../src/replay/compare-files.ts';
import { HOUR_MS } from './experiment.ts';
import { Z } from './watch.ts';

const FOLDER = new URL('../../sample/open_bandit/', import.meta.url);
const POLICIES = ['random', 'bts'] as const;

interface Row {
  readonly ts: number;
  readonly policy: number;
  readonly value: number;
}

/** Rows as if independent: difference of means, its error, z. */
export interface PlainTest {
  readonly effect: number;
  readonly stderr: number;
  readonly z: number;
  readonly rows: number;
}

export interface BanditMeasure {
  readonly plain: PlainTest;
  /** Hourly looks, and those of them at which the plain test finds a difference. */
  readonly hours: number;
  readonly significant: number;
  readonly compared: ComparedMeasure;
}

export interface Bandit {
  readonly comparison: Comparison;
  readonly measures: readonly BanditMeasure[];
}

/** The sample of the Open Bandit Dataset: random against bts, as plain rows and through the product. */
export async function compareBandit(): Promise<Bandit> {
  const path = (name: string): string => fileURLToPath(new URL(name, FOLDER));
  const settings = loadSettings({ readFile: () => readFileSync(path('receval.yaml'), 'utf8'), env: {} });
  const events = POLICIES.map((policy) => ({
    path: path(`${policy}_men.csv.gz`),
    defaults: new Map([['variant', policy]]),
  }));
  const { comparison } = await compareFiles(
    {
      settings,
      inputs: { events },
      adapter: 'open-bandit',
      order: 'time',
      newId: () => 'id',
      hashSeed: 0,
      onProgress: () => {},
    },
    settings.experiments[0],
  );
  const measures = (['ctr', 'mrr'] as const).map((measure): BanditMeasure => {
    const compared = comparison.variants[0].measures.find((one) => one.measure === measure);
    if (compared === undefined) throw new Error(`no ${measure}`);
    const rows = POLICIES.flatMap((policy, p) => plainRows(path(`${policy}_men.csv.gz`), p, measure));
    return { ...plainLooks(rows), compared };
  });
  return { comparison, measures };
}

/** One row is a list of one slot at its position: ctr is the click, mrr the click over the position. */
function plainRows(path: string, policy: number, measure: 'ctr' | 'mrr'): Row[] {
  const [header, ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');
  const column = (name: string): number => header.split(',').indexOf(name);
  const [at, position, click] = [column('timestamp'), column('position'), column('click')];
  return lines.map((line) => {
    const cells = line.split(',');
    const value = Number(cells[click]) / (measure === 'mrr' ? Number(cells[position]) : 1);
    return { ts: Date.parse(cells[at].replace(' ', 'T')), policy, value };
  });
}

function plainLooks(rows: readonly Row[]): Pick<BanditMeasure, 'plain' | 'hours' | 'significant'> {
  const sorted = [...rows].sort((a, b) => a.ts - b.ts);
  const sums = POLICIES.map(() => ({ n: 0, s: 0, q: 0 }));
  let hours = 0;
  let significant = 0;
  let hour = Math.floor(sorted[0].ts / HOUR_MS);
  for (const { ts, policy, value } of sorted) {
    for (; hour < Math.floor(ts / HOUR_MS); hour++) {
      hours++;
      if (Math.abs(plainTest(sums).z) > Z) significant++;
    }
    sums[policy].n++;
    sums[policy].s += value;
    sums[policy].q += value * value;
  }
  return { plain: plainTest(sums), hours, significant };
}

function plainTest(sums: readonly { readonly n: number; readonly s: number; readonly q: number }[]): PlainTest {
  const [control, treatment] = sums.map(({ n, s, q }) => ({
    mean: s / n,
    variance: (q / n - (s / n) ** 2) / (n - 1),
  }));
  const effect = treatment.mean - control.mean;
  const stderr = Math.sqrt(control.variance + treatment.variance);
  return { effect, stderr, z: effect / stderr, rows: sums[0].n + sums[1].n };
}
