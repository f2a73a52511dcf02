import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { compareCommand } from '../../src/cli/compare.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { offsetsCommand } from '../../src/cli/offsets.ts';
import { simulateCommand } from '../../src/cli/simulate.ts';
import { skipCommand } from '../../src/cli/skip.ts';
import { expectation } from '../../src/simulate/expectation.ts';
import { CLEAN_FAULTS, USUAL_SETTINGS } from '../../src/simulate/simulation-settings.ts';
import { Traffic } from '../../src/simulate/traffic.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { startRedis } from '../services/redis.ts';
import { type RunningService, type Stand, sharedServers, shown, withStand } from './stand.ts';

const SERVERS = sharedServers();

/** Horizons so short that events of now close while a test waits. */
const QUICK = { attribution: { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' } };

/** No test has a longer horizon. */
const LONGEST = 3000;

/** Counts of both sides over all partitions. */
function totals(units: readonly UnitCheckpoint[]): { readonly impressions: object; readonly feedback: object } {
  const add = (a: Record<string, unknown>, b: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(b)) {
      if (typeof value === 'number') a[name] = Number(a[name] ?? 0) + value;
      else if (typeof value === 'object' && value !== null) {
        const inner: Record<string, unknown> = { ...Object(a[name]) };
        add(inner, { ...value });
        a[name] = inner;
      }
    }
  };
  const sum = { impressions: {}, feedback: {} };
  for (const { join } of units) {
    for (const counts of join.counts) {
      add(sum.impressions, { ...counts.impressions });
      add(sum.feedback, { ...counts.feedback });
    }
  }
  return sum;
}

/** Runs the service until it has counted everything; answers what is stored then. */
async function counted(
  stand: Stand,
  partitions: number,
  closed: number,
  ...flags: string[]
): Promise<readonly UnitCheckpoint[]> {
  const service: RunningService = stand.run(...flags);
  try {
    await stand.drained(partitions, service, closed);
    expect(await service.stop()).toBe(0);
    return stand.drained(partitions, service, closed);
  } finally {
    if (service.isRunning) await service.stop();
  }
}

/** Writes lists shown now, and runs the service until all have closed. */
async function countedNow(
  stand: Stand,
  name: string,
  count: number,
  partitions: number,
  ...flags: string[]
): Promise<readonly UnitCheckpoint[]> {
  const at = Date.now();
  await stand.produce(shown(name, count, at));
  return counted(stand, partitions, at + LONGEST, ...flags);
}

/** The service must not start: exit code 2 and a message. */
async function refused(stand: Stand): Promise<string> {
  const service = stand.run();
  const code = await service.ended();
  expect({ code, printed: service.printed }).toMatchObject({ code: 2 });
  return service.printed;
}

itWith(SERVERS, 'receval run counts what simulate --to kafka has planted', async (servers) => {
  await withStand(servers, async (stand) => {
    const start = new Date(1000 * Math.floor(Date.now() / 1000) - 40 * 60_000);
    const faults = { late: 0.02, duplicate: 0.02, orphan: 0.02, malformed: 0.02, clockAhead: 0.01 };
    const flags = Object.entries(faults).flatMap(([name, share]) => [`--${name.replace('A', '-a')}`, String(share)]);
    const simulate = (...more: string[]) =>
      stand.command(
        simulateCommand,
        '--to',
        'kafka',
        '--seed',
        '1',
        '--events',
        '5000',
        '--rate',
        '10',
        ...flags,
        ...more,
      );
    const missing = await simulate('--start', start.toISOString());
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(`there is no topic ${stand.topics.impressions}, ${stand.topics.feedback}`);
    expect(missing.stderr).toContain('--create-topics');
    const written = await simulate('--start', start.toISOString(), '--create-topics', '2');
    expect(written.stderr).toContain('with 2 partitions');
    expect(written.stdout).toContain(`\n  receval run --config ${stand.file}\n`);
    expect(written.code).toBe(0);
    const traffic = new Traffic({
      ...USUAL_SETTINGS,
      events: 5000,
      rate: 10,
      window: 300_000,
      start: start.getTime(),
      faults: { ...CLEAN_FAULTS, ...faults },
    });
    expect([...traffic].length).toBe(5000);
    const expected = expectation(traffic.plan);
    expect(expected.feedback.drops.orphan).toBeGreaterThan(50);
    expect(expected.impressions.drops.late).toBeGreaterThan(0);
    const units = await counted(stand, 2, Date.now() - 60_000);
    expect(totals(units)).toMatchObject(expected);
    expect(await stand.impressionsIn('1c', '5m')).toBe(expected.impressions.accepted);
  });
});

itWith(SERVERS, 'simulate --to kafka writes live, and says what it cannot do', async (servers) => {
  await withStand(servers, async (stand) => {
    const simulate = (...flags: string[]) => stand.command(simulateCommand, '--to', 'kafka', ...flags);
    const live = await simulate('--rate', '100', '--for', '1500ms', '--clean', '--create-topics', '1');
    expect(live.code).toBe(0);
    const [[impressions], [feedback]] = await stand.ends();
    expect(impressions).toBeGreaterThan(20);
    expect(live.stdout).toMatch(new RegExp(`^ +${impressions} impressions  ${stand.topics.impressions}$`, 'm'));
    expect(live.stdout).toMatch(new RegExp(`^ +${feedback} feedback     ${stand.topics.feedback}$`, 'm'));
    for (const [flags, message] of [
      [['--events', '5', '--for', '1s'], /give one of them/],
      [['--speed', '60'], /needs a --start in the past/],
      [['--start', '2099-01-01'], /is in the future/],
      [['--create-topics', 'many'], /not a whole number/],
    ] as const) {
      const ended = await simulate(...flags);
      expect(ended.stderr).toMatch(message);
      expect(ended.code).toBe(2);
    }
  });
});

itWith(
  SERVERS,
  'the experiment of the first hour goes on when live traffic follows that of the last hour',
  async (servers) => {
    await withStand(servers, async (stand) => {
      // Live traffic is overtaken by itself for seconds, and would be late.
      const attribution = { ...QUICK.attribution, outOfOrderness: '10s' };
      stand.configure({ ...QUICK, attribution, measures: ['mrr', 'ndcg@10', 'hit@10'], cohorts: [[], ['variant']] });
      // Fewer users than in the first hour, so that both parts have most of them.
      const simulate = (...flags: string[]) =>
        stand.command(simulateCommand, '--to', 'kafka', '--users', '300', '--clean', ...flags);
      expect((await simulate('--create-topics', '2', '--events', '6000')).code).toBe(0);
      const compared = async () => {
        const { crossovers, impressions } = JSON.parse(
          (await stand.command(compareCommand, '--output', 'json')).stdout,
        );
        return { crossovers, lists: impressions.control + impressions.treatment };
      };
      const service = stand.run();
      try {
        await stand.drained(2, service, Date.now() - 60_000);
        const before = await compared();
        expect(before).toEqual({ crossovers: 0, lists: expect.toSatisfy((lists: number) => lists > 2000) });
        expect((await simulate('--rate', '200', '--for', '5s')).code).toBe(0);
        // Looks are taken by the minute.
        await until('the lists of now are compared', async () => {
          await sleep(500);
          return (await compared()).lists > before.lists + 100;
        });
        expect(await compared()).toMatchObject({ crossovers: 0 });
        expect((await stand.command(compareCommand)).stdout).not.toContain('crossover');
      } finally {
        await service.stop();
      }
    });
  },
);

itWith(
  SERVERS,
  'simulate --to kafka repeats no ids when it is started again, unless it is given the seed',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(1);
      const simulate = async (...flags: string[]): Promise<string> => {
        const ended = await stand.command(simulateCommand, '--to', 'kafka', '--events', '300', '--clean', ...flags);
        expect(ended.code).toBe(0);
        return ended.stderr;
      };
      const seedOf = (told: string): string =>
        /^note: the seed of this start is (\d+); --seed \1 makes/m.exec(told)?.[1] ?? '';
      const seeds = [seedOf(await simulate()), seedOf(await simulate())];
      expect(new Set(seeds).size).toBe(2);
      const duplicates = async (): Promise<number> => {
        const [unit] = await counted(stand, 1, Number.NEGATIVE_INFINITY);
        return unit.join.counts[0].impressions.drops.duplicate;
      };
      expect(await duplicates()).toBe(0);
      expect(await simulate('--seed', seeds[0])).not.toContain('the seed of this start');
      expect(await duplicates()).toBeGreaterThan(20);
    });
  },
);

