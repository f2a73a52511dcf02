import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { scheduledRegression } from '../../src/demo/demo.ts';
import { DEMO } from '../services/demo.ts';
import { itWith } from '../services/it-with.ts';
import { type Alert, PROMETHEUS, startPrometheus } from '../services/prometheus.ts';
import { quickConfig, quickRules } from './quick-rules.ts';

/** Two minutes of events pass in a second: a window of 5 minutes takes 2.5 s. */
const SPEED = 120;
const FLAGS = ['--speed', String(SPEED), '--seed', '7', '--for', '170s'];
/** Time of the wall from the start of the demo. */
const REGRESSION_MS = scheduledRegression(0, SPEED).from / SPEED;
const PATIENCE_MS = REGRESSION_MS + 30_000;

itWith(
  { name: 'demo and prometheus', get: async () => ({ demo: await DEMO.get(), program: await PROMETHEUS.get() }) },
  'the planted regression of the demo fires for its variant, and nothing else critical fires',
  async ({ demo }) => {
    const began = Date.now();
    const shop = await demo(FLAGS);
    const prometheus = await startPrometheus({
      configYaml: quickConfig(shop.port),
      files: { 'rules.yml': quickRules({ past: '40s', offset: '3s' }) },
    });
    try {
      const seen = new Map<string, Alert>();
      const end = began + PATIENCE_MS;
      const regressed = (): boolean => [...seen.values()].some(({ name }) => name === 'RecevalQualityBelowPast');
      while (!regressed() && Date.now() < end && shop.isRunning()) {
        for (const alert of await prometheus.alerts()) {
          const isUrgent = alert.state === 'firing' && alert.labels['severity'] === 'critical';
          if (isUrgent) seen.set(`${alert.name} ${alert.labels['variant'] ?? ''}`.trim(), alert);
        }
        await sleep(300);
      }
      const noted = await prometheus.query('receval:primary:trusted');
      expect([...seen.keys()], `the demo printed:\n${shop.printed()}\nlast values: ${JSON.stringify(noted)}`).toEqual([
        'RecevalQualityBelowPast treatment',
      ]);
      expect(Date.now() - began).toBeGreaterThan(REGRESSION_MS);
    } finally {
      await prometheus.stop();
      await shop.stop();
    }
  },
  PATIENCE_MS + 40_000,
);
