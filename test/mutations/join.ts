/** The weakened rules of the join and of the silence of a replay (specification: join 9, commit 4): each looks simpler, and must be caught. */
import type { Mutation } from './mutation.ts';

const JOIN = 'consumers/join/join.ts';
const ACCEPTED = 'consumers/join/accepted-impressions.ts';
const FEEDBACK = 'consumers/join/feedback.ts';
const TOPIC = 'consumers/join/topic.ts';
const TIMELINE = 'consumers/join/timeline.ts';

const LATE_BY_RECORD = 'const watermark = t.watermark;';
const NOTE_FEEDBACK = 'this.#topics[topic].notes.note(offset, watermark, deadline);';
const NOTE_WITNESS = 'notes.note(records.offset(witness), records.watermark(witness), neededUntil);';
const WAIT = 'this.#waiting.add(feedback, hash, topic, watermark, deadline, silent);';
const MEETING_OF_WAITING = 'const silent = silentImpression && waiting.isBelow(handle);';
const MEETING_OF_FEEDBACK = 'const silentMeeting = silent && this.#impressions.isBelow(entry);';
const SAME_TOPIC = 'if (this.topic(at) !== topic) continue;';
const IDLE_AT_ITS_PLACE = 'this.#applied < all.length && all[this.#applied].before <= this.position';
const RESTORED_IDLE = 'this.#idleAdvances = [...(from?.idleAdvances ?? [])];';
const CLOCK_OF_RECORD = 'if (offset < this.committed) return this.#clockDrops.has(offset);';
const WATERMARK_TIME = 'const time = timestamp === undefined ? event.ts : Math.min(event.ts, timestamp);';
const SAME_PAGE = 'if (records.page(at) !== offset) continue;';

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
        file: JOIN,
        text: 'if (this.#again.size === 0) return accepted;',
        replacement: 'if (this.#again.size >= 0) return accepted;',
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
        file: JOIN,
        text: 'this.#timeline.forget(to - 2 * this.#attribution - this.#backward,',
        replacement: 'this.#timeline.forget(to - this.#attribution,',
      },
    ],
  },
  {
    name: 'replay offset without what is remembered after closing',
    changes: [
      {
        file: JOIN,
        text: 'const neededUntil = ts + 2 * attribution + this.#backward;',
        replacement: 'const neededUntil = ts + attribution;',
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
          'if (topic.watermark < least) least = topic.watermark;\n    return this.replaying ? least : Math.max(least, this.#decidedUpTo);',
      },
    ],
  },
  {
    name: 'orphans settled at f.ts + H although b > 0',
    changes: [{ file: JOIN, text: WAIT, replacement: WAIT.replace('deadline', 'ts + this.#attribution') }],
  },
  {
    name: 'replay offset without witnesses',
    changes: [{ file: JOIN, text: NOTE_WITNESS, replacement: '' }],
  },
  {
    name: 'attributed feedback not in the replay range',
    changes: [
      { file: JOIN, text: NOTE_FEEDBACK, replacement: '' },
      { file: JOIN, text: WAIT, replacement: `${NOTE_FEEDBACK} ${WAIT}` },
    ],
  },
  {
    name: 'waiting feedback not in the replay range',
    changes: [
      {
        file: JOIN,
        text: NOTE_FEEDBACK,
        replacement:
          'if (this.#accepted.fitting(feedback, hashText(feedback.u8, feedback.request, this.#hashSeed), ts, watermark, this.#found) > 0) this.#topics[topic].notes.note(offset, watermark, deadline);',
      },
    ],
  },
  {
    name: 'a meeting silent by the offset of the feedback alone',
    changes: [
      { file: JOIN, text: MEETING_OF_WAITING, replacement: 'const silent = waiting.isBelow(handle);' },
      { file: JOIN, text: MEETING_OF_FEEDBACK, replacement: 'const silentMeeting = silent;' },
    ],
  },
  {
    name: 'a meeting silent by the offset of the impression alone',
    changes: [
      { file: JOIN, text: MEETING_OF_WAITING, replacement: 'const silent = silentImpression;' },
      { file: JOIN, text: MEETING_OF_FEEDBACK, replacement: MEETING_OF_FEEDBACK.replace('silent && ', '') },
    ],
  },
  {
    name: 'identity of feedback across topics',
    changes: [
      {
        file: FEEDBACK,
        text: SAME_TOPIC,
        replacement: 'if (this.topic(at) !== topic && !this.isSame(at, feedback, action, slot)) continue;',
      },
    ],
  },
  {
    name: 'limit of feedback across topics',
    changes: [
      {
        file: FEEDBACK,
        text: SAME_TOPIC,
        replacement: 'if (this.topic(at) !== topic) { ofTopic++; continue; }',
      },
    ],
  },
  {
    name: 'latest instead of first impression',
    changes: [
      { file: JOIN, text: 'for (let i = fits - 1; i >= 0; i--) {', replacement: 'for (let i = 0; i < fits; i++) {' },
    ],
  },
  {
    name: 'closing by offset instead of time',
    changes: [
      { file: TIMELINE, text: 'const at = this.#at;', replacement: 'const at = this.#at; const batch = [];' },
      {
        file: TIMELINE,
        text: 'if (!(time <= to)) return;',
        replacement: `if (!(time <= to)) {
          batch.sort((a, b) => this.#logOrder(a[0], b[0]) || a[2] - b[2]);
          for (const [handle, horizon, closed, body] of batch) visit(body, horizon, closed, handle);
          return;
        }`,
      },
      {
        file: TIMELINE,
        text: 'visit(body, next, time, handle);',
        replacement: 'batch.push([handle, next, time, body]);',
      },
    ],
  },
  {
    name: 'closings of one time by horizon instead of offset',
    changes: [
      {
        file: TIMELINE,
        text: 'this.#logOrder(this.#handle[h], this.#handle[next]) < 0',
        replacement: 'h < next',
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
        text: 'if (!silent) counts.drops.future++;',
        replacement: 'if (!silent) counts.drops.future++; raised = Math.max(raised, event.ts - this.#outOfOrderness);',
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
    changes: [{ file: JOIN, text: 'at > this.#decidedUpTo && ', replacement: '' }],
  },
  {
    name: 'drops by deadline counted again by the replay',
    changes: [{ file: JOIN, text: 'if (deadline <= this.#decidedUpTo) return;', replacement: '' }],
  },
  {
    name: 'pages of one request are duplicates of each other',
    changes: [{ file: ACCEPTED, text: SAME_PAGE, replacement: '' }],
  },
];
