import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { paneKey, totalKey, unitKey } from '../../src/accumulators/store/layout.ts';
import { compareCommand } from '../../src/cli/compare.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { parse } from '../metrics/parse.ts';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type Produced, type RunningService, type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LISTS = 900;

/** A list per second, in turn to each of two partitions, each clicked, in A and B in turn. */
function lists(start: number): readonly Produced[] {
  return Array.from({ length: LISTS }, (_, n): readonly Produced[] => {
    const [requestId, ts, partition] = [`r${n}`, start + SECOND * n, n % 2];
    const list = { requestId, ts, items: ['a', 'b'], userId: `u${n}`, dimensions: { variant: n % 4 < 2 ? 'A' : 'B' } };
    const click = { requestId, itemId: 'b', ts: ts + 250, action: 'click' };
    return [
      { topic: 'impressions', key: requestId, value: JSON.stringify(list), at: ts, partition },
      { topic: 'feedback', key: requestId, value: JSON.stringify(click), at: ts + 250, partition },
    ];
  }).flat();
}

/** The rows of the panes that the checkpoint of a partition lists, by pane; undefined: it has none that can be read. */
async function rowsOf(stand: Stand, partition: number): Promise<unknown> {
  const unit = await stand.stored(partition).catch(() => undefined);
  if (unit === undefined) return undefined;
  const owner = { namespace: stand.namespace, unit: partition, generation: unit.generation };
  const panes = unit.panes.minutes.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i));
  return Promise.all(panes.map(async (pane) => [pane, await stand.hash(paneKey(owner, 'm', pane * MINUTE))]));
}

