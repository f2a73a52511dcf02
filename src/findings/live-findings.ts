/** Findings of a running service from its counts alone, topic by topic, combined with those in the newest records. */

import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { sumOfUnmapped, type Unmapped } from '../vocabulary/unmapped.ts';
import type { FindingCode } from './catalogue.ts';
import { MISSED_REMEDY, MUCH_MISSED, passedRemedy, passedText } from './feedback-missing.ts';
import { inOrder, type PlainFinding } from './finding.ts';

/** The recent state of a topic; shares (0 to 1) are undefined until enough has arrived. */
export interface TopicHealth {
  readonly topic: string;
  /** Share of feedback that joined, of all that is settled. */
  readonly joined: number | undefined;
  /** Share of the feedback on known requests that names an item of its list. */
  readonly inList: number | undefined;
  /** Share of all events that are dropped for this reason. */
  readonly invalid: number | undefined;
  readonly late: number | undefined;
  readonly future: number | undefined;
  /** Share of the events that count that come too late for the shortest horizon. */
  readonly missed: number | undefined;
  /** Share of the impressions that count. */
  readonly accepted: number | undefined;
  /** Number of events since this process was assigned its partitions. */
  readonly impressions: number;
  readonly feedback: number;
  /** Records since then that no map of the topic fits. */
  readonly unmapped: Unmapped;
}

/** A finding on a topic of a running service. */
export interface LiveFinding extends PlainFinding {
  /** undefined: it is about all topics together. */
  readonly topic: string | undefined;
}

interface Watched {
  readonly code: FindingCode;
  readonly shareOf: (health: TopicHealth) => number | undefined;
  /** The finding begins at one bound and ends at another, so that a fluctuating share gives one finding. */
  readonly begins: (share: number) => boolean;
  readonly ends: (share: number) => boolean;
  readonly cause: (share: number) => string;
  readonly remedy: string;
}

/** What to do about events that are dated ahead. */
export const AHEAD_REMEDY = 'Correct the clock that dates them, or timeZone or tsUnit of the topic.';

const NONE = 0.001;
const SOME = 0.01;

const WATCHED: readonly Watched[] = [
  {
    code: 'nothing_counted',
    shareOf: ({ accepted }) => accepted,
    begins: (share) => share < NONE,
    ends: (share) => share >= SOME,
    cause: () => 'no impression counts lately.',
    remedy: 'See the drops by reason; receval doctor looks at the newest records.',
  },
  {
    code: 'nothing_joined',
    shareOf: ({ joined }) => joined,
    begins: (share) => share < NONE,
    ends: (share) => share >= SOME,
    cause: () => 'none of the feedback finds its list lately.',
    remedy: 'See the drops by reason, and ask receval doctor how the request ids of the two sides differ.',
  },
  {
    code: 'few_joined',
    shareOf: ({ joined }) => joined,
    begins: (share) => share < 0.5,
    ends: (share) => share >= 0.6,
    cause: (share) => `less than half of the feedback finds its list lately (${percent(share)}).`,
    remedy: 'See the drops by reason, and ask receval doctor how the request ids of the two sides differ.',
  },
  {
    code: 'most_invalid',
    shareOf: ({ invalid }) => invalid,
    begins: (share) => share > 0.5,
    ends: (share) => share <= 0.4,
    cause: (share) => `${percent(share)} of the records cannot be used lately.`,
    remedy: 'receval_invalid_total counts them by code, and receval doctor names the field.',
  },
  {
    code: 'dated_ahead',
    shareOf: ({ future }) => future,
    begins: (share) => share > SOME,
    ends: (share) => share <= SOME / 2,
    cause: (share) =>
      `${percent(share)} of the events are dated further ahead than attribution.futureSkew allows, and dropped as future.`,
    remedy: AHEAD_REMEDY,
  },
  {
    code: 'many_dropped',
    shareOf: ({ late }) => late,
    begins: (share) => share >= 0.05,
    ends: (share) => share < 0.04,
    cause: (share) =>
      `${percent(share)} of the events are dropped as late lately: they come when time has passed their longest horizon.`,
    remedy:
      'Look for events that are dated ahead of the others and move time on, for a producer that writes old events, and at attribution.outOfOrderness.',
  },
  {
    code: 'late_for_horizon',
    shareOf: ({ missed }) => missed,
    begins: (share) => share >= MUCH_MISSED,
    ends: (share) => share < 0.04,
    cause: (share) =>
      `${percent(share)} of the lists and feedback that count come too late for the shortest horizon lately: its numbers are of the others alone.`,
    remedy: MISSED_REMEDY,
  },
  {
    code: 'items_never_match',
    shareOf: ({ inList }) => inList,
    begins: (share) => share < 0.5,
    ends: (share) => share >= 0.6,
    cause: (share) =>
      `less than half of the feedback of known requests names an item of its list lately (${percent(share)}).`,
    remedy: 'Log one and the same id of an item on both sides, and all items that were shown.',
  },
];

