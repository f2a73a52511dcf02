import { describe, expect, it } from 'vitest';
import type { SampledRecord } from '../../src/consumers/source/kafka/access/kafka-sample.ts';
import { checkRecords } from '../../src/service/doctor-records.ts';
import { serviceDecoders } from '../../src/service/service-settings.ts';
import { load } from '../config/fixture.ts';

const NOW = Date.parse('2026-11-21T09:00:00Z');
const AT = NOW - 60_000;
const usual = load('');
const impression = { requestId: 'r', ts: AT, items: ['a', 'b'] };
const click = { requestId: 'r', ts: AT, itemId: 'a', action: 'click' };

/** What is said of topics of two partitions that hold these records. */
function told(
  topics: { readonly impressions: readonly object[]; readonly feedback: readonly object[] },
  yaml: string | undefined = undefined,
) {
  const settings = yaml === undefined ? usual : load(yaml);
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
  return checkRecords(settings, 2, sample, serviceDecoders(settings), NOW).map(
    ({ level, check, message }) => `${level} ${check}: ${message}`,
  );
}

describe('a batch that cannot be decoded', () => {
  const refused = [{ topic: 'feedback', partition: 1, from: 5, to: 8, reason: 'codec 7 is unknown' }];
  const told = (yaml: string) =>
    checkRecords(load(yaml), 2, { records: [], refused, complete: true }, serviceDecoders(usual), NOW).filter(
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
      expect(one).toMatch(/^error records: .*\(wrong_kind 1\).* Are the names of kafka\.topics swapped, or /);
    }
    expect(keys).toMatch(/^warning keys: no sampled record can be read as feedback, /);
  });

  it('whose times have no zone ask for timeZone', () => {
    const [impressions] = told({ impressions: [{ ...impression, ts: '2026-11-21 08:00:00' }], feedback: [click] });
    expect(impressions).toMatch(
      /^error records: .*\(bad_time: ts 1\).*without one set timeZone.*receval inspect --kafka shows/,
    );
  });

  it('of another form ask for the adapter, with their numbers', () => {
    const strange = Array.from({ length: 1200 }, () => ({ requestId: 'r', items: 'a' }));
    const [impressions, , keys] = told({ impressions: strange, feedback: [click] });
    expect(impressions).toMatch(
      /^error records: impressions: 1,200 of 1,200 sampled .*Say where .* is \(adapter: .*receval inspect --kafka finds out/,
    );
    expect(keys).toMatch(/^warning keys: no sampled record can be read as impression, /);
  });

  it('that belong to other requests cannot be compared', () => {
    const [, , keys] = told({ impressions: [impression], feedback: [{ ...click, requestId: 'other' }] });
    expect(keys).toMatch(/^warning keys: none of 1 sampled feedback events belongs to one of 1 sampled requests/);
  });
});

describe('what the sampled feedback says of the join', () => {
  const lists = Array.from({ length: 40 }, (_, n) => ({ ...impression, requestId: `r-${n}`, userId: `u${n}` }));
  const clicks = (change: (n: number) => object) =>
    Array.from({ length: 40 }, (_, n) => ({ ...click, requestId: `r-${n}`, ...change(n) }));
  const joins = (feedback: readonly object[]): string[] =>
    told({ impressions: lists, feedback }).filter((line) => line.includes(' join: '));

  it('is nothing where it fits', () => {
    expect(joins(clicks(() => ({})))).toEqual([]);
  });

  it('is how request ids differ, without an id of an event', () => {
    const [line, ...others] = joins(clicks((n) => ({ requestId: `web:r-${n}` })));
    expect(others).toEqual([]);
    expect(line).toContain('ids_differ_by_prefix: 100 % of the feedback of unknown requests would be known');
    expect(line).toContain('"web:" before the request id');
    expect(line).not.toContain('r-1');
  });

  it('is that no impression names its user', () => {
    const nameless = lists.map((list) => ({ ...list, userId: undefined }));
    const lines = told({ impressions: nameless, feedback: clicks(() => ({})) }).filter((one) =>
      one.includes(' join: '),
    );
    expect(lines).toEqual([expect.stringContaining('no_user_ids: None of 40 sampled impressions names its user')]);
  });

  it('is that items are not in their lists, and actions without a grade', () => {
    expect(joins(clicks((n) => ({ itemId: `z${n}` })))[0]).toContain('items_never_match: 100 %');
    expect(joins(clicks(() => ({ action: 'open_details' })))[0]).toContain('unknown_actions: 100 %');
  });

  it('is no action as one to grade that no configuration can name', () => {
    const worse = joins(clicks((n) => ({ action: n % 3 === 0 ? 'open' : '__proto__' })))[0];
    expect(worse).toContain('"__proto__" ');
    expect(worse).toContain('such as grades: {open: 1}');
    for (const action of ['__proto__', 'a\u0001b', 'a'.repeat(201)]) {
      const line = joins(clicks(() => ({ action })))[0] ?? '';
      expect(line).not.toContain('such as grades');
    }
    expect(joins(clicks(() => ({ action: '__proto__' })))[0]).toContain('Log other actions');
  });

  it('is that none finds its list, where the sampled lists are of its time', () => {
    const spread = lists.map((list, n) => ({ ...list, ts: AT - 600_000 + n * 15_000 }));
    const strangers = (at: (n: number) => number) =>
      told({ impressions: spread, feedback: clicks((n) => ({ requestId: `session${7 * n}x`, ts: at(n) })) }).filter(
        (one) => one.includes(' join: '),
      );
    expect(strangers((n) => AT - 600_000 + n * 15_000)).toEqual([
      expect.stringContaining(
        'nothing_joined: None of 36 sampled feedback events that are of the time of the sampled lists',
      ),
    ]);
    // Lists before the sample may have been clicked.
    expect(strangers(() => AT - 600_000)).toEqual([]);
  });

  it('is that a variant of an experiment is never shown, or that lists do not name the experiment', () => {
    const yaml =
      'experiments: {default: {control: a, variants: {a: 1, b: 1}}, fresh: {control: x, variants: {x: 1, y: 1}}}';
    const arms = (change: (n: number) => object) => {
      const shown = Array.from({ length: 80 }, (_, n) => ({
        ...impression,
        requestId: `r-${n}`,
        userId: `u${n}`,
        ...change(n),
      }));
      return told({ impressions: shown, feedback: clicks(() => ({})) }, yaml).filter((one) => one.includes(' join: '));
    };
    expect(
      arms((n) => ({ variant: n % 2 === 0 ? 'a' : 'B', experiments: { fresh: n % 2 === 0 ? 'x' : 'y' } })),
    ).toEqual([
      expect.stringMatching(/one_variant: Experiment "default" has no impression of "b".*seen: "a" 40, "B" 40/),
    ]);
    expect(arms((n) => ({ variant: n % 2 === 0 ? 'a' : 'b' }))).toEqual([
      expect.stringContaining('variant_not_named: None of 80 impressions has the field experiments.fresh'),
    ]);
  });

  it('names the field that is missing, and those that are there', () => {
    const renamed = clicks(() => ({ requestId: undefined, request_id: 'secret' }));
    const line = told({ impressions: lists, feedback: renamed }).find((one) => one.includes('are invalid'));
    expect(line).toContain(
      '(missing_field: requestId 40): they do not count. The first such record has ts, itemId, action,',
    );
    expect(line).toContain('Say where requestId is');
    expect(line).not.toContain('secret');
  });
});
