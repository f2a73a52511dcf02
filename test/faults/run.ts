/**
 * Runs rows of the fault matrix on real servers: `npm run faults -- --rows F12,F13`, `-- --groups sentinel`, `-- --all`.
 * `--short` lets faults last as long as in `npm test`; `--audit end` compares once for all rows that share servers, not after
 * each; `--write` puts what was found into docs/reliability.md. Exit code 1 if a row failed, or anything was lost, double or
 * different.
 */
import { parseArgs } from 'node:util';
import { ServiceMissing } from '../services/debian.ts';
import { GROUPS } from './groups.ts';
import type { Group, Row } from './rows.ts';
import { type GroupOutcome, strikeAll, words } from './strike.ts';
import { remember, writeTable } from './table.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    groups: { type: 'string' },
    all: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    audit: { type: 'string', default: 'each' },
    pace: { type: 'string', default: '500' },
    workers: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
  },
});

/** Seconds of traffic for a row; more than it needs. */
const LONG_S = 400;
const SHORT_S = 240;

// What was started ends with this process, if that ends in a way that it knows of.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const began = performance.now();
const say = (line: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
};

const named = new Set((values.rows ?? '').split(',').filter((id) => id !== ''));
const groups = new Set((values.groups ?? '').split(',').filter((name) => name !== ''));
for (const id of named)
  if (!GROUPS.some(({ rows }) => rows.some((row) => row.id === id))) throw new Error(`no row ${id}`);
for (const name of groups) if (!GROUPS.some((group) => group.name === name)) throw new Error(`no group ${name}`);

let failures = 0;
for (const group of GROUPS) {
  const rows = group.rows.filter((row) => values.all || groups.has(group.name) || named.has(row.id));
  if (rows.length > 0) failures += await runGroup(group, rows);
}
if (values.write) writeTable();
process.exitCode = failures === 0 ? 0 : 1;

/** Returns how many rows failed. */
async function runGroup(group: Group, rows: readonly Row[]): Promise<number> {
  say(`--- ${group.name}: ${group.servers}`);
  const pace = {
    pace: Number(values.pace),
    workers: Number(values.workers),
    seed: Number(values.seed),
    partitions: 12,
    seconds: 120 + rows.length * (values.short ? SHORT_S : LONG_S),
  };
  try {
    const outcome = await strikeAll(
      group,
      rows,
      pace,
      { isShort: values.short, auditsEach: values.audit === 'each' },
      say,
    );
    report(outcome);
    if (values.write) {
      remember(outcome.outcomes, outcome.audit, { ...outcome.versions, isShort: values.short, pace: pace.pace });
    }
    return (
      outcome.outcomes.filter(({ error, recovery }) => error !== undefined || recovery === undefined).length +
      (outcome.audit === undefined || outcome.audit.different > 0 ? 1 : 0)
    );
  } catch (error) {
    if (!(error instanceof ServiceMissing)) throw error;
    say(`cannot be run here: ${error.message}`);
    return rows.length;
  }
}

function report({ outcomes, audit, crashes, exitCodes, versions }: GroupOutcome): void {
  say(`Kafka ${versions.kafka}, Redis ${versions.redis}`);
  for (const { row, recovery, mended, error } of outcomes) {
    const late = recovery !== undefined && recovery > row.promise ? `, later than promised (${row.promise} s)` : '';
    const after = recovery === undefined ? 'did not go on' : `went on after ${recovery.toFixed(1)} s${late}`;
    const again = mended === undefined ? '' : `; put in order: ${mended.toFixed(1)} s`;
    say(`${row.id}: ${after}${again}${error === undefined ? '' : `: ${error}`}`);
  }
  if (audit !== undefined) for (const line of [words(audit), ...audit.examples]) say(line);
  for (const crash of crashes) say(`ended by itself: ${crash}`);
  say(`exit codes ${exitCodes.join(' ')}`);
}
