import type { LogClock } from '../consumers/decode/clock-order.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { Finding } from './finding.ts';

/** Smallest share of the events that changes a number noticeably, and the fewest events. */
const MUCH = 0.01;
const LEAST = 3;

/** Whether `n` times that clocks show twice are enough for a finding. */
function areMany(n: number, events: number): boolean {
  return n >= LEAST && n >= MUCH * events;
}

const LOG_ZONES = 'Log UTC, or times with their offset, such as 2026-10-25T02:30:00+01:00.';

/** Findings on clocks that were set back or forward while these logs were written. @param of such as: the feedback */
export function clockChange(
  of: string,
  events: number,
  clocks: readonly Pick<LogClock, 'name' | 'times'>[],
): readonly Finding[] {
  const sum = (kind: 'twice' | 'second' | 'untold' | 'skipped'): number =>
    clocks.reduce((all, { times }) => all + times[kind], 0);
  const one = (kind: 'oneTwice' | 'oneSkipped'): string | null => {
    const [local] = clocks.flatMap(({ times }) => times[kind] ?? []);
    return local === undefined ? null : localText(local);
  };
  const [twice, second, untold, skipped] = [sum('twice'), sum('second'), sum('untold'), sum('skipped')];
  const zone = clocks.length === 0 ? '' : clocks[0].name;
  const found: Finding[] = [];
  if (areMany(twice, events)) {
    const how =
      second === 0
        ? 'all were read as the first of the two'
        : `by their order in the log ${grouped(second)} were read as the second of the two`;
    const unknown =
      untold === 0
        ? ''
        : `; for ${grouped(untold)}, with which a file begins, the order does not tell, and they were read as the first`;
    found.push({
      code: 'clock_change',
      cause: `${grouped(twice)} times of ${of} name no zone, and clocks in ${zone} showed them twice, as they were set back: ${how}${unknown}.`,
      example: one('oneTwice'),
      remedy: `${LOG_ZONES}${untold === 0 ? '' : ' If the files are parts of one log, name them in their order, with --concat.'}`,
    });
  }
  if (skipped >= LEAST) {
    found.push({
      code: 'clock_change',
      cause: `${grouped(skipped)} times of ${of} name no zone, and clocks in ${zone} never showed them, as they were set forward: the clock that wrote them does not follow that zone.`,
      example: one('oneSkipped'),
      remedy: `Set timeZone to what that clock shows, such as +01:00 or UTC. ${LOG_ZONES}`,
    });
  }
  return found;
}

/** Returns text such as: 2026-10-25 02:00:20. @param local as if it were UTC */
export function localText(local: number): string {
  return new Date(local).toISOString().slice(0, 19).replace('T', ' ');
}
