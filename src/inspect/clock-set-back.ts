/** Finds logs whose clock was set back while times were written without a zone: one hour looks out of order, but is not. */
import { localText } from '../findings/clock-change.ts';
import { HOUR, MINUTE } from '../vocabulary/durations.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { InspectedSide } from './inspected.ts';
import { type LogFinding, note } from './log-finding.ts';

/** Clocks go back by an hour, in some zones by half an hour, and the next record comes some time after that. */
const [LEAST, MOST] = [20 * MINUTE, HOUR];
/** Clocks are set back before this time of day. */
const LATEST = 4 * HOUR;

/** The last local time before the clock was set back; undefined: it was not, or times go back more than once. */
export function setBackAfter(times: readonly EpochMs[]): EpochMs | undefined {
  const steps = times.flatMap((ts, i) => (i > 0 && times[i - 1] - ts > LEAST ? [i] : []));
  const [at] = steps;
  if (steps.length !== 1 || times[at - 1] - times[at] > MOST) return undefined;
  return times[at - 1] % (24 * HOUR) < LATEST ? times[at - 1] : undefined;
}

/** The finding on sides whose times have no zone; empty: no clock was set back. @param sides each with its times in the order of its log */
export function clockSetBack(sides: readonly InspectedSide[]): readonly LogFinding[] {
  const found = sides.flatMap(({ files, reading, sample }) => {
    const at = reading.time?.form === 'local' ? setBackAfter(sample.times) : undefined;
    return at === undefined ? [] : [{ files, at }];
  });
  if (found.length === 0) return [];
  const names = found.flatMap(({ files }) => files).join(', ');
  return [
    note(
      'clock_change',
      `The times of ${names} have no zone, and go back once by up to an hour, after ${localText(found[0].at)}: clocks that are set back show an hour twice.`,
      'With timeZone set to the zone of that clock, such as Europe/Berlin, they are read by their order in the file, and feedback is not dated before its list.',
    ),
  ];
}
