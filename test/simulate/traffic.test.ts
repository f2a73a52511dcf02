import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAULTS, type SimulationSettings, USUAL_CLICKS, USUAL_FAULTS } from '../../src/simulate/simulation-settings.ts';
import { longestSpan, Traffic } from '../../src/simulate/traffic.ts';
import { runs } from '../runs.ts';
import { clickedLists, deviations, eventsOf, recordsOf, settings } from './reading.ts';

const usual = settings({ faults: USUAL_FAULTS });

function bytesOf(given: SimulationSettings): string {
  const hash = createHash('sha256');
  for (const { topic, at, key, value } of recordsOf(given)) hash.update(`${topic} ${at} ${key} ${value}\n`);
  return hash.digest('hex');
}

test('the same seed and settings give the same bytes, and another seed gives others', () => {
  expect(bytesOf(usual)).toBe(bytesOf(usual));
  expect(bytesOf({ ...usual, seed: 2 })).not.toBe(bytesOf(usual));
});

test('traffic of a number of events ends within its longest span, which is little more than it takes', () => {
  for (const [events, rate, window] of [
    [3000, 10, 2000],
    [500, 100, 600_000],
  ]) {
    const given = settings({ events, rate, window, faults: USUAL_FAULTS });
    const spans = Array.from({ length: 40 }, (_, seed) => {
      const records = recordsOf({ ...given, seed });
      return records[records.length - 1].at - given.start;
    });
    expect(Math.max(...spans)).toBeLessThanOrEqual(longestSpan(given));
    expect(Math.max(...spans)).toBeGreaterThan(0.7 * longestSpan(given));
  }
});

test('seeds that differ above their 32nd bit differ', () => {
  expect(bytesOf(settings({ seed: 1, events: 100 }))).not.toBe(bytesOf(settings({ seed: 1 + 2 ** 32, events: 100 })));
});

test('records come in the order of arrival, exactly as many as asked for, whatever the settings', () => {
  const rates = fc.record(Object.fromEntries(FAULTS.map((fault) => [fault, fc.constantFrom(0, 0.1, 1)])));
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 1500 }),
      fc.constantFrom(0.05, 1, 50, 5000),
      fc.integer({ min: 2, max: 60 }),
      rates,
      fc.constantFrom(USUAL_CLICKS.position, USUAL_CLICKS.cascade),
      (seed, events, rate, items, faults, clicks) => {
        const given = settings({ seed, events, rate, items, users: 50, clicks });
        const records = recordsOf({ ...given, faults: { ...given.faults, ...faults } });
        expect(records.length).toBe(events);
        for (let n = 1; n < records.length; n++) expect(records[n].at).toBeGreaterThanOrEqual(records[n - 1].at);
      },
    ),
    { numRuns: runs(30) },
  );
});

test('every record but the malformed ones is a canonical event, keyed by its request id', () => {
  const records = recordsOf({ ...usual, faults: { ...USUAL_FAULTS, malformed: 0 } });
  const { impressions, feedback } = eventsOf(records);
  expect(impressions.length + feedback.length).toBe(20_000);
  for (const { key, value } of records) expect(JSON.parse(value).requestId).toBe(key);
});

test('plain items are bare ids of the same lists', () => {
  const scored = eventsOf(recordsOf(settings({ events: 500 })));
  const plain = recordsOf(settings({ events: 500, plainItems: true }));
  const first: unknown = JSON.parse(plain[0].value).items[0];
  expect(typeof first).toBe('string');
  const ids = (lists: ReturnType<typeof eventsOf>) => lists.impressions.map(({ items }) => items.map(({ id }) => id));
  expect(ids(eventsOf(plain))).toEqual(ids(scored));
});

test('scores fall from the top of a list to its end', () => {
  for (const { items } of eventsOf(recordsOf(settings({ events: 5000 }))).impressions) {
    const scores = items.map((item) => ('score' in item ? item.score : Number.NaN));
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  }
});

test('feedback lies within the window of the list that holds its item, its clock ahead or not', () => {
  for (const window of [1000, 60_000, 1_800_000]) {
    const records = recordsOf(
      settings({ window, faults: { ...USUAL_FAULTS, malformed: 0, orphan: 0, clockAhead: 0.3 } }),
    );
    const { impressions, feedback } = eventsOf(records);
    const shownAt = new Map<string, number>();
    for (const { requestId, ts, items } of impressions) {
      for (const { id } of items) shownAt.set(`${requestId} ${id}`, ts);
    }
    expect(feedback.length).toBeGreaterThan(5000);
    for (const { requestId, itemId, ts } of feedback) {
      const age = ts - (shownAt.get(`${requestId} ${itemId}`) ?? Number.NaN);
      expect(age).toBeGreaterThanOrEqual(0);
      expect(age).toBeLessThan(window);
    }
  }
});

test('a second page comes after the first, with the next ten items', () => {
  const lists = clickedLists(recordsOf(settings()));
  const first = new Map(
    lists.filter((l) => l.impression.offset === undefined).map((l) => [l.impression.requestId, l.impression]),
  );
  const second = lists.filter((l) => l.impression.offset === 10).map((l) => l.impression);
  expect(deviations(second.length, first.size, 0.08)).toBeLessThan(4);
  for (const page of second) {
    const before = first.get(page.requestId);
    expect(before).toBeDefined();
    if (before === undefined) continue;
    expect(page.ts).toBeGreaterThan(before.ts);
    expect(page.userId).toBe(before.userId);
    expect(new Set([...before.items, ...page.items].map(({ id }) => id)).size).toBe(20);
  }
});

test('users come back, and a user has one variant, one country and one tenure', () => {
  const { impressions } = eventsOf(recordsOf(settings()));
  const seen = new Map<string, string>();
  for (const { userId, variant, cohorts } of impressions) {
    const facts = JSON.stringify([variant, cohorts]);
    expect(seen.get(userId) ?? facts).toBe(facts);
    seen.set(userId, facts);
  }
  expect(seen.size).toBeGreaterThan(1000);
  expect(impressions.length).toBeGreaterThan(3 * seen.size);
});

test('the rate is kept within a few per cent of event time', () => {
  for (const rate of [2, 200]) {
    const { impressions: pages } = eventsOf(recordsOf(settings({ rate })));
    const impressions = pages.filter(({ offset }) => offset === undefined);
    const span = (impressions[impressions.length - 1].ts - impressions[0].ts) / 1000;
    expect(20_000 / span / rate).toBeGreaterThan(0.95);
    expect(20_000 / span / rate).toBeLessThan(1.05);
  }
});

test('polling by time gives the records of the iterator, none before it arrives', () => {
  const whole = recordsOf(usual);
  const traffic = new Traffic(usual);
  const polled: unknown[] = [];
  for (let now = usual.start; polled.length < whole.length; now += 7_777) {
    for (let record = traffic.poll(now); record !== undefined; record = traffic.poll(now)) {
      expect(record.at).toBeLessThan(now);
      polled.push(record);
    }
    const next = whole[polled.length];
    if (next !== undefined) expect(next.at).toBeGreaterThanOrEqual(now);
    expect(traffic.plan.records.impressions + traffic.plan.records.feedback).toBe(polled.length);
  }
  expect(polled).toEqual(whole);
});

test('traffic without end goes on', () => {
  const traffic = new Traffic(settings({ events: Number.POSITIVE_INFINITY }));
  for (let n = 0; n < 50_000; n++) expect(traffic.poll()).toBeDefined();
});

test('settings that make no sense are refused, all at once', () => {
  expect(() => new Traffic(settings({ users: 0, rate: -1 }))).toThrow(/rate must be.*; users must be/);
});
