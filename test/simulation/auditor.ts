/**
 * Judges every commit that a simulated Redis has applied, and the state at the end. It knows the logs and what was
 * applied, nothing of the units. A commit must continue the state that it was applied to; now and then, and at the end,
 * all of what is stored must be what the reference makes of the logs up to there, given the recorded inputs.
 */

import { isDeepStrictEqual } from 'node:util';
import { isLarge } from '../../src/accumulators/admission-state.ts';
import { type PanesState, parsePanesState } from '../../src/accumulators/panes-settings.ts';
import { placesKey, totalKey, unitKey } from '../../src/accumulators/store/layout.ts';
import type { Commit } from '../../src/accumulators/store/store-port.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import type { TopicRole } from '../../src/vocabulary/events.ts';
import { wholeTables } from '../accumulators/whole-tables.ts';
import type { TopicLog } from '../reference/logs.ts';
import type { StoreSnapshot } from '../restorable-store.ts';
import { Broken } from './broken.ts';
import { differences } from './differences.ts';
import { type Expected, expectedOf } from './expected.ts';
import { identityBroken, wentBack } from './identity.ts';
import { grown, impressionsOf, type Lineage, type Sent } from './lineage.ts';
import type { SimulatedLog } from './log.ts';
import { looksBroken } from './looks.ts';
import { runsBroken } from './runs.ts';

export class Auditor {
  readonly #log: SimulatedLog;
  readonly #sampleCapacity: number;
  readonly #roles: readonly TopicRole[];
  /** By key: one for each of the runs that there may be. */
  readonly #units: ReadonlyMap<string, readonly UnitSettings[]>;
  /** The highest watermark of any commit. */
  #newest = Number.NEGATIVE_INFINITY;

