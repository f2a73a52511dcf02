import { expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { Authority } from '../services/certificates.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { startRedis } from '../services/redis.ts';
import { type Ended, type Produced, type Servers, type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

/** The same, and an authority that nobody knows. */
const WITH_AUTHORITY: Service<Servers & { readonly authority: Authority }> = {
  name: 'Kafka, Redis and openssl',
  get: async () => ({ ...(await SERVERS.get()), authority: await Authority.make() }),
};

function impression(requestId: string, ts: number): string {
  return JSON.stringify({ requestId, ts, items: ['a', 'b'] });
}

function click(requestId: string, ts: number): string {
  return JSON.stringify({ requestId, itemId: 'a', ts, action: 'click' });
}

/** Requests with a click each. @param feedbackKey what the feedback is keyed by */
function traffic(feedbackKey: (n: number) => string): readonly Produced[] {
  const at = Date.now() - 5000;
  return Array.from({ length: 30 }, (_, n): readonly Produced[] => [
    { topic: 'impressions', key: `r${n}`, value: impression(`r${n}`, at) },
    { topic: 'feedback', key: feedbackKey(n), value: click(`r${n}`, at + 100) },
  ]).flat();
}

interface Found {
  readonly level: string;
  readonly check: string;
  readonly message: string;
}

/** The findings of one level. */
function told({ stdout }: Ended, level: string): string[] {
  const found: { readonly findings: readonly Found[] } = JSON.parse(stdout);
  return found.findings.filter((one) => one.level === level).map(({ check, message }) => `${check}: ${message}`);
}

const examine = (stand: Stand): Promise<Ended> => stand.command(doctorCommand, '--output', 'json');

itWith(SERVERS, 'a healthy set-up has no errors and exits with 0', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(2);
    await stand.produce(traffic((n) => `r${n}`));
    const json = await examine(stand);
    expect(told(json, 'error')).toEqual([]);
    expect(json.code).toBe(0);
    const ok = told(json, 'ok').join('\n');
    expect(ok).toMatch(/brokers: 127\.0\.0\.1:\d+ of kafka\.brokers answer/);
    expect(ok).toMatch(/versions: .*Produce \d+-\d+ \(client 0-7\), Fetch \d+-\d+ \(client 0-11\), JoinGroup/);
    expect(ok).toContain('each has 2 partitions');
    expect(ok).toMatch(/group: there is no group/);
    expect(ok).toContain('redis self-test: a commit was applied once');
    expect(ok).toContain('clock: this clock is 0.0 s');
    expect(ok).toContain('keys: 100 % of 30 sampled feedback events lie in the partition of their impression');
    expect(ok).toContain(`${stand.topics.feedback}: all 30 sampled records can be read`);
    expect(ok).toMatch(/state: nothing is stored/);
    expect(ok).toMatch(/memory: 1\.0 impressions\/s in the last 30 s \(they began \d+ s ago, [^)]*\) x .* = 310 open/);
    const text = await stand.command(doctorCommand);
    expect(text.stdout).toMatch(/^ok {7}topics: /m);
    expect(text.stdout).toMatch(/\d+ ok, \d+ warnings?, 0 errors\n$/);
  });
});

itWith(SERVERS, 'a topic that is missing is an error, and so are unequal numbers of partitions', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics({ impressions: 2, feedback: 0 });
    const missing = await examine(stand);
    expect(missing.code).toBe(1);
    expect(told(missing, 'error')).toEqual([
      expect.stringMatching(`^topics: there is no topic ${stand.topics.feedback} .*create it`),
    ]);
    await stand.makeTopics({ impressions: 0, feedback: 3 });
    const unequal = await examine(stand);
    expect(unequal.code).toBe(1);
    expect(told(unequal, 'error')).toEqual([expect.stringMatching(/^topics: the topics differ.* 2, .* 3\)/)]);
  });
});

itWith(
  SERVERS,
  'topics that keep too little, compact, or take huge batches are told with what to set',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(1, {
        'retention.ms': '3600000',
        'retention.bytes': '1000000',
        'cleanup.policy': 'compact,delete',
        'max.message.bytes': '20000000',
      });
      const { code, ...ended } = await examine(stand);
      expect(code).toBe(1);
      // 3 x 5m + 10s + 24h
      const needed = 3 * 300_000 + 10_000 + 86_400_000;
      for (const topic of Object.values(stand.topics)) {
        const errors = told({ code, ...ended }, 'error');
        expect(errors).toContainEqual(
          expect.stringMatching(
            `^retention: ${topic}: retention.ms is 3600000 \\(1.0 h\\);.*Set it to ${needed} or more`,
          ),
        );
        expect(errors).toContainEqual(expect.stringMatching(`^cleanup: ${topic}: cleanup.policy is compact,delete`));
        const warnings = told({ code, ...ended }, 'warning');
        expect(warnings).toContainEqual(expect.stringMatching(`^sizes: ${topic}: max.message.bytes is 20000000`));
        expect(warnings).toContainEqual(expect.stringMatching(`^retention: ${topic}: retention.bytes is 1000000`));
        expect(warnings).toContainEqual(expect.stringMatching(`^records: ${topic}: there are no records`));
      }
    });
  },
);

