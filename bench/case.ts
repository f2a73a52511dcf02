/** One case in its own process: `node --import tsx/esm bench/case.ts NAME [N]` prints its figures as one line of JSON. */

import { Chunks } from './chunks.ts';
import { FOREIGN_MAPS, foreign } from './foreign.ts';
import {
  accumulateLoop,
  closedLists,
  decodeStage,
  joinStage,
  parseStage,
  pathStage,
  type Stage,
  scoreLoop,
} from './stages.ts';
import { measureState } from './state.ts';
import { makeWorkload } from './workload.ts';

const IMPRESSIONS = 120_000;
/** 100 minutes of event time, so that a third of the impressions is open at a time. */
const PER_SECOND = 20;

interface Figures {
  /** CPU of all threads, microseconds per impression with its 1.5 feedback. */
  readonly us: number;
  readonly [name: string]: number;
}

/** Runs a stage over the whole workload; the figures are from 40 % to 95 % of it. */
async function overRecords(stage: Stage, records = makeWorkload(IMPRESSIONS, PER_SECOND)): Promise<Figures> {
  const turns = [...new Chunks().turns(records)];
  const from = Math.floor(turns.length * 0.4);
  const to = Math.floor(turns.length * 0.95);
  let impressions = 0;
  let cpu = process.cpuUsage();
  let sink = 0;
  for (let i = 0; i < to; i++) {
    if (i === from) {
      cpu = process.cpuUsage();
      impressions = 0;
    }
    for (const chunk of turns[i]) {
      sink += stage.read(chunk);
      if (chunk.topic === 0) impressions += chunk.run.count;
    }
    stage.advance?.();
    if (i % 100 === 99) await stage.commit?.();
  }
  const { user, system } = process.cpuUsage(cpu);
  if (sink < 0) throw new Error('unreachable');
  return { us: (user + system) / impressions };
}

/** Runs a loop for 0.7 s to warm up, then for 2 s. `perImpression`: calls that one impression needs. */
function overCalls(loop: (n: number) => number, perImpression: number): Figures {
  const until = (ms: number): number => {
    const end = performance.now() + ms;
    let calls = 0;
    while (performance.now() < end) {
      loop(30_000);
      calls += 30_000;
    }
    return calls;
  };
  until(700);
  const cpu = process.cpuUsage();
  const calls = until(2000);
  const { user, system } = process.cpuUsage(cpu);
  return { us: ((user + system) / calls) * perImpression };
}

async function run(name: string, n: number): Promise<object> {
  switch (name) {
    case 'JSON.parse':
      return overRecords(parseStage());
    case 'decode':
      return overRecords(decodeStage());
    case 'decode + join':
      return overRecords(joinStage());
    case 'score':
      return overCalls(scoreLoop(closedLists(makeWorkload(20_000, 10))), 3);
    case 'accumulate':
      return overCalls(accumulateLoop(), 3);
    case 'whole path':
      return overRecords(await pathStage());
    case 'whole path, mapped':
      return overRecords(await pathStage(FOREIGN_MAPS), [...foreign(makeWorkload(IMPRESSIONS, PER_SECOND))]);
    case 'state':
      return measureState(n);
    default:
      throw new Error(`no case "${name}"`);
  }
}

process.stdout.write(`${JSON.stringify(await run(process.argv[2], Number(process.argv[3] ?? 1_000_000)))}\n`);