itWith(
  SERVERS,
  'rows that were deleted, altered or overwritten change no number without a word, and --rebuild counts them again',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const port = await freePort();
      stand.configure({
        attribution: { horizons: ['10s', '30s'], outOfOrderness: '1s', idleAfter: '1h' },
        measures: ['mrr'],
        cohorts: [[]],
        windows: ['5m'],
        experiments: { default: { control: 'A', variants: { A: 0.5, B: 0.5 }, primary: 'mrr', horizon: '30s' } },
        http: { port },
      });
      await stand.makeTopics(2);
      const start = MINUTE * (Math.floor(Date.now() / MINUTE) - 17);
      await stand.produce(lists(start));
      const end = start + (LISTS - 4) * SECOND;
      const { namespace } = stand;
      const owner = { namespace, unit: 1, generation: '1c' };

      /** A service that has read all there is, once it shows what is expected. */
      const showing = async (
        isExpected: (complete: number, impressions: number, lost: number) => boolean,
        ...flags: readonly string[]
      ): Promise<RunningService> => {
        const service = stand.run(...flags);
        await service.printedOnce(/receval is running/);
        await stand.drained(2, service, end);
        await until('what is shown is what there is', async () => {
          const page = parse(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
          const value = (name: string): number =>
            page.get(name)?.samples.find(({ labels }) => (labels['horizon'] ?? '10s') === '10s')?.value ?? Number.NaN;
          return isExpected(
            value('receval_window_complete'),
            value('receval_window_impressions'),
            value('receval_lost_keys_total'),
          );
        });
        return service;
      };
      const isWhole = (complete: number, impressions: number, lost: number): boolean =>
        complete === 1 && impressions === 300 && lost === 0;

      await (await showing(isWhole)).stop();

      const pane = paneKey(owner, 'm', end - (end % MINUTE) - 3 * MINUTE);
      const total = totalKey(owner, 'default', (await stand.stored(1))?.runs[0].run ?? '');
      expect(await stand.redis.del(pane, total)).toBe(2);
      const [doctor, compared] = [await stand.command(doctorCommand), await stand.command(compareCommand)];
      for (const key of [pane, total]) expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain(`${key}: `);
      expect(doctor.stdout).toContain('RecevalRowsLost');
      expect(compared).toMatchObject({ code: 1, stderr: expect.stringContaining(total) });

      const second = await showing(
        (complete, impressions, lost) => complete === 0 && Number.isNaN(impressions) && lost >= 2,
      );
      expect(second.printed).toContain(pane);
      expect(second.printed).toContain(total);
      const state = await (await fetch(`http://127.0.0.1:${port}/api/v1/state`)).text();
      expect(state).toContain('Rows that were stored are gone from Redis');
      await second.stop();

      // Who went on without them says so, too.
      expect(await stand.command(compareCommand)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Redis has lost rows of this run'),
      });

      const third = await showing(isWhole, '--rebuild');
      expect((await stand.stored(0))?.generation).toBe('1c');
      expect((await stand.stored(1))?.generation).toBe('2c');
      await third.stop();

      // A row that a worker needs has other digits, which no other number contradicts: its partition stops, and the other one goes on.
      const live = paneKey({ ...owner, generation: '2c' }, 'm', end - (end % MINUTE));
      const field = [...(await stand.hash(live)).keys()][0];
      const text = (await stand.redis.hget(live, field)) ?? '';
      await stand.redis.hset(live, field, text.replace(/"userless":0/, '"userless":1'));
      const stopped = stand.run();
      await stopped.printedOnce(/unit stopped/);
      expect(stopped.printed).toContain(live);
      await until('the metrics say so', async () => {
        const page = await fetch(`http://127.0.0.1:${port}/metrics`).then(
          (answer) => answer.text(),
          () => '',
        );
        return (
          page.includes('receval_unit_stopped{partition="1",cause="damaged"} 1') &&
          page.includes('receval_unit_stopped{partition="0",cause="damaged"} 0')
        );
      });
      await stopped.stop();
      await stand.redis.hset(live, field, text);

      // Somebody writes where the next pane is to be.
      const next = paneKey(owner, 'm', start + 20 * MINUTE).replace(':1}:1c:', ':0}:1c:');
      await stand.redis.set(next, 'stranger');
      const fourth = stand.run();
      await fourth.printedOnce(/receval is running/);
      const late = (partition: number, n: number): readonly Produced[] =>
        lists(start + (20 + n) * MINUTE)
          .filter((one) => one.partition === partition)
          .slice(0, 100);
      await stand.produce([...late(0, 0), ...late(1, 0), ...late(0, 3), ...late(1, 3)]);
      await fourth.printedOnce(/unit stopped/);
      expect(fourth.printed).toContain(`${next} holds a string, not rows`);
      expect(fourth.isRunning).toBe(true);
      await fourth.stop();
      await stand.redis.del(next);

      // A checkpoint that cannot be read stops its partition alone, and is counted again, also where rows of its generation are left.
      const whole = await rowsOf(stand, 1);
      await stand.redis.hset(unitKey(namespace, 1), 'topics', '[]');
      const fifth = stand.run();
      await fifth.printedOnce(/unit stopped/);
      expect(fifth.printed).toContain(`${unitKey(namespace, 1)}: the stored checkpoint is damaged`);
      const found = await stand.command(doctorCommand);
      expect(found.stdout.replaceAll(/\s+/g, ' ')).toContain(`${unitKey(namespace, 1)}: `);
      expect(fifth.isRunning).toBe(true);
      await fifth.stop();
      for (const lose of [undefined, () => stand.redis.del(unitKey(namespace, 1))]) {
        await lose?.();
        const rebuilt = stand.run('--rebuild');
        await rebuilt.printedOnce(/receval is running/);
        await until('all of it is counted again', async () => isDeepStrictEqual(await rowsOf(stand, 1), whole));
        await rebuilt.stop();
      }

      // Without its position in Redis and in Kafka it looks as if it were new; so the log says that it begins, and it shares no rows with what was.
      const before = (await stand.stored(1))?.generation;
      await stand.redis.del(unitKey(namespace, 1));
      await stand.deleteGroup();
      const begun = stand.run();
      await begun.printedOnce(/nothing is stored of these/);
      await until('all of it is counted again', async () => isDeepStrictEqual(await rowsOf(stand, 1), whole));
      expect((await stand.stored(1))?.generation).not.toBe(before);
      await begun.stop();
    });
  },
);
