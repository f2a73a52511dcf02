/**
 * Traffic for `npm run bench:steady`, in its own process: `node --import tsx bench/steady-producer.ts BROKER PARTITIONS RATE SECONDS` writes lists
 * of 20 items of ten cohorts with 1.5 clicks each, as an application would: what has happened in 50 ms at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { quietClient } from '../src/consumers/source/kafka/access/admin.ts';
import { RETRY } from '../src/consumers/source/kafka/access/kafka-settings.ts';
import { TOPICS } from './kafka-workload.ts';

const TICK_MS = 50;
const EVENTS_PER_LIST = 2.5;
const ITEMS = 20;
const COHORTS = 10;
const USERS = 1e8;

const [broker, ...numbers] = process.argv.slice(2);
const [partitions, rate, seconds] = numbers.map(Number);

interface Message {
  readonly partition: number;
  readonly value: string;
}

function list(n: number, ts: number): readonly [impression: Message, clicks: readonly Message[]] {
  const partition = n % partitions;
  const requestId = `r${n}`;
  const items = Array.from({ length: ITEMS }, (_, slot) => ({ id: `itm_${slot}_${n % 997}`, score: 1 - slot / ITEMS }));
  const cohorts = { segment: `s${n % COHORTS}` };
  const userId = `u_${Math.floor(Math.random() * USERS)}`;
  const clicks = Array.from({ length: 1 + (n % 2) }, (_, c) => {
    const { id: itemId } = items[(7 * n + c) % ITEMS];
    return { partition, value: JSON.stringify({ requestId, itemId, ts, action: 'click', eventId: `e${n}_${c}` }) };
  });
  return [{ partition, value: JSON.stringify({ requestId, ts, userId, cohorts, items }) }, clicks];
}

const producer = quietClient({ brokers: [broker], clientId: 'receval-bench' }).producer({
  allowAutoTopicCreation: false,
  // Leaders of topics that were just created may not know of it yet.
  retry: RETRY,
});
await producer.connect();
const begin = Date.now();
let written = 0;
for (let now = begin; now - begin < 1000 * seconds; now = Date.now()) {
  const lists = [];
  for (; written < ((now - begin) / 1000) * (rate / EVENTS_PER_LIST); written++) lists.push(list(written, now));
  const messages = [lists.map(([impression]) => impression), lists.flatMap(([, clicks]) => clicks)];
  if (lists.length > 0) {
    await producer.sendBatch({ topicMessages: TOPICS.map((topic, t) => ({ topic, messages: messages[t] })) });
  }
  await sleep(Math.max(0, TICK_MS - (Date.now() - now)));
}
await producer.disconnect();
