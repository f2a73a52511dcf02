import { expect } from 'vitest';
import { scheduledRegression } from '../../src/demo/shop-demo.ts';
import { ALERTMANAGER, startAlertmanager } from '../services/alertmanager.ts';
import { DEMO } from '../services/demo.ts';
import { itWith } from '../services/it-with.ts';
import { PROMETHEUS, startPrometheus } from '../services/prometheus.ts';
import { eventually } from './polling.ts';
import { quickConfig, usualRules } from './quick-rules.ts';
import { quickAlertmanagerConfig, startWebhook } from './webhook.ts';

/** Three minutes of events, three blocks of the demo, pass in a second. */
const SPEED = 180;
const FLAGS = ['--speed', String(SPEED), '--seed', '7', '--for', '900s'];
/** A new run whose own regression comes so late that nothing here sees it. */
const ANEW = ['--speed', '60', '--seed', '7', '--for', '900s'];
/** Times of the wall from the start of the demo, which on a slow machine falls behind. */
const { from, to } = scheduledRegression(0, SPEED);
const BROKEN_MS = from / SPEED;
const MENDED_MS = to / SPEED;
const PATIENCE_MS = 300_000;

const FIRING = ['page firing RecevalExperimentRegressed treatment', 'page firing RecevalQualityRegressed treatment'];
const MENDED = 'page resolved RecevalQualityRegressed treatment';
const RUN_ENDED = 'page resolved RecevalExperimentRegressed treatment';

itWith(
  {
    name: 'demo, prometheus and alertmanager',
    get: async () => ({
      demo: await DEMO.get(),
      program: await PROMETHEUS.get(),
      alertmanager: await ALERTMANAGER.get(),
    }),
  },
  'the planted regression of the demo reaches a webhook for its variant, and is resolved: against the past when it is mended, in the experiment by a new run',
  async ({ demo, alertmanager: words }) => {
    const webhook = await startWebhook();
    const config = quickAlertmanagerConfig(webhook.port);
    const alertmanager = await startAlertmanager(words, config.path);
    const began = Date.now();
    let shop = await demo(FLAGS);
    await eventually(
      async () => shop.printed(),
      (text) => text.includes('gauges on'),
      PATIENCE_MS,
    );
    /** As the demo has it: the minute in which it began. */
    const start = 60_000 * Math.floor(Date.now() / 60_000);
    const prometheus = await startPrometheus({
      configYaml: quickConfig(shop.port, alertmanager.port),
      files: { 'rules.yml': usualRules() },
    });
    /** Waits until this much was reported, and returns how long after the start that was. */
    const told = async (...notices: readonly string[]): Promise<number> => {
      const heard = async () => webhook.told();
      await eventually(heard, (all) => notices.every((one) => all.includes(one)), MENDED_MS + PATIENCE_MS);
      return Date.now() - began;
    };
    /** The event time that was reached when the gauge said so first. */
    const reachedAt = async (gauge: string): Promise<number> => {
      const said = `max(${gauge}{variant="treatment",decision="regressed"}) == 1`;
      const at = `max(receval_watermark_timestamp_seconds) and on() (${said})`;
      const [first] = await prometheus.query(`min_over_time((${at})[15m:1s])`);
      return 1000 * first.value - start;
    };
    const decided = (label: string) =>
      prometheus.query(
        `last_over_time(receval_experiment_decision{variant="treatment",decision=~"${label}"}[1m]) == 1`,
      );
    const firing = async () =>
      (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ name }) => name);
    try {
      expect(await told(...FIRING)).toBeGreaterThan(BROKEN_MS);
      // Within 3 blocks or a few more.
      for (const gauge of ['receval_quality_decision', 'receval_experiment_decision']) {
        expect(await reachedAt(gauge), gauge).toBeLessThan(to);
      }

      expect(await told(MENDED)).toBeGreaterThan(MENDED_MS);
      expect([...webhook.told()].sort()).toEqual([...FIRING, MENDED]);
      expect(await decided('regressed')).toHaveLength(1);
      expect(await firing()).toEqual(['RecevalExperimentRegressed']);

      const { port } = shop;
      await shop.stop();
      shop = await demo(ANEW, port);
      await eventually(
        () => decided('insufficient|healthy'),
        (found) => found.length === 1,
        PATIENCE_MS,
      );
      await told(RUN_ENDED);
      expect([...webhook.told()].sort()).toEqual([...FIRING, RUN_ENDED, MENDED]);
      await eventually(firing, (alerts) => alerts.length === 0, PATIENCE_MS);
    } finally {
      await prometheus.stop();
      await shop.stop();
      await alertmanager.stop();
      await webhook.stop();
      config.remove();
    }
  },
  4 * PATIENCE_MS,
);
