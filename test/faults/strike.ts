import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditResult } from './audit.ts';
import type { Outcome } from './outcome.ts';
import type { Group, Row } from './rows.ts';
import { type Pace, type Say, World } from './world.ts';

export interface GroupOutcome {
  readonly group: Group;
  readonly outcomes: readonly Outcome[];
  /** Of everything, when all was read and closed; undefined: it did not come to that. */
  readonly audit: AuditResult | undefined;
  readonly crashes: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  readonly versions: Versions;
}

/** Of the servers, as they say. */
export interface Versions {
  readonly kafka: string;
  readonly redis: string;
}

export interface Manner {
  readonly isShort: boolean;
  /** Compares what is stored after each row, and not at the end alone. */
  readonly auditsEach: boolean;
}

/** Lets some faults of a group strike one after the other, while the same traffic flows. @throws ServiceMissing */
export async function strikeAll(
  group: Group,
  rows: readonly Row[],
  pace: Pace,
  { isShort, auditsEach }: Manner,
  say: Say,
): Promise<GroupOutcome> {
  const world = await World.open(group.world, pace, say);
  const outcomes: Outcome[] = [];
  let audit: AuditResult | undefined;
  let exitCodes: readonly (number | null)[] = [];
  const versions = { kafka: world.kafka.version, redis: await world.redisVersion() };
  try {
    for (const row of rows) {
      const outcome = await strike(world, row, isShort, say);
      const isWhole = outcome.error === undefined && outcome.recovery !== undefined;
      const found = isWhole && auditsEach ? await world.audit() : undefined;
      if (found !== undefined) say([`${row.id}: ${words(found)}`, ...found.examples].join('\n'));
      outcomes.push({ ...outcome, ...(found === undefined ? {} : { audit: found }) });
      if (!isWhole) break;
    }
    if (outcomes.every(({ error, recovery }) => error === undefined && recovery !== undefined)) {
      await world.drain();
      audit = await world.audit();
      say(`at the end: ${words(audit)}`);
    }
  } finally {
    exitCodes = await world.close();
  }
  return { group, outcomes, audit, crashes: world.crashes, exitCodes, versions };
}

/** Lets one fault strike, and waits until all units continue. */
export async function strike(world: World, row: Row, isShort: boolean, say: Say): Promise<Outcome> {
  say(`${row.id}: ${row.fault}`);
  const length = (whole: number, short: number): Promise<void> => sleep(1000 * (isShort ? short : whole));
  try {
    const check = await row.strike(world, length);
    say(`${row.id}: the fault has ended`);
    const recovery = await world.recovery();
    say(`${row.id}: goes on after ${recovery?.toFixed(1) ?? 'never'} s`);
    if (recovery === undefined) return { row, recovery };
    await check?.();
    if (row.mend === undefined) return { row, recovery };
    await row.mend(world);
    const mended = await world.recovery();
    say(`${row.id}: put in order, goes on after ${mended?.toFixed(1) ?? 'never'} s`);
    return { row, recovery: mended === undefined ? undefined : recovery, mended };
  } catch (error) {
    say(`${row.id}: ${error instanceof Error ? error.stack : error}`);
    return { row, recovery: undefined, error: String(error) };
  }
}

export function words({ lost, double, different, numbers, records }: AuditResult): string {
  return `${records} records, ${numbers} numbers compared: lost ${lost}, double ${double}, different ${different}`;
}
