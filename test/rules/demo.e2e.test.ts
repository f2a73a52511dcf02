import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { scheduledRegression } from '../../src/demo/demo.ts';
import { DEMO } from '../services/demo.ts';
import { itWith } from '../services/it-with.ts';
import { PROMETHEUS, startPrometheus } from '../services/prometheus.ts';
import { quickConfig, usualRules } from './quick-rules.ts';

/** A minute of events, a block of the demo, passes in a second. */
const SPEED = 60;
const FLAGS = ['--speed', String(SPEED), '--seed', '7', '--for', '240s'];
/** Times of the wall from the start of the demo. */
const { from, to } = scheduledRegression(0, SPEED);
const BROKEN_MS = from / SPEED;
const MENDED_MS = to / SPEED;
/** The alarm goes off within 3 blocks or a few more, and ends 20 blocks after the last bad one. */
const PATIENCE_MS = 60_000;
const RIGHT = 'RecevalQualityRegressed treatment mrr';

itWith(
  { name: 'demo and prometheus', get: async () => ({ demo: await DEMO.get(), program: await PROMETHEUS.get() }) },
  'the planted regression of the demo fires for its variant and is resolved, and nothing else fires',
  async ({ demo }) => {
    const began = Date.now();
    const shop = await demo(FLAGS);
    const prometheus = await startPrometheus({
      configYaml: quickConfig(shop.port),
      files: { 'rules.yml': usualRules() },
    });
    const seen = new Set<string>();
    /** Whether an alert fires; notes which. */
    const look = async (): Promise<boolean> => {
      await sleep(300);
      const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing');
      for (const { name, labels } of firing)
        seen.add([name, labels['variant'], labels['measure']].filter(Boolean).join(' '));
      return firing.length > 0;
    };
    /** Waits until the alerts that fire are, or are not, none; answers how long after the start of the demo that was. */
    const until = async (fires: boolean, end: number): Promise<number> => {
      for (;;) {
        if ((await look()) === fires) return Date.now() - began;
        if (Date.now() - began > end || !shop.isRunning())
          throw new Error(`expected ${fires ? 'an alert' : 'no alert'}; seen: ${[...seen]}\n${shop.printed()}`);
      }
    };
    try {
      const fired = await until(true, BROKEN_MS + PATIENCE_MS);
      expect([...seen]).toEqual([RIGHT]);
      expect(fired).toBeGreaterThan(BROKEN_MS);
      expect(fired).toBeLessThan(MENDED_MS);
      while (Date.now() - began < MENDED_MS) await look();
      await until(false, MENDED_MS + PATIENCE_MS);
      const label = await prometheus.query(
        'receval_quality_decision{variant="treatment",decision=~"healthy|improved"} == 1',
      );
      expect(label).toHaveLength(1);
      expect([...seen]).toEqual([RIGHT]);
    } finally {
      await prometheus.stop();
      await shop.stop();
    }
  },
  MENDED_MS + PATIENCE_MS + 40_000,
);
