/** Weakened rules of leaps (specification: join 2.3): each must be caught. */
import { change, type Mutation } from './mutation.ts';

const LEAPS = 'consumers/join/leaps.ts';
const TOPIC = 'consumers/join/topic.ts';

const IN_REPLAY = '} else if (position > this.committed) {';
const AGAINST = 'if (position > this.committed) this.#leaps.contradict();';

export const LEAP_MUTATIONS: readonly Mutation[] = [
  change('one record leaps', TOPIC, 'position <= this.#leapsFrom) {', 'position > this.#leapsFrom) {'),
  {
    name: 'a record at its reach leaps',
    changes: [
      { file: TOPIC, text: 'by > this.#reach ||', replacement: 'by >= this.#reach ||' },
      { file: TOPIC, text: 'raised - watermark > this.#reach', replacement: 'raised - watermark >= this.#reach' },
    ],
  },
  change('records without a timestamp leap', TOPIC, 'if (hasTimestamp && (by', 'if ((by'),
  change(
    'leaps that wait are forgotten by a new owner',
    TOPIC,
    'new Leaps(reach, from?.leaps?.levels)',
    'new Leaps(reach)',
  ),
  change('a replay confirms again', TOPIC, IN_REPLAY, '} else {'),
  change('a replay contradicts again', TOPIC, AGAINST, 'this.#leaps.contradict();'),
  change(
    'what was confirmed is not recorded',
    TOPIC,
    'this.#advance(confirmed);',
    'this.#state[TOPIC_STATE.watermark] = confirmed;',
  ),
  change('time that goes on contradicts nothing', TOPIC, AGAINST, ''),
  change('only what is ahead contradicts', TOPIC, 'by >= -this.#reach', 'by > 0'),
  change('silence forgets nothing', TOPIC, 'this.#leaps.clear();', ''),
  change('one contradiction is enough', LEAPS, '--top.votes === 0', 'true'),
  change('a lower leap contradicts nothing', LEAPS, 'raised < levels[levels.length - 1].raised - reach', 'false'),
  change('a leap further on is of the same line', LEAPS, 'raised > top.raised + reach', 'false'),
  change('nobody speaks for a leap', LEAPS, 'top.votes++;', ''),
  change('a batch confirms', LEAPS, 'if (raised < top.raised + reach / 2) return', 'if (raised < top.raised) return'),
  change('three are enough', LEAPS, 'CONFIRMING = 4', 'CONFIRMING = 3'),
  change(
    'of what is confirmed only the first counts',
    LEAPS,
    'levels[count].raised <= levels[count - 1].raised + this.#reach',
    'false',
  ),
];

/** Of what a crash or another owner must not change: the simulator catches these as well. */
export const SIMULATED_LEAPS: readonly string[] = [
  'one record leaps',
  'leaps that wait are forgotten by a new owner',
  'a replay confirms again',
  'what was confirmed is not recorded',
];
