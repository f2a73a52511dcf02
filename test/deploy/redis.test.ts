import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paneKey, unitKey } from '../../src/accumulators/store/layout.ts';
import { RedisStore } from '../../src/accumulators/store/redis-store.ts';
import { parseRedisUrl } from '../../src/accumulators/store/redis-url.ts';
import type { Commit } from '../../src/accumulators/store/store-port.ts';
import { openRedis, redisIsThere } from '../contracts/store/redis-harness.ts';
import { storeContract } from '../contracts/store/suite.ts';
import { run } from '../services/commands.ts';
import { debianProgram } from '../services/debian.ts';
import { freePort } from '../services/ports.ts';
import { ROOT, readCompose, readRoot } from './compose-file.ts';
import { makeSecrets, redisScript, redisSettings, startShippedRedis } from './shipped-redis.ts';

const secrets = await makeSecrets();
afterAll(() => secrets.remove());
const acl = await secrets.acl();
const redisCli = () => debianProgram({ command: 'redis-cli', debianPackage: 'redis-tools' });
const passwordOf = (url: string): string => new URL(url).password;

describe('the passwords of Redis', () => {
  it('are random, one for each user, readable by their owner alone, and stay once they are made', async () => {
    const made = secrets.read();
    expect(made.worker).toMatch(/^redis:\/\/receval-worker:[0-9a-f]{64}@redis:6379$/);
    expect(made.exporter).toMatch(/^redis:\/\/receval-exporter:[0-9a-f]{64}@redis:6379$/);
    expect(passwordOf(made.worker)).not.toBe(passwordOf(made.exporter));
    expect(statSync(join(secrets.folders.worker, 'url')).mode & 0o777).toBe(0o600);
    const again = await redisScript('secrets.sh', secrets.folders.worker, secrets.folders.exporter);
    expect(again).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(secrets.read()).toEqual(made);
  });

  it('stand in the file of users as hashes only', () => {
    expect(acl).toMatchObject({ code: 0, stderr: '' });
    expect(acl.stdout.split('\n').filter((line) => line.startsWith('user ')).length).toBe(3);
    for (const url of Object.values(secrets.read())) expect(acl.stdout).not.toContain(passwordOf(url));
    expect(acl.stdout).not.toMatch(/^#|<|nopass/m);
  });

  it('are given to the server by start.sh', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'receval-start-'));
    const fake = (name: string): void => {
      writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*"\n`, { mode: 0o755 });
    };
    fake('chown');
    fake('docker-entrypoint.sh');
    const users = join(bin, 'users.acl');
    const { worker, exporter } = secrets.folders;
    const args = [join(ROOT, 'deploy/redis/start.sh'), join(worker, 'url'), join(exporter, 'url'), users];
    const started = await run('sh', args, { env: { PATH: `${bin}:${process.env['PATH']}` } });
    expect(started).toMatchObject({ code: 0, stderr: '' });
    const conf = join(ROOT, 'deploy/redis/redis.conf');
    expect(started.stdout).toBe(`chown redis ${users}\ndocker-entrypoint.sh redis-server ${conf}\n`);
    expect(readFileSync(users, 'utf8')).toBe(acl.stdout);
    expect(statSync(users).mode & 0o777).toBe(0o600);
    rmSync(bin, { recursive: true });
  });

  it('are missed, not made up, where an address has none', async () => {
    const file = join(secrets.folders.worker, 'none');
    for (const url of ['redis://receval-worker@redis:6379', 'redis://receval-worker:@redis:6379', '']) {
      writeFileSync(file, url);
      const refused = await redisScript('acl.sh', file, join(secrets.folders.exporter, 'url'));
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no address') });
    }
  });
});

describe('deploy/redis/redis.conf', () => {
  it('keeps every row, writes what it keeps to disk, and knows its users from where start.sh puts them', () => {
    expect(redisSettings()).toMatchObject({
      'maxmemory-policy': 'noeviction',
      appendonly: 'yes',
      appendfsync: 'everysec',
      dir: '/data',
      aclfile: '/run/redis/users.acl',
    });
    const { entrypoint, tmpfs } = readCompose().services['redis'];
    expect(entrypoint.at(-1)).toBe('/run/redis/users.acl');
    expect(tmpfs).toEqual(['/run/redis']);
  });
});

