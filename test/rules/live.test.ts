import { describe, expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { PROMETHEUS, startPrometheus } from '../services/prometheus.ts';
import { pictureOf, startMetricsServer } from './metrics-server.ts';
import { eventually } from './polling.ts';
import { quickConfig, quickRules } from './quick-rules.ts';

describe('the shipped rules in a Prometheus that scrapes', () => {
  itWith(
    PROMETHEUS,
    'fire for the variant that falls, for nothing else, and are resolved when it comes back',
    async () => {
      const shop = await startMetricsServer(pictureOf({ control: 0.45, treatment: 0.5 }));
      const prometheus = await startPrometheus({
        configYaml: quickConfig(shop.port),
        files: { 'rules.yml': quickRules({ past: '20s', offset: '1s' }) },
      });
      try {
        const noted = 'min(count_over_time(receval:primary:trusted[20s] offset 1s))';
        await eventually(
          () => prometheus.query(noted),
          ([sample]) => sample !== undefined && sample.value >= 10,
          40_000,
        );
        expect(await prometheus.alerts()).toEqual([]);

        // Control falls too, by less than the share.
        shop.show(pictureOf({ control: 0.42, treatment: 0.35 }));
        const fired = await eventually(prometheus.alerts, (alerts) => alerts.length > 0, 10_000);
        expect(fired).toEqual([
          expect.objectContaining({
            name: 'RecevalQualityBelowPast',
            state: 'firing',
            labels: expect.objectContaining({ variant: 'treatment', severity: 'critical', measure: 'ndcg@10' }),
            annotations: expect.objectContaining({
              summary: expect.stringMatching(/^ndcg@10 of variant treatment is /),
            }),
          }),
        ]);
        expect(fired[0].value).toBeGreaterThan(0.2);

        shop.show(pictureOf({ control: 0.45, treatment: 0.5 }));
        await eventually(prometheus.alerts, (alerts) => alerts.length === 0, 10_000);
      } finally {
        await prometheus.stop();
        await shop.stop();
      }
    },
  );

  itWith(PROMETHEUS, 'are silent when the same fall comes during a replay', async () => {
    const shop = await startMetricsServer(pictureOf({ treatment: 0.5 }));
    const prometheus = await startPrometheus({
      configYaml: quickConfig(shop.port),
      files: { 'rules.yml': quickRules({ past: '6s', offset: '1s' }) },
    });
    try {
      const noted = 'min(count_over_time(receval:primary:trusted[6s] offset 1s))';
      await eventually(
        () => prometheus.query(noted),
        ([sample]) => sample !== undefined && sample.value >= 3,
        30_000,
      );
      shop.show(pictureOf({ treatment: 0.1 }).replace('receval_replay_in_progress 0', 'receval_replay_in_progress 1'));
      const seen = (): ReturnType<typeof prometheus.query> =>
        prometheus.query('count_over_time((receval_ndcg < 0.2)[3s:1s])');
      await eventually(seen, ([sample]) => sample !== undefined && sample.value >= 3, 10_000);
      expect(await prometheus.alerts()).toEqual([]);
    } finally {
      await prometheus.stop();
      await shop.stop();
    }
  });
});
