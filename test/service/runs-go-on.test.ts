import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { compareCommand } from '../../src/cli/compare.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { simulateCommand } from '../../src/cli/simulate.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const ATTRIBUTION = { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' };
const SPLIT = { control: 'control', variants: { control: 0.5, treatment: 0.5 }, primary: 'mrr' };
const configuring =
  (port: number) =>
  (measures: readonly string[], experiment: object = SPLIT) => ({
    http: { port },
    attribution: ATTRIBUTION,
    measures,
    cohorts: [[], ['variant']],
    windows: ['5m'],
    experiments: { default: experiment },
  });

/** Runs the service until everything has closed and the experiment was looked at; answers its metrics then. */
async function lookedAt(stand: Stand, port: number, ...flags: string[]): Promise<string> {
  const service = stand.run(...flags);
  const metrics = (): Promise<string> =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
  try {
    await stand.drained(1, service, Date.now() - 60_000);
    await until('the experiment is looked at', async () => {
      await sleep(300);
      return /^receval_experiment_decision/m.test(await metrics());
    });
    return await metrics();
  } finally {
    await service.stop();
  }
}

async function compared(stand: Stand, ...flags: string[]) {
  return JSON.parse((await stand.command(compareCommand, '--output', 'json', ...flags)).stdout);
}

itWith(
  SERVERS,
  'an experiment goes on when a measure is added to a running service; what would end it is refused, and kept when it is ended',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const port = await freePort();
      const configured = configuring(port);
      const simulate = (...flags: string[]) =>
        stand.command(simulateCommand, '--to', 'kafka', '--users', '300', '--clean', ...flags);
      stand.configure(configured(['mrr', 'ndcg@10']));
      // At five a second the log reaches back thirteen minutes, so the window stays full for some minutes of silence.
      expect((await simulate('--create-topics', '1', '--events', '4000', '--rate', '5')).code).toBe(0);
      await lookedAt(stand, port);
      const before = await compared(stand);
      const lists = before.impressions.control + before.impressions.treatment;
      expect(lists).toBeGreaterThan(1500);

      // A measure more: the run and the windows of what was there go on.
      stand.configure(configured(['mrr', 'ndcg@10', 'hit@3']));
      const fits = await stand.command(doctorCommand);
      expect(fits.stdout).toMatch(
        /^ok +state: .*New since then: measure hit@3; this starts empty, and all else goes on\./m,
      );
      const metrics = await lookedAt(stand, port);
      expect(metrics).toMatch(/^receval_mrr\{.*window="5m"/m);
      expect(metrics).not.toMatch(/^receval_hit\{.*window="5m"/m);
      const after = await compared(stand);
      expect(after.impressions).toEqual(before.impressions);
      const [{ measures }] = after.variants;
      const of = (name: string) => measures.find(({ measure }: { measure: string }) => measure === name);
      expect(of('mrr')).toMatchObject({ value: before.variants[0].measures[0].value });
      expect(of('mrr').since).toBeUndefined();
      expect(of('hit@3')).toMatchObject({ value: null, since: expect.any(String) });
      expect((await stand.command(compareCommand)).stdout).toContain('hit@3 was added later: it counts the lists');

      // Another primary measure would end it.
      stand.configure(configured(['mrr', 'ndcg@10', 'hit@3'], { ...SPLIT, primary: 'ndcg@10' }));
      const told = new RegExp(
        `the configuration ends the run of the experiment default:\\n +default: ${lists.toLocaleString('en')} lists and \\d+ users would be left out; primary: was "mrr", now "ndcg@10"\\n`,
      );
      expect((await stand.command(doctorCommand)).stdout).toMatch(told);
      const refused = stand.run();
      expect(await refused.ended()).toBe(2);
      expect(refused.printed.replaceAll('\\n', '\n').replaceAll('\\"', '"')).toMatch(told);
      await lookedAt(stand, port, '--restart-experiments');
      const next = await compared(stand);
      expect(next).toMatchObject({ primary: 'ndcg@10', earlier: { impressions: lists } });
      expect(next.impressions).toEqual({ control: 0, treatment: 0 });
      const earlier = await compared(stand, '--earlier');
      expect(earlier).toMatchObject({ primary: 'mrr', impressions: before.impressions, users: before.users });
      expect(earlier.variants[0].decision).toBe(before.variants[0].decision);

      // Also where it is no longer configured.
      stand.configure({ ...configured(['mrr', 'ndcg@10']), experiments: {} });
      expect(await compared(stand, '--earlier', '--experiment', 'default')).toEqual(earlier);

      // Set back, it goes on.
      stand.configure(configured(['mrr', 'ndcg@10']));
      await lookedAt(stand, port, '--restart-experiments');
      expect((await compared(stand)).impressions).toEqual(before.impressions);
    });
  },
);
