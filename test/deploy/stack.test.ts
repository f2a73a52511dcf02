import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect } from 'vitest';
import { kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import { itWith } from '../services/it-with.ts';
import { sharedKafka } from '../services/kafka-shared.ts';
import { freePort } from '../services/ports.ts';
import { RECEVAL } from '../tested.ts';
import { ROOT, readCompose } from './compose-file.ts';
import { makeSecrets, startShippedRedis } from './shipped-redis.ts';
import { makeTopics } from './topic-commands.ts';

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});
// Topics of the names that are shipped.
const KAFKA = sharedKafka({ own: true });

interface Program {
  readonly port: number;
  /** The code with which it ended for good. */
  readonly exited: Promise<number | null>;
  readonly printed: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** A service of the compose file as a process of this machine. */
async function start(name: string, broker: string, url: string, folder: string): Promise<Program> {
  const { command, environment } = readCompose().services[name];
  const port = await freePort();
  const secret = join(folder, `${name}-url`);
  writeFileSync(secret, `${url}\n`);
  const env = {
    PATH: process.env['PATH'],
    ...environment,
    RECEVAL_KAFKA_BROKERS: broker,
    ...(environment['RECEVAL_REDIS_URL_FILE'] === undefined ? {} : { RECEVAL_REDIS_URL_FILE: secret }),
    RECEVAL_HTTP_PORT: String(port),
    ...(environment['RECEVAL_HTTP_TOKEN_FILE'] === undefined ? {} : { RECEVAL_HTTP_TOKEN_FILE: tokenIn(folder) }),
  };
  let printed = '';
  const child = spawn(RECEVAL, command, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const kill: Program['kill'] = (signal) => child.kill(signal);
  closing.push(() => kill('SIGKILL'));
  return { port, exited, printed: () => printed, kill: (signal) => kill(signal) };
}

const TOKEN = 'f'.repeat(64);

function tokenIn(folder: string): string {
  const path = join(folder, 'token');
  writeFileSync(path, `${TOKEN}\n`);
  return path;
}

async function text({ port }: Program, path: string, token = TOKEN): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => undefined);
  return answer === undefined ? 'no answer' : `${answer.status}\n${await answer.text()}`;
}

async function until(program: Program, path: string, pattern: RegExp): Promise<string> {
  const end = Date.now() + 300_000;
  for (;;) {
    const found = await text(program, path);
    if (pattern.test(found)) return found;
    if (Date.now() > end) {
      throw new Error(`${path} never matched ${pattern}: ${found.slice(0, 2000)}\n${program.printed().slice(-3000)}`);
    }
    await sleep(200);
  }
}

describe('the stack of docker-compose.yml, as processes of this machine', () => {
  itWith(
    KAFKA,
    'counts and stores what is produced, with no right missing and no password told',
    async (kafka) => {
      const folder = mkdtempSync(join(tmpdir(), 'receval-stack-'));
      closing.push(() => rmSync(folder, { recursive: true }));
      const secrets = await makeSecrets();
      closing.push(() => secrets.remove());
      const redis = await startShippedRedis(secrets);
      closing.push(() => redis.stop());
      const admin = new Redis(redis.adminUrl);
      closing.push(() => admin.disconnect());
      await makeTopics(kafka);

      const [broker] = kafka.brokers;
      const worker = await start('worker', broker, redis.workerUrl, folder);
      const exporter = await start('exporter', broker, redis.exporterUrl, folder);
      await Promise.all([until(worker, '/healthz', /^200/), until(exporter, '/readyz', /^200/)]);

      const producer = new kafkajs.Kafka({ brokers: [broker], logLevel: kafkajs.logLevel.NOTHING }).producer();
      await producer.connect();
      const ts = Date.now();
      const keys = Array.from({ length: 50 }, (_, i) => `r${i}`);
      const send = (topic: string, event: (requestId: string) => object) =>
        producer.send({ topic, messages: keys.map((key) => ({ key, value: JSON.stringify(event(key)) })) });
      await send('impressions', (requestId) => ({ requestId, ts, items: ['a', 'b'] }));
      await send('feedback', (requestId) => ({ requestId, ts: ts + 1, itemId: 'b', action: 'click' }));
      await producer.disconnect();

      await until(worker, '/metrics', /^receval_events_total\{[^}]*topic="impressions"[^}]*\} 50$/m);
      await until(worker, '/metrics', /^receval_events_total\{[^}]*topic="feedback"[^}]*\} 50$/m);
      await until(worker, '/metrics', /^receval_commits_total\{outcome="ok"\} [1-9]\d*$/m);
      await until(worker, '/readyz', /^200/);
      const traffic = await start('traffic', broker, '', folder);
      await until(worker, '/metrics', /^receval_events_total\{[^}]*topic="impressions"[^}]*\} (?!50$)\d+$/m);
      expect(await text(exporter, '/metrics')).toContain('receval_build_info');
      for (const program of [worker, exporter]) {
        expect(await text(program, '/metrics', 'another-token-that-is-long')).toMatch(/^401/);
        expect(await text(program, '/healthz', '')).toMatch(/^200/);
      }
      expect(await admin.exists('receval:{default:0}:unit')).toBe(1);
      expect(await admin.acl('LOG')).toEqual([]);

      const asked = Date.now();
      const programs = [traffic, worker, exporter];
      for (const { kill } of programs) kill('SIGTERM');
      expect(await Promise.all(programs.map(({ exited }) => exited))).toEqual([0, 0, 0]);
      // Well within what an orchestrator grants, 30 s.
      expect(Date.now() - asked).toBeLessThan(20_000);
      for (const { printed } of programs) {
        for (const url of Object.values(secrets.read())) expect(printed()).not.toContain(new URL(url).password);
      }
    },
    900_000,
  );
});
