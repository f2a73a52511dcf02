import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventSample, tailHash } from '../../src/findings/event-sample.ts';

/** Ids as systems make them. */
const uuid = fc.uuid();
const numbered = fc.tuple(fc.constantFrom('req', 'r', 'q'), fc.nat(1_000_000)).map(([word, n]) => `${word}-${n}`);
const hex = fc.stringMatching(/^[0-9a-f]{16}$/);
const idsOf = fc.oneof(uuid, numbered, hex);
const part = fc.constantFrom('web:', 'ios/', 'x_', 'tenant-');

describe('the hash by which events are sampled', () => {
  it('is the same with anything before the id, in any case, with .0 behind it', () => {
    fc.assert(
      fc.property(idsOf, part, (id, more) => {
        const hash = tailHash(id);
        expect(tailHash(id.toUpperCase())).toBe(hash);
        expect(tailHash(`{${id}}`)).toBe(hash);
        if (/[^a-z0-9]/i.test(id) || id.length >= 8) expect(tailHash(`${more}${id}`)).toBe(hash);
      }),
    );
    expect(tailHash('17.0')).toBe(tailHash('17'));
    expect(tailHash('170')).not.toBe(tailHash('17'));
    expect(tailHash('r17')).toBe(tailHash('17'));
  });
});

describe('the sample', () => {
  const impression = (requestId: string) =>
    ({
      kind: 'impression',
      requestId,
      ts: 1,
      userId: undefined,
      pageOffset: 0,
      items: ['a'],
      ranks: undefined,
      dimensions: [],
    }) as const;
  const click = (requestId: string) =>
    ({
      kind: 'feedback',
      requestId,
      itemId: 'a',
      ts: 2,
      action: 'click',
      eventId: undefined,
      value: undefined,
    }) as const;
  const filled = (most: number, ids: readonly string[], prefix = ''): EventSample => {
    const sample = new EventSample(most);
    for (const [n, id] of ids.entries()) {
      sample.take(impression(id), 'i', n + 1, 10);
      sample.take(click(`${prefix}${id}`), 'f', n + 1, 10);
    }
    return sample;
  };
  const many = Array.from({ length: 20_000 }, (_, n) => `${(n * 2_654_435_761) % 2 ** 32}-${n}`);

  it('is bounded, and holds the impression of each click that it holds', () => {
    const sample = filled(500, many, 'web-');
    const size = sample.impressions.length + sample.feedback.length;
    expect(size).toBeGreaterThan(100);
    expect(size).toBeLessThanOrEqual(500);
    const shown = new Set(sample.impressions.map(({ requestId }) => requestId));
    expect(sample.feedback.every(({ requestId }) => shown.has(requestId.slice('web-'.length)))).toBe(true);
    expect(sample.count('impressions')).toBe(20_000);
    expect(sample.actions).toEqual(new Map([['click', 20_000]]));
  });

  it.each([
    ['end alike', many.map((id) => `${id}-prod`)],
    ['are all the same', many.map(() => 'r')],
  ])('is the first events where ids %s', (_, ids) => {
    const sample = filled(500, ids);
    const size = sample.impressions.length + sample.feedback.length;
    expect(size).toBeGreaterThan(400);
    expect(size).toBeLessThanOrEqual(501);
  });

  it('does not hold what is of the future, and does not take it for the newest', () => {
    const sample = new EventSample();
    sample.take({ ...impression('a'), ts: 10 }, 'i', 1, 10);
    sample.take({ ...impression('b'), ts: 11 }, 'i', 2, 10);
    expect(sample.impressions.map(({ requestId }) => requestId)).toEqual(['a']);
    expect(sample.newest('impressions')).toEqual({ ts: 10, place: { file: 'i', row: 1 } });
    expect(sample.newest('feedback')).toBeUndefined();
  });
});
