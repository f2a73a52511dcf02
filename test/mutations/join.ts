/**
 * The weakened rules of the join, and of what a replay must not count again (specification: join 9, commit 4): each looks simpler, and must be caught, by the
 * simulator as well. Boundaries moved by one are in join-boundaries.ts.
 */
import type { Mutation } from './mutation.ts';

const JOIN = 'consumers/join/join.ts';
const TOPIC = 'consumers/join/topic.ts';
const RULES = '../wasm/engine/rules.ts';
const ACCEPTED = '../wasm/engine/accepted.ts';
const FEEDBACK = '../wasm/engine/feedback.ts';
const TIMELINE = '../wasm/engine/timeline.ts';

const LATE_BY_RECORD = 'const watermark = t.watermark;';
const NOTE_PREDECESSOR =
  'notes.note(figures[UNIT_FIGURES.predecessorOffset], figures[UNIT_FIGURES.predecessorWatermark], neededUntil);';
const WAIT = 'addWaiting(unit.waiting, feedbackEvent, hash, topic, watermark, deadline, isReplayed);';
const IS_WAITING = `${WAIT}\n  return true;`;
const ATTRIBUTED =
  'attribute(unit, topic, feedbackEvent, watermark, entryAt, bodyAt, slot, areBothReplayed);\n      return true;';
const MEETING_OF_WAITING = 'const isReplayed = isImpressionReplayed && known.isReplayed();';
const MEETING_OF_FEEDBACK = 'const areBothReplayed = isReplayed && entry(entryAt).isReplayed();';
const SAME_TOPIC = 'if (feedback(at).topic() !== topic) continue;';
const IDLE_AT_ITS_PLACE = 'this.#applied < all.length && all[this.#applied].before <= this.position';
const RESTORED_IDLE = 'this.#idleAdvances = [...(from?.idleAdvances ?? [])];';
const CLOCK_OF_RECORD = 'if (offset < this.committed) return this.#clockDrops.has(offset);';
const WATERMARK_TIME = 'const time = timestamp === undefined ? event.ts : Math.min(event.ts, timestamp);';
const SAME_PAGE = 'if (entry(at).page() !== page) continue;';

