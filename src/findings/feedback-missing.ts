import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { recordsOf, sumOfUnmapped, type Unmapped, unmappedText } from '../vocabulary/unmapped.ts';
import { yamlWord } from '../vocabulary/yaml-word.ts';
import type { Finding } from './finding.ts';
import type { RunFacts } from './run-facts.ts';

/** Most values that a sentence names. */
const MOST_NAMED = 5;

/** Finding that no feedback was read: what was read instead, and where feedback may be. */
export function feedbackMissing({ input, impressions, valid, unmapped }: RunFacts): Finding {
  const passed = sumOfUnmapped([unmapped.feedback ?? unmapped.events ?? unmapped.impressions ?? []]);
  if (passed.length > 0) return passedOver(passed);
  const records = [...valid.feedback.values()].reduce((sum, n) => sum + n, 0);
  const [found, remedy] =
    input === 'impressions'
      ? ['There is no feedback', 'Name the feedback with --feedback FILE.']
      : input === 'one log'
        ? [
            `All ${grouped(impressions.read)} events of the input are lists`,
            'Check that the log has both sides; otherwise name them with --impressions and --feedback.',
          ]
        : records === 0
          ? ['There is no feedback in the input', 'Check that the file of the feedback is the right one.']
          : [
              `The ${grouped(records)} records of the feedback hold no event: the list that each names is empty in all of them`,
              'Check the pointer of each (adapter: {map: {each: ...}}), and that the file is the right one.',
            ];
  return { code: 'feedback_missing', cause: `${found}, so no list has a positive.`, example: null, remedy };
}

/** Finding that no feedback was read, but records that no map fits, of which some may be feedback. */
export function passedOver(unmapped: Unmapped): Finding {
  const cause = `No feedback was read, so no list has a positive; ${passedText(unmapped)}.`;
  return { code: 'feedback_missing', cause, example: null, remedy: passedRemedy(unmapped) };
}

export function passedRemedy(unmapped: Unmapped): string {
  return `If some of these say what people did with a list, add them to the maps${whenText(unmapped)}; receval inspect finds out what they hold.`;
}

/** Returns text such as: 74 records meet no when of the maps, and were passed over (/action: product_click 41, page_view 33). */
export function passedText(unmapped: Unmapped): string {
  const records = recordsOf(unmapped);
  const words =
    records === 1
      ? '1 record meets no when of the maps, and was'
      : `${grouped(records)} records meet no when of the maps, and were`;
  return `${words} passed over (${unmappedText(unmapped, MOST_NAMED)})`;
}

/** Returns text such as: , as when: {/action: product_click}. */
function whenText(unmapped: Unmapped): string {
  const named = unmapped.find(({ value }) => !value.startsWith('__'));
  return named === undefined ? '' : `, as when: {${yamlWord(named.field)}: ${yamlWord(named.value)}}`;
}

/** A smaller share is usual. */
export const MUCH_MISSED = 0.05;
/** Fewer events give no reliable share. */
const LEAST = 30;

export const MISSED_REMEDY =
  'Either a clock is ahead of the others and moves time on (look for a host that dates records minutes ahead), or records come later than ' +
  'attribution.outOfOrderness allows: raise it, or leave that horizon out.';

/** The events of one side that count, and those of them that came too late. */
interface MissedFacts {
  readonly counted: number;
  /** Number of events that missed each horizon. */
  readonly late: Readonly<Record<string, number>>;
}

/**
 * Finds that much of what counts misses a horizon: the numbers of this horizon represent the rest, which may be different traffic. The finding for a run
 * over files. What misses a horizon misses all shorter ones, so the shortest is missed most.
 */
export function lateForHorizon(impressions: MissedFacts, feedback: MissedFacts): readonly Finding[] {
  const sides = [
    ['impressions', impressions],
    ['feedback events', feedback],
  ] as const;
  const texts = sides.flatMap(([what, { counted, late }]) => {
    const [horizon, most] = Object.entries(late).reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    const isMuch = counted >= LEAST && most >= MUCH_MISSED * counted;
    return isMuch
      ? [
          `${grouped(most)} of ${grouped(counted)} ${what} (${percent(most / counted)}) come too late for the horizon ${horizon}`,
        ]
      : [];
  });
  if (texts.length === 0) return [];
  return [
    {
      code: 'late_for_horizon',
      cause: `${texts.join(', and ')}: its numbers are of the others alone.`,
      example: null,
      remedy: MISSED_REMEDY,
    },
  ];
}
