import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { checkRetention } from '../../src/service/checks.ts';
import { kafkaConnection } from '../../src/service/service-settings.ts';
import { Retention } from '../../src/service/start.ts';
import { load } from '../config/fixture.ts';
import { itWith } from '../services/it-with.ts';
import { type RunningService, sharedServers, shown, withStand } from './stand.ts';

const SERVERS = sharedServers();
const HOUR = 3600;

/** The sample without labels, once it is as wanted; undefined: there is none. */
async function headroom(service: RunningService, wanted: (seconds: number | undefined) => boolean): Promise<void> {
  await service.printedOnce(/"port":\d+/);
  const port = /"port":(\d+)/.exec(service.printed)?.[1];
  let seconds: number | undefined;
  for (const until = Date.now() + 300_000; Date.now() < until; await sleep(200)) {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const sample = /^receval_retention_headroom_seconds (\S+)$/m.exec(page);
    seconds = sample === null ? undefined : Number(sample[1]);
    if (/^receval_commits_total\{outcome="ok"\} [1-9]/m.test(page) && wanted(seconds)) return;
  }
  throw new Error(`the headroom stayed ${seconds}\n${service.printed.slice(-2000)}`);
}

itWith(SERVERS, 'the time that retention leaves is shown, as the topics have it', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1, { 'retention.ms': String(48 * HOUR * 1000) });
    const at = Date.now() - 600_000;
    const list = { requestId: 'r', ts: at, items: ['a'] };
    await stand.produce([{ topic: 'impressions', key: 'r', value: JSON.stringify(list), at }]);
    const service = stand.run();
    // Before it is read all of the time is left; then the list is needed again, and ten minutes old.
    await headroom(service, (seconds) => seconds !== undefined && seconds <= 48 * HOUR - 600);
    await headroom(service, (seconds) => seconds !== undefined && seconds > 48 * HOUR - 1800);
    expect(await service.stop()).toBe(0);
    expect(service.printed).not.toContain('how long the topics keep records');
  });
});

itWith(SERVERS, 'topics that keep records for ever have no such time', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1, { 'retention.ms': '-1' });
    await stand.produce([{ topic: 'impressions', key: 'r', value: null }]);
    const service = stand.run();
    await headroom(service, (seconds) => seconds === undefined);
    await sleep(3000);
    await headroom(service, (seconds) => seconds === undefined);
    expect(await service.stop()).toBe(0);
  });
});

itWith(
  SERVERS,
  'a start is refused when topics do not keep what may be needed again, and what to do is told',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const needed = 3 * 300_000 + 10_000 + 24 * HOUR * 1000;
      await stand.makeTopics(1, { 'retention.ms': String(needed - 1) });
      const service = stand.run();
      expect(await service.ended()).toBe(2);
      for (const topic of Object.values(stand.topics)) {
        expect(service.printed).toContain(`${topic}: retention.ms is ${needed - 1}`);
      }
      expect(service.printed).toContain(`Set it to ${needed} or more, or choose shorter horizons`);
      // It reads nothing that could be gone.
      const exporter = stand.run('--role', 'exporter');
      await exporter.printedOnce(/"port":\d+/);
      expect(await exporter.stop()).toBe(0);
    });
  },
);

itWith(SERVERS, 'lists whose feedback is gone are left out, as doctor and the log say', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    stand.configure({
      cohorts: [['variant']],
      experiments: { ranker: { control: 'a', variants: { a: 1, b: 1 } } },
    });
    const now = Date.now();
    const [before, after] = [now - 1_800_000, now - 1_200_000];
    await stand.produce([...shown('old', 5, before), ...shown('new', 5, after)]);
    await stand.deleteBelow('feedback', 5);
    const start = new Date(after).toISOString();
    const { stdout, code } = await stand.command(doctorCommand);
    expect(stdout.replaceAll(/\n +/g, ' ')).toMatch(
      new RegExp(
        `^warning +experiments: .*feedback-\\w+.* no longer .*ranker will count no lists from before ${start}`,
        'm',
      ),
    );
    expect(code).toBe(0);
    const service = stand.run();
    await service.printedOnce(/left out of all numbers/);
    expect(service.printed).toContain(`"before":"${start}"`);
    expect(await service.stop()).toBe(0);
  });
});

it('topics must keep records for three times the longest horizon, what may come late, and a day', () => {
  const settings = load('attribution: {horizons: [1m, 5m], outOfOrderness: 10s, backward: 2s}\n');
  const needed = 3 * 300_000 + 12_000 + 24 * HOUR * 1000;
  for (const fine of [[needed, undefined], [undefined, needed + 1], []]) {
    expect(() => checkRetention(settings, fine)).not.toThrow();
  }
  expect(() => checkRetention(settings, [needed, needed - 1])).toThrow(
    expect.objectContaining({
      name: 'StartRefused',
      exitCode: 2,
      message: expect.stringMatching(/^feedback: retention/),
    }),
  );
});

it('why the brokers do not say it is reported in words, not as the library of TLS has it', async () => {
  const raw =
    '807CAFB9577F0000:error:0A000416:SSL routines:ssl3_read_bytes:sslv3 alert certificate unknown:../deps/rec.c:1601:SSL alert number 46\n';
  const told: unknown[] = [];
  const log = { warn: (line: unknown) => void told.push(line) };
  const admin = { topicSettings: () => Promise.reject(new Error(`Connection error: ${raw}`)) };
  const retention = new Retention(admin, ['clicks'], log, kafkaConnection(load(''), 'receval-test'));
  expect(await retention.look()).toEqual([undefined]);
  await retention.look();
  expect(told).toEqual([
    {
      error: expect.stringMatching(
        /^Connection error: sslv3 alert certificate unknown; the server requires a client certificate/,
      ),
    },
  ]);
});
