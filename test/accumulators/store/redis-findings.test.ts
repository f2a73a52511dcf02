import { describe, expect, it } from 'vitest';
import {
  findingsOf,
  joinedFindings,
  parseInfo,
  reloadFinding,
  reloadQuestions,
  type StoreFinding,
  usageOf,
} from '../../../src/accumulators/store/redis-findings.ts';

const FINE = {
  redis_version: '7.4.6',
  maxmemory_policy: 'noeviction',
  used_memory: '100',
  maxmemory: '200',
  aof_enabled: '1',
  role: 'master',
};

function finding(check: string, info: Record<string, string>, extra = '') {
  const text = Object.entries({ ...FINE, ...info }).map(([name, value]) => `${name}:${value}\r\n`);
  return findingsOf(parseInfo(`# Server\r\n${text.join('')}${extra}`)).find((one) => one.check === check);
}

describe('what a server tells of itself', () => {
  it('is read by name; values may hold colons', () => {
    expect(parseInfo('# Server\r\na:1\r\n\r\nos:x:y\r\n')).toEqual(
      new Map([
        ['a', '1'],
        ['os', 'x:y'],
      ]),
    );
  });

  it('is fine when nothing has to be done', () => {
    expect(findingsOf(new Map(Object.entries(FINE))).map(({ level }) => level)).toEqual(Array(6).fill('ok'));
  });

  it.each([
    ['6.2.20', 'error'],
    ['7.0.0', 'warning'],
    ['7.0.15', 'warning'],
    ['7.2.10', 'warning'],
    ['7.2.11', 'ok'],
    ['7.2.12', 'ok'],
    ['8.0.3', 'warning'],
    ['8.0.4', 'ok'],
    ['9.0.0', 'ok'],
    ['', 'error'],
  ])('Redis %s: %s', (redis_version, level) => {
    expect(finding('version', { redis_version })?.level).toBe(level);
  });

  it.each([
    ['8.0.5', 'warning'],
    ['8.0.6', 'ok'],
    ['8.1.4', 'ok'],
  ])('Valkey %s, which calls itself Redis 7.2.4 too: %s', (valkey_version, level) => {
    const found = finding('version', { redis_version: '7.2.4', valkey_version });
    expect(found?.level).toBe(level);
    expect(found?.message).toContain(`Valkey ${valkey_version}`);
  });

  it.each(['allkeys-lru', 'volatile-ttl', 'unknown'])('refuses the eviction policy %s', (maxmemory_policy) => {
    expect(finding('eviction', { maxmemory_policy })).toMatchObject({
      level: 'error',
      message: expect.stringContaining('Set it to noeviction'),
    });
  });

  it.each([
    ['80', '100', 'ok'],
    ['81', '100', 'warning'],
    ['100', '100', 'warning'],
  ])('%s bytes of maxmemory %s: %s', (used_memory, maxmemory, level) => {
    const found = finding('memory', { used_memory, maxmemory });
    expect(found).toMatchObject({ level });
    expect(found?.alert).toBe(level === 'ok' ? undefined : 'RecevalRedisMemoryHigh');
  });

  it('warns of a server that grows without a limit, and of one that has evicted keys before', () => {
    expect(finding('memory', { maxmemory: '0' })).toMatchObject({
      level: 'warning',
      message: expect.stringContaining('maxmemory is not set'),
    });
    expect(finding('eviction', { evicted_keys: '3' })).toMatchObject({
      level: 'warning',
      reading: expect.stringContaining('3 keys evicted'),
    });
  });

  it('shows of several primaries the fullest, and what all have evicted', () => {
    const info = (used: number, limit: number, evicted: number): string =>
      `used_memory:${used}\r\nmaxmemory:${limit}\r\nevicted_keys:${evicted}\r\n`;
    expect(usageOf([info(900, 1000, 1), info(95, 100, 2), info(5000, 0, 4)])).toEqual({
      usedBytes: 95,
      limitBytes: 100,
      evicted: 7,
    });
    expect(usageOf([info(5000, 0, 0)])).toEqual({ usedBytes: 5000, limitBytes: undefined, evicted: 0 });
  });

  it('names a policy by which one of several primaries evicts keys', () => {
    const texts = ['noeviction', 'allkeys-lru'].map((policy) => `maxmemory_policy:${policy}\r\n`);
    expect(usageOf(texts).evictionPolicy).toBe('allkeys-lru');
    expect(usageOf(texts.slice(0, 1)).evictionPolicy).toBeUndefined();
  });

  it('refuses databases that are written at several places', () => {
    expect(finding('history', { role: 'active-replica' })?.level).toBe('error');
    expect(finding('history', {}, 'module:name=crdt,ver=1\r\n')?.level).toBe('error');
    expect(finding('history', {}, 'module:name=crdt,ver=1\r\nmodule:name=search,ver=1\r\n')?.level).toBe('error');
    expect(finding('history', { crdt_guid: '1' })?.level).toBe('error');
    expect(finding('history', {}, 'module:name=search,ver=1\r\n')?.level).toBe('ok');
  });

  it('warns of what a crash or a fail-over may lose', () => {
    expect(finding('durability', { aof_enabled: '0' })?.level).toBe('warning');
    expect(finding('replicas', { connected_slaves: '1' })?.level).toBe('warning');
    expect(finding('replicas', { connected_slaves: '1', min_slaves_good_slaves: '1' })?.level).toBe('ok');
  });
});

