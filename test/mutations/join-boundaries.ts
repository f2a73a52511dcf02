/** Every boundary and order in the join's table of judgement, moved by one: each must be caught. */
import type { Mutation } from './mutation.ts';

const JOIN = 'consumers/join/join.ts';
const TOPIC = 'consumers/join/topic.ts';
const RULES = '../wasm/engine/rules.ts';
const ACCEPTED = '../wasm/engine/accepted.ts';
const WAITING = '../wasm/engine/waiting.ts';
const CLOSING = '../wasm/engine/closing.ts';

const FITS_WAITING = 'if (lag < -unit.backward || lag >= unit.attribution) return;';
const FITS_FEEDBACK = 'if (lag >= -all.backward && lag < all.attribution) push(found, at);';

function inJoin(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: JOIN, text, replacement }] };
}

function inRules(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: RULES, text, replacement }] };
}

function inAccepted(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: ACCEPTED, text, replacement }] };
}

export const BOUNDARY_MUTATIONS: readonly Mutation[] = [
  inRules(
    'an impression at its longest horizon is in time',
    'if (watermark >= ts + unit.attribution) {',
    'if (watermark > ts + unit.attribution) {',
  ),
  inAccepted(
    'impressions H apart are duplicates',
    'if (Math.abs(ts - entry(at).ts()) < all.attribution) break;',
    'if (Math.abs(ts - entry(at).ts()) <= all.attribution) break;',
  ),
  inRules('feedback at its deadline is in time', 'if (watermark >= deadline) {', 'if (watermark > deadline) {'),
  inRules(
    'feedback for an impression at its longest horizon is in time',
    'return watermark >= entry(entryAt).ts() + unit.attribution;',
    'return watermark > entry(entryAt).ts() + unit.attribution;',
  ),
  inRules('feedback that waited fits at H', FITS_WAITING, FITS_WAITING.replace('>=', '>')),
  inRules('feedback that waited does not fit at -b', FITS_WAITING, FITS_WAITING.replace('<', '<=')),
  inAccepted('feedback after its impression fits at H', FITS_FEEDBACK, FITS_FEEDBACK.replace('lag <', 'lag <=')),
  inAccepted('feedback after its impression does not fit at -b', FITS_FEEDBACK, FITS_FEEDBACK.replace('>=', '>')),
  inRules(
    'an event at a shorter horizon is in time',
    'watermark >= ts + horizonOf(unit, h); h++',
    'watermark > ts + horizonOf(unit, h); h++',
  ),
  inRules('feedback at the end of a horizon counts', 'lag >= horizonOf(unit, h); h++', 'lag > horizonOf(unit, h); h++'),
  inJoin(
    'an event at the future skew is future',
    'event.ts > timestamp + this.#fedWith.futureSkew',
    'event.ts >= timestamp + this.#fedWith.futureSkew',
  ),
  {
    name: 'a record at the future skew of the wall clock is future',
    changes: [{ file: TOPIC, text: 'timestamp <= latest', replacement: 'timestamp < latest' }],
  },
  {
    name: 'waiting feedback outlives its deadline',
    changes: [{ file: RULES, text: 'deadline <= until;', replacement: 'deadline < until;' }],
  },
  inJoin(
    'the record at the committed offset is replayed',
    'const isReplayed = offset < t.committed;',
    'const isReplayed = offset <= t.committed;',
  ),
  inJoin('refused records are counted again by the replay', 'if (offset >= t.committed) {', 'if (offset >= 0) {'),
  inJoin(
    'records that no map is for are counted again by the replay',
    'if (offset >= committed) {',
    'if (offset >= 0) {',
  ),
  inRules(
    'late is told with missed horizons that the event lies beyond',
    'unit.horizons, late & ~out);',
    'unit.horizons, late);',
  ),
  inRules('missed horizons of an impression close', ' && !missed(bodyAt, entryAt, horizon)', ''),
  {
    name: 'missed horizons of feedback close',
    changes: [{ file: CLOSING, text: 'return (event.missed() & (1 << horizon)) !== 0;', replacement: 'return false;' }],
  },
  inRules(
    'a feedback limit one too high',
    'if (<u32>ofTopic >= unit.feedbackLimit) {',
    'if (<u32>ofTopic > unit.feedbackLimit) {',
  ),
  {
    name: 'feedback in the order of meeting instead of the topics',
    changes: [
      {
        file: RULES,
        text: 'if (unit.feedbackTopics === 1) put',
        replacement: 'if (unit.feedbackTopics > 0) put',
      },
    ],
  },
  {
    name: 'waiting feedback meets its impression newest first',
    changes: [
      {
        file: WAITING,
        text: 'reverse(found);',
        replacement: '',
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
    "if (event.kind === 'impression') this.#judgeImpression(t, event, watermark);",
    "if (event.kind === 'impression') this.#judgeImpression(t, event, Math.max(watermark, raised));",
  ),
  {
    name: 'what a replay needs is never let go',
    changes: [{ file: TOPIC, text: 'this.notes.forget(watermark);', replacement: '' }],
  },
];