/** This many lists without any feedback are no accident: at one click per thousand lists there would be five. */
const LISTS_WITHOUT_FEEDBACK = 5000;

const MISSING: Omit<LiveFinding, 'cause'> = {
  code: 'feedback_missing',
  topic: undefined,
  remedy: 'Check the names in kafka.topics, and that the producer is running.',
};

/** Findings from counts. Remembers which are present, so that a share that fluctuates around a bound gives one finding. */
export class CountFindings {
  readonly #needsFeedback: boolean;
  #reported: ReadonlySet<string> = new Set();

  /** @param needsFeedback whether any measure depends on feedback */
  constructor(needsFeedback: boolean) {
    this.#needsFeedback = needsFeedback;
  }

  of(topics: readonly TopicHealth[]): readonly LiveFinding[] {
    const reported = new Set<string>();
    const found = topics.flatMap((health): readonly LiveFinding[] =>
      WATCHED.flatMap(({ code, shareOf, begins, ends, cause, remedy }): readonly LiveFinding[] => {
        const share = shareOf(health);
        const key = keyOf({ code, topic: health.topic });
        if (share === undefined || !(this.#reported.has(key) ? !ends(share) : begins(share))) return [];
        reported.add(key);
        return [{ code, topic: health.topic, cause: cause(share), remedy }];
      }),
    );
    this.#reported = reported;
    const nothing = new Set(found.filter(({ code }) => code === 'nothing_joined').map(({ topic }) => topic));
    return [
      ...found.filter(({ code, topic }) => code !== 'few_joined' || !nothing.has(topic)),
      ...this.#missing(topics),
    ];
  }

  #missing(topics: readonly TopicHealth[]): readonly LiveFinding[] {
    const sum = (of: (health: TopicHealth) => number): number => topics.reduce((all, one) => all + of(one), 0);
    const lists = sum(({ impressions }) => impressions);
    if (!this.#needsFeedback || lists < LISTS_WITHOUT_FEEDBACK || sum(({ feedback }) => feedback) > 0) return [];
    const found = `${grouped(lists)} impressions count, and no feedback came`;
    const unmapped = sumOfUnmapped(topics.map((one) => one.unmapped));
    if (unmapped.length === 0) return [{ ...MISSING, cause: `${found}.` }];
    return [{ ...MISSING, cause: `${found}; ${passedText(unmapped)}.`, remedy: passedRemedy(unmapped) }];
  }
}

/** Identifies a finding, whatever its numbers. */
export function keyOf({ code, topic }: Pick<LiveFinding, 'code' | 'topic'>): string {
  return `${code} ${topic ?? ''}`;
}

/**
 * Merges findings, in the order of the codes. Counts show that something is wrong, records show why: if both report the same
 * finding, that from the records is taken.
 */
export function mergedFindings(
  byCounts: readonly LiveFinding[],
  byRecords: readonly LiveFinding[],
): readonly LiveFinding[] {
  const same = (a: LiveFinding, b: LiveFinding): boolean =>
    a.code === b.code && (a.topic === b.topic || a.topic === undefined || b.topic === undefined);
  const isJoin = ({ code }: LiveFinding): boolean => code === 'nothing_joined' || code === 'few_joined';
  const counts = byCounts.map((one) => {
    const why = isJoin(one) ? undefined : byRecords.find((other) => same(one, other));
    return why === undefined ? one : { ...why, topic: one.topic };
  });
  const records = byRecords.filter(
    (one) => !byCounts.some((other) => same(one, other) || (isJoin(one) && isJoin(other))),
  );
  return inOrder([...counts, ...records]);
}