describe('whether a restart finds again what was committed', () => {
  const AOF = parseInfo('redis_version:7.4.6\r\naof_enabled:1\r\n');
  const OK = reloadQuestions('key').map(() => 'OK');

  it('is fine when default may do all that the log holds', () => {
    expect(reloadFinding(AOF, OK)).toMatchObject({ check: 'reload', level: 'ok' });
  });

  it.each(OK.map((_, i) => i))('is an error when default may not do one of it (%i)', (refused) => {
    const answers = OK.with(refused, 'User default has no permissions');
    expect(reloadFinding(AOF, answers)).toMatchObject({
      level: 'error',
      message: expect.stringContaining('(User default has no permissions). Run ACL SETUSER default ~* &* +@all'),
    });
  });

  it('is not known when nobody may ask', () => {
    expect(reloadFinding(AOF, undefined).level).toBe('warning');
  });

  it('does not depend on users without a log of writes', () => {
    expect(reloadFinding(parseInfo('redis_version:7.4.6\r\naof_enabled:0\r\n'), ['no']).level).toBe('ok');
  });

  it.each([
    ['9.1.1', 'error'],
    ['9.1.2', 'ok'],
    ['9.2.0', 'ok'],
  ])('depends on the users of Valkey %s: %s', (version, level) => {
    expect(
      reloadFinding(parseInfo(`redis_version:7.2.4\r\nvalkey_version:${version}\r\naof_enabled:1\r\n`), ['no']).level,
    ).toBe(level);
  });
});

describe('findings on several primaries', () => {
  const version: StoreFinding = { check: 'version', level: 'ok', message: 'Redis 8' };
  const off: StoreFinding = { check: 'durability', level: 'warning', message: 'appendonly is off' };
  const on: StoreFinding = { check: 'durability', level: 'ok', message: 'appendonly is on' };
  const full = (reading: string): StoreFinding => ({ check: 'memory', level: 'warning', reading, message: 'no limit' });
  const tested: StoreFinding = { check: 'self-test', level: 'ok', message: 'a commit was applied once' };
  const told = (...ofEach: readonly (readonly StoreFinding[])[]): readonly string[] =>
    joinedFindings(
      ofEach.length === 1
        ? ofEach[0]
        : [...ofEach.flatMap((found, i) => found.map((one) => ({ ...one, primary: `r${i}:1` }))), tested],
    ).map(({ check, level, message }) => `${level} ${check}: ${message}`);

  it('are told once where all are well', () => {
    expect(told([version, on], [version, on], [version, on])).toEqual([
      'ok version: Redis 8',
      'ok durability: appendonly is on',
      'ok self-test: a commit was applied once',
    ]);
  });

  it('name those that something must be done about, and once what it is', () => {
    expect(told([version, on], [version, off], [version, on])).toEqual([
      'ok version: Redis 8',
      'ok durability: 2 of 3 primaries (r0:1, r2:1): appendonly is on',
      'warning durability: 1 of 3 primaries (r1:1): appendonly is off',
      'ok self-test: a commit was applied once',
    ]);
    expect(told([off], [off])[0]).toBe('warning durability: all 2 primaries (r0:1, r1:1): appendonly is off');
  });

  it('tell what was read on each, and once what to do', () => {
    expect(told([full('5 MiB')], [full('6 MiB')], [full('5 MiB')])[0]).toBe(
      'warning memory: all 3 primaries (r0:1 with 5 MiB, r1:1 with 6 MiB, r2:1 with 5 MiB): no limit',
    );
  });

  it('name no place where there is one server', () => {
    expect(told([version, off, full('5 MiB')])).toEqual([
      'ok version: Redis 8',
      'warning durability: appendonly is off',
      'warning memory: 5 MiB: no limit',
    ]);
  });
});
