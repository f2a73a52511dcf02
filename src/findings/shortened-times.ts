import type { EpochMs } from '../vocabulary/events.ts';
import type { EventSample } from './event-sample.ts';
import type { Finding } from './finding.ts';
import { durationText } from './sample-findings.ts';

/** Milliseconds that the last digit of 1.795123E+12 stands for. Spreadsheets show no more digits. */
const SHORTENED = 1_000_000;
/** Events that are dated by the hour, or by quarters of it, have such times, too. */
const QUARTER = 900_000;
/** Fewer events may have such times by chance. */
const LEAST_EVENTS = 3;

/** The advice to avoid such times. */
export const NOT_SHORTENED =
  'Export the times again from where they were logged. If they pass through a spreadsheet, format the column as a number without decimals before it is saved.';

/** Finding on times without their last digits, as spreadsheets write long numbers. */
export function shortenedTimes(sample: EventSample): readonly Finding[] {
  return (['impressions', 'feedback'] as const).flatMap((side) => ofSide(side, sample[side]));
}

function ofSide(side: string, events: readonly { readonly ts: EpochMs }[]): readonly Finding[] {
  const isShortened =
    events.length >= LEAST_EVENTS &&
    events.every(({ ts }) => ts % SHORTENED === 0) &&
    events.some(({ ts }) => ts % QUARTER !== 0);
  if (!isShortened) return [];
  let step = SHORTENED;
  while (events.every(({ ts }) => ts % (10 * step) === 0)) step *= 10;
  const [{ ts }] = events;
  return [
    {
      code: 'times_shortened',
      cause: `The times of the ${side} lack their last digits: the last one that is left stands for ${durationText(step)}.`,
      example: `${ts}, which a spreadsheet writes as ${ts.toExponential().replace('e', 'E')}`,
      remedy: NOT_SHORTENED,
    },
  ];
}
