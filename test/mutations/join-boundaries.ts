/** Every boundary and order in the join's table of judgement, moved by one: each must be caught. */
import type { Mutation } from './mutation.ts';

const JOIN = 'consumers/join/join.ts';
const ACCEPTED = 'consumers/join/accepted-impressions.ts';
const TOPIC = 'consumers/join/topic.ts';
const WAITING = 'consumers/join/waiting.ts';
const LISTS = 'consumers/join/joined-lists.ts';

const FITS_WAITING = 'if (lag < -this.#backward || lag >= this.#attribution) return;';
const FITS_FEEDBACK = 'if (lag >= -this.#backward && lag < this.#attribution) found[n++] = at;';

function inJoin(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: JOIN, text, replacement }] };
}

function inAccepted(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: ACCEPTED, text, replacement }] };
}

export const BOUNDARY_MUTATIONS: readonly Mutation[] = [
  inJoin(
    'an impression at its longest horizon is in time',
    'if (watermark >= ts + attribution) {',
    'if (watermark > ts + attribution) {',
  ),
  inAccepted(
    'impressions H apart are duplicates',
    'if (Math.abs(ts - records.ts(at)) < this.#attribution) break;',
    'if (Math.abs(ts - records.ts(at)) <= this.#attribution) break;',
  ),
  inJoin('feedback at its deadline is in time', 'if (watermark >= deadline) {', 'if (watermark > deadline) {'),
  inJoin(
    'feedback for an impression at its longest horizon is in time',
    'return watermark >= this.#impressions.ts(entry) + this.#attribution;',
    'return watermark > this.#impressions.ts(entry) + this.#attribution;',
  ),
  inJoin('feedback that waited fits at H', FITS_WAITING, FITS_WAITING.replace('>=', '>')),
  inJoin('feedback that waited does not fit at -b', FITS_WAITING, FITS_WAITING.replace('<', '<=')),
  inAccepted('feedback after its impression fits at H', FITS_FEEDBACK, FITS_FEEDBACK.replace('lag <', 'lag <=')),
  inAccepted('feedback after its impression does not fit at -b', FITS_FEEDBACK, FITS_FEEDBACK.replace('>=', '>')),
  inJoin(
    'an event at a shorter horizon is in time',
    'watermark >= ts + this.#horizons[h]; h++',
    'watermark > ts + this.#horizons[h]; h++',
  ),
  inJoin('feedback at the end of a horizon counts', 'lag >= this.#horizons[h]; h++', 'lag > this.#horizons[h]; h++'),
  inJoin(
    'an event at the future skew is future',
    'event.ts > timestamp + this.#futureSkew',
    'event.ts >= timestamp + this.#futureSkew',
  ),
  {
    name: 'a record at the future skew of the wall clock is future',
    changes: [{ file: TOPIC, text: 'timestamp <= latest', replacement: 'timestamp < latest' }],
  },
  {
    name: 'waiting feedback outlives its deadline',
    changes: [{ file: WAITING, text: 'deadline <= until;', replacement: 'deadline < until;' }],
  },
  inJoin(
    'the record at the committed offset is silent',
    'const silent = offset < t.committed;',
    'const silent = offset <= t.committed;',
  ),
  inJoin('refused records are counted again by the replay', 'if (offset >= t.committed) {', 'if (offset >= 0) {'),
  inJoin(
    'late is told with missed horizons that the event lies beyond',
    'countLate(counts.late, late & ~out);',
    'countLate(counts.late, late);',
  ),
  inJoin('missed horizons of an impression close', ' && (records.missed(body) & (1 << horizon)) === 0', ''),
  {
    name: 'missed horizons of feedback close',
    changes: [{ file: LISTS, text: 'if ((attributed.missed(at) & (1 << horizon)) !== 0) continue;', replacement: '' }],
  },
  inJoin(
    'a feedback limit one too high',
    'if (ofTopic >= this.#feedbackLimit) {',
    'if (ofTopic > this.#feedbackLimit) {',
  ),
  {
    name: 'feedback in the order of meeting instead of the topics',
    changes: [
      {
        file: LISTS,
        text: 'if (this.#feedbackTopics.length === 1) this',
        replacement: 'if (this.#feedbackTopics.length > 0) this',
      },
    ],
  },
  {
    name: 'waiting feedback meets its impression newest first',
    changes: [
      {
        file: WAITING,
        text: 'for (let i = 0, j = n - 1; i < j; i++, j--) {',
        replacement: 'for (let i = 0, j = 0; i < j; i++, j--) {',
      },
    ],
  },
  {
    name: 'wall-clock verdicts below the position are let go',
    changes: [
      {
        file: TOPIC,
        text: 'clockDrops: this.#clockDrops.ranges(replay),',
        replacement: 'clockDrops: this.#clockDrops.ranges(this.position),',
      },
    ],
  },
  {
    name: 'idle advances below the position are let go',
    changes: [
      {
        file: TOPIC,
        text: 'this.#idleAdvances.filter((advance) => advance.before >= replay)',
        replacement: 'this.#idleAdvances.filter((advance) => advance.before >= this.position)',
      },
    ],
  },
  {
    name: 'of two idle advances at one offset the first is kept',
    changes: [
      {
        file: TOPIC,
        text: 'all.push({ before: this.position, watermark });',
        replacement:
          'if (all[all.length - 1]?.before !== this.position) all.push({ before: this.position, watermark });',
      },
      {
        file: TOPIC,
        text: 'if (all.length > 0 && all[all.length - 1].before === this.position) all.pop();',
        replacement: '',
      },
    ],
  },
  inJoin(
    'a record sees its own events',
    "if (event.kind === 'impression') this.#judgeImpression(event, from, watermark);",
    "if (event.kind === 'impression') this.#judgeImpression(event, from, Math.max(watermark, raised));",
  ),
  {
    name: 'what a replay needs is never let go',
    changes: [{ file: TOPIC, text: 'this.notes.forget(watermark);', replacement: '' }],
  },
];
