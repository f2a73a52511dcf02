import { describe, expect, it } from 'vitest';
import { createJoin } from '../../../src/consumers/join/join.ts';
import { impression, TWO_TOPICS } from '../../reference/builders.ts';
import { Collector } from './closings.ts';

const H = 10_000;

describe('a duplicate makes further records duplicates', () => {
  it.each([1, 10, 253, 254, 255, 256, 257, 300, 511, 512])(
    'when it is the last that is remembered, after %i others of its request that are forgotten',
    (others) => {
      const engine = createJoin(TWO_TOPICS, new Collector(TWO_TOPICS));
      let offset = 0;
      const show = (ts: number): void => engine.record(0, offset++, undefined, [impression(ts)], undefined);
      for (let n = 0; n <= others; n++) show(1000);
      show(1000 + H - 1);
      for (const topic of [0, 1]) engine.idle(topic, 1100 + 2 * H);
      engine.advance();
      show(1000 + 2 * (H - 1));
      const { accepted, drops } = engine.counts[0].impressions;
      expect([accepted, drops.duplicate]).toEqual([1, others + 2]);
      engine.close();
    },
  );
});