  /** `sampleCapacity`: users of the experiment that a unit keeps */
  constructor(
    {
      log,
      partitions,
      sampleCapacity,
    }: { readonly log: SimulatedLog; readonly partitions: number; readonly sampleCapacity: number },
    unitsOf: (partition: number) => readonly UnitSettings[],
  ) {
    this.#log = log;
    this.#sampleCapacity = sampleCapacity;
    this.#roles = unitsOf(0)[0].join.topics;
    this.#units = new Map(
      Array.from({ length: partitions }, (_, partition) => {
        const units = unitsOf(partition);
        return [unitKey(units[0].namespace, partition), units] as const;
      }),
    );
  }

  /** The unit as it is told to be by the settings that have these runs. */
  unitOf(key: string, { runs }: Pick<Lineage, 'runs'>): UnitSettings {
    const units = this.#units.get(key);
    if (units === undefined) throw new Broken('keys', `a commit to ${key}, which is no unit`);
    const unit = units.find(({ panes }) => panes.runs.every(({ run }, r) => run === runs[r]?.run));
    if (unit === undefined) throw new Broken('keys', `a commit to ${key} with runs that nobody has`);
    return unit;
  }

  /** A commit was applied onto `before` (undefined: onto nothing). Throws what it breaks. */
  continued(before: Lineage | undefined, commit: Commit, sent: Sent): Lineage {
    const lineage = grown(before, sent, commit);
    const unit = this.unitOf(commit.unit, lineage);
    this.#newest = Math.max(this.#newest, lineage.watermark);
    const problem =
      wentBack(before, lineage) ??
      feedbackFromBroken(before, lineage, this.#roles) ??
      identityBroken(lineage) ??
      runsBroken(before, lineage) ??
      looksBroken(before, lineage, unit.partition, { newest: this.#newest, forgotten: sent.forgotten });
    if (problem !== undefined)
      throw new Broken('accounting', `unit ${unit.partition}, commit ${commit.cid}: ${problem}`);
    return lineage;
  }

  /** The whole stored state of a unit against the reference. Throws how they differ. */
  compare(key: string, lineage: Lineage, stored: StoreSnapshot): Expected {
    const unit = this.unitOf(key, lineage);
    const spans = lineage.spans.get(lineage.runs[0].run) ?? [];
    const { feedbackFrom } = lineage;
    const expected = expectedOf(unit, this.#logs(unit.partition, lineage), spans, feedbackFrom, this.#sampleCapacity);
    const found = {
      watermark: lineage.watermark,
      waiting: lineage.counts.reduce((sum, { feedback }) => sum + missingOf(feedback), 0),
      open:
        lineage.counts.reduce((sum, { impressions }) => sum + impressions.accepted, 0) -
        closedOf(unit, stored) -
        expected.unscored,
    };
    const wanted = {
      watermark: expected.join.watermark,
      waiting: expected.join.waitingFeedback,
      open: expected.join.openImpressions,
    };
    const tally = differences(unit, expected, lineage, stored);
    if (tally.examples.length > 0) throw new Broken('results', tally.examples.join('; '), tally);
    if (!isDeepStrictEqual(found, wanted)) {
      throw new Broken('results', `expected ${JSON.stringify(wanted)}, stored ${JSON.stringify(found)}`);
    }
    const texts = [expected.panes, panesOf(unit, stored)].map((each) => JSON.stringify(each));
    if (texts[0] !== texts[1]) throw new Broken('results', `panes: expected ${texts[0]}, stored ${texts[1]}`);
    return expected;
  }

  #logs(partition: number, { begin, committed, inputs }: Lineage): readonly TopicLog[] {
    return committed.map((below, topic) => {
      const { advances, clockDrops, undecodable } = inputs[topic];
      const passed = new Set(undecodable);
      const side = this.#roles[topic].impressions ? 'impressions' : 'feedback';
      return {
        records: this.#log
          .written(partition, topic, begin[topic], below)
          .map(({ plain }) =>
            passed.has(plain.offset) ? { kind: 'refused', offset: plain.offset, side, reason: 'undecodable' } : plain,
          ),
        idleAdvances: advances,
        clockDrops,
      };
    });
  }
}

/** From when on lists count is known before any closes, and is no time where every topic of feedback begins with its first record. */
function feedbackFromBroken(
  before: Lineage | undefined,
  { feedbackFrom, begin }: Lineage,
  roles: readonly TopicRole[],
): string | undefined {
  const isWhole = roles.every(({ impressions, feedback }, topic) => impressions || !feedback || begin[topic] === 0);
  if (isWhole && feedbackFrom !== Number.NEGATIVE_INFINITY) return `it leaves lists out from before ${feedbackFrom}`;
  if (before === undefined || before.feedbackFrom === feedbackFrom) return undefined;
  const isLate = before.watermark !== Number.NEGATIVE_INFINITY;
  return isLate || feedbackFrom < before.feedbackFrom
    ? `it leaves lists out from before ${feedbackFrom}, and no longer ${before.feedbackFrom}`
    : undefined;
}

/** What the checkpoint has of panes, with the places that are stored beside it, which nothing else may be. */
function panesOf({ namespace, partition, generation }: UnitSettings, stored: StoreSnapshot): PanesState {
  const panes = parsePanesState(stored.get(unitKey(namespace, partition))?.get('panes') ?? '');
  const owner = { namespace, unit: partition, generation };
  const counted = panes.admission.filter(isLarge).map(({ by }) => placesKey(owner, by));
  const beside = [...stored.keys()].filter((key) => key.startsWith(placesKey(owner, [])));
  if (counted.sort().join() !== beside.sort().join()) {
    throw new Broken('results', `places: the checkpoint counts ${counted.join()}, stored are ${beside.join()}`);
  }
  return { ...panes, admission: wholeTables(panes.admission, owner, (key) => stored.get(key)) };
}

/** Impressions that closed at the longest horizon. */
function closedOf(
  { namespace, partition, generation, panes: { horizons } }: UnitSettings,
  stored: StoreSnapshot,
): number {
  const totals = stored.get(totalKey({ namespace, unit: partition, generation }, 'all', 'start'));
  return impressionsOf(totals?.get(`${horizons[horizons.length - 1].text}||`));
}

/** Feedback that was read and neither attributed nor dropped. */
function missingOf({ read, attributed, drops }: Lineage['counts'][number]['feedback']): number {
  return read - attributed - Object.values(drops).reduce((a, b) => a + b, 0);
}
