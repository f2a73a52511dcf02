import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { median } from '../median.ts';
import { random } from './lists.ts';

const LIBRARIES = ['pytrec_eval', 'ir_measures', 'ranx', 'scikit-learn', 'pyflagr'] as const;
const MEASURES = 'ap,mrr,ndcg@10,precision@10,recall@10';
const QUERIES = 1000;
const JUDGED = 200;

export interface Speed {
  readonly who: string;
  /** Median of the rounds, from start to exit. */
  readonly seconds: number;
}

/** Writes a run of `lines` lines, grouped by query, with its judgements. */
export async function writeLongRun(folder: string, lines: number): Promise<void> {
  const next = random(7);
  const run = createWriteStream(join(folder, 'long.run'));
  const qrels = createWriteStream(join(folder, 'long.qrels'));
  const length = Math.ceil(lines / QUERIES);
  for (let q = 1; q <= QUERIES; q++) {
    let text = '';
    for (let rank = 1; rank <= length; rank++) {
      text += `${q} Q0 doc-${q}-${(rank * 7919) % length} ${rank} ${(length - rank + next()).toFixed(4)} long\n`;
    }
    let judged = '';
    for (let i = 0; i < JUDGED; i++) judged += `${q} 0 doc-${q}-${(i * 31) % length} ${next() < 0.3 ? 1 : 0}\n`;
    run.write(text);
    qrels.write(judged);
    if (run.writableNeedDrain) await once(run, 'drain');
  }
  run.end();
  qrels.end();
  await Promise.all([finished(run), finished(qrels)]);
}

/** The same run by everybody, in turn: start-up, reading, scoring, means. */
export function speeds(receval: readonly string[], python: string, folder: string, rounds: number): readonly Speed[] {
  const files = [join(folder, 'long.run'), join(folder, 'long.qrels')];
  const script = join(import.meta.dirname, 'speed.py');
  const ours = [
    ...receval,
    'score',
    '--run',
    files[0],
    '--qrels',
    files[1],
    '--preset',
    'trec',
    '--measures',
    MEASURES,
  ];
  const commands = new Map<string, readonly string[]>([
    ['receval score', ours],
    ...LIBRARIES.map((library) => [library, [python, script, library, ...files]] as const),
  ]);
  const times = new Map<string, number[]>([...commands.keys()].map((who) => [who, []] as const));
  for (let round = 0; round < rounds; round++) {
    for (const [who, [program, ...args]] of commands) {
      const began = performance.now();
      execFileSync(program, args, { stdio: ['ignore', 'ignore', 'ignore'] });
      times.get(who)?.push((performance.now() - began) / 1000);
    }
  }
  return [...times].map(([who, seconds]) => ({ who, seconds: median(seconds) }));
}
