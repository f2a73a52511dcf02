import { expect, it } from 'vitest';
import { changedPartitions } from '../../src/service/checks.ts';

const KAFKA = { brokers: ['kafka:9092'], topics: [{ name: 'lists' }, { name: 'clicks' }] };

it('as many partitions as at the start are nothing to tell', () => {
  expect(changedPartitions(KAFKA, [4, 4], 4)).toBeUndefined();
});

it('a topic that was deleted is to be created again, with as many partitions', () => {
  expect(changedPartitions(KAFKA, [4, 0], 4)).toBe(
    'there is no topic clicks on kafka:9092 any more: it was deleted. Create it again with 4 partitions, or correct kafka.topics, and ' +
      'restart. If records of it were counted, the new topic is another log: take another namespace and kafka.groupId for it, too',
  );
});

it('added partitions are accepted after a restart, once all topics have them', () => {
  expect(changedPartitions(KAFKA, [4, 6], 4)).toBe(
    'each topic had 4 partitions at the start, and now clicks has 6: keys may go to other partitions than before. Give all topics the ' +
      'same number, stop all workers, and start one once with --accept-partitions',
  );
});

it('a topic with fewer partitions is another one', () => {
  expect(changedPartitions(KAFKA, [6, 3], 4)).toMatch(
    /^each topic had 4 partitions at the start, and now lists has 6, clicks has 3: .*another namespace and kafka\.groupId, and restart$/,
  );
});
