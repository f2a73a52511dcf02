import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAltered } from '../../../src/accumulators/store/json.ts';
import { looksKey, paneKey, totalKey, unitKey, usersKey, vectorKey } from '../../../src/accumulators/store/layout.ts';
import { RedisStore, type RedisStoreOptions } from '../../../src/accumulators/store/redis-store.ts';
import { type Commit, type Fields, StoreUnavailable } from '../../../src/accumulators/store/store-port.ts';
import { until } from '../../consumers/source/kafka/collector.ts';
import { openRedis, type RedisHarness, redisIsThere } from '../../contracts/store/redis-harness.ts';
import { freePort } from '../../services/ports.ts';
import { type RunningRedis, startRedis } from '../../services/redis.ts';

const UNIT = unitKey('contract', 0);
const PANES = [0, 1, 2].map((n) => paneKey({ namespace: 'contract', unit: 0, generation: '1c' }, 'm', n * 60_000));

function commitOf(seq: number, change: Partial<Commit> = {}): Commit {
  return {
    unit: UNIT,
    token: 't',
    seq,
    cid: `c${seq}`,
    parent: seq === 1 ? '' : `c${seq - 1}`,
    checkpoint: new Map([['position', String(seq)]]),
    rows: new Map(PANES.map((key) => [key, new Map([['30m||', `row ${seq}`]])] as const)),
    deletes: [],
    ...change,
  };
}

