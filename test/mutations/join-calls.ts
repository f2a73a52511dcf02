/** What a join tells in another order, at another time or once more, and what it says wrongly of itself: each must be caught. */
import { change, type Mutation } from './mutation.ts';

const JOIN = 'consumers/join/join.ts';
const RULES = '../wasm/engine/rules.ts';
const TIMELINE = '../wasm/engine/timeline.ts';
const DEADLINES = '../wasm/engine/deadlines.ts';

const TAG = 'body(bodyAt).tag = tagOf(unit);';
const MEET =
  'for (let i: u32 = 0; i < candidates.count; i++) meetWaiting(unit, itemOf(candidates, i), entryAt, bodyAt, isReplayed);';
const UNREF = 'else if (unit.hasNames) unref(tag);';
const DROPPED = 'dropped(<u32>reason, isOpen ? entryAt : NO_LIST, changetype<usize>(event));';
const COUNT_DROP = 'countFeedback(countsOf(unit, topic), unit.horizons, reason);';
const FOUND = 'if (unit.hasObserver) found(changetype<usize>(event));';
const ATTRIBUTE = 'attribute(unit, topic, event, watermark, entryAt, bodyAt, slot, isReplayed);';
const DELAY = 'addDelay(unit.delays, delayBoundsOf(unit), unit.delayBounds, lag);';
const OLDEST = 'sliceAt(timeline, timeline.first).key * timeline.sliceMs;';
const IS_PAST = '.key + 1) * timeline.sliceMs <= until';

export const CALL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'lists are released after all closings of an advance',
    changes: [
      { file: RULES, text: UNREF, replacement: 'else if (unit.hasNames) push(released, <usize>tag);' },
      {
        file: RULES,
        text: 'flush(unit.adder);',
        replacement:
          'flush(unit.adder);\n  for (let i: u32 = 0; i < released.count; i++) unref(<u32>itemOf(released, i));\n  released.count = 0;',
      },
      { file: RULES, text: 'candidates = newList();', replacement: 'candidates = newList();\n  released = newList();' },
      {
        file: RULES,
        text: 'let candidates: List = changetype<List>(0);',
        replacement: 'let candidates: List = changetype<List>(0);\nlet released: List = changetype<List>(0);',
      },
      {
        file: RULES,
        text: "import { itemOf, List, newList } from './list';",
        replacement: "import { itemOf, List, newList, push } from './list';",
      },
    ],
  },
  {
    name: 'a list is accepted after what waited has met it',
    changes: [
      { file: RULES, text: TAG, replacement: '' },
      { file: RULES, text: MEET, replacement: `${MEET}\n  ${TAG}` },
    ],
  },
  change('feedback is settled before lists close', RULES, 'beginAdding();\n', 'settle(unit, to);\n  beginAdding();\n'),
  change(
    'feedback is not settled in the order of deadlines',
    DEADLINES,
    'if (place > 0 && deadline < dueAt(deadlines, (place - 1) >>> 1).deadline) up(deadlines, place, deadline, record);\n    else down',
    'down',
  ),
  change('a drop is told twice', RULES, DROPPED, `${DROPPED}\n  ${DROPPED}`),
  change(
    'a drop is told again by a replay',
    RULES,
    `if (isReplayed) return;\n  ${COUNT_DROP}`,
    `if (!isReplayed) ${COUNT_DROP}`,
  ),
  change('a drop names a list that has closed', RULES, 'isOpen ? entryAt : NO_LIST', 'entryAt'),
  change('a drop does not name its list', RULES, 'isOpen ? entryAt : NO_LIST', 'NO_LIST'),
  change('a drop of what waited names a record', JOIN, 'this.#judgesFeedback ? place : undefined', 'place'),
  change(
    'feedback strays again in a replay, though its list has closed',
    RULES,
    ' || entry(entryAt).ts() + unit.attribution <= unit.decidedUpTo',
    '',
  ),
  change(
    'feedback strays from the last list that it fits',
    RULES,
    'stray(unit, itemOf(candidates, candidates.count - 1), feedbackEvent)',
    'stray(unit, itemOf(candidates, 0), feedbackEvent)',
  ),
  change(
    'feedback that comes does not stray',
    RULES,
    'if (candidates.count > 0) stray',
    'if (candidates.count > 1) stray',
  ),
  change(
    'feedback that waits does not stray',
    RULES,
    'if (slot < 0) {\n    stray(unit, entryAt, event);',
    'if (slot < 0) {',
  ),
  change('feedback is found after its drop', RULES, `${FOUND}\n  ${ATTRIBUTE}`, `${ATTRIBUTE}\n  ${FOUND}`),
  change(
    'feedback is found by a list that it is late for',
    RULES,
    'if (isLateFor(unit, entryAt, watermark)) {\n    drop(unit, topic, FEEDBACK_LATE, isReplayed, entryAt, event);',
    `if (isLateFor(unit, entryAt, watermark)) {\n    ${FOUND}\n    drop(unit, topic, FEEDBACK_LATE, isReplayed, entryAt, event);`,
  ),
  change('feedback is not found in a replay', RULES, FOUND, FOUND.replace('unit.has', '!isReplayed && unit.has')),
  change(
    'feedback waits again in a replay',
    JOIN,
    'if (!isReplayed && this.waitingFeedback > waited)',
    'if (this.waitingFeedback > waited)',
  ),
  ...['duplicate', 'late'].map((why) =>
    change(
      `an impression is ${why} again in a replay`,
      JOIN,
      `if (!isReplayed) this.#observer?.notTaken?.('${why}'`,
      `this.#observer?.notTaken?.('${why}'`,
    ),
  ),
  change(
    'a replay adds delays again',
    RULES,
    `countFeedback(countsOf(unit, topic), unit.horizons, ATTRIBUTED);\n    ${DELAY}\n    countLateFeedback(countsOf(unit, topic), unit.horizons, late & ~out);\n  }`,
    `countFeedback(countsOf(unit, topic), unit.horizons, ATTRIBUTED);\n    countLateFeedback(countsOf(unit, topic), unit.horizons, late & ~out);\n  }\n  ${DELAY}`,
  ),
  change('impressions are remembered for a slice more', TIMELINE, IS_PAST, IS_PAST.replace('1', '2')),
  change('impressions are remembered for a slice less', TIMELINE, IS_PAST, IS_PAST.replace('1', '0')),
  change('the oldest is told as the end of its slice', TIMELINE, OLDEST, `${OLDEST.slice(0, -1)} + timeline.sliceMs;`),
  change('the oldest is told as the newest', TIMELINE, OLDEST, OLDEST.replace('timeline.first', 'timeline.end - 1')),
];
