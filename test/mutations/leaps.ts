/** Weakened rules of leaps (specification: join 2.3): each must be caught. */
import { change, type Mutation } from './mutation.ts';

const LEAPS = 'consumers/join/leaps.ts';
const TOPIC = 'consumers/join/topic.ts';
const CONFIRMED_BEFORE = 'if (position <= this.committed) return;';

export const LEAP_MUTATIONS: readonly Mutation[] = [
  change('one record leaps', TOPIC, 'position <= this.#leapsFrom) {', 'position > this.#leapsFrom) {'),
  change(
    'a record at its reach leaps',
    TOPIC,
    'raised - this.watermark > this.#reach',
    'raised - this.watermark >= this.#reach',
  ),
  change('records without a timestamp leap', TOPIC, 'if (hasTimestamp && raised', 'if (raised'),
  change('leaps that wait are forgotten by a new owner', TOPIC, '[...(from?.leaps?.levels ?? [])]', '[]'),
  change('a replay confirms again', TOPIC, CONFIRMED_BEFORE, ''),
  change(
    'what was confirmed is not recorded',
    TOPIC,
    'if (confirmed > watermark) this.#advance(confirmed);',
    'if (confirmed > watermark) this.#raise(confirmed);',
  ),
  change(
    'time that goes on forgets nothing',
    TOPIC,
    'if (this.position > this.committed) this.#state[TOPIC_STATE.leaps] = 0;',
    '',
  ),
  change('a replay forgets what waits', TOPIC, 'if (this.position > this.committed) this.#state', 'this.#state'),
  change(
    'silence forgets nothing',
    TOPIC,
    'this.#advance(watermark);\n    this.#state[TOPIC_STATE.leaps] = 0;',
    'this.#advance(watermark);',
  ),
  change('a later record contradicts nothing', LEAPS, 'levels[levels.length - 1] > raised + reach', 'false'),
  change('a contradiction begins at the reach', LEAPS, '> raised + reach', '>= raised + reach'),
  change('a batch confirms', LEAPS, '+ reach / 2', ''),
  change('three are enough', LEAPS, 'levels.length <= CONFIRMING', 'levels.length < CONFIRMING'),
  change('of what is confirmed only the first counts', LEAPS, 'levels[0] <= confirmed + reach', 'false'),
];

/** Of what a crash or another owner must not change: the simulator catches these as well. */
export const SIMULATED_LEAPS: readonly string[] = [
  'one record leaps',
  'leaps that wait are forgotten by a new owner',
  'a replay confirms again',
  'what was confirmed is not recorded',
];