if (await redisIsThere()) {
  const server = await startShippedRedis(secrets);
  const { workerUrl, exporterUrl, adminUrl } = server;
  afterAll(() => server.stop());

  storeContract('RedisStore as the user of the worker', () => openRedis(adminUrl, { url: workerUrl }));

  /** The first word of what the server answers to a command: its error, or OK. */
  const answers = async (url: string, commands: readonly string[]): Promise<string[]> => {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false });
    client.on('error', () => {});
    try {
      const found: string[] = [];
      for (const line of commands) {
        const [command, ...args] = line.split(' ');
        const reply = await client.call(command, args).then(
          () => 'OK',
          (error: Error) => error.message.split(' ')[0],
        );
        found.push(`${line}: ${reply}`);
      }
      return found;
    } finally {
      client.disconnect();
    }
  };
  /** Sends lines as they are, over one connection; each must be answered by one line. */
  const plainly = (port: number, lines: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      let text = '';
      const socket = createConnection({ host: '127.0.0.1', port }, () => {
        socket.write(lines.map((line) => `${line}\r\n`).join(''));
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error(`the server hung up after ${text}`)));
      socket.on('data', (data) => {
        text += data.toString();
        const answered = text.split('\r\n').slice(0, -1);
        if (answered.length < lines.length) return;
        resolve(answered);
        socket.destroy();
      });
    });
  /** What a worker finds wrong with the server at its start. */
  const problemsOf = async (url: string): Promise<readonly string[]> => {
    try {
      const store = await RedisStore.connect({ url, rowTtl: 3_600_000, connectTimeout: 1000 });
      const findings = await store.checks('deploy');
      await store.time();
      await store.close();
      return findings.filter(({ level }) => level === 'error').map(({ message }) => message);
    } catch (error) {
      return [String(error)];
    }
  };
  const refused = (commands: readonly string[]): string[] => commands.map((line) => `${line}: NOPERM`);
  const allowed = (commands: readonly string[]): string[] => commands.map((line) => `${line}: OK`);

  const DANGEROUS = [
    'FLUSHALL',
    'FLUSHDB',
    'CONFIG SET maxmemory-policy allkeys-lru',
    'CONFIG GET *',
    'KEYS *',
    'SCAN 0',
    'SHUTDOWN',
    'ACL LIST',
    'ACL SETUSER other on',
    'SCRIPT FLUSH',
    'FUNCTION LIST',
    'MONITOR',
    'CLIENT LIST',
    'CLIENT KILL TYPE normal',
    'REPLICAOF NO ONE',
    'BGREWRITEAOF',
    'SAVE',
    'SWAPDB 0 1',
    'SUBSCRIBE all',
    'PUBLISH all news',
    'DUMP receval:{a:0}:unit',
    'RENAME receval:{a:0}:unit receval:{a:1}:unit',
  ];

  /** A commit of the unit of that namespace, as a worker makes it. */
  const commitTo = (namespace: string, seq: number): Commit => ({
    unit: unitKey(namespace, 0),
    token: 't',
    seq,
    cid: `c${seq}`,
    parent: seq === 1 ? '' : `c${seq - 1}`,
    checkpoint: new Map([['position', String(seq)]]),
    rows: new Map(
      ['m', 'h'].map((size) => [
        paneKey({ namespace, unit: 0, generation: '1' }, size === 'm' ? 'm' : 'h', seq),
        new Map([['30m||', `sums ${seq}`]]),
      ]),
    ),
    deletes: seq === 1 ? [] : [paneKey({ namespace, unit: 0, generation: '1' }, 'h', seq - 1)],
  });
  /** All that is stored, by key. */
  const stored = async (url: string): Promise<Record<string, unknown>> => {
    const admin = new Redis(url);
    const keys = (await admin.keys('*')).sort();
    const found = Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await admin.hgetall(key)])));
    admin.disconnect();
    return found;
  };
  const without = (acl: string, rights: string): string => acl.replace(rights, '');

  describe('a restart of Redis', () => {
    it.each(['in order', 'by kill -9'])('%s finds again all that was committed', async (how) => {
      const own = await startShippedRedis(secrets);
      try {
        const store = await RedisStore.connect({ url: own.workerUrl, rowTtl: 3_600_000 });
        await store.claim(unitKey('deploy', 0), 't');
        for (const seq of [1, 2, 3]) expect(await store.commit(commitTo('deploy', seq))).toBe('OK');
        const before = await stored(own.adminUrl);
        expect(Object.keys(before).length).toBe(5);
        await store.close();
        if (how === 'by kill -9') await own.kill9();
        await own.restart();
        expect(await stored(own.adminUrl)).toEqual(before);
        const again = await RedisStore.connect({ url: own.workerUrl });
        expect(await again.claim(unitKey('deploy', 0), 'u')).toMatchObject({ token: 't', seq: 3, cid: 'c3' });
        await again.close();
      } finally {
        await own.stop();
      }
    });

    it('that would lose all is foretold by the checks of a start, and the start is refused', async () => {
      const own = await startShippedRedis(secrets, without(acl.stdout, ' ~* &* +@all'));
      try {
        const [problem] = await problemsOf(own.workerUrl);
        expect(problem).toContain('a restart would lose all state');
        expect(problem).toContain('ACL SETUSER default ~* &* +@all');
        // What it says to do fixes it.
        expect(await answers(own.adminUrl, ['ACL SETUSER default ~* &* +@all'])).toEqual(
          allowed(['ACL SETUSER default ~* &* +@all']),
        );
        expect(await problemsOf(own.workerUrl)).toEqual([]);
      } finally {
        await own.stop();
      }
    });

    it.each(['+hset', '+hdel', '+pexpireat', '+unlink'])('needs the right %s of the user default', async (right) => {
      const admin = new Redis(adminUrl);
      await admin.acl('SETUSER', 'default', right.replace('+', '-'));
      const problems = await problemsOf(workerUrl);
      await admin.acl('LOAD');
      admin.disconnect();
      expect(problems).toEqual([expect.stringContaining('a restart would lose all state')]);
    });

    it('is reported as not known where the worker may not ask', async () => {
      const admin = new Redis(adminUrl);
      await admin.acl('SETUSER', 'receval-worker', '-acl|dryrun');
      const store = await RedisStore.connect({ url: workerUrl });
      const findings = await store.checks('deploy');
      await store.close();
      await admin.acl('LOAD');
      admin.disconnect();
      expect(findings.filter(({ check }) => check === 'reload')).toEqual([
        { check: 'reload', level: 'warning', message: expect.stringContaining('Allow it +acl|dryrun') },
      ]);
    });
  });

  describe('an administrator who is added as docs/operations.md says', () => {
    const page = readRoot('docs/operations.md');
    /** The block of commands that has this in it. */
    const block = (part: string): string => {
      const found = page
        .split('```sh\n')
        .map((text) => text.split('```')[0])
        .find((text) => text.includes(part));
      if (found === undefined) throw new Error(`no block has ${part}`);
      return found;
    };
    const top = mkdtempSync(join(tmpdir(), 'receval-operator-'));
    afterAll(() => rmSync(top, { recursive: true }));
    const sh = (script: string, env: Record<string, string | undefined> = {}) =>
      run('sh', ['-euc', script], { cwd: top, env: { ...process.env, ...env } });

    it('may do what the runbook asks for, and deletes one namespace and no other', async () => {
      cpSync(join(ROOT, 'deploy/redis'), join(top, 'deploy/redis'), { recursive: true });
      const added = await sh(`${block('user operator')}printf %s "$REDISCLI_AUTH"`);
      expect(added).toMatchObject({ code: 0, stderr: '' });
      const { worker, exporter } = secrets.folders;
      const users = await sh(`sh deploy/redis/acl.sh ${join(worker, 'url')} ${join(exporter, 'url')}`);
      expect(users).toMatchObject({ code: 0, stderr: '' });
      const own = await startShippedRedis(secrets, users.stdout);
      try {
        const names = ['old', 'old:eu', 'old:1', 'older'];
        for (const name of names) {
          const store = await RedisStore.connect({ url: own.workerUrl, rowTtl: 3_600_000 });
          await store.claim(unitKey(name, 0), 't');
          expect(await store.commit(commitTo(name, 1))).toBe('OK');
          await store.close();
        }
        const before = await stored(own.adminUrl);
        expect(Object.keys(before).length).toBe(3 * names.length);

        const program = await redisCli();
        const bash = `#!/usr/bin/env bash\nexec -a redis-cli "${program}" -p ${own.port} --user "$AS" --no-auth-warning "$@"\n`;
        writeFileSync(join(top, 'redis-cli'), bash, { mode: 0o755 });
        const as = (user: string, password: string) => ({
          PATH: `${top}:${process.env['PATH']}`,
          AS: user,
          REDISCLI_AUTH: password,
        });
        const deleted = await sh(block('xargs redis-cli unlink'), as('operator', added.stdout));
        expect(deleted).toMatchObject({ code: 0, stderr: '' });
        const kept = Object.entries(before).filter(([key]) => !key.startsWith('receval:{old:0}:'));
        expect(kept.length).toBe(3 * (names.length - 1));
        expect(await stored(own.adminUrl)).toEqual(Object.fromEntries(kept));

        const [count] = /redis-cli --scan[^`]*/.exec(readRoot('docs/runbook.md')) ?? [''];
        const counted = await sh(count, as('operator', added.stdout));
        expect(counted.stdout.trim().split(/\s+/)).toEqual(['3', 'old:1', '3', 'old:eu', '3', 'older']);

        const [asked] = /redis-cli HMGET[^`]*/.exec(page) ?? [''];
        const format = await sh(asked, as('receval-exporter', passwordOf(secrets.read().exporter)));
        expect(format).toMatchObject({ code: 0, stderr: '', stdout: '\n' });
        expect(await sh('redis-cli --scan', as('receval-worker', passwordOf(secrets.read().worker)))).toMatchObject({
          stdout: expect.not.stringContaining('receval:{'),
        });
      } finally {
        await own.stop();
      }
    });
  });

  describe('the users of Redis', () => {
    it('leave no way in for the user default', async () => {
      const after = ['INFO', 'FLUSHALL', 'ACL LIST', 'EVAL return(1) 0'];
      for (const password of ['""', 'default', 'x', 'nopass', 'off']) {
        for (const login of [`AUTH ${password}`, `AUTH default ${password}`, `HELLO 3 AUTH default ${password}`]) {
          expect(await plainly(server.port, [login, ...after])).toEqual([
            expect.stringMatching(/^-WRONGPASS /),
            ...after.map(() => expect.stringMatching(/^-NOAUTH /)),
          ]);
        }
      }
    });

    it('are two, and nobody comes in without a name or with a wrong password', async () => {
      const open = `redis://127.0.0.1:${server.port}`;
      for (const command of ['PING', 'INFO', 'HELLO 2']) {
        expect(await answers(open, [command])).toEqual([`${command}: NOAUTH`]);
      }
      await expect(RedisStore.connect({ url: workerUrl.replace(/:[0-9a-f]{64}@/, ':wrong@') })).rejects.toMatchObject({
        code: 'WRONGPASS',
      });
    });

    it('show that the server is well, by the health check of the compose file', async () => {
      const file = join(secrets.folders.exporter, 'url');
      const bin = mkdtempSync(join(tmpdir(), 'receval-cli-'));
      // The program of the tests' server acts by the name that it is called by.
      symlinkSync(await redisCli(), join(bin, 'redis-cli'));
      const env = { PATH: `${bin}:${process.env['PATH']}` };
      const check = (path: string, port: number) =>
        run('sh', [join(ROOT, 'deploy/redis/healthy.sh'), path, '-p', String(port)], { env });
      expect(await check(file, server.port)).toMatchObject({ code: 0, stdout: '' });
      const wrong = join(bin, 'wrong');
      writeFileSync(wrong, 'redis://receval-exporter:wrong@redis:6379\n');
      expect((await check(wrong, server.port)).code).not.toBe(0);
      expect((await check(file, await freePort())).code).not.toBe(0);
      rmSync(bin, { recursive: true });
    });

    it('let the worker pass every check of its start', async () => {
      const store = await RedisStore.connect({ url: workerUrl });
      const findings = await store.checks('deploy');
      await store.close();
      expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
      const ok = findings.filter(({ level }) => level === 'ok').map(({ check }) => check);
      expect(ok).toEqual(expect.arrayContaining(['eviction', 'durability', 'self-test']));
      expect(await problemsOf(workerUrl)).toEqual([]);
    });

    it('let the worker do nothing else', async () => {
      expect(await answers(workerUrl, DANGEROUS)).toEqual(refused(DANGEROUS));
      const strange = ['HSET other:key f v', 'HGETALL other:key', 'UNLINK other:key'];
      expect(await answers(workerUrl, strange)).toEqual(refused(strange));
      const script = 'EVAL return{redis.pcall("HSET","other:key","f","v").err,redis.pcall("KEYS","*").err} 0';
      expect(await answers(workerUrl, [script])).toEqual([`${script}: OK`]);
      const admin = new Redis(adminUrl);
      expect(await admin.exists('other:key')).toBe(0);
      admin.disconnect();
    });

    it('let the exporter read what the worker wrote', async () => {
      const [worker, exporter] = await Promise.all(
        [workerUrl, exporterUrl].map((url) => RedisStore.connect({ url, rowTtl: 3_600_000 })),
      );
      const unit = unitKey('deploy', 0);
      const row = paneKey({ namespace: 'deploy', unit: 0, generation: '1' }, 'm', 0);
      const commit = {
        unit,
        token: 't',
        seq: 1,
        cid: 'c',
        parent: '',
        checkpoint: new Map([['position', '7']]),
        rows: new Map([[row, new Map([['30m||', 'sums']])]]),
        deletes: [],
      };
      await worker.claim(unit, 't');
      expect(await worker.commit(commit)).toBe('OK');
      const [found, sums] = await exporter.read([unit, row]);
      expect(found.get('position')).toBe('7');
      expect(sums).toEqual(new Map([['30m||', 'sums']]));
      expect(Math.abs((await exporter.time()) - Date.now())).toBeLessThan(60_000);
      const findings = await exporter.checks(undefined);
      expect(findings.filter(({ level }) => level === 'error')).toEqual([]);

      await expect(exporter.claim(unit, 'x')).rejects.toMatchObject({ code: 'NOPERM' });
      await expect(exporter.commit({ ...commit, seq: 2, cid: 'd', parent: 'c' })).rejects.toMatchObject({
        code: 'NOPERM',
      });
      expect((await exporter.read([unit]))[0].get('token')).toBe('t');
      await Promise.all([worker.close(), exporter.close()]);
    });

    it('let the exporter change nothing', async () => {
      const key = 'receval:{deploy:0}:unit';
      const writes = [
        `HSET ${key} f v`,
        `HDEL ${key} f`,
        `UNLINK ${key}`,
        `DEL ${key}`,
        `PEXPIRE ${key} 1`,
        'EVAL return(1) 0',
        'EVALSHA x 0',
      ];
      const reads = [`HGETALL ${key}`, 'TIME', 'INFO', 'PING'];
      expect(await answers(exporterUrl, reads)).toEqual(allowed(reads));
      expect(await answers(exporterUrl, [...writes, 'HGETALL other:key', ...DANGEROUS])).toEqual(
        refused([...writes, 'HGETALL other:key', ...DANGEROUS]),
      );
    });

    it('can do no more than the store needs: without any one of its rights the worker fails', async () => {
      const admin = new Redis(adminUrl);
      const line = acl.stdout.split('\n').find((one) => one.startsWith('user receval-worker'));
      const rights = (line ?? '').split(' ').filter((word) => word.startsWith('+'));
      expect(rights.length).toBeGreaterThan(8);
      const idle: string[] = [];
      for (const right of rights) {
        await admin.script('FLUSH');
        const rules = (line ?? '').split(' ').slice(2);
        await admin.acl('SETUSER', 'receval-worker', 'reset', ...rules.filter((word) => word !== right));
        await admin.acl('LOG', 'RESET');
        const found = await problemsOf(workerUrl);
        const log: unknown = await admin.acl('LOG');
        if (found.length === 0 && Array.isArray(log) && log.length === 0) idle.push(right);
      }
      await admin.acl('LOAD');
      admin.disconnect();
      // Not needed today; kept for checks from outside.
      expect(idle).toEqual(['+ping']);
    });
  });

  describe('users of several tenants', () => {
    /** Names that differ from the first only by their end. */
    const TENANTS = ['tenant1', 'tenant10', 'tenant1:eu', 'tenant1:0', 'tenant'];
    const MINE = TENANTS[0];
    const top = mkdtempSync(join(tmpdir(), 'receval-tenants-'));
    const urls = new Map<string, string>();
    let own: Awaited<ReturnType<typeof startShippedRedis>>;
    let admin: Redis;

    beforeAll(async () => {
      const args: string[] = [];
      for (const [n, tenant] of TENANTS.entries()) {
        args.push('--namespace', tenant);
        for (const role of ['worker', 'exporter']) {
          const file = join(top, `${n}-${role}`);
          writeFileSync(file, `redis://t${n}-${role}:p${n}${role}@redis:6379\n`);
          args.push(file);
        }
      }
      const made = await redisScript('acl.sh', ...args);
      expect(made).toMatchObject({ code: 0, stderr: '' });
      own = await startShippedRedis(secrets, made.stdout);
      admin = new Redis(own.adminUrl);
      for (const [n, tenant] of TENANTS.entries()) {
        for (const role of ['worker', 'exporter']) {
          urls.set(`${role} ${tenant}`, `redis://t${n}-${role}:p${n}${role}@127.0.0.1:${own.port}`);
        }
      }
    });
    afterAll(async () => {
      admin.disconnect();
      await own.stop();
      rmSync(top, { recursive: true });
    });
    const url = (role: string, tenant: string): string => urls.get(`${role} ${tenant}`) ?? '';
    const fill = async (): Promise<void> => {
      await admin.flushall();
      for (const tenant of TENANTS) {
        const store = await RedisStore.connect({ url: url('worker', tenant), rowTtl: 3_600_000 });
        await store.claim(unitKey(tenant, 0), 't');
        for (const seq of [1, 2]) expect(await store.commit(commitTo(tenant, seq))).toBe('OK');
        await store.close();
      }
    };

    it('pass every check of a start, and a worker and an exporter work with their own keys', async () => {
      for (const tenant of TENANTS) {
        const worker = await RedisStore.connect({ url: url('worker', tenant), rowTtl: 3_600_000 });
        expect((await worker.checks(tenant)).filter(({ level }) => level === 'error')).toEqual([]);
        for (const unit of [0, 9, 10, 99, 100, 12_345]) {
          expect(await worker.claim(unitKey(tenant, unit), 'u')).toMatchObject({ seq: 0 });
        }
        await worker.close();
        const exporter = await RedisStore.connect({ url: url('exporter', tenant) });
        expect((await exporter.checks(undefined)).filter(({ level }) => level === 'error')).toEqual([]);
        expect((await exporter.read([unitKey(tenant, 12_345)]))[0].get('token')).toBe('u');
        await exporter.close();
      }
    });

    it.each(
      ['worker', 'exporter'].flatMap((role) => [...TENANTS.slice(1), 'default'].map((other) => ({ role, other }))),
    )('let the $role of tenant1 do nothing to the namespace $other', async ({ role, other }) => {
      await fill();
      const before = await stored(own.adminUrl);
      const found = await answers(url(role, MINE), trespasses(other));
      expect(found.length).toBeGreaterThanOrEqual(44);
      // Scripts run, if at all, with the rights of who sent them, and answer what they were asked.
      const wrong = found.filter((line) => !line.endsWith(': NOPERM') && !/^EVAL.*: (?:NOPERM|ERR)$/.test(line));
      expect(wrong).toEqual([]);
      expect(await stored(own.adminUrl)).toEqual(before);
    });

    it('have no rights to what is read out of a script', async () => {
      await fill();
      const key = unitKey('tenant10', 0);
      const client = new Redis(url('worker', MINE));
      const script = `local said = {}
        for _, command in ipairs({{'HGETALL', KEYS[1]}, {'TYPE', KEYS[1]}, {'HSET', KEYS[1], 'f', 'v'}, {'UNLINK', KEYS[1]},
          {'PEXPIRE', KEYS[1], 1}, {'KEYS', '*'}, {'SCAN', 0}, {'COPY', KEYS[1], ARGV[1]}, {'PUBLISH', 'c', 'm'}}) do
          local answer = redis.pcall(unpack(command))
          table.insert(said, type(answer) == 'table' and answer.err and 'refused' or 'done')
        end
        return said`;
      // The key is named, and so refused before; or hidden in an argument, and refused within.
      await expect(client.eval(script, 1, key, 'receval:{tenant1:0}:x')).rejects.toThrow(/NOPERM/);
      const hidden = script.replaceAll('KEYS[1]', 'ARGV[2]');
      expect(await client.eval(hidden, 0, 'receval:{tenant1:0}:x', key)).toEqual(Array(9).fill('refused'));
      client.disconnect();
    });

    it('log in with every address that receval takes, with the rights that go with it', async () => {
      const forms: readonly (readonly [scheme: string, password: string, rest: string, more: readonly string[]])[] = [
        ['redis', 'plain', 'redis:6379', []],
        ['rediss', 'a%40b%2Fc%25d%C3%A4', 'redis:6380', []],
        ['redis', 'p@ss:w%ord', '[::1]:6379', []],
        ['redis+sentinel', '100%', 'a:26379,b:26379/main', []],
        ['redis+cluster', '%2bx', 'a:6379,b:6379', ['+cluster|slots', '+cluster|info']],
        ['redis', 'db', 'redis:6379/1', ['+select']],
        ['rediss', 'db', 'redis:6380/0', []],
      ];
      const others = join(top, 'other-exporter');
      writeFileSync(others, 'redis://other:x@redis:6379\n');
      for (const [n, [scheme, password, rest, more]] of forms.entries()) {
        const file = join(top, `form-${n}`);
        writeFileSync(file, `${scheme}://f${n}:${password}@${rest}\n`);
        const made = await redisScript('acl.sh', file, others);
        expect(made).toMatchObject({ code: 0, stderr: '' });
        const [line] = made.stdout.split('\n').filter((one) => one.startsWith(`user f${n} `));
        const words = line.split(' ').filter((word) => /^\+(?:cluster|select)/.test(word));
        expect(words).toEqual(more);
        const { username, password: sent } = parseRedisUrl(readFileSync(file, 'utf8').trim());
        await admin.call('ACL', 'SETUSER', ...line.split(' ').slice(1));
        const store = await RedisStore.connect({
          url: `redis://127.0.0.1:${own.port}`,
          username,
          password: { kind: 'text', text: sent ?? '' },
        });
        await store.claim(unitKey('forms', n), 't');
        await store.close();
      }
      await admin.acl('LOAD');
    });

    it('are made of what acl.sh is given, or not at all', async () => {
      const [worker, exporter] = ['0-worker', '0-exporter'].map((name) => join(top, name));
      const bad = join(top, 'bad');
      writeFileSync(bad, 'redis://default:secret@redis:6379\n');
      for (const [args, problem] of [
        [['--namespace', 'a*', worker, exporter], 'not "a*"'],
        [['--namespace', '', worker, exporter], 'not ""'],
        [['--namespace', 'a[0', worker, exporter], 'not "a[0"'],
        [['--namespace', 'a', worker], 'arguments:'],
        [['--namespace', 'a', worker, exporter, 'b', worker, exporter], 'arguments:'],
        [['--namespace', 'a', worker, worker], 'a user of its own'],
        [['--namespace', 'a', worker, exporter, '--namespace', 'b', worker, exporter], 'a user of its own'],
        [['--namespace', 'a', worker, bad], 'none of them is default'],
        [[worker], 'arguments:'],
      ] as const) {
        const refused = await redisScript('acl.sh', ...args);
        expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(problem) });
      }
    });
  });
}

