import { describe, expect, it } from 'vitest';
import { Metrics } from '../../src/metrics/registry.ts';
import { parse } from './parse.ts';
import { settingsOf } from './settings.ts';

const LIMITS = { version: '1', node: '20', memoryLimit: 2 ** 30, openLimit: 5000 };

async function valuesOf(options: ConstructorParameters<typeof Metrics>[1]): Promise<readonly string[]> {
  const metrics = new Metrics(settingsOf(), options);
  await metrics.take({});
  const text = await metrics.text();
  expect(parse(text).has('receval_memory_limit_bytes')).toBe(true);
  return text.match(/^receval_(?:memory_limit_bytes|open_impressions_limit) .*/gm) ?? [];
}

describe('what a process may use', () => {
  it('is reported by a worker: memory and open impressions', async () => {
    const values = ['receval_memory_limit_bytes 1073741824', 'receval_open_impressions_limit 5000'];
    expect(await valuesOf({ ...LIMITS, role: 'worker' })).toEqual(values);
    expect(await valuesOf({ ...LIMITS, role: 'all' })).toEqual(values);
  });

  it('is reported by an exporter: memory alone', async () => {
    expect(await valuesOf({ ...LIMITS, role: 'exporter' })).toEqual(['receval_memory_limit_bytes 1073741824']);
  });

  it('has no series where it is not known', async () => {
    expect(await valuesOf({ version: '1', node: '20', role: 'all' })).toEqual([]);
  });
});

describe('the files by which a process gets in', () => {
  it('are reported by setting, with the life of our own certificate, and not at all where there are none', async () => {
    const metrics = new Metrics(settingsOf(), { ...LIMITS, role: 'exporter' });
    const told = async (): Promise<readonly string[]> =>
      (await metrics.text()).match(/^receval_(?:access|certificate)_.*/gm) ?? [];
    await metrics.take({});
    expect(await told()).toEqual([]);
    const validity = { begins: new Date(1000), ends: new Date(9000) };
    const caValidity = { begins: new Date(2000), ends: new Date(7000) };
    await metrics.take({
      access: [
        { setting: 'kafka.tls', problem: 'c4n4ry', validity, caValidity },
        { setting: 'redis.passwordFile', problem: undefined, validity: undefined },
      ],
    });
    const expected = [
      'receval_access_problem{setting="kafka.tls"} 1',
      'receval_access_problem{setting="redis.passwordFile"} 0',
      'receval_certificate_not_before_timestamp_seconds{setting="kafka.tls"} 1',
      'receval_certificate_not_before_timestamp_seconds{setting="kafka.tls.ca"} 2',
      'receval_certificate_not_after_timestamp_seconds{setting="kafka.tls"} 9',
      'receval_certificate_not_after_timestamp_seconds{setting="kafka.tls.ca"} 7',
    ];
    expect(await told()).toEqual(expected);
    await metrics.take({});
    expect(await told()).toEqual(expected);
    expect(await metrics.text()).not.toContain('c4n4ry');
  });
});

describe('the memory of Redis', () => {
  const told = async (metrics: Metrics): Promise<readonly string[]> =>
    (await metrics.text()).match(/^receval_redis_.*/gm) ?? [];

  it.each(['worker', 'exporter', 'all'] as const)(
    'is told by role %s, and no more when it is not known',
    async (role) => {
      const metrics = new Metrics(settingsOf(), { ...LIMITS, role });
      expect(await told(metrics)).toEqual([]);
      await metrics.take({ redis: { usedBytes: 70, limitBytes: 100, evicted: 3, evictionPolicy: 'allkeys-lru' } });
      expect(await told(metrics)).toEqual([
        'receval_redis_memory_used_bytes 70',
        'receval_redis_memory_limit_bytes 100',
        'receval_redis_evicted_keys_total 3',
        'receval_redis_may_evict 1',
      ]);
      await metrics.take({ redis: { usedBytes: 70, limitBytes: undefined, evicted: 0 } });
      expect(await told(metrics)).toEqual([
        'receval_redis_memory_used_bytes 70',
        'receval_redis_evicted_keys_total 0',
        'receval_redis_may_evict 0',
      ]);
      await metrics.take({ redis: undefined });
      expect(await told(metrics)).toEqual([]);
    },
  );
});