export const JOIN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'lateness by the combined watermark instead of the own topic',
    changes: [{ file: JOIN, text: LATE_BY_RECORD, replacement: 'const watermark = this.watermark;' }],
  },
  {
    name: 'after a restart the watermark of the committed offset',
    changes: [
      {
        file: TOPIC,
        text: 'replayWatermark: least === undefined ? this.watermark : least.watermark,',
        replacement: 'replayWatermark: this.watermark,',
      },
    ],
  },
  {
    name: 'duplicates only of accepted records',
    changes: [
      {
        file: '../wasm/engine/duplicates.ts',
        text: 'if (!mayHave(duplicates, hash)) return among;',
        replacement: 'if (true) return among;',
      },
    ],
  },
  {
    name: 'replay offset by the own watermark of the topic',
    changes: [
      {
        file: JOIN,
        text: 'for (const topic of this.#topics) topic.forget(to);',
        replacement: 'for (const topic of this.#topics) topic.forget(topic.watermark);',
      },
    ],
  },
  {
    name: 'impressions are remembered only while they are open',
    changes: [
      {
        file: RULES,
        text: 'const until = to - 2 * unit.attribution - unit.backward;',
        replacement: 'const until = to - unit.attribution;',
      },
    ],
  },
  {
    name: 'replay offset without what is remembered after closing',
    changes: [
      {
        file: JOIN,
        text: 'this.#impressionNeeded = 2 * window + settings.backward;',
        replacement: 'this.#impressionNeeded = window;',
      },
    ],
  },
  {
    name: 'wall-clock verdicts recreated at replay',
    changes: [{ file: TOPIC, text: CLOCK_OF_RECORD, replacement: '' }],
  },
  {
    name: 'wall-clock verdicts forgotten at replay',
    changes: [{ file: TOPIC, text: CLOCK_OF_RECORD, replacement: 'if (offset < this.committed) return false;' }],
  },
  {
    name: 'idle advances applied at the start of the replay',
    changes: [{ file: TOPIC, text: IDLE_AT_ITS_PLACE, replacement: 'this.#applied < all.length' }],
  },
  {
    name: 'the combined watermark restored, but no idle advances',
    changes: [
      { file: TOPIC, text: RESTORED_IDLE, replacement: 'this.#idleAdvances = [];' },
      {
        file: JOIN,
        text: 'if (topic.watermark < least) least = topic.watermark;\n    return least;',
        replacement:
          'if (topic.watermark < least) least = topic.watermark;\n    return this.replaying ? least : Math.max(least, this.#settled);',
      },
      {
        file: JOIN,
        text: 'const unit = openUnit(own, settings, sink, from?.watermark ?? Number.NEGATIVE_INFINITY);',
        replacement:
          'this.#settled = from?.watermark ?? Number.NEGATIVE_INFINITY; const unit = openUnit(own, settings, sink, this.#settled);',
      },
      {
        file: JOIN,
        text: '#isClosed = false;',
        replacement: '#isClosed = false;\n  #settled: number;',
      },
    ],
  },
  {
    name: 'orphans settled at f.ts + H although b > 0',
    changes: [{ file: RULES, text: WAIT, replacement: WAIT.replace('deadline', 'ts + unit.attribution') }],
  },
  {
    name: 'replay offset without predecessors',
    changes: [{ file: JOIN, text: NOTE_PREDECESSOR, replacement: '' }],
  },
  {
    name: 'attributed feedback not in the replay range',
    changes: [{ file: RULES, text: ATTRIBUTED, replacement: ATTRIBUTED.replace('true', 'false') }],
  },
  {
    name: 'waiting feedback not in the replay range',
    changes: [{ file: RULES, text: IS_WAITING, replacement: `${WAIT}\n  return candidates.count > 0;` }],
  },
  {
    name: 'a meeting replayed by the offset of the feedback alone',
    changes: [
      { file: RULES, text: MEETING_OF_WAITING, replacement: 'const isReplayed = known.isReplayed();' },
      { file: RULES, text: MEETING_OF_FEEDBACK, replacement: 'const areBothReplayed = isReplayed;' },
    ],
  },
  {
    name: 'a meeting replayed by the offset of the impression alone',
    changes: [
      { file: RULES, text: MEETING_OF_WAITING, replacement: 'const isReplayed = isImpressionReplayed;' },
      { file: RULES, text: MEETING_OF_FEEDBACK, replacement: MEETING_OF_FEEDBACK.replace('isReplayed && ', '') },
    ],
  },
  {
    name: 'identity of feedback across topics',
    changes: [
      {
        file: FEEDBACK,
        text: SAME_TOPIC,
        replacement: 'if (feedback(at).topic() !== topic && !isSame(feedback(at), event, action, slot, lag)) continue;',
      },
    ],
  },
  {
    name: 'limit of feedback across topics',
    changes: [
      {
        file: FEEDBACK,
        text: SAME_TOPIC,
        replacement: 'if (feedback(at).topic() !== topic) { ofTopic++; continue; }',
      },
    ],
  },
  {
    name: 'latest instead of first impression',
    changes: [
      {
        file: RULES,
        text: 'for (let i = candidates.count; i > 0; i--) {',
        replacement: 'for (let i: u32 = 1; i <= candidates.count; i++) {',
      },
    ],
  },
  {
    name: 'closing by offset instead of time',
    changes: [
      {
        file: TIMELINE,
        text: 'if (later < 0 || (later === 0 && logOrder(cursor.entry, next.entry) < 0)) {',
        replacement: 'if (cursor.at <= to && (!(next.at <= to) || logOrder(cursor.entry, next.entry) < 0)) {',
      },
    ],
  },
  {
    name: 'closings of one time by horizon instead of offset',
    changes: [
      {
        file: TIMELINE,
        text: 'logOrder(cursor.entry, next.entry) < 0',
        replacement: 'other < h',
      },
    ],
  },
  {
    name: 'watermark by event time alone',
    changes: [{ file: JOIN, text: WATERMARK_TIME, replacement: 'const time = event.ts;' }],
  },
  {
    name: 'watermark by record timestamp alone',
    changes: [{ file: JOIN, text: WATERMARK_TIME, replacement: 'const time = timestamp ?? event.ts;' }],
  },
  {
    name: 'what is dropped as future moves the watermark',
    changes: [
      {
        file: JOIN,
        text: 'if (!isFuture && time -',
        replacement: 'if (time -',
      },
    ],
  },
  {
    name: 'what is excluded does not move the watermark',
    changes: [
      { file: JOIN, text: 'if (!isFuture && time -', replacement: 'if (!isFuture && e < events.length && time -' },
    ],
  },
  {
    name: 'what is excluded counts',
    changes: [{ file: JOIN, text: 'if (isFuture || e >= events.length) {', replacement: 'if (isFuture) {' }],
  },
  {
    name: 'what is excluded is judged before what is future',
    changes: [
      {
        file: JOIN,
        text: "isFuture ? 'future' : 'excluded'",
        replacement: "e >= events.length ? 'excluded' : 'future'",
      },
    ],
  },
  {
    name: 'a commit while one topic still replays',
    changes: [
      {
        file: JOIN,
        text: 'this.#topics.some((topic) => topic.position < topic.committed)',
        replacement: 'this.#topics.every((topic) => topic.position < topic.committed)',
      },
    ],
  },
  {
    name: 'closings told again by the replay',
    changes: [{ file: RULES, text: 'at > unit.decidedUpTo && ', replacement: '' }],
  },
  {
    name: 'drops by deadline counted again by the replay',
    changes: [{ file: RULES, text: 'if (deadline > unit.decidedUpTo) {', replacement: '{' }],
  },
  {
    name: 'pages of one request are duplicates of each other',
    changes: [{ file: ACCEPTED, text: SAME_PAGE, replacement: '' }],
  },
];