itWith(
  SERVERS,
  'receval skip passes records, which are never counted, and receval offsets shows it',
  async (servers) => {
    await withStand(servers, async (stand) => {
      stand.configure(QUICK);
      await stand.makeTopics(1);
      const { impressions } = stand.topics;
      const skip = (to: string, ...flags: string[]) =>
        stand.command(skipCommand, '--partition', '0', '--topic', impressions, '--to', to, ...flags);
      expect((await skip('1', '--yes')).stderr).toMatch(/beyond the end|nothing is stored/);
      const [before] = await countedNow(stand, 'first', 5, 1);
      const rows = async (): Promise<Record<string, unknown>[]> =>
        JSON.parse((await stand.command(offsetsCommand, '--output', 'json')).stdout);
      const [stands] = await rows();
      expect(stands).toMatchObject({
        partition: 0,
        topic: impressions,
        start: 0,
        end: 5,
        committed: 5,
        lag: 0,
        group: 5,
        generation: '1c',
        watermark: before.join.watermark,
      });
      expect(String(stands['owner'])).toMatch(/^[0-9a-f]{8}$/);

      // Three lists that nobody shall count, and two that count.
      const at = Date.now();
      await stand.produce(shown('skipped', 3, at).filter(({ topic }) => topic === 'impressions'));
      await stand.produce(shown('counted', 2, at + 1000).filter(({ topic }) => topic === 'impressions'));
      for (const [to, message] of [
        ['5', /--to 5 is not above the committed offset 5/],
        ['11', /--to 11 is beyond the end of the log, which is 10/],
        ['x', /not a whole number/],
      ] as const) {
        const ended = await skip(to, '--yes');
        expect(ended.stderr).toMatch(message);
        expect(ended.code).toBe(2);
      }
      const unasked = await skip('8');
      expect(unasked.code).toBe(2);
      expect(unasked.stderr).toContain('--yes');
      expect((await rows())[0]).toEqual({ ...stands, end: 10, lag: 5 });

      const done = await skip('8', '--yes');
      expect(done).toMatchObject({ code: 0 });
      expect(done.stdout).toContain(`skipped 3 records of ${impressions}, partition 0: it continues at offset 8`);
      const [moved] = await rows();
      expect(moved).toMatchObject({ committed: 8, replay: 8, lag: 2, end: 10 });
      expect(moved['owner']).not.toBe(stands['owner']);
      expect(await stand.stored(0)).toMatchObject({ incompleteBefore: at + 1000 });
      const [, ...table] = (await stand.command(offsetsCommand)).stdout.split('\n');
      expect(table.join('\n')).toContain(impressions);

      const [after] = await counted(stand, 1, at + 3000);
      expect(totals([after]).impressions).toMatchObject({ read: 7, accepted: 7 });
      expect(await stand.impressionsIn('1c', '2s')).toBe(7);
    });
  },
);