async function faultOf(promise: Promise<unknown>): Promise<StoreUnavailable> {
  const error = await promise.then(
    (answer) => new Error(`answered ${String(answer)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreUnavailable)) throw error;
  return error;
}

/** Sends the same commit until it is answered, as a worker does. */
function settle(store: RedisStore, commit: Commit): Promise<string> {
  return untilAnswered(() => store.commit(commit));
}

async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  const end = Date.now() + 300_000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > end || !(error instanceof StoreUnavailable)) throw error;
      await sleep(20);
    }
  }
}

interface LossyWire {
  readonly port: number;
  /** What the next bytes of that kind do not survive; the connection breaks instead. */
  lose: 'the request' | 'the reply' | undefined;
  /** By how many ms replies are late. */
  delay: number;
  close(): void;
}

/** A way to a server that breaks once when told to. */
async function lossyWire(target: number): Promise<LossyWire> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection({ host: '127.0.0.1', port: target });
    for (const [from, to, what] of [
      [near, far, 'the request'],
      [far, near, 'the reply'],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.on('data', (bytes) => {
        if (wire.lose === what) {
          wire.lose = undefined;
          from.destroy();
          to.destroy();
        } else if (what === 'the reply' && wire.delay > 0) setTimeout(() => to.write(bytes), wire.delay);
        else to.write(bytes);
      });
    }
  });
  const wire: LossyWire = {
    port: await freePort(),
    lose: undefined,
    delay: 0,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  await new Promise<void>((resolve) => server.listen(wire.port, '127.0.0.1', resolve));
  return wire;
}

if (await redisIsThere()) {
  describe('RedisStore', () => {
    let server: RunningRedis;
    let harness: RedisHarness;
    let store: RedisStore;
    const closing: (() => Promise<void> | void)[] = [];

    async function open(config: Record<string, string> = {}, options: Partial<RedisStoreOptions> = {}): Promise<void> {
      server = await startRedis({ config });
      closing.push(() => server.stop());
      harness = await openRedis(server.url, options);
      store = harness.store;
      closing.push(() => harness.store.close());
      closing.push(() => harness.admin.disconnect());
      await store.claim(UNIT, 't');
      expect(await store.commit(commitOf(1))).toBe('OK');
    }
    beforeEach(() => {
      closing.length = 0;
    });
    afterEach(async () => {
      for (const close of closing.reverse()) await close();
    });

    /** What the server calls the connection that commits. */
    async function connection(): Promise<string> {
      return /id=(\d+)[^\n]*name=receval-commits/.exec(String(await harness.admin.client('LIST')))?.[1] ?? '';
    }

    /** A commit is refused with this code, nothing of it is there, and it is applied once the cause is gone. */
    async function refusesWhole(code: string, commit: Commit, heal: () => Promise<unknown>): Promise<void> {
      const before = await harness.snapshot();
      const fault = await faultOf(store.commit(commit));
      expect(fault).toMatchObject({ code, outcome: 'refused' });
      expect(await harness.snapshot()).toEqual(before);
      await heal();
      expect(await settle(store, commit)).toBe('OK');
    }

    it('loads its scripts again when the server has forgotten them', async () => {
      await open();
      await harness.admin.script('FLUSH');
      expect(await store.commit(commitOf(2))).toBe('OK');
      await harness.admin.script('FLUSH');
      expect(await store.commit(commitOf(2))).toBe('ALREADY');
      await harness.admin.script('FLUSH');
      expect(await store.claim(UNIT, 'u')).toMatchObject({ token: 't', seq: 2 });
    });

    it('answers a commit whose reply was lost on a killed connection', async () => {
      await open();
      const answers = new Set<string>();
      let lost = 0;
      for (let seq = 2; seq < 60; seq++) {
        const fields = new Map(Array.from({ length: 300 }, (_, i) => [`f${i}`, `${seq}`] as const));
        const commit = commitOf(seq, { rows: new Map([[PANES[0], fields]]) });
        const sent = store.commit(commit).catch(() => {
          lost++;
          return settle(store, commit);
        });
        const kill =
          seq % 3 === 0 ? harness.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes') : undefined;
        answers.add(await sent);
        await kill;
      }
      expect(lost).toBeGreaterThan(0);
      expect([...answers].every((answer) => answer === 'OK' || answer === 'ALREADY')).toBe(true);
      expect(await harness.admin.hget(UNIT, 'seq')).toBe('59');
    });

    it.each([
      ['the reply', 'ALREADY'],
      ['the request', 'OK'],
    ] as const)('settles a commit of which %s was lost: %s', async (what, expected) => {
      await open();
      const wire = await lossyWire(server.port);
      closing.push(wire.close);
      const far = await RedisStore.connect({ url: `redis://127.0.0.1:${wire.port}` });
      closing.push(() => far.close());
      for (let seq = 2; seq < 12; seq++) {
        wire.lose = what;
        expect(await faultOf(far.commit(commitOf(seq)))).toMatchObject({ code: 'DISCONNECTED', outcome: 'unknown' });
        expect(await settle(far, commitOf(seq))).toBe(expected);
      }
      expect(await harness.admin.hget(UNIT, 'seq')).toBe('11');
    });

    it('waits longer for a server that is far away, until it is near again', async () => {
      await open();
      const wire = await lossyWire(server.port);
      closing.push(wire.close);
      const far = await RedisStore.connect({ url: `redis://127.0.0.1:${wire.port}`, commandTimeout: 400 });
      closing.push(() => far.close());
      wire.delay = 1000;
      expect(await faultOf(far.commit(commitOf(2)))).toMatchObject({ code: 'TIMEOUT', outcome: 'unknown' });
      expect(await settle(far, commitOf(2))).toBe('ALREADY');
      expect(await far.commit(commitOf(3))).toBe('OK');
      wire.delay = 0;
      expect(await far.commit(commitOf(4))).toBe('OK');
      wire.delay = 1000;
      expect(await faultOf(far.commit(commitOf(5)))).toMatchObject({ code: 'TIMEOUT', outcome: 'unknown' });
    });

    it('settles a commit that a stopped server applied after we had given up on it', async () => {
      await open({}, { commandTimeout: 1000 });
      const first = await connection();
      server.pause();
      const fault = await faultOf(store.commit(commitOf(2)));
      expect(fault).toMatchObject({ code: 'TIMEOUT', outcome: 'unknown', retriable: true });
      expect((await faultOf(store.commit(commitOf(2)))).outcome).toMatch(/refused|unknown/);
      server.resume();
      expect(['OK', 'ALREADY']).toContain(await settle(store, commitOf(2)));
      expect(await store.commit(commitOf(2))).toBe('ALREADY');
      expect(await harness.admin.hmget(UNIT, 'seq', 'cid')).toEqual(['2', 'c2']);
      expect(await connection()).not.toBe(first);
      expect(await store.commit(commitOf(3))).toBe('OK');
    });

    it.each(['kill9', 'restart'] as const)('goes on after %s of a server with an appendonly file', async (how) => {
      await open({ appendonly: 'yes', appendfsync: 'always' });
      expect(await store.commit(commitOf(2))).toBe('OK');
      if (how === 'kill9') await server.kill9();
      await server.restart();
      expect(await settle(store, commitOf(2))).toBe('ALREADY');
      expect(await settle(store, commitOf(3))).toBe('OK');
      expect(await untilAnswered(() => store.read([PANES[0]]))).toEqual([new Map([['30m||', 'row 3']])]);
    });

    it('says that there is no connection while the server is down, and what to do', async () => {
      await open();
      await server.kill9();
      await until('the connection is gone', () => !store.connected);
      const fault = await faultOf(store.commit(commitOf(2)));
      expect(fault).toMatchObject({ code: 'NOT_CONNECTED', outcome: 'refused', retriable: true });
      expect(fault.message).toContain('Check that the server runs');
      expect(await faultOf(store.read([UNIT]))).toMatchObject({ code: 'NOT_CONNECTED' });
    });

    it('writes nothing when a row, the unit or a later row holds something else than a hash', async () => {
      await open();
      for (const key of [PANES[2], PANES[0]]) {
        await harness.admin.set(key, 'stranger');
        const seq = await harness.admin.hget(UNIT, 'seq');
        const all = () => Promise.all(PANES.map((pane) => harness.admin.dumpBuffer(pane)));
        const before = await all();
        const commit = commitOf(Number(seq) + 1, { deletes: [PANES[1]] });
        const fault = await faultOf(store.commit(commit));
        expect(fault).toMatchObject({ code: 'WRONGTYPE', retriable: false });
        expect(fault.message).toContain(`(${key} holds a string, not rows)`);
        // Whoever reads it finds no rows there.
        expect(await store.read([PANES[1], key])).toEqual([new Map([['30m||', expect.any(String)]]), new Map()]);
        expect(await store.readFields([key], ['30m||'])).toEqual([new Map()]);
        expect(await all()).toEqual(before);
        expect(await harness.admin.hget(UNIT, 'seq')).toBe(seq);
        await harness.admin.del(key);
        expect(await store.commit(commit)).toBe('OK');
      }
      await harness.admin.set(UNIT, 'stranger');
      for (const call of [store.commit(commitOf(3)), store.claim(UNIT, 'u')]) {
        const fault = await faultOf(call);
        expect(fault).toMatchObject({ code: 'WRONGTYPE', retriable: false });
        expect(fault.message).toContain(`(${UNIT} holds a string, not a unit)`);
      }
      expect(await store.read([UNIT])).toEqual([new Map()]);
      expect(await harness.admin.get(UNIT)).toBe('stranger');
    });

    it.each(['x', '1.5', '01', '-1', '1e3', '9007199254740993'])(
      'does not claim a unit whose number is %s',
      async (seq) => {
        await open();
        await harness.admin.hset(UNIT, 'seq', seq);
        expect(await store.commit(commitOf(2))).toBe('CONFLICT');
        expect(await faultOf(store.claim(UNIT, 'u'))).toMatchObject({ code: 'BADSTATE', retriable: false });
        expect(await harness.admin.hget(UNIT, 'token')).toBe('t');
      },
    );

    it('writes nothing on a server that is out of memory', async () => {
      await open();
      await harness.admin.config('SET', 'maxmemory', '1');
      await refusesWhole('OOM', commitOf(2, { deletes: [PANES[1]] }), () =>
        harness.admin.config('SET', 'maxmemory', '0'),
      );
    });

    it('tells how full its server is, before it is full', async () => {
      await open();
      expect(await store.usage()).toEqual({ usedBytes: expect.any(Number), limitBytes: undefined, evicted: 0 });
      const { usedBytes } = await store.usage();
      expect(usedBytes).toBeGreaterThan(100_000);
      const memory = async (share: number) => {
        const limit = Math.round(usedBytes / share);
        await harness.admin.config('SET', 'maxmemory', String(limit));
        expect((await store.usage()).limitBytes).toBe(limit);
        return (await store.checks(undefined)).find(({ check }) => check === 'memory');
      };
      expect(await memory(0.5)).toMatchObject({ level: 'ok' });
      expect(await memory(0.9)).toMatchObject({ level: 'warning', alert: 'RecevalRedisMemoryHigh' });
      await harness.admin.config('SET', 'maxmemory-policy', 'allkeys-random');
      await harness.admin.config('SET', 'maxmemory', String(Math.round(usedBytes / 2)));
      await harness.admin.set('more', 'x').catch(() => {});
      expect((await store.usage()).evicted).toBeGreaterThan(0);
    });

    it('can be read by others when out of memory', async () => {
      await open();
      await harness.admin.config('SET', 'maxmemory', '1');
      expect(await store.read([PANES[0]])).toEqual([new Map([['30m||', 'row 1']])]);
      expect(await faultOf(store.claim(UNIT, 'u'))).toMatchObject({ code: 'OOM' });
    });

    it('writes nothing on a replica, and connects anew', async () => {
      await open();
      const [before, first] = [await harness.snapshot(), await connection()];
      expect(first).not.toBe('');
      await harness.admin.replicaof('127.0.0.1', 1);
      const fault = await faultOf(store.commit(commitOf(2)));
      expect(fault).toMatchObject({ code: 'READONLY', outcome: 'refused', retriable: true });
      expect(fault.message).toContain('Point redis.url at the primary');
      expect(await harness.snapshot()).toEqual(before);
      // Most of these meet the connection that is being made, for the same reason.
      const seen = new Set<string>();
      for (let n = 0; n < 200 && seen.size < 2; n++) {
        const { code, message } = await faultOf(store.commit(commitOf(2)));
        seen.add(code);
        for (const text of [message, store.trouble]) {
          expect(text).toMatch(/READONLY.*Point redis\.url at the primary/);
          expect(text).not.toContain('Check that the server runs');
        }
        await sleep(5);
      }
      expect([...seen].sort()).toEqual(['NOT_CONNECTED', 'READONLY']);
      await harness.admin.replicaof('NO', 'ONE');
      expect(await settle(store, commitOf(2))).toBe('OK');
      expect(store.trouble).toBeUndefined();
      expect(await connection()).not.toBe(first);
    });

    it('writes nothing while fewer replicas are there than asked for', async () => {
      await open();
      await harness.admin.config('SET', 'min-replicas-to-write', '1');
      await refusesWhole('NOREPLICAS', commitOf(2), () => harness.admin.config('SET', 'min-replicas-to-write', '0'));
    });

    it('writes nothing while the server cannot save to its disk', async () => {
      await open({ save: '3600 1000000' });
      const [, folder] = (await harness.admin.config('GET', 'dir')) as string[];
      const inTheWay = join(folder, 'dump.rdb');
      mkdirSync(inTheWay);
      const saved = async (status: string): Promise<void> => {
        await harness.admin.bgsave();
        while (!(await harness.admin.info('persistence')).includes(`rdb_last_bgsave_status:${status}`)) await sleep(20);
      };
      await saved('err');
      await refusesWhole('MISCONF', commitOf(2), async () => {
        rmdirSync(inTheWay);
        await saved('ok');
      });
    });

    it('writes nothing while another script keeps the server busy', async () => {
      await open({ 'busy-reply-threshold': '50' });
      const other = harness.admin.duplicate();
      closing.push(() => other.disconnect());
      await other.ping();
      const endless = harness.admin.eval('while true do end', 0).catch(() => {});
      const isRefused = (): Promise<boolean> =>
        other.ping().then(
          () => false,
          () => true,
        );
      await until('the server is busy', isRefused);
      expect(await faultOf(store.commit(commitOf(2)))).toMatchObject({ code: 'BUSY', outcome: 'refused' });
      await other.script('KILL');
      await endless;
      expect(await settle(store, commitOf(2))).toBe('OK');
    });

    it.each([
      ['UNLINK', commitOf(2, { deletes: [PANES[1]] })],
      ['HDEL', commitOf(2, { removes: new Map([[PANES[1], ['30m||']]]) })],
      ['PEXPIRE', commitOf(2)],
      ['HSET', commitOf(2)],
      ['TYPE', commitOf(2)],
      ['HMGET', commitOf(2)],
    ])('writes nothing for a user who lacks %s', async (right, commit) => {
      await open({}, { rowTtl: 60_000 });
      const before = await harness.snapshot();
      await harness.admin.acl('SETUSER', 'default', `-${right.toLowerCase()}`);
      const fault = await faultOf(store.commit(commit));
      expect(fault).toMatchObject({ code: 'NOPERM', outcome: 'refused' });
      expect(fault.message).toContain(`(allow it +${right.toLowerCase()} `);
      const findings = await store.checks('checks');
      expect(findings.find(({ check }) => check === 'self-test')).toMatchObject({ level: 'error' });
      await harness.admin.acl('SETUSER', 'default', `+${right.toLowerCase()}`);
      expect(await harness.snapshot()).toEqual(before);
      expect(await store.commit(commit)).toBe('OK');
    });

    it('lets one of two claims win, and every commit of the other is fenced', async () => {
      await open();
      const other = await RedisStore.connect({ url: server.url });
      closing.push(() => other.close());
      for (let round = 0; round < 20; round++) {
        const [a, b] = await Promise.all([store.claim(UNIT, `a${round}`), other.claim(UNIT, `b${round}`)]);
        const aWasFirst = b.token === `a${round}`;
        expect(a.token === `b${round}`).toBe(!aWasFirst);
        expect(a.seq).toBe(b.seq);
        const commit = commitOf(a.seq + 1, { parent: a.cid });
        const answers = await Promise.all([
          store.commit({ ...commit, token: `a${round}`, cid: `a${round}` }),
          other.commit({ ...commit, token: `b${round}`, cid: `b${round}` }),
        ]);
        expect(answers).toEqual(aWasFirst ? ['FENCED', 'OK'] : ['OK', 'FENCED']);
      }
    });

    it('renews the time to live of rows that are written, and of nothing else', async () => {
      await open({}, { rowTtl: 60_000 });
      expect(await harness.admin.pttl(UNIT)).toBe(-1);
      await Promise.all(PANES.map((key) => harness.admin.pexpire(key, 30_000)));
      const rows = new Map<string, Fields>([
        [PANES[0], new Map([['30m||', 'new']])],
        [PANES[1], new Map()],
      ]);
      expect(await store.commit(commitOf(2, { rows }))).toBe('OK');
      const [renewed, empty, other] = await Promise.all(PANES.map((key) => harness.admin.pttl(key)));
      expect(renewed).toBeGreaterThan(50_000);
      expect(empty).toBeLessThanOrEqual(30_000);
      expect(other).toBeLessThanOrEqual(30_000);
      expect(await harness.admin.pttl(UNIT)).toBe(-1);
    });

    it('gives no time to live to what is kept of a run, whatever else is written, and each row its own fields', async () => {
      await open({}, { rowTtl: 60_000 });
      const owner = { namespace: 'contract', unit: 0, generation: '1c' };
      const lasting = [totalKey, usersKey, looksKey].map((of) => of(owner, 'default', 'run'));
      const passing = [PANES[0], vectorKey(owner, 0)];
      const all = [lasting[1], passing[0], lasting[2], passing[1], lasting[0]];
      // Every choice of them: none, some, all of either kind.
      for (let chosen = 0; chosen < 2 ** all.length; chosen++) {
        const keys = all.filter((_, i) => (chosen & (1 << i)) !== 0);
        const rows = new Map(
          keys.map((key, n) => [key, new Map([0, 1, n].map((i) => [`f${i}`, `${chosen} ${key} ${i}`]))] as const),
        );
        const deletes = chosen % 3 === 0 ? [...all, PANES[2]] : [];
        expect(await store.commit(commitOf(2 + chosen, { rows, deletes }))).toBe('OK');
        for (const key of keys) {
          const [held] = await store.read([key]);
          expect([...held]).toEqual(expect.arrayContaining([...(rows.get(key) ?? [])]));
          const ttl = await harness.admin.pttl(key);
          if (lasting.includes(key)) expect(ttl, key).toBe(-1);
          else expect(ttl, key).toBeGreaterThan(50_000);
        }
        if (deletes.length > 0) {
          const gone = all.filter((key) => !keys.includes(key));
          expect(gone.length === 0 ? 0 : await harness.admin.exists(...gone)).toBe(0);
        }
      }
      expect(await harness.admin.pttl(UNIT)).toBe(-1);
    });

    it('keeps rows for ever when told nothing, and refuses a time to live that is none', async () => {
      await open();
      expect(await harness.admin.pttl(PANES[0])).toBe(-1);
      for (const rowTtl of [0, -1, 1.5, Number.NaN]) {
        await expect(RedisStore.connect({ url: server.url, rowTtl })).rejects.toThrow('rowTtl');
      }
    });

    it.each(['token', 'seq', 'cid'])('rejects a checkpoint that would overwrite %s', async (field) => {
      await open();
      await expect(store.commit(commitOf(2, { checkpoint: new Map([[field, 'x']]) }))).rejects.toThrow(`"${field}"`);
    });

    it('rejects keys of another unit, which would lie in another slot of a cluster', async () => {
      await open();
      await expect(store.commit(commitOf(2, { deletes: [unitKey('contract', 1)] }))).rejects.toThrow('does not belong');
    });

    it.each([
      ['a time to live that is not a number', ['1.5', '0', '1', '0', '0', 'f', 'v', '1', 'f', 'v']],
      ['a number of deletions that is none', ['', 'x', '1', '0', '0', 'f', 'v', '1', 'f', 'v']],
      ['more deletions than keys', ['', '2', '1', '0', '0', 'f', 'v']],
      ['a number of fields that is none', ['', '0', '-1', '0', '0', 'f', 'v']],
      ['a number of lasting rows that is none', ['', '0', '1', 'x', '0', 'f', 'v', '1', 'f', 'v']],
      ['a number of lasting rows below none', ['', '0', '1', '-1', '0', 'f', 'v', '1', 'f', 'v']],
      ['more lasting rows than rows', ['', '0', '1', '2', '0', 'f', 'v', '1', 'f', 'v']],
      ['a lasting row that is deleted', ['', '1', '1', '1', '0', 'f', 'v']],
      ['a number of removals that is none', ['', '0', '1', '0', 'x', 'f', 'v', '1', 'f', 'v']],
      ['more removals than keys', ['', '0', '1', '0', '2', 'f', 'v', '1', 'f']],
      ['a removal from a key that is deleted', ['', '1', '1', '0', '1', 'f', 'v', '1', 'f']],
      ['a lasting row that fields are removed from', ['', '0', '1', '1', '1', 'f', 'v', '1', 'f']],
      ['a removal of no fields', ['', '0', '1', '0', '1', 'f', 'v', '0']],
      ['a removal of a field that is missing', ['', '0', '1', '0', '1', 'f', 'v', '2', 'f']],
      ['a removal of more fields than it says', ['', '0', '1', '0', '1', 'f', 'v', '1', 'f', 'f']],
      ['a row without fields', ['', '0', '1', '0', '0', 'f', 'v', '0']],
      ['a row with half a field', ['', '0', '1', '0', '0', 'f', 'v', '1', 'f']],
      ['a row that is missing', ['', '0', '1', '0', '0', 'f', 'v']],
      ['fields of no row', ['', '0', '1', '0', '0', 'f', 'v', '1', 'f', 'v', 'f']],
      ['no arguments', []],
    ])('the script refuses %s before it writes', async (_, rest) => {
      await open();
      const before = await harness.snapshot();
      const text = readFileSync(new URL('../../../src/accumulators/store/commit.lua', import.meta.url), 'utf8');
      const sent = harness.admin.eval(text, 2, UNIT, PANES[0], 't', '1', 'c1', '2', 'c2', ...rest);
      await expect(sent).rejects.toThrow(/^BADCOMMIT /);
      expect(await harness.snapshot()).toEqual(before);
    });

    it.each(['commit', 'claim'])('%s.lua begins with the line that lets a full server refuse it whole', (name) => {
      const text = readFileSync(new URL(`../../../src/accumulators/store/${name}.lua`, import.meta.url), 'utf8');
      expect(text).toMatch(/^#!lua\n/);
    });

    it.each([1999, 2000, 2001, 4001])('sets %i fields of a row and of a checkpoint', async (count) => {
      await open();
      const fields = new Map(Array.from({ length: count }, (_, i) => [`f${i}`, `v${i}`] as const));
      expect(await store.commit(commitOf(2, { rows: new Map([[PANES[0], fields]]), checkpoint: fields }))).toBe('OK');
      expect((await store.read([PANES[0]]))[0]).toEqual(new Map([['30m||', 'row 1'], ...fields]));
      expect((await store.claim(UNIT, 'u')).checkpoint).toEqual(new Map([['position', '1'], ...fields]));
    });

    it.each([3999, 4000, 4001, 8001])('removes %i fields of a row', async (count) => {
      await open();
      const fields = new Map(Array.from({ length: count }, (_, i) => [`f${i}`, `v${i}`] as const));
      expect(await store.commit(commitOf(2, { rows: new Map([[PANES[0], fields]]) }))).toBe('OK');
      const removes = new Map([[PANES[0], [...fields.keys()]]]);
      expect(await store.commit(commitOf(3, { removes }))).toBe('OK');
      expect(await store.read([PANES[0]])).toEqual([new Map([['30m||', 'row 3']])]);
    });

    it('carries a huge commit, as a whole', async () => {
      await open();
      const rows = new Map(
        [...PANES, `${PANES[0]}0`].map(
          (key) =>
            [key, new Map(Array.from({ length: 2500 }, (_, i) => [`30m|v|${i}`, `${i}`.padEnd(400, 'ü')]))] as const,
        ),
      );
      const commit = commitOf(2, { rows, deletes: PANES });
      expect(await store.commit(commit)).toBe('OK');
      expect(await store.commit(commit)).toBe('ALREADY');
      expect(await store.read([...rows.keys()])).toEqual([...rows.values()]);
    });

    it.each<[string, (admin: Redis) => Promise<unknown>]>([
      ['lost', (admin) => admin.hdel(PANES[0], 'f1')],
      ['got', (admin) => admin.hset(PANES[0], 'f9', 'v')],
      ['has another number of', (admin) => admin.hset(PANES[0], '#', '9')],
    ])(
      'commits to no rows of a key that has %s fields since it was written, and reads none of them',
      async (_, change) => {
        await open();
        const rows = new Map([[PANES[0], new Map([0, 1, 2].map((i) => [`f${i}`, 'v']))]]);
        expect(await store.commit(commitOf(2, { rows }))).toBe('OK');
        await change(harness.admin);
        const before = await harness.admin.hgetall(PANES[0]);
        expect(await store.commit(commitOf(3, { rows, stored: new Set([PANES[0]]) }))).toBe('CONFLICT');
        expect(await harness.admin.hgetall(PANES[0])).toEqual(before);
        expect([...(await store.read([PANES[0]]))[0].values()].every(isAltered)).toBe(true);
        // Whoever deletes them all may begin again.
        expect(await store.commit(commitOf(3, { deletes: [PANES[0]], rows }))).toBe('OK');
        expect(await store.read([PANES[0]])).toEqual([rows.get(PANES[0])]);
      },
    );

    it('claims a unit of which a restart left nothing but the claims as one without a checkpoint', async () => {
      await open();
      // A claim is one command alone, a commit a transaction, which a server may leave out when it loads its log of writes.
      await harness.admin.hdel(UNIT, 'position');
      expect(await store.claim(UNIT, 'u')).toEqual({ token: 't', seq: 1, cid: 'c1', checkpoint: undefined });
    });

    it('checks the server, and leaves nothing behind', async () => {
      await open({ appendonly: 'yes' }, { rowTtl: 60_000 });
      const findings = await store.checks('contract');
      const levels = Object.fromEntries(findings.map(({ check, level }) => [check, level]));
      expect(levels).toMatchObject({
        eviction: 'ok',
        history: 'ok',
        durability: 'ok',
        replicas: 'ok',
        'self-test': 'ok',
      });
      expect(levels['version']).not.toBe('error');
      expect(await harness.admin.keys('*self-test*')).toEqual([]);
      expect((await store.checks(undefined)).map(({ check }) => check)).not.toContain('self-test');
      await harness.admin.config('SET', 'maxmemory-policy', 'volatile-lru');
      expect((await store.checks('contract')).find(({ check }) => check === 'eviction')?.level).toBe('error');
    });

    it('needs no more rights than the manual names', async () => {
      await open();
      const rights =
        'eval evalsha hgetall hmget hset hdel hlen type unlink pexpire time info ping client|setname acl|dryrun';
      const acl = async (user: string, allowed: string): Promise<string> => {
        const commands = allowed.split(' ').map((command) => `+${command}`);
        await harness.admin.acl('SETUSER', user, 'on', '>pass', '~receval:*', ...commands);
        return `redis://${user}:pass@127.0.0.1:${server.port}`;
      };
      const worker = await RedisStore.connect({ url: await acl('worker', rights), rowTtl: 60_000 });
      closing.push(() => worker.close());
      expect((await worker.checks('contract')).filter(({ level }) => level === 'error')).toEqual([]);
      await worker.claim(UNIT, 't');
      expect(await worker.commit(commitOf(2, { deletes: [PANES[0]] }))).toBe('OK');
      await worker.time();
      const reader = await RedisStore.connect({ url: await acl('reader', 'hgetall time info ping') });
      closing.push(() => reader.close());
      expect(await reader.read([PANES[0]])).toEqual([new Map([['30m||', 'row 2']])]);
      expect((await reader.checks(undefined)).filter(({ level }) => level === 'error')).toEqual([]);
      await reader.time();
      expect(await faultOf(reader.claim(UNIT, 'u'))).toMatchObject({ code: 'NOPERM' });
    });

    it('tells the time of the server', async () => {
      await open();
      expect(Math.abs((await store.time()) - Date.now())).toBeLessThan(60_000);
    });

    it('connects with a password, and no message shows it', async () => {
      const secured = await startRedis({ config: { requirepass: 'canary-1' } });
      closing.push(() => secured.stop());
      const url = (password: string): string => `redis://:${password}@127.0.0.1:${secured.port}`;
      const right = await RedisStore.connect({ url: url('canary-1') });
      await right.claim(UNIT, 't');
      await right.close();
      for (const [wrong, code] of [
        [url('canary-2'), 'WRONGPASS'],
        [`redis://127.0.0.1:${secured.port}`, 'NOAUTH'],
      ]) {
        // Longer than a test may take: it does not wait for what will not come.
        const fault = await faultOf(RedisStore.connect({ url: wrong, connectTimeout: 600_000 }));
        expect(fault.code).toBe(code);
        expect(`${fault.stack} ${JSON.stringify({ ...fault })} ${fault.cause}`).not.toContain('canary');
      }
    });

    it('gives up connecting where nobody listens, and says where and what to do', async () => {
      const fault = await faultOf(RedisStore.connect({ url: 'redis://u:canary@127.0.0.1:1', connectTimeout: 300 }));
      expect(fault).toMatchObject({ code: 'NOT_CONNECTED', retriable: true });
      expect(fault.message).toContain('redis://127.0.0.1:1');
      expect(fault.message).toContain('ECONNREFUSED');
      expect(fault.message).not.toContain('canary');
    });

    it('follows a master that a sentinel names', async () => {
      await open();
      const sentinel = await startRedis({
        sentinel: true,
        config: { 'sentinel monitor': `main 127.0.0.1 ${server.port} 1` },
      });
      closing.push(() => sentinel.stop());
      const followed = await RedisStore.connect({ url: `redis+sentinel://127.0.0.1:${sentinel.port}/main` });
      closing.push(() => followed.close());
      expect(await followed.claim(UNIT, 'u')).toMatchObject({ token: 't', seq: 1 });
    });
  });
}
