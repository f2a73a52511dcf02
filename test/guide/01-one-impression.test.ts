/** Chapter 1: one list, one click, one number. */
import { expect, it } from 'vitest';
import { createJoin } from '../../src/consumers/join/join.ts';
import { SCORE_WIDTH } from '../../src/measures/sums.ts';
import { bytes, decoderOf, EIGHT, JOIN, onClosing, ROLES, SCORER } from './shop.ts';

it('an impression and a click are decoded, joined, closed and scored', () => {
  // Decode: bytes in, events out. Three shoes were shown; seven seconds later the second one was clicked.
  const shown = decoderOf(ROLES[0]).decode(
    bytes({ requestId: 'r1', ts: '2026-11-21T08:00:00Z', cohorts: { country: 'DE' }, items: ['red', 'blue', 'green'] }),
    'impressions:0',
    0,
  );
  const clicked = decoderOf(ROLES[1]).decode(
    bytes({ requestId: 'r1', itemId: 'blue', ts: EIGHT + 7_000, action: 'click' }),
    'feedback:0',
    0,
  );
  if (!('events' in shown) || !('events' in clicked)) throw new Error('both records are valid');
  expect(shown.events).toMatchObject([{ kind: 'impression', requestId: 'r1', ts: EIGHT, dimensions: ['DE'] }]);
  expect(clicked.events).toMatchObject([{ kind: 'feedback', itemId: 'blue', action: 'click' }]);

  // Join: the engine holds the list open until both topics have passed its horizon.
  const out = new Float64Array(SCORE_WIDTH); // state, value and what else one measure has of a list
  const scored: string[] = [];
  const join = createJoin(
    JOIN,
    onClosing(({ horizon, list }) => {
      const positive = SCORER.score(list, out);
      scored.push(`horizon ${horizon}: ${list.length} slots, ${list.events} event, ${positive}, mrr ${out[1]}`);
    }),
  );
  join.record(0, 0, EIGHT, shown.events, undefined);
  join.record(1, 0, EIGHT + 7_000, clicked.events, undefined);
  join.advance();
  expect(scored).toEqual([]); // the minute is not over
  expect(join.openImpressions).toBe(1);

  // Close: nothing more comes. When the watermarks pass 08:01:00 and 08:05:00, the list is graded, for good.
  for (const topic of [0, 1]) join.idle(topic, EIGHT + 300_000);
  join.advance();

  // Score: the click is at rank 2, so the reciprocal rank is 1/2, after one minute and after five.
  expect(scored).toEqual(['horizon 0: 3 slots, 1 event, true, mrr 0.5', 'horizon 1: 3 slots, 1 event, true, mrr 0.5']);
  expect(join.openImpressions).toBe(0);
});