itWith(SERVERS, 'feedback with other keys than its impressions is an error', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(4);
    await stand.produce(traffic((n) => `item ${n}`));
    const ended = await examine(stand);
    expect(ended.code).toBe(1);
    expect(told(ended, 'error')).toEqual([
      expect.stringMatching(/^keys: [\d.]+ % of 30 sampled feedback events lie in the partition of their impression;/),
    ]);
  });
});

itWith(SERVERS, 'invalid records, missing keys and clocks ahead are warnings that hold no data', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(2);
    const now = Date.now();
    await stand.produce([
      { topic: 'impressions', value: impression('r1', now) },
      { topic: 'impressions', value: impression('r2', now) },
      { topic: 'impressions', key: 'r3', value: '{"requestId":"secret-person"' },
      { topic: 'feedback', key: 'r1', value: click('r1', now + 3_600_000) },
      { topic: 'feedback', key: 'r1', value: click('secret-request', now) },
    ]);
    const ended = await examine(stand);
    const warnings = told(ended, 'warning');
    expect(warnings).toContainEqual(expect.stringContaining('1 of 3 sampled records are invalid (not_json 1)'));
    expect(warnings).toContainEqual(expect.stringContaining('2 of 3 sampled records have no key'));
    expect(warnings).toContainEqual(
      expect.stringMatching(/1 of 2 sampled records are dated further ahead.*timeZone or tsUnit of the topic/),
    );
    expect(ended.stdout).not.toContain('secret-person');
    expect(ended.stdout).not.toContain('secret-request');
  });
});

itWith(SERVERS, 'a Redis that evicts is an error', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    await stand.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      const ended = await examine(stand);
      expect(ended.code).toBe(1);
      expect(told(ended, 'error')).toEqual([
        expect.stringMatching(/^redis eviction: maxmemory-policy is allkeys-lru.*Set it to noeviction/),
      ]);
    } finally {
      await stand.redis.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });
});

itWith(
  SERVERS,
  'a wrong address of Redis is an error that hides the password; Kafka is looked at all the same',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(1);
      stand.configure({ redis: { url: 'redis://me:canary-secret@127.0.0.1:1' } });
      const ended = await examine(stand);
      expect(ended.code).toBe(1);
      expect(told(ended, 'error')).toEqual([expect.stringMatching(/^redis: .*127\.0\.0\.1:1/)]);
      expect(told(ended, 'ok').join('\n')).toContain('each has 1 partition');
      expect(ended.stdout + ended.stderr).not.toContain('canary-secret');
    });
  },
);

itWith(
  WITH_AUTHORITY,
  'a certificate of Redis that nobody known has signed is told with the setting of Redis alone',
  async ({ authority, ...servers }) => {
    const { cert, key } = await authority.sign({ name: 'redis', hosts: 'IP:127.0.0.1' });
    const port = await freePort();
    const files = { 'tls-cert-file': cert, 'tls-key-file': key, 'tls-ca-cert-file': authority.ca };
    const redis = await startRedis({ config: { 'tls-port': String(port), ...files, 'tls-auth-clients': 'no' } });
    try {
      await withStand(servers, async (stand) => {
        await stand.makeTopics(1);
        stand.configure({ redis: { url: `rediss://127.0.0.1:${port}` } });
        const [error, ...others] = told(await examine(stand), 'error');
        expect(others).toEqual([]);
        expect(error).toMatch(/^redis: Redis could not connect to rediss:.* its authority in redis\.tls\.ca$/);
        expect(error).not.toContain('kafka.tls');
      });
    } finally {
      await redis.stop();
      authority.remove();
    }
  },
);

itWith(SERVERS, 'a wrong address of Kafka is an error; Redis is looked at all the same', async (servers) => {
  await withStand(servers, async (stand) => {
    stand.configure({ kafka: { brokers: ['127.0.0.1:1'] } });
    const ended = await examine(stand);
    expect(ended.code).toBe(1);
    expect(told(ended, 'error')).toEqual([
      expect.stringMatching(/^brokers: 127\.0\.0\.1:1 of kafka\.brokers does not answer \(.*ECONNREFUSED/),
    ]);
    expect(told(ended, 'ok').join('\n')).toContain('redis eviction: maxmemory-policy is noeviction');
  });
});
