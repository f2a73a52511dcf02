import { FEEDBACK_DROPS, type FeedbackDrop, type ImpressionDrop } from '../vocabulary/drops.ts';
import type { DurationMs, EpochMs, Side } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import type { EventSample, RecordPlace } from './event-sample.ts';
import { feedbackPeriod, feedbackToCome } from './feedback-period.ts';
import { type Finding, inOrder, percent, quoted } from './finding.ts';
import { filesText, invalidFiles, reasonsText, type ValidRecords } from './invalid-files.ts';
import type { InvalidReason, InvalidReasons } from './invalid-reasons.ts';
import { durationText, type JoinShape, matchesOf, sampleFindings, timeText } from './sample-findings.ts';
import { shortenedTimes } from './shortened-times.ts';

/** What became of the events of a run over files. */
export interface RunFacts {
  /** `impressions`: no feedback was named; `one log`: both sides are in one. */
  readonly input: 'two sides' | 'one log' | 'impressions';
  readonly impressions: {
    readonly read: number;
    readonly accepted: number;
    readonly drops: Readonly<Record<ImpressionDrop, number>>;
  };
  readonly feedback: {
    readonly read: number;
    readonly attributed: number;
    readonly drops: Readonly<Record<FeedbackDrop, number>>;
    /** Attributed, but too late for this horizon; by horizon. */
    readonly late: Readonly<Record<string, number>>;
  };
  readonly invalid: InvalidReasons;
  readonly valid: ValidRecords;
  readonly sample: EventSample;
  readonly shape: JoinShape & { readonly outOfOrderness: DurationMs; readonly futureSkew: DurationMs };
  /** Whether any measure depends on feedback. */
  readonly needsFeedback: boolean;
}

const MOST = 0.5;
/** A run over files has standard errors from about this many impressions on. */
const ENOUGH_IMPRESSIONS = 1000;
/** Above this ratio of feedback late for a horizon to attributed feedback, the log is not in order. */
const MUCH_LATE = 0.1;
/** Share of events dated ahead. */
const MUCH_AHEAD = 0.01;
/** Share of feedback that cannot be read. */
const MUCH_UNREAD = 0.02;

/** Whether the run shows nothing: no impression counted, or a measure needs feedback and none joined. */
export function isEmpty({
  input,
  impressions,
  feedback,
  needsFeedback,
}: Pick<RunFacts, 'input' | 'impressions' | 'feedback' | 'needsFeedback'>): boolean {
  if (impressions.accepted === 0) return true;
  if (!needsFeedback) return false;
  const wasGiven = input === 'two sides' || (input === 'one log' && feedback.read > 0);
  return wasGiven && feedback.attributed === 0;
}

/** What looks wrong, in the order of the codes. */
export function runFindings(facts: RunFacts): readonly Finding[] {
  const { sample, shape } = facts;
  const swapped = filesSwapped(facts);
  const causes = [
    ...swapped,
    ...(swapped.length > 0 ? [] : [...invalidRecords(facts, 'impressions'), ...invalidRecords(facts, 'feedback')]),
    ...datedAhead(facts, 'impressions'),
    ...datedAhead(facts, 'feedback'),
    ...shortenedTimes(sample),
    ...allLate(facts, 'impressions'),
    ...allLate(facts, 'feedback'),
    ...outOfOrder(facts),
    ...feedbackMissing(facts),
    ...feedbackPartial(facts),
    ...sampleFindings(sample, shape),
    ...noUserIds(facts),
  ];
  return inOrder([...nothingCounted(facts), ...joined(facts, causes), ...causes]);
}

function nothingCounted({ impressions }: RunFacts): readonly Finding[] {
  if (impressions.accepted > 0) return [];
  const { read, drops } = impressions;
  return [
    {
      code: 'nothing_counted',
      cause:
        read === 0
          ? 'There is no impression in the input.'
          : `None of ${grouped(read)} impressions counted: ${dropText(drops)}.`,
      example: null,
      remedy:
        read === 0
          ? 'Check that the file is the right one, and not empty.'
          : 'See below; docs/concepts.md explains each reason.',
    },
  ];
}

