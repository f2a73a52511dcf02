import { expect, it } from 'vitest';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { TopicsHealth } from '../../src/metrics/topics-health.ts';
import { unitStatus, workerStatus } from './statuses.ts';

it('what conditions leave out is no part of any share', () => {
  const shares = (excluded: number) => {
    const health = new TopicsHealth(['log']);
    const counts = noCounts(1);
    health.claimed(0, [counts]);
    const { impressions, feedback } = noCounts(1);
    Object.assign(impressions, { read: 2000 + excluded, accepted: 1900 });
    Object.assign(impressions.drops, { late: 100, excluded });
    Object.assign(feedback, { read: 1000 + excluded, attributed: 800 });
    Object.assign(feedback.drops, { orphan: 200, excluded });
    health.update(workerStatus([unitStatus(0, { counts: [{ impressions, feedback }] })]));
    return health.now;
  };
  expect(shares(0)).toMatchObject([{ accepted: 0.95, joined: expect.closeTo(0.8) }]);
  expect(shares(5000)).toEqual(shares(0));
});
