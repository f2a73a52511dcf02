import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { RecentJoin, RecentShare, TopicsHealth } from '../../src/metrics/topics-health.ts';
import { unitStatus, workerStatus } from '../metrics/statuses.ts';

const all = (attributed: number, orphan = 0, notInList = 0) => ({ attributed, orphan, notInList });

describe('the share of the feedback that joins lately', () => {
  it('is not known before 100 came', () => {
    const recent = new RecentJoin();
    recent.add(all(99));
    expect(recent.joined).toBeUndefined();
    recent.add(all(1));
    expect(recent.joined).toBe(1);
  });

  it('does not depend on how many come at once, where they are mixed alike', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 20 }), (parts) => {
        const [whole, inParts] = [new RecentJoin(), new RecentJoin()];
        for (const n of parts) inParts.add(all(3 * n, 2 * n, n));
        const sum = parts.reduce((total, n) => total + n, 0);
        whole.add(all(3 * sum, 2 * sum, sum));
        fc.pre(sum >= 100);
        expect(inParts.joined).toBeCloseTo(0.5, 9);
        expect(whole.joined).toBeCloseTo(0.5, 9);
        expect(whole.inList).toBeCloseTo(0.75, 9);
      }),
    );
  });

  it('is halved by a thousand that do not join, however many did before', () => {
    const recent = new RecentJoin();
    recent.add(all(50_000_000));
    recent.add(all(0, 1000));
    expect(recent.joined).toBeCloseTo(0.5, 6);
    recent.add(all(0, 1000));
    expect(recent.joined).toBeCloseTo(0.25, 6);
  });

  it('of items is not told of a few known requests among many unknown ones', () => {
    const recent = new RecentJoin();
    recent.add(all(1, 5000, 3));
    expect(recent.inList).toBeUndefined();
    expect(recent.joined).toBeLessThan(0.01);
  });
});

const counts = (attributed: number, orphan: number, notInList: number) => {
  const topic = noCounts(3);
  topic.feedback.attributed = attributed;
  topic.feedback.drops.orphan = orphan;
  topic.feedback.drops.not_in_list = notInList;
  return [noCounts(3), topic];
};

describe('the feedback of a topic', () => {
  it('is that of all units, without what others counted before', () => {
    const joins = new TopicsHealth(['impressions', 'feedback']);
    joins.claimed(0, counts(0, 900_000, 0));
    joins.update(workerStatus([unitStatus(0, { counts: counts(60, 900_000, 0) })]));
    joins.update(
      workerStatus([unitStatus(0, { counts: counts(60, 900_000, 0) }), unitStatus(1, { counts: counts(0, 0, 60) })]),
    );
    const [shown, feedback] = joins.now;
    expect(shown).toMatchObject({ topic: 'impressions', joined: undefined, inList: undefined, impressions: 0 });
    expect(feedback.joined).toBeCloseTo(0.49, 1);
    expect(feedback.inList).toBe(feedback.joined);
  });
});

describe('the share of what is dropped lately', () => {
  it('is of all events of a topic, for each reason by itself', () => {
    const topic = noCounts(3);
    topic.impressions.read = 200;
    topic.impressions.accepted = 50;
    topic.impressions.drops.invalid = 100;
    topic.impressions.drops.late = 50;
    const topics = new TopicsHealth(['impressions', 'feedback']);
    topics.update(workerStatus([unitStatus(0, { counts: [topic, noCounts(3)] })]));
    const [shown, feedback] = topics.now;
    expect(shown.invalid).toBeCloseTo(0.5, 9);
    expect(shown.late).toBeCloseTo(0.25, 9);
    expect(shown.accepted).toBeCloseTo(0.25, 9);
    expect(shown).toMatchObject({ future: 0, impressions: 50, feedback: 0 });
    expect(feedback.invalid).toBeUndefined();
  });

  it('is not known before 100 came, and forgets by thousands', () => {
    const recent = new RecentShare();
    recent.add(99, 99);
    expect(recent.share).toBeUndefined();
    recent.add(1, 1);
    expect(recent.share).toBe(1);
    recent.add(1e7, 1e7);
    recent.add(0, 1000);
    expect(recent.share).toBeCloseTo(0.5, 6);
  });
});