itWith(SERVERS, 'a batch that cannot be decoded stops its partition until receval skip passes it', async (servers) => {
  await withStand(servers, async (stand) => {
    stand.configure(QUICK);
    await stand.makeTopics(1);
    const { impressions } = stand.topics;
    await countedNow(stand, 'before', 2, 1);
    await stand.produceBomb('impressions', 40 * 2 ** 20);
    const at = Date.now();
    await stand.produce(shown('after', 2, at));
    const service = stand.run();
    await service.printedOnce(/"cause":"codec".*unit stopped/);
    expect(await service.stop()).toBe(0);

    const examined = await stand.command(doctorCommand);
    const advice = /^error +records: .*\(gzip data is .*receval skip --partition (\d+) --topic (\S+) --to (\d+)$/m;
    expect(examined.stdout).toMatch(advice);
    const [, partition, topic, to] = advice.exec(examined.stdout) ?? [];
    expect([partition, topic, to]).toEqual(['0', impressions, '3']);
    const skipped = await stand.command(skipCommand, '--partition', partition, '--topic', topic, '--to', to, '--yes');
    expect(skipped.stdout).toContain('skipped 1 records');
    const [after] = await counted(stand, 1, at + LONGEST);
    expect(totals([after])).toMatchObject({
      impressions: { read: 4, accepted: 4 },
      feedback: { read: 4, attributed: 4, drops: { orphan: 0 } },
    });
    expect(await stand.impressionsIn('1c', '2s')).toBe(4);
  });
});

itWith(
  SERVERS,
  'a changed horizon is refused with what differs, and begins a new generation when asked to',
  async (servers) => {
    await withStand(servers, async (stand) => {
      stand.configure(QUICK);
      await stand.makeTopics(1);
      const [old] = await countedNow(stand, 'old', 4, 1);
      expect(await stand.impressionsIn('1c', '2s')).toBe(4);
      const fits = await stand.command(doctorCommand);
      expect(fits.stdout).toMatch(/^ok +state: 1 of 1 partitions have stored state, and it fits the configuration$/m);
      stand.configure({ attribution: { ...QUICK.attribution, horizons: ['1s', '3s'] } });
      const message = await refused(stand);
      expect(message).toContain('attribution.horizons: stored ["1s","2s"], now ["1s","3s"]');
      expect(message).toContain('--new-generation');
      expect(await stand.impressionsIn('1c', '2s')).toBe(4);
      stand.configure({ ...QUICK, inputs: { feedback: { timeZone: 'UTC' } } });
      const zone = 'kafka.topics.feedback.timeZone: stored (none), now "UTC"';
      expect(await refused(stand)).toContain(`than the stored ones have:\n  ${zone}\nSet these back`);
      stand.configure({ attribution: { ...QUICK.attribution, horizons: ['1s', '3s'] } });
      const examined = await stand.command(doctorCommand);
      expect(examined.stdout).toMatch(/^error +state: .*\n +attribution\.horizons: stored \["1s","2s"\]/m);
      expect(examined.code).toBe(1);

      const at = Date.now();
      await stand.produce(shown('new', 3, at));
      const [unit] = await counted(stand, 1, at + 3000, '--new-generation');
      expect(unit.generation).toBe('2c');
      // But for runs of experiments, which are kept for a week.
      const former = await stand.redis.keys(`receval:{${stand.namespace}:0}:1c:*`);
      expect(former.filter((key) => !/:1c:(?:total|users|looks):/.test(key))).toEqual([]);
      const counts = await stand.impressionsIn('2c', '3s');
      // The lists from the old replay offset on are read again without their feedback, and are in no sum.
      const [{ committed, replay }] = old.join.topics;
      expect(committed).toBeGreaterThan(replay);
      expect(counts).toBe(3);
      // Once is enough.
      const [again] = await countedNow(stand, 'later', 2, 1);
      expect(again.generation).toBe('2c');
      expect(await stand.impressionsIn('2c', '3s')).toBe(counts + 2);
    });
  },
);

itWith(SERVERS, 'lost state is refused, and rebuilt from the log when asked to', async (servers) => {
  await withStand(servers, async (stand) => {
    stand.configure(QUICK);
    await stand.makeTopics(2);
    const at = Date.now();
    const first = await countedNow(stand, 'all', 12, 2);
    await stand.redis.flushall();
    const message = await refused(stand);
    expect(message).toContain('the state was lost');
    expect(message).toContain('A new namespace needs a new kafka.groupId, too');
    expect(message).toContain('--rebuild');
    expect(message).toContain('redis reload');
    const examined = await stand.command(doctorCommand);
    expect(examined.stdout).toMatch(/^error +state: .* the state was lost/m);
    expect(examined.code).toBe(1);
    expect(await stand.stored(0)).toBeUndefined();

    const rebuilt = await counted(stand, 2, at + 2000, '--rebuild');
    expect(totals(rebuilt)).toEqual(totals(first));
    expect(totals(rebuilt)).toMatchObject({
      impressions: { read: 12, accepted: 12 },
      feedback: { read: 12, attributed: 12 },
    });
    expect(await stand.impressionsIn((await stand.stored(0))?.generation ?? '', '2s')).toBe(12);
    for (const { incompleteBefore } of rebuilt) expect(incompleteBefore).toBeGreaterThanOrEqual(at);
  });
});

itWith(
  SERVERS,
  'both roles have the page; while the state is lost the exporter is not ready, the worker names the partition, and both say what to do',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const [workerPort, exporterPort] = [await freePort(), await freePort()];
      stand.configure(QUICK);
      await stand.makeTopics(1);
      const services: RunningService[] = [];
      const start = (role: string, port: number): RunningService => {
        stand.configure({ ...QUICK, http: { port } });
        const service = stand.run('--role', role);
        services.push(service);
        return service;
      };
      /** Until /readyz has this status, and says this. */
      const readiness = (port: number, status: number, says = ''): Promise<void> =>
        until(`/readyz with ${status}: ${says}`, async () => {
          const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
          return answer?.status === status && (await answer.text()).includes(says);
        });
      try {
        const first = start('exporter', exporterPort);
        // Nobody has committed yet.
        await first.printedOnce(/receval is running/);
        await readiness(exporterPort, 503, 'no worker has committed');
        const worker = start('worker', workerPort);
        await stand.produce(shown('all', 4));
        await stand.drained(1, worker, Number.NEGATIVE_INFINITY);
        await readiness(workerPort, 200);
        await readiness(exporterPort, 200);
        // Every role has the page, and no list is kept by default.
        for (const port of [workerPort, exporterPort]) {
          const page = await fetch(`http://127.0.0.1:${port}/`);
          expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
          const lists = await fetch(`http://127.0.0.1:${port}/api/v1/lists`);
          expect([lists.status, await lists.text()]).toEqual([404, expect.stringContaining('http.samples')]);
        }

        await stand.redis.flushall();
        await stand.produce(shown('after', 1));
        await readiness(exporterPort, 503, 'is gone from Redis');
        await readiness(workerPort, 200, 'partition 0 is stopped: state_lost');
        await worker.printedOnce(/unit stopped/);
        expect(worker.printed).toContain('--rebuild');
        // One that is started now has never seen what was there.
        expect(await first.stop()).toBe(0);
        start('exporter', exporterPort);
        await readiness(exporterPort, 503, 'no worker has committed');
      } finally {
        await Promise.all(services.filter(({ isRunning }) => isRunning).map((service) => service.stop()));
      }
    });
  },
);

