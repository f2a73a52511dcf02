/**
 * The auditor of the fault rows: the proof's, asked at any moment. What a unit has stored must be what the reference makes
 * of the logs up to the offsets that its checkpoint names.
 */
import type { Cluster, Redis } from 'ioredis';
import type { Broker } from '../proof/broker.ts';
import { compareUnit, noVerdict, type Verdict } from '../proof/compare.ts';
import { expectedRows } from '../proof/expected-rows.ts';
import { expectedJoin } from '../proof/expected-unit.ts';
import { joinSettings, type ReferenceSettings } from '../proof/parameters.ts';
import type { RecordedInputs } from '../proof/recorded-inputs.ts';
import { readUnit, rowsPrefix, type StoredUnit } from '../proof/stored.ts';

export interface AuditResult extends Verdict {
  /** Records that were judged. */
  readonly records: number;
}

export interface Audited {
  readonly broker: Broker;
  readonly client: Redis | Cluster;
  readonly settings: ReferenceSettings;
  readonly inputs: RecordedInputs;
  readonly partitions: number;
}

/** Read back at a time: more would not fit into memory. */
const RECORDS_AT_ONCE = 1_000_000;

export async function audit({ broker, client, settings, inputs, partitions }: Audited): Promise<AuditResult> {
  const verdict = noVerdict();
  const held: StoredUnit[] = [];
  for (let unit = 0; unit < partitions; unit++) held.push(await readUnit(client, unit));
  // What the clock did up to there was recorded with it.
  if (!(await inputs.look())) throw new Error('Redis does not answer the auditor');
  const ends = held.map(({ topics }) => topics.map(({ committed }) => committed));
  const sizes = ends.map((topics) => topics.reduce((sum, offset) => sum + offset, 0));
  for (const units of inPortions(sizes, RECORDS_AT_ONCE)) {
    const logs = await broker.readUpTo(new Map(units.map((unit) => [unit, ends[unit]])));
    for (const unit of units) {
      const { topics, ...stored } = held[unit];
      const { counts, closings } = expectedJoin(
        joinSettings(settings),
        topics.map(({ committed, idleAdvances }, topic) => {
          const records = logs.get(unit)?.[topic] ?? [];
          const drops = inputs.clockDrops(unit, topic, records, settings.attribution.futureSkew);
          const advances = [
            ...inputs.idleAdvances(unit, topic).filter(({ before }) => before < committed),
            // Another may have come since.
            ...idleAdvances.filter(({ before }) => before === committed),
          ];
          const upTo = (offsets: readonly number[]) => offsets.filter((offset) => offset < committed);
          const clockDrops = { known: upTo(drops.known), possible: upTo(drops.possible) };
          return { records, idleAdvances: advances, clockDrops };
        }),
        stored.counts,
      );
      compareUnit(verdict, unit, { counts, rows: expectedRows(settings, rowsPrefix(unit), closings) }, stored);
    }
  }
  return { ...verdict, records: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Places of `sizes` in their order, together no more than `most` unless one alone is. */
function inPortions(sizes: readonly number[], most: number): readonly (readonly number[])[] {
  const portions: number[][] = [];
  let room = 0;
  for (const [i, size] of sizes.entries()) {
    const last = portions.at(-1);
    if (last === undefined || size > room) {
      portions.push([i]);
      room = most;
    } else {
      last.push(i);
    }
    room -= size;
  }
  return portions;
}