function dropText(drops: Readonly<Record<string, number>>): string {
  return Object.entries(drops)
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${reason} ${grouped(n)}`)
    .join(', ');
}

function feedbackMissing({ input, feedback, needsFeedback, impressions }: RunFacts): readonly Finding[] {
  if (!needsFeedback || feedback.read > 0 || impressions.accepted === 0) return [];
  return [
    {
      code: 'feedback_missing',
      cause: `There is no feedback${input === 'impressions' ? '' : ' in the input'}, so no list has a positive.`,
      example: null,
      remedy:
        input === 'impressions'
          ? 'Name the feedback with --feedback FILE.'
          : input === 'one log'
            ? 'Check that the log has both sides; otherwise name them with --impressions and --feedback.'
            : 'Check that the file of the feedback is the right one.',
    },
  ];
}

/** Of what cannot be read no time is known. */
function feedbackPartial({ needsFeedback, feedback, sample, shape }: RunFacts): readonly Finding[] {
  const { invalid, undecodable } = feedback.drops;
  if (!needsFeedback || invalid + undecodable > MUCH_UNREAD * feedback.read) return [];
  const partial = feedbackPeriod(sample, matchesOf(sample));
  return partial.length > 0 ? partial : feedbackToCome(sample, shape.horizon);
}

const FEEDBACK_FIELDS: ReadonlySet<string> = new Set(['itemId', 'action']);

function filesSwapped({ input, invalid, impressions }: RunFacts): readonly Finding[] {
  if (input !== 'two sides' || impressions.accepted > 0) return [];
  const wrong = (['impressions', 'feedback'] as const).map((side) =>
    invalid.of(side).find(({ code }) => code === 'wrong_kind'),
  );
  const [first] = wrong;
  if (first === undefined) return [];
  const others = wrong.map((reason) => reason?.count ?? 0);
  // A record without items passes for feedback, and so does one whose list has another name.
  if (others[1] === 0 && !first.fields.some((field) => FEEDBACK_FIELDS.has(field))) return [];
  return [
    {
      code: 'files_swapped',
      cause: `${grouped(others[0])} records of --impressions are feedback${others[1] > 0 ? `, and ${grouped(others[1])} of --feedback are impressions` : ''}.`,
      example: recordText(first),
      remedy: 'Swap --impressions and --feedback; name a log that holds both with --events.',
    },
  ];
}

function invalidRecords({ invalid, valid }: RunFacts, side: Side): readonly Finding[] {
  return invalidFiles(invalid, valid, side).map(({ code, files, areAll, invalid: refused, read, reasons }) => ({
    code,
    cause: `${grouped(refused)} of ${grouped(read)} records of ${areAll ? `the ${side}` : filesText(files)} cannot be used: ${reasonsText(reasons)}.`,
    example: recordText(reasons[0]),
    remedy: `${code === 'some_invalid' && reasons[0].code === 'missing_field' ? lackingRemedy(reasons[0]) : invalidRemedy(reasons[0])} docs/events.md explains each code.`,
  }));
}

/** The other records of the file have the field, so it was looked for in the right place. */
function lackingRemedy({ field }: InvalidReason): string {
  return `Log ${field ?? 'the field'} in every record; if these have it in another place, say where (adapter: {maps: [...]}).`;
}

/** Fields that are numbers, and may be written as text. */
const NUMBER = /^(?:value|offset|items\[\d+\]\.(?:position|score|propensity))$/;

/** Fields that are text, and no ids: a number or a yes or no is refused. */
const TEXT = /^(?:surface|variant|experiments|action|model\.name|items\[\d+\]\.(?:team|category))$/;

function invalidRemedy({ side, code, field, hasComma }: InvalidReason): string {
  if (code === 'wrong_type' && hasComma && field !== undefined && NUMBER.test(field)) {
    return `${field} is no number, and the record has one with a decimal comma: write 3.5 in place of 3,5; receval inspect FILE... shows a command that does it for ratings.`;
  }
  if (code === 'wrong_type' && field !== undefined && TEXT.test(field)) {
    return `${field} is text: write "1" in place of 1, and "true" in place of true, or say where the text is (adapter: {map: {...}}); receval inspect FILE... shows a command.`;
  }
  switch (code) {
    case 'missing_field':
    case 'wrong_type':
      return `Say where ${field ?? 'the field'} is (adapter: {map: {...}}); receval inspect FILE... finds out, and writes it.`;
    case 'bad_time':
      return 'A time is ISO 8601 text with its zone (without one set timeZone), or a number in the unit that tsUnit names; receval inspect FILE... shows what is there.';
    case 'wrong_kind':
      return side === 'impressions'
        ? 'Without items a record passes for feedback: say where the list is (adapter: {map: {...}}); receval inspect FILE... finds out, and writes it.'
        : 'These are records of the other side: are the files swapped?';
    case 'bad_id':
      return 'An id is text that is not empty, or a whole number below 2^53: larger numbers lose digits in JSON, so write ids as text.';
    case 'not_json':
    case 'not_an_object':
    case 'not_utf8':
      return 'The file must hold one JSON object a line, in UTF-8.';
    case 'not_csv':
      return 'The columns are not those of the adapter.';
    default:
      return 'Fix what writes the log.';
  }
}

/** Such as: row 1 of shown.ndjson has request_id, ts, items. */
function recordText({ place, fields }: InvalidReason): string | null {
  if (place === undefined && fields.length === 0) return null;
  const row = place === undefined ? 'the first such record' : placeText(place);
  return fields.length === 0 ? row : `${row} has ${fields.map((field) => quoted(field).slice(1, -1)).join(', ')}`;
}

function placeText({ file, row }: RecordPlace): string {
  return `row ${grouped(row)} of ${filesText([file])}`;
}

function datedAhead(facts: RunFacts, side: Side): readonly Finding[] {
  const { read, drops } = facts[side];
  if (drops.future === 0 || drops.future <= MUCH_AHEAD * read) return [];
  return [
    {
      code: 'dated_ahead',
      cause: `${grouped(drops.future)} of ${grouped(read)} ${side} are dated more than ${durationText(facts.shape.futureSkew)} (attribution.futureSkew) ahead of now, and dropped as future.`,
      example: null,
      remedy:
        'Correct the clock that dates them, or timeZone or tsUnit of the topic; for logs that are dated ahead on purpose set --now.',
    },
  ];
}

function allLate(facts: RunFacts, side: Side): readonly Finding[] {
  const { read, drops } = facts[side];
  if (drops.late <= MOST * (read - drops.invalid)) return [];
  const newest = facts.sample.newest(side);
  const times = facts.sample[side].map(({ ts }) => ts).sort((a, b) => a - b);
  const middle = times[Math.floor(times.length / 2)];
  const isAhead = newest !== undefined && areAhead([...times, newest.ts], 10 * facts.shape.horizon.ms);
  return [
    {
      code: 'all_late',
      cause: `${grouped(drops.late)} of ${grouped(read)} ${side} came when time had passed their longest horizon, ${facts.shape.horizon.text}.`,
      example:
        newest === undefined || middle === undefined
          ? null
          : `the newest is from ${timeText(newest.ts)} (${placeText(newest.place)}), the median from ${timeText(middle)}`,
      remedy: isAhead
        ? 'A few events dated far ahead of the others moved time on: correct their dates, or leave them out.'
        : `Sort the log by time, lines of JSON for example by jq -sc 'sort_by(.ts)[]' FILE (.ts: your name of it). A dump of a topic has one partition after the other: write a file for each partition, and name all of them, which are merged by time. Or raise attribution.outOfOrderness (${durationText(facts.shape.outOfOrderness)}).`,
    },
  ];
}

/**
 * Whether less than half of the events are far ahead of the rest: a gap longer than the rest takes. Events that are only out of order,
 * such as those of one partition after those of another, leave no such gap.
 *
 * @param times ascending
 */
function areAhead(times: readonly EpochMs[], least: DurationMs): boolean {
  return times.some((ts, i) => {
    const before = times[i - 1];
    return 2 * i >= times.length && ts - before > Math.max(least, before - times[0]);
  });
}

function outOfOrder({ input, feedback }: RunFacts): readonly Finding[] {
  const late = Object.values(feedback.late).reduce((sum, n) => sum + n, 0);
  if (input !== 'one log' || late <= MUCH_LATE * feedback.attributed) return [];
  return [
    {
      code: 'out_of_order',
      cause: `Much feedback (${grouped(late)} times) came too late for a horizon.`,
      example: null,
      remedy: 'A log of both sides must be in time order: sort it, or pass the sides as --impressions and --feedback.',
    },
  ];
}

/** Nothing or little joined. @param causes what else was found */
function joined(facts: RunFacts, causes: readonly Finding[]): readonly Finding[] {
  const { attributed, read, drops } = facts.feedback;
  if (read === 0 || facts.impressions.accepted === 0) return [];
  const repeated = drops.duplicate + drops.capped;
  if (attributed > 0 && attributed + repeated >= MOST * read) return [];
  const lost = FEEDBACK_DROPS.filter((reason) => reason !== 'duplicate' && reason !== 'capped');
  const most = lost.reduce((a, b) => (drops[b] > drops[a] ? b : a));
  const explained = causes.some(
    ({ code }) =>
      code !== 'no_user_ids' && code !== 'unknown_actions' && (code !== 'some_invalid' || most === 'invalid'),
  );
  const share =
    attributed === 0
      ? `None of ${grouped(read)}`
      : `Only ${grouped(attributed)} of ${grouped(read)} (${percent(attributed / read)})`;
  const { unknown } = matchesOf(facts.sample);
  const [shown] = facts.sample.impressions;
  return [
    {
      code: attributed === 0 ? 'nothing_joined' : 'few_joined',
      cause: `${share} feedback events counted: ${dropText(drops)}.${explained ? '' : apart(facts.sample)}`,
      example:
        unknown.length === 0 || shown === undefined || explained
          ? null
          : `request ${quoted(unknown[0].requestId)} in the feedback, ${quoted(shown.requestId)} in the impressions`,
      remedy: explained
        ? 'See below.'
        : most === 'orphan'
          ? 'Check that both sides log the same request id, that of the list that was shown, and that the logs cover the same time and are complete.'
          : 'See the counts: docs/concepts.md says what to do for each reason.',
    },
  ];
}

/** Says so if the two sides cover different times. */
function apart({ impressions, feedback }: EventSample): string {
  const spans = [impressions, feedback].map((side) => {
    let first = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    for (const { ts } of side) {
      first = Math.min(first, ts);
      last = Math.max(last, ts);
    }
    return { first, last };
  });
  const [shown, done] = spans;
  if (impressions.length === 0 || feedback.length === 0) return '';
  if (done.first <= shown.last && shown.first <= done.last) return '';
  return ` The impressions are from ${timeText(shown.first)} to ${timeText(shown.last)}, the feedback from ${timeText(done.first)} to ${timeText(done.last)}.`;
}

function noUserIds({ sample, impressions }: RunFacts): readonly Finding[] {
  if (sample.withUser > 0 || impressions.accepted < ENOUGH_IMPRESSIONS) return [];
  return [
    {
      code: 'no_user_ids',
      cause:
        'No impression names its user, so standard errors treat lists as independent: they are too small where users come back.',
      example: null,
      remedy: 'Log userId in the impressions.',
    },
  ];
}
