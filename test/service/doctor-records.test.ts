import { describe, expect, it } from 'vitest';
import type { SampledRecord } from '../../src/consumers/source/kafka-sample.ts';
import { judgeRecords } from '../../src/service/doctor-records.ts';
import { serviceDecoders } from '../../src/service/settings.ts';
import { load } from '../config/fixture.ts';

const NOW = Date.parse('2026-11-21T09:00:00Z');
const AT = NOW - 60_000;
const settings = load('');
const impression = { requestId: 'r', ts: AT, items: ['a', 'b'] };
const click = { requestId: 'r', ts: AT, itemId: 'a', action: 'click' };

/** What is said of topics of two partitions that hold these records. */
function told(topics: { readonly impressions: readonly object[]; readonly feedback: readonly object[] }) {
  const records = (['impressions', 'feedback'] as const).flatMap((topic) =>
    topics[topic].map(
      (event, offset): SampledRecord => ({
        topic,
        partition: 0,
        offset,
        timestamp: AT,
        hasKey: true,
        value: Buffer.from(JSON.stringify(event)),
      }),
    ),
  );
  const sample = { records, refused: [], complete: true };
  return judgeRecords(settings, 2, sample, serviceDecoders(settings), NOW).map(
    ({ level, check, message }) => `${level} ${check}: ${message}`,
  );
}

describe('a batch that cannot be decoded', () => {
  const refused = [{ topic: 'feedback', partition: 1, from: 5, to: 8, reason: 'codec 7 is unknown' }];
  const told = (yaml: string) =>
    judgeRecords(load(yaml), 2, { records: [], refused, complete: true }, serviceDecoders(settings), NOW).filter(
      ({ message }) => message.includes('cannot be decoded'),
    );

  it.each([
    ['', 'error', 'RecevalCodecFailure', 'receval skip --partition 1 --topic feedback --to 8'],
    ['start: {onUndecodable: skip}', 'warning', 'RecevalUndecodable', 'counted as undecodable'],
  ])('is judged by start.onUndecodable: "%s"', (yaml, level, alert, advice) => {
    const [found, ...more] = told(yaml);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ level, message: expect.stringContaining(advice) });
    expect(JSON.stringify(found)).toContain(alert);
    expect(found.message).toContain('offsets 5 to 7');
  });
});

describe('the sampled records', () => {
  it('of topics that are as configured, in one partition, are fine', () => {
    expect(told({ impressions: [impression], feedback: [click] })).toEqual([
      'ok records: impressions: all 1 sampled records can be read',
      'ok records: feedback: all 1 sampled records can be read',
      'ok keys: 100 % of 1 sampled feedback events lie in the partition of their impression',
    ]);
  });

  it('of swapped topics say that the names may be the wrong way round', () => {
    const [impressions, feedback, keys] = told({ impressions: [click], feedback: [impression] });
    for (const one of [impressions, feedback]) {
      expect(one).toMatch(
        /^error records: .*\(wrong_kind 1\).* Are the names of kafka\.topics the wrong way round, or /,
      );
    }
    expect(keys).toMatch(/^warning keys: no sampled record can be read as feedback, /);
  });

  it('of another form ask for the producer or the adapter, with their numbers', () => {
    const strange = Array.from({ length: 1200 }, () => ({ requestId: 'r', items: 'a' }));
    const [impressions, , keys] = told({ impressions: strange, feedback: [click] });
    expect(impressions).toMatch(
      /^error records: impressions: 1,200 of 1,200 sampled .*Mend the producer, or set the adapter/,
    );
    expect(keys).toMatch(/^warning keys: no sampled record can be read as impression, /);
  });

  it('that belong to other requests cannot be compared', () => {
    const [, , keys] = told({ impressions: [impression], feedback: [{ ...click, requestId: 'other' }] });
    expect(keys).toMatch(/^warning keys: none of 1 sampled feedback events belongs to one of 1 sampled requests/);
  });
});