/** What a user of another namespace might try on its keys, a line each. */
function trespasses(namespace: string): readonly string[] {
  const key = unitKey(namespace, 0);
  const row = paneKey({ namespace, unit: 0, generation: '1' }, 'm', 1);
  const mine = unitKey('tenant1', 0);
  const selfTest = `receval:{${namespace}:self-test}:x:unit`;
  return [
    ...[key, row, selfTest].flatMap((one) => [
      `HGETALL ${one}`,
      `HMGET ${one} token`,
      `TYPE ${one}`,
      `HSET ${one} token stolen`,
      `PEXPIRE ${one} 1`,
      `UNLINK ${one}`,
      `EVAL return(redis.call("HGETALL",KEYS[1])) 1 ${one}`,
    ]),
    `UNLINK ${mine} ${key}`,
    `EVAL return(redis.call("HSET",KEYS[2],"f","v")) 2 ${mine} ${key}`,
    `EVAL return(redis.call("HGETALL",ARGV[1])) 0 ${key}`,
    `EVAL return(redis.call("UNLINK",ARGV[1])) 0 ${key}`,
    `EVAL return(redis.call("KEYS",ARGV[1])) 0 *`,
    `EVAL return(redis.call("FLUSHALL")) 0`,
    `EVAL_RO return(redis.call("HGETALL",KEYS[1])) 1 ${key}`,
    `GET ${key}`,
    `HGET ${key} token`,
    `HKEYS ${key}`,
    `HVALS ${key}`,
    `HLEN ${key}`,
    `HSCAN ${key} 0`,
    `HRANDFIELD ${key}`,
    `HDEL ${key} token`,
    `HINCRBY ${key} seq 1`,
    `DEL ${key}`,
    `SET ${key} x`,
    `EXISTS ${key}`,
    `EXPIRE ${key} 1`,
    `PERSIST ${key}`,
    `TTL ${key}`,
    `DUMP ${key}`,
    `RESTORE ${key} 0 x`,
    `COPY ${key} ${mine} REPLACE`,
    `COPY ${mine} ${key} REPLACE`,
    `RENAME ${key} ${mine}`,
    `RENAME ${mine} ${key}`,
    `RENAMENX ${key} ${mine}`,
    `MOVE ${key} 1`,
    `MIGRATE 127.0.0.1 1 ${key} 0 10`,
    `OBJECT ENCODING ${key}`,
    `OBJECT FREQ ${key}`,
    `MEMORY USAGE ${key}`,
    `SORT ${key}`,
    `TOUCH ${key}`,
    `WATCH ${key}`,
    'RANDOMKEY',
    'DBSIZE',
    'KEYS *',
    'SCAN 0',
    `SCAN 0 MATCH receval:{${namespace}:*`,
    'FLUSHALL',
    'FLUSHDB',
    'SWAPDB 0 1',
    'SELECT 1',
    'CONFIG GET *',
    'CONFIG SET maxmemory 1',
    'CLIENT LIST',
    'CLIENT KILL TYPE normal',
    'CLIENT TRACKING on BCAST',
    'CLIENT NO-EVICT on',
    'ACL LIST',
    'ACL USERS',
    'ACL GETUSER default',
    'ACL GETUSER t1-worker',
    'ACL SETUSER t0-worker allkeys',
    'ACL SAVE',
    'FUNCTION LIST',
    'FUNCTION FLUSH',
    'FCALL f 0',
    'SCRIPT FLUSH',
    'SCRIPT KILL',
    `PUBLISH ${key} news`,
    'SUBSCRIBE all',
    'PSUBSCRIBE *',
    'MONITOR',
    'SLOWLOG GET',
    'LATENCY LATEST',
    'REPLICAOF NO ONE',
    'SYNC',
    'SAVE',
    'BGREWRITEAOF',
    'SHUTDOWN NOSAVE',
    'MODULE LIST',
    'LOLWUT',
  ];
}
