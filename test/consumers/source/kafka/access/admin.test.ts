import { expect, it } from 'vitest';
import { createTopics } from '../../../../../src/consumers/source/kafka/access/admin.ts';

it('topics that were made are waited for, also where a broker has not heard of them yet', async () => {
  const said: string[] = [];
  const admin = {
    createTopics: async ({ waitForLeaders }: { readonly waitForLeaders?: boolean }) => {
      said.push(`made, kafkajs waits: ${waitForLeaders}`);
      return true;
    },
    fetchTopicOffsets: async (topic: string) => {
      said.push(topic);
      if (said.length < 4) throw new Error('This server does not host this topic-partition');
      return [];
    },
  };
  await createTopics(admin, [{ topic: 'a' }, { topic: 'b' }]);
  expect(said).toEqual(['made, kafkajs waits: false', 'a', 'a', 'a', 'b']);
});
