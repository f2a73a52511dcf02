import { expect, test } from 'vitest';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { createJoin } from '../../src/consumers/join/join.ts';
import { type Expectation, expectation } from '../../src/simulate/expectation.ts';
import { type FaultRates, OUT_OF_ORDERNESS, USUAL_FAULTS } from '../../src/simulate/simulation-settings.ts';
import { Traffic } from '../../src/simulate/traffic.ts';
import { settings } from './reading.ts';

const TOPICS = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
] as const;
const TOPIC = { impressions: 0, feedback: 1 } as const;

/** Runs traffic through the decoder and the join. @param stamped false: records have no timestamp, as in a file */
function counted(faults: FaultRates, stamped: boolean): { readonly counted: object; readonly expected: Expectation } {
  const traffic = new Traffic(settings({ faults, events: 40_000, rate: 10 }));
  const join = createJoin(
    {
      topics: TOPICS,
      horizons: [60_000, 300_000, 1_800_000],
      outOfOrderness: OUT_OF_ORDERNESS,
      backward: 0,
      futureSkew: 300_000,
      feedbackPerImpression: 1000,
      actions: ['click'],
    },
    { accepted: () => 0, unref: () => {}, closed: () => {} },
  );
  const decoders = TOPICS.map((role) =>
    createDecoder({
      adapter: 'canonical',
      role,
      dimensions: ['variant', 'country'],
      itemsPerList: 1000,
      impressionBytes: 1_000_000,
      feedbackBytes: 100_000,
      tsUnit: 'ms',
      positionBase: 1,
    }),
  );
  for (const record of traffic) {
    const topic = TOPIC[record.topic];
    const offset = join.position(topic);
    const decoded = decoders[topic].decode(Buffer.from(record.value), record.topic, offset);
    if ('refused' in decoded && decoded.refused === 'unmapped') throw new Error('no traffic is written for maps');
    if ('refused' in decoded) join.refused(topic, offset, decoded.side, decoded.refused);
    else join.record(topic, offset, stamped ? record.at : undefined, decoded.events, undefined);
  }
  for (const topic of [0, 1]) join.idle(topic, traffic.plan.start + 1e9);
  join.advance();
  const [{ impressions }, { feedback }] = join.counts;
  return { counted: { impressions, feedback }, expected: expectation(traffic.plan) };
}

const MANY: FaultRates = { ...USUAL_FAULTS, late: 0.05, duplicate: 0.05, orphan: 0.05, malformed: 0.05 };

test('the decoder and the join count what the plan expects', () => {
  for (const faults of [USUAL_FAULTS, { ...MANY, clockAhead: 0.05 }]) {
    const { counted: found, expected } = counted(faults, true);
    expect(found).toMatchObject(expected);
  }
});

test('in files, which keep no time of arrival, they do so while no clock is ahead', () => {
  const { counted: found, expected } = counted({ ...MANY, clockAhead: 0 }, false);
  expect(found).toMatchObject(expected);
});
