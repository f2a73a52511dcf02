import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { paneKey, totalKey, unitKey, usersKey } from '../../../src/accumulators/store/layout.ts';
import type { Commit, Fields } from '../../../src/accumulators/store/store-port.ts';
import { RestorableStore } from '../../restorable-store.ts';
import { anyRedis } from '../../services/redis.ts';
import { expectSame, openRedis, redisIsThere } from './redis-harness.ts';

const UNITS = [0, 1].map((unit) => unitKey('contract', unit));
const keysOf = (unit: number): readonly string[] => {
  const owner = { namespace: 'contract', unit, generation: '1c' };
  const [first, second] = [0, 1].map((n) => paneKey(owner, 'm', n));
  return [first, totalKey(owner, 'default', 'run'), second, usersKey(owner, 'default', 'run')];
};

const name = fc.constantFrom('a', 'b', '__proto__', 'ünï', '30m|variant|x', '');
const text = fc.oneof(
  fc.constantFrom('', '9007199254740993', '-0', '1e999', '\0', '\r\n', '$3\r\nfoo\r\n', '🙂'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const fields = fc.array(fc.tuple(name, text), { maxLength: 3 }).map((pairs): Fields => new Map(pairs));
const rows = fc.array(fc.tuple(fc.nat(3), fields), { maxLength: 4 });
const deletes = fc.uniqueArray(fc.nat(3), { maxLength: 4 });
const removes = fc.array(fc.tuple(fc.nat(3), fc.uniqueArray(name, { maxLength: 3 })), { maxLength: 3 });
const unit = fc.nat(1);

function mostlyNone<T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: some });
}

const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const), unit, token: fc.constantFrom('s', 't') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      unit,
      /** Of the claim that stands, or a stale one. */
      token: mostlyNone(fc.constantFrom('s', 't', '')),
      /** On the state that stands, or one that does not. */
      onto: mostlyNone(fc.record({ seq: fc.integer({ min: 1, max: 4 }), parent: fc.constantFrom('', 'c', 'd') })),
      cid: fc.constantFrom('c', 'd', 'e', 'f'),
      checkpoint: fields,
      rows,
      /** Which of the rows are to be there already. */
      stored: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()), {
        minLength: 4,
        maxLength: 4,
      }),
      deletes,
      removes,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('backup' as const, 'restore' as const, 'wipe' as const) }),
  },
);

if (await redisIsThere()) {
  const server = await anyRedis();
  const harness = await openRedis(server.url, { rowTtl: 600_000 });
  afterAll(async () => {
    await harness.close();
    await server.stop();
  });

  describe('RedisStore and RestorableStore', () => {
    it('give the same answers and hold the same after any commands, rollbacks and losses', async () => {
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 30, size: 'max' }), async (commands) => {
          await harness.wipe();
          const memory = new RestorableStore();
          let [backup, restore] = [memory.snapshot(), harness.wipe];
          let last: Commit | undefined;
          const commit = async (sent: Commit): Promise<void> => {
            const answer = await harness.store.commit(sent);
            expect(answer).toBe(await memory.commit(sent));
            seen.set(answer, (seen.get(answer) ?? 0) + 1);
          };
          for (const step of commands) {
            switch (step.kind) {
              case 'claim': {
                const claimed = await harness.store.claim(UNITS[step.unit], step.token);
                expect(claimed).toEqual(await memory.claim(UNITS[step.unit], step.token));
                break;
              }
              case 'commit': {
                const stands = memory.snapshot().get(UNITS[step.unit]);
                const keys = keysOf(step.unit);
                const rows = new Map(step.rows.map(([row, set]) => [keys[row], set] as const));
                last = {
                  unit: UNITS[step.unit],
                  token: step.token ?? stands?.get('token') ?? '',
                  seq: step.onto?.seq ?? Number(stands?.get('seq') ?? 0) + 1,
                  parent: step.onto?.parent ?? stands?.get('cid') ?? '',
                  cid: step.cid,
                  checkpoint: step.checkpoint,
                  rows,
                  stored: new Set([...rows].flatMap(([key, set], i) => (step.stored[i] && set.size > 0 ? [key] : []))),
                  deletes: step.deletes.map((row) => keys[row]),
                  removes: new Map(step.removes.map(([row, fields]) => [keys[row], fields] as const)),
                };
                await commit(last);
                break;
              }
              case 'again':
                if (last !== undefined) await commit(last);
                break;
              case 'backup':
                backup = memory.snapshot();
                restore = await harness.backup();
                break;
              case 'restore':
                memory.restoreSnapshot(backup);
                await restore();
                break;
              case 'wipe':
                memory.restoreSnapshot(new Map());
                await harness.wipe();
                break;
            }
          }
          expectSame(await harness.snapshot(), memory.snapshot());
          const all = [...UNITS, ...keysOf(0), ...keysOf(1)];
          expect(await harness.store.read(all)).toEqual(await memory.read(all));
        }),
        { numRuns: 400 },
      );
      for (const answer of ['OK', 'ALREADY', 'FENCED', 'CONFLICT']) {
        expect(seen.get(answer), answer).toBeGreaterThan(20);
      }
    });
  });
}
