import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { PROMETHEUS, startPrometheus } from '../services/prometheus.ts';
import { pictureOf, startMetricsServer } from './metrics-server.ts';
import { eventually } from './polling.ts';
import { quickConfig, usualRules } from './quick-rules.ts';

const PATIENCE_MS = 300_000;

describe('the shipped rules in a Prometheus that scrapes', () => {
  itWith(
    PROMETHEUS,
    'fire for the variant that falls, for nothing else, and are resolved when it comes back',
    async () => {
      const shop = await startMetricsServer(pictureOf({ control: 'healthy', treatment: 'healthy' }));
      const prometheus = await startPrometheus({
        configYaml: quickConfig(shop.port),
        files: { 'rules.yml': usualRules() },
      });
      try {
        await eventually(
          () => prometheus.query('receval_quality_decision'),
          (samples) => samples.length > 0,
          PATIENCE_MS,
        );
        await eventually(prometheus.alerts, (alerts) => alerts.length === 0, PATIENCE_MS);

        shop.show(pictureOf({ control: 'improved', treatment: 'regressed' }));
        const fired = await eventually(prometheus.alerts, (alerts) => alerts.length > 0, PATIENCE_MS);
        expect(fired).toEqual([
          expect.objectContaining({
            name: 'RecevalQualityRegressed',
            state: 'firing',
            labels: expect.objectContaining({ variant: 'treatment', severity: 'critical', measure: 'ndcg@10' }),
            annotations: expect.objectContaining({
              summary: 'ndcg@10 of variant treatment is worse than its own past',
            }),
          }),
        ]);

        shop.show(pictureOf({ control: 'healthy', treatment: 'healthy' }));
        await eventually(prometheus.alerts, (alerts) => alerts.length === 0, PATIENCE_MS);
      } finally {
        await prometheus.stop();
        await shop.stop();
      }
    },
  );

  itWith(PROMETHEUS, 'are silent about the same fall during a replay, and not after it', async () => {
    const fallen = pictureOf({ treatment: 'regressed' });
    const shop = await startMetricsServer(
      fallen.replace('receval_replay_in_progress 0', 'receval_replay_in_progress 1'),
    );
    const prometheus = await startPrometheus({
      configYaml: quickConfig(shop.port),
      files: { 'rules.yml': usualRules() },
    });
    try {
      await eventually(
        () => prometheus.query('count_over_time(receval_quality_decision{decision="regressed"}[10s])'),
        ([sample]) => sample !== undefined && sample.value >= 3,
        PATIENCE_MS,
      );
      await sleep(1500);
      const firing = async () => (await prometheus.alerts()).filter(({ state }) => state === 'firing');
      expect(await firing()).toEqual([]);
      shop.show(fallen);
      await eventually(firing, (alerts) => alerts.length > 0, PATIENCE_MS);
    } finally {
      await prometheus.stop();
      await shop.stop();
    }
  });
});
