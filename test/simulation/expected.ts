/** What a unit must hold, by the reference: brute force over the logs, one addition after the other for the rows. */
import type { PanesSettings, PanesState } from '../../src/accumulators/panes-settings.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import type { EpochMs } from '../../src/vocabulary/events.ts';
import { bucketOf } from '../../src/vocabulary/user-words.ts';
import { PlainPanes } from '../accumulators/plain-panes.ts';
import { type ReferenceResult, referenceJoin } from '../reference/join.ts';
import type { TopicLog } from '../reference/logs.ts';
import { leftOutOf, usersKeyOf, usersOf } from './experiment.ts';
import type { RunSpan } from './lineage.ts';
import { scoreOf } from './scoring.ts';

export interface Expected {
  readonly join: ReferenceResult;
  /** By key and field, as text. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly panes: PanesState;
  readonly deletedPanes: number;
  /** Places in the admission tables that were given to another cohort. */
  readonly placesGiven: number;
  /** Impressions that the run leaves out because it began after their records. */
  readonly beforeRun: number;
  /** Impressions that closed at the longest horizon and are in no sum. */
  readonly unscored: number;
}

/** @param spans when the unit's run went on; @param feedbackFrom lists from before are in no sum; @param sampleCapacity users that it keeps */
export function expectedOf(
  unit: UnitSettings,
  logs: readonly TopicLog[],
  spans: readonly RunSpan[],
  feedbackFrom: EpochMs,
  sampleCapacity: number,
): Expected {
  const join = referenceJoin(unit.join, logs);
  const settings: PanesSettings = {
    ...unit.panes,
    owner: { namespace: unit.namespace, unit: unit.partition, generation: unit.generation },
    closedUpTo: Number.NEGATIVE_INFINITY,
  };
  const panes = new PlainPanes(settings);
  const accepted = join.impressions.filter(({ verdict }) => verdict.kind === 'accepted');
  const judged = new Map(accepted.map((each) => [each.event, each] as const));
  let unscored = 0;
  for (const closing of join.closings) {
    const { at, horizon, impression } = closing;
    if (impression.ts < feedbackFrom) {
      unscored += Number(horizon === unit.join.horizons.length - 1);
      continue;
    }
    const { positive, out, places } = scoreOf(closing);
    panes.add({
      at,
      ts: impression.ts,
      horizon,
      values: impression.dimensions,
      userless: impression.userId === undefined,
      positive,
      bucket: bucketOf(impression.userId ?? impression.requestId),
      out,
      places,
      leftOut: leftOutOf(unit, spans, judged.get(impression), at),
      impression: 0,
      last: false,
    });
  }
  panes.advance(join.watermark);
  const rows = panes.rows();
  const users = usersOf(unit, spans, join, sampleCapacity);
  if (users.size > 0) rows.set(usersKeyOf(settings.owner, unit.panes.runs), users);
  return {
    join,
    rows,
    panes: panes.state(),
    deletedPanes: panes.deletes.length,
    placesGiven: panes.placesGiven,
    unscored,
    beforeRun: accepted.filter(({ topic, offset }) => offset < (spans.at(-1)?.begins[topic] ?? 0)).length,
  };
}
