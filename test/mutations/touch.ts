/** Which list takes feedback without the id of its list (specification: join 10.1, 10.3), with one rule weakened. */
import { change } from './mutation.ts';

const TOUCH = 'consumers/join/touch.ts';
const mutation = (name: string, text: string, replacement: string) => change(name, TOUCH, text, replacement);

export const TOUCH_MUTATIONS = [
  mutation('lists that come too late are taken', 'list.watermark <= ts + backward && ', ''),
  mutation(
    'a list at the watermark comes too late',
    'list.watermark <= ts + backward',
    'list.watermark < ts + backward',
  ),
  mutation('feedback does not wait for lists', 'held.waitsFor >= this.#shownIn.read && ', 'false && '),
  mutation(
    'feedback is decided one moment early',
    'held.waitsFor >= this.#shownIn.read',
    'held.waitsFor > this.#shownIn.read',
  ),
  mutation(
    'feedback does not wait for backward',
    'Math.max(waitsFor, event.ts + this.#settings.backward)',
    'Math.max(waitsFor, event.ts)',
  ),
  mutation('feedback is not looked for before its list', 'countUpTo(lists, ts + backward)', 'countUpTo(lists, ts)'),
  mutation(
    'a list takes feedback at its longest horizon',
    'countUpTo(lists, ts - this.#window)',
    'countUpTo(lists, ts - this.#window - 1)',
  ),
  mutation('the other touch', "touch === 'last' ?", "touch === 'first' ?"),
  mutation('late lists are candidates', 'watermark >= ts + this.#window || ', ''),
  mutation(
    'repeated lists are candidates',
    ' || this.#isRepeated(impression)',
    ' || (this.#isRepeated(impression) && false)',
  ),
  mutation('only the first of a list makes duplicates', 'times.push(ts);', 'if (!isRepeated) times.push(ts);'),
  mutation('pages of a request are one', 'pageOffset} $', '0} $'),
  mutation(
    'late feedback is looked at',
    'if (watermark >= feedback.ts + this.#settings.backward + this.#window) return NO_ID;',
    '',
  ),
  mutation(
    'late without backward',
    'watermark >= feedback.ts + this.#settings.backward + this.#window',
    'watermark >= feedback.ts + this.#window',
  ),
  mutation(
    'an id of its own is replaced',
    "event.kind === 'feedback' && event.requestId === NO_ID\n",
    "event.kind === 'feedback'\n",
  ),
  mutation(
    'future records move time',
    'isFuture ? Number.NEGATIVE_INFINITY : newest - this.#settings.outOfOrderness',
    'newest - this.#settings.outOfOrderness',
  ),
  mutation('lists of future records are candidates', 'isFuture ? [] : events', 'events'),
  mutation('what is left out moves no time', 'Math.max(newestOf(events), newestOf(excluded))', 'newestOf(events)'),
  mutation(
    'a list sees the watermark behind its record',
    'this.#show(event, line.read)',
    'this.#show(event, Math.max(line.read, passes))',
  ),
  mutation(
    'lists of equal times are in any order',
    'lists.splice(countUpTo(lists, list.ts), 0, list)',
    'lists.splice(countUpTo(lists, list.ts - 1), 0, list)',
  ),
  mutation(
    'no list is taken for an item that none holds',
    'this.#candidates(shown?.lists, feedback)[0]?.requestId ?? NO_ID',
    'NO_ID',
  ),
  mutation(
    'lists are forgotten after the window',
    'this.#remembered = 2 * this.#window + settings.backward;',
    'this.#remembered = this.#window;',
  ),
  mutation('lists are forgotten by what was read', 'line.first === undefined ? line.read : line.judged', 'line.read'),
  mutation('pages count as several lists', ' && list.requestId !== found[0]?.requestId', ''),
];