itWith(SERVERS, 'a start at the latest record holds from then on, also for what is added later', async (servers) => {
  await withStand(servers, async (stand) => {
    stand.configure({ ...QUICK, start: { from: 'latest' } });
    await stand.makeTopics(1);
    await stand.produce(shown('before', 4));
    const service = stand.run();
    await stand.drained(1, service, Number.NEGATIVE_INFINITY);
    expect(await service.stop()).toBe(0);
    expect(totals([await stand.stored(0)].filter((one) => one !== undefined))).toMatchObject({
      impressions: { read: 0 },
      feedback: { read: 0 },
    });
    // While nobody reads, and then into a partition that nobody has read yet.
    await stand.produce(shown('meanwhile', 5));
    await stand.addPartitions(2);
    await stand.produce(shown('added', 20));
    const [[, added]] = await stand.ends();
    expect(added).toBeGreaterThan(0);

    const units = await countedNow(stand, 'after', 10, 2, '--accept-partitions');
    expect(totals([units[1]])).toMatchObject({ impressions: { read: expect.toSatisfy((n) => n >= added) } });
    expect(totals(units)).toMatchObject({
      impressions: { read: 35, accepted: 35 },
      feedback: { read: 35, attributed: 35 },
    });
  });
});

itWith(SERVERS, 'added partitions are refused, and taken in when asked to', async (servers) => {
  await withStand(servers, async (stand) => {
    stand.configure(QUICK);
    await stand.makeTopics(2);
    const before = await countedNow(stand, 'two', 12, 2);
    await stand.addPartitions(3);
    const message = await refused(stand);
    expect(message).toContain('the topics have 3 partitions, the stored state was built with 2');
    expect(message).toContain('--accept-partitions');
    expect(totals(before)).toMatchObject({ impressions: { accepted: 12 } });

    const units = await countedNow(stand, 'three', 30, 3, '--accept-partitions');
    expect(units.map(({ partitions }) => partitions)).toEqual([3, 3, 3]);
    expect(totals([units[2]])).toMatchObject({ impressions: { accepted: expect.toSatisfy((n) => n > 0) } });
    expect(totals(units)).toMatchObject({
      impressions: { read: 42, accepted: 42 },
      feedback: { read: 42, attributed: 42 },
    });
    // The new unit has a generation of its own.
    expect(await stand.impressionsIn('*', '2s')).toBe(42);
    for (const [p, { incompleteBefore }] of units.slice(0, 2).entries()) {
      expect(incompleteBefore).toBeGreaterThanOrEqual(before[p].join.watermark);
    }
  });
});

itWith(SERVERS, 'a Redis that starts later than the service is reported, and waited for', async (servers) => {
  const late = await startRedis();
  try {
    await late.kill9();
    await withStand(servers, async (stand) => {
      stand.configure({ redis: { url: late.url } });
      await stand.makeTopics(1);
      const service = stand.run();
      await service.printedOnce(/Check that the server runs.*Redis did not answer yet/);
      await late.restart();
      await service.printedOnce(/receval is running/);
      expect(await service.stop()).toBe(0);
    });
  } finally {
    await late.stop();
  }
});
