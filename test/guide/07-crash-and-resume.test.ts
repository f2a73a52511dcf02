/** Chapter 7: a worker dies anywhere, another continues, and the durable state is the same to the last byte. */

import { expect, it } from 'vitest';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import { RestorableStore } from '../restorable-store.ts';
import { bytes, decoderOf, EIGHT, JOIN, PANES, ROLES, SCORER } from './shop.ts';

const SETTINGS: UnitSettings = {
  namespace: 'guide',
  partition: 0,
  partitions: 1,
  generation: '1',
  permissions: NO_PERMISSIONS,
  fingerprint: { shape: '', additive: '' },
  join: JOIN,
  panes: { ...PANES, cohortsPerSet: 100, totals: ['all'] },
  experiments: [],
  sources: ['impressions:0', 'feedback:0'],
};

/** Ten minutes of a shop: a list every second, every third one clicked twenty seconds later. */
const log = new MemoryLog(2, 1);
for (let s = 0; s < 600; s++) {
  const [requestId, ts] = [`r${s}`, EIGHT + 1000 * s];
  const country = ['DE', 'FR', 'JP'][s % 3];
  log.append(0, 0, bytes({ requestId, ts, cohorts: { country }, items: ['red', 'blue'] }), ts);
  const clicked = { requestId, itemId: 'blue', ts: ts + 20_000, action: 'click' };
  if (s % 3 === 0) log.append(1, 0, bytes(clicked), ts + 20_000);
}

let ids = 0;
const claim = (store: RestorableStore) =>
  Unit.claim(SETTINGS, {
    store,
    scorer: SCORER,
    decoders: ROLES.map(decoderOf),
    newId: () => `id-${ids++}`,
    now: () => undefined,
  });

/** Feeds a unit from its replay offsets, up to these offsets of the two topics. */
function feed(unit: Unit, upTo: readonly number[]): void {
  for (const topic of [0, 1]) {
    const from = unit.committed.replayOffsets[topic];
    const records = log.read(0, topic, from, upTo[topic] - from);
    unit.feed({ partition: 0, topic, records, next: upTo[topic] });
  }
}

/** All that is durable, but for what names owner and commit, and where the next replay may begin. */
function durable(store: RestorableStore): unknown {
  const own = ['token', 'seq', 'cid', 'topics'];
  return [...store.snapshot()]
    .sort()
    .map(([key, fields]) => [key, [...fields].filter(([name]) => !own.includes(name)).sort()]);
}

it('a unit that was killed between commits, and its zombie, leave what an unbroken one leaves', async () => {
  const unbroken = new RestorableStore();
  const only = await claim(unbroken);
  feed(only, [600, 200]);
  only.finish();
  expect(await only.commit()).toBe('OK');

  const store = new RestorableStore();
  const first = await claim(store);
  feed(first, [300, 80]); // five minutes
  expect(await first.commit()).toBe('OK');

  // The first worker continues, and dies before its next commit; or it only stalls: nobody can know.
  const second = await claim(store);
  expect(await second.commit()).toBe('REPLAYING'); // it reads again what was open, and counts none of it twice
  feed(second, [600, 200]);
  second.finish();
  expect(await second.commit()).toBe('OK');

  // The first worker wakes up. The store knows another owner, so it can do no harm.
  first.finish();
  expect(await first.commit()).toBe('FENCED');
  expect(durable(store)).toEqual(durable(unbroken));
});
