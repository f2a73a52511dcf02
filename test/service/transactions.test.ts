/** Producers with transactions: a topic whose newest records wait for the end of one is not read to its end. */
import { expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { offsetsCommand } from '../../src/cli/offsets.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { parse, sampleValue } from '../metrics/parse.ts';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

const LISTS = 20;
/** When what was shown at a time has closed, and what a topic is late for then. */
const LONGEST = 3000;

const listOf = (requestId: string, ts: number): string => JSON.stringify({ requestId, ts, items: ['a', 'b'] });
const clickOn = (requestId: string, ts: number): string =>
  JSON.stringify({ requestId, itemId: 'a', ts, action: 'click' });

/** What the page of a running service says of its units. */
function metricsOf(port: number, { topics }: Stand) {
  return async (name: string, partition: number, topic?: 'impressions' | 'feedback'): Promise<number | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    if (answer === undefined) return undefined;
    const of = topic === undefined ? {} : { topic: topics[topic] };
    return sampleValue(parse(await answer.text()), name, { ...of, partition: String(partition) });
  };
}

itWith(SERVERS, 'lists wait for the clicks that stand behind an open transaction', async (servers) => {
  await withStand(servers, async (stand) => {
    const port = await freePort();
    stand.configure({
      attribution: { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' },
      http: { port },
    });
    await stand.makeTopics(2);
    const value = metricsOf(port, stand);
    const transaction = await stand.begin('feedback', [JSON.stringify({ not: 'a click' })]);
    const at = Date.now();
    const requests = Array.from({ length: LISTS }, (_, n) => `r${n}`);
    await stand.produce(requests.map((id) => ({ topic: 'impressions', partition: 0, value: listOf(id, at), at })));
    await stand.produce(requests.map((id) => ({ topic: 'feedback', partition: 0, value: clickOn(id, at), at })));
    const service = stand.run();
    try {
      await until('the lists are read', async () => (await value('receval_open_impressions', 0)) === LISTS);
      // The same looks let time pass in the other partition, until all of these lists would have closed.
      const watermark = 'receval_watermark_timestamp_seconds';
      await until('silence is time', async () => 1000 * ((await value(watermark, 1, 'feedback')) ?? 0) > at + LONGEST);
      expect(await value(watermark, 0, 'feedback')).toBeUndefined();
      expect(await value('receval_open_impressions', 0)).toBe(LISTS);
      expect(await value('receval_consumer_lag_messages', 0, 'feedback')).toBe(LISTS + 1);
      expect(await value('receval_open_transaction_messages', 0, 'feedback')).toBe(LISTS + 1);
      const { stdout } = await stand.command(offsetsCommand, '--output', 'json');
      expect(JSON.parse(stdout)).toMatchObject([{}, { end: LISTS + 1, openFrom: 0 }, {}, {}]);
      expect((await stand.command(offsetsCommand)).stdout).toContain(
        `${stand.topics.feedback}, partition 0: ${LISTS + 1} records from offset 0 on wait for the end of a transaction`,
      );
      const doctor = await stand.command(doctorCommand, '--output', 'json');
      expect(JSON.parse(doctor.stdout).findings).toContainEqual(
        expect.objectContaining({ check: 'transactions', level: 'warning', alert: 'RecevalLagHigh' }),
      );

      await transaction.end('commit');
      const [unit] = await stand.drained(2, service, at + LONGEST);
      expect(unit.join.counts[1].feedback).toMatchObject({ attributed: LISTS, drops: { late: 0, orphan: 0 } });
      expect(await stand.impressionsIn(unit.generation, '2s')).toBe(LISTS);
      await until(
        'nothing waits in transactions',
        async () => (await value('receval_open_transaction_messages', 0, 'feedback')) === 0,
      );

      // Behind an aborted one, whose control record is the last of the log, the topic is silent again.
      const later = Date.now();
      const aborted = await stand.begin('feedback', [clickOn('r0', later)]);
      await aborted.end('abort');
      const [silent] = await stand.drained(2, service, later + LONGEST);
      expect(silent.join.counts[1].feedback).toEqual(unit.join.counts[1].feedback);
      expect(silent.join.topics[1].committed).toBeGreaterThan(unit.join.topics[1].committed);
    } finally {
      await service.stop();
    }
  });
});
