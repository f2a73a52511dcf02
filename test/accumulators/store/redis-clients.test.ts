import { describe, expect, it } from 'vitest';
import { clusterOptions, RedisAccess, serverOptions } from '../../../src/accumulators/store/redis-clients.ts';
import { parseRedisUrl } from '../../../src/accumulators/store/redis-url.ts';

const SETTINGS = { name: 'test', commandTimeout: 1000, sentinelTimeout: 1000 };

/** How long the client waits before each attempt, by the options that name such a function. */
function pausesOf(url: string): readonly ((attempt: number) => unknown)[] {
  const target = parseRedisUrl(url);
  const access = new RedisAccess(target, {});
  const options: object =
    target.kind === 'cluster' ? clusterOptions(access, SETTINGS) : serverOptions(target, access, SETTINGS);
  return Object.entries(options).flatMap(([name, value]) => (/RetryStrategy|^retryStrategy/.test(name) ? [value] : []));
}

describe('a client that lost Redis', () => {
  it.each([
    ['redis://localhost', 1],
    ['redis+sentinel://localhost/mymaster', 2],
    ['redis+cluster://localhost', 1],
  ])('of %s looks for it again at once, then less often, but every 5 s however long it was away', (url, count) => {
    const strategies = pausesOf(url);
    expect(strategies).toHaveLength(count);
    for (const pauseBefore of strategies) {
      const pauses = Array.from({ length: 2000 }, (_, i) => Number(pauseBefore(i + 1)));
      expect(pauses[0]).toBeLessThanOrEqual(100);
      expect(pauses[4]).toBeGreaterThan(2 * pauses[0]);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(5000);
      expect(Math.min(...pauses.slice(10))).toBeGreaterThanOrEqual(2000);
    }
  });
});
