/**
 * docker-compose.yml as its user runs it, on a container engine. The tests share one stack: each begins where the last one ended.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { readCompose } from '../deploy/compose-file.ts';
import { itWith } from '../services/it-with.ts';
import { Shop } from './shop.ts';
import { SECOND_PORT, STACK, type Stack, until } from './stack.ts';

const PATIENCE_MS = 900_000;
const EXPORTER = 9464;
const PROMETHEUS = 9090;
const ALERTMANAGER = 9093;
/** Of each topic, by the service `topics`. */
const PARTITIONS = 12;
const CUT_MS = 40_000;
const UP = 'docker compose up --build --detach --wait';
const SCALE = 'docker compose up --detach --scale worker=3';
const ALERT = 'RecevalWorkerDown';

let getting: Promise<Stack> | undefined;
const ONE = {
  ...STACK,
  get: () => {
    getting ??= STACK.get();
    return getting;
  },
};
let shop: Shop | undefined;
afterAll(async () => {
  void shop?.close();
  await (await getting?.catch(() => undefined))?.stop();
}, PATIENCE_MS);

const { services } = readCompose();
const lasting = Object.keys(services).filter(
  (name) => services[name].profiles.length === 0 && services[name].restart === 'unless-stopped',
);

/** Lists of the known traffic. */
let known = 0;

describe('docker-compose.yml on a container engine', () => {
  itWith(
    ONE,
    'comes up as the page tells, and once more without a container recreated; known traffic is counted exactly',
    async (stack) => {
      // Traffic of the last two hours is there before the first worker: nothing of it can be late.
      await stack.sh('docker compose build');
      const flags = '--to kafka --seed 7 --events 12000 --rate 2 --late 0 --clock-ahead 0';
      const told = await stack.sh(`docker compose run --rm traffic simulate ${flags} 2>&1`);
      const [impressions, feedback] = (/^to count +impressions: (.*); feedback: (.*)$/m.exec(told) ?? ['', '', ''])
        .slice(1)
        .map(numbers);
      const { accepted, ...refused } = impressions;
      const { attributed, ...lost } = feedback;
      expect(accepted).toBeGreaterThan(5000);
      expect(Object.keys({ ...refused, ...lost }).sort()).toEqual(['duplicate', 'invalid', 'late', 'orphan']);
      known = accepted;

      await stack.up(UP);
      await stack.told(UP);
      const made = await stack.containers();
      expect(made.length).toBe(lasting.length);
      const states = await stack.sh(`docker inspect --format '{{.State.Health.Status}}' ${made.join(' ')}`);
      expect(states.trim().split('\n')).toEqual(lasting.map(() => 'healthy'));
      const ended = await stack.sh(
        "docker compose ps --all --format '{{.Service}} {{.ExitCode}}' secrets token topics",
      );
      expect(ended.trim().split('\n').sort()).toEqual(['secrets 0', 'token 0', 'topics 0']);
      await stack.told(UP);
      expect(await stack.containers()).toEqual(made);

      const expected: Readonly<Record<string, number>> = {
        'impressions events': accepted + sum(refused),
        'feedback events': attributed + sum(lost),
        attributed,
        ...named('impressions', refused),
        ...named('feedback', lost),
      };
      // Feedback is an orphan when its impression can come no more, a while after all is read.
      const counts = await until(
        'all is read and judged',
        () => workerCounts(stack),
        (seen) => Object.entries(expected).every(([name, count]) => seen[name] >= count),
      ).catch(() => workerCounts(stack));
      expect(counts).toMatchObject(expected);
    },
    PATIENCE_MS,
  );

  itWith(
    ONE,
    'has after down and up what a worker shows that starts over',
    async (stack) => {
      const token = await stack.token();
      await stack.told('docker compose down');
      expect(await stack.containers()).toEqual([]);
      await stack.up(UP);
      // Nothing is made again: not the token, not what is stored. A worker that began at the first record would read them all.
      expect(await stack.token()).toBe(token);
      expect((await workerCounts(stack))['impressions events']).toBeLessThan(known);
      await expectAsUndisturbed(stack, 'after-down');
    },
    PATIENCE_MS,
  );

  itWith(
    ONE,
    'lets in nobody who does not show who he is, and publishes on loopback alone',
    async (stack) => {
      const token = await stack.token();
      expect((await stack.get(EXPORTER, '/metrics', token)).status).toBe(200);
      for (const wrong of [undefined, '', `${token}0`, token.slice(1)]) {
        expect((await stack.get(EXPORTER, '/metrics', wrong)).status, wrong).toBe(401);
      }
      expect((await stack.get(PROMETHEUS, '/-/ready')).status).toBe(200);
      for (const path of ['/-/quit', '/-/reload', '/api/v1/admin/tsdb/snapshot']) {
        const tried = await stack.get(PROMETHEUS, path);
        expect(tried.status, path).toBeGreaterThanOrEqual(400);
      }

      const redis = (words: string) => stack.sh(`docker compose exec -T redis redis-cli ${words} 2>&1 || true`);
      expect(await redis('ping')).toContain('NOAUTH');
      expect(await redis("--no-auth-warning -u 'redis://default:@127.0.0.1' ping")).toMatch(/NOAUTH|WRONGPASS/);
      expect(await redis("--no-auth-warning -u 'redis://receval-worker:guess@127.0.0.1' ping")).toContain('WRONGPASS');
      const as = (user: string, words: string) =>
        stack.sh(
          `docker compose exec -T redis sh -c 'redis-cli --no-auth-warning -u "$(cat /secrets/${user}/url)" ${words} 2>&1 || true'`,
        );
      expect(await as('worker', 'ping')).toContain('PONG');
      expect(await as('exporter', 'ping')).toContain('PONG');
      for (const words of ['flushall', 'config get dir', 'set other 1', 'keys "*"', 'shutdown']) {
        expect(await as('worker', words), words).toContain('NOPERM');
        expect(await as('exporter', words), words).toContain('NOPERM');
      }
      expect(await as('exporter', 'hset receval:{default:0}:unit a b')).toContain('NOPERM');

      const ids = (await stack.containers()).join(' ');
      const format = '{{range $port, $to := .NetworkSettings.Ports}}{{range $to}}{{.HostIp}} {{$port}} {{end}}{{end}}';
      const published = await stack.sh(`docker inspect --format '${format}' ${ids}`);
      const addresses = [...published.matchAll(/(\S+) (\d+)\/tcp/g)];
      expect(addresses.map(([, , port]) => Number(port)).sort((a, b) => a - b)).toEqual([3000, 9090, 9092, 9093, 9464]);
      expect(new Set(addresses.map(([, address]) => address))).toEqual(new Set(['127.0.0.1']));

      const logs = await stack.sh('docker compose logs --no-color');
      const urls = await stack.sh("docker compose exec -T redis sh -c 'cat /secrets/worker/url /secrets/exporter/url'");
      const inspected = await stack.sh(`docker inspect ${ids}`);
      for (const [, password] of [...urls.matchAll(/:([0-9a-f]{64})@/g), ['', token]]) {
        expect(logs.includes(password)).toBe(false);
        expect(inspected.includes(password)).toBe(false);
      }
      expect([...urls.matchAll(/:[0-9a-f]{64}@/g)].length).toBe(2);
    },
    PATIENCE_MS,
  );

  itWith(
    ONE,
    'goes on where it was, whatever is paused, cut off, restarted or killed, and tells of a worker that is gone',
    async (stack) => {
      shop = new Shop(stack.kafka());
      await goesOn(stack, 'live traffic');
      await stack.told(SCALE);
      await stack.sh('docker compose up --detach --wait --scale worker=3');
      const [first, second, third] = await stack.containers('worker');
      const [redis] = await stack.containers('redis');
      const [kafka] = await stack.containers('kafka');
      // Faults strike together where neither hides what the other one does: a test of one after the other takes twice as long.
      await stack.sh(`docker pause ${third}`);
      await stack.cut('redis', redis, CUT_MS);
      await goesOn(stack, 'a worker of three paused, then Redis cut off');
      await stack.cut('kafka', kafka, CUT_MS);
      await goesOn(stack, 'Kafka cut off');
      // While one worker is paused and another one cut off, the first has all.
      const cut = stack.cut('worker', second, CUT_MS);
      await stack.sh('docker compose restart redis');
      await stack.sh('docker compose kill redis && docker compose up --detach --wait redis');
      await goesOn(stack, 'a worker cut off, Redis restarted and killed');
      await cut;
      await stack.sh(`docker restart ${first}`);
      await goesOn(stack, 'worker restarted');
      await stack.sh(`docker kill ${first} && docker start ${first}`);
      await stack.sh('docker compose restart kafka');
      await goesOn(stack, 'a worker killed, Kafka restarted');
      await stack.sh('docker compose kill kafka && docker compose up --detach --wait kafka');
      await goesOn(stack, 'Kafka killed');

      await until('the alert fires', () => alertStates(stack), firing);
      await stack.sh(`docker unpause ${third}`);
      await until('the alert is over', () => alertStates(stack), silent);
      await goesOn(stack, 'a worker that woke up');
      await stack.sh('docker compose up --detach --wait --scale worker=1');
      expect(await stack.containers('worker')).toEqual([first]);
      await goesOn(stack, 'one worker again');
    },
    PATIENCE_MS,
  );

  itWith(
    ONE,
    'takes a new password, and the old one no longer',
    async (stack) => {
      const url = () => stack.sh('docker compose exec -T redis cat /secrets/worker/url');
      const old = (await url()).trim();
      await stack.told("docker compose run --rm --entrypoint sh secrets -c 'rm /secrets/worker/url'");
      await stack.told('docker compose up --detach --force-recreate secrets redis worker');
      await stack.up('docker compose up --detach --wait');
      await goesOn(stack, 'a new password');
      expect((await url()).trim()).not.toBe(old);
      const asked = `docker compose exec -T redis redis-cli --no-auth-warning -u '${old}' ping 2>&1 || true`;
      expect(await stack.sh(asked)).toContain('WRONGPASS');
    },
    PATIENCE_MS,
  );

  itWith(
    ONE,
    'takes settings of its user; is backed up, rebuilt from the log when Redis has lost all, and restored',
    async (stack) => {
      const folder = mkdtempSync(join(tmpdir(), 'receval-compose-'));
      try {
        writeFileSync(join(folder, 'receval.yaml'), 'windows: [7m]\n');
        const mine = `{volumes: ["${folder}/receval.yaml:/app/receval.yaml:ro"]}`;
        writeFileSync(join(folder, 'override.yml'), `services: {worker: ${mine}, exporter: ${mine}}\n`);
        chmodSync(folder, 0o755);
        const settled = await stack.sh(
          `docker compose --file docker-compose.yml --file ${folder}/override.yml run --rm --no-deps worker config check`,
        );
        expect(settled).toContain('7m');

        await stack.told('docker compose stop worker redis');
        await stack.told(
          `docker run --rm -v receval_redis-data:/data:ro -v "$PWD":/backup redis:7.2.14-alpine tar -czf /backup/redis-data.tar.gz -C /data .`,
          folder,
        );
        await stack.told('docker compose start redis worker');
        await goesOn(stack, 'a backup');

        await stack.sh('docker compose stop worker redis');
        await stack.sh(
          `docker run --rm -v ${stack.project}_redis-data:/data redis:7.2.14-alpine sh -c 'rm -rf /data/*'`,
        );
        await stack.sh('docker compose start redis worker');
        await until(
          'the worker says that its state is lost',
          () => stack.sh('docker compose logs --no-color --since 60s worker'),
          (logs) => logs.includes('--rebuild'),
        );
        await stack.told('docker compose stop worker');
        const rebuilding = stack.told('docker compose run --rm --use-aliases worker run --role worker --rebuild');
        const one = `docker ps --quiet --filter name=${stack.project}-worker-run --filter health=healthy`;
        const id = await until(
          'the worker has rebuilt everything',
          () => stack.sh(one),
          (healthy) => healthy.trim() !== '',
        );
        // As Ctrl-C does.
        await stack.sh(`docker kill --signal INT ${id.trim()}`);
        await rebuilding;
        await stack.told('docker compose up --detach --wait worker');
        await goesOn(stack, 'a rebuild');

        await stack.told('docker compose stop worker redis');
        await stack.told(
          `docker run --rm -v receval_redis-data:/data -v "$PWD":/backup redis:7.2.14-alpine sh -c 'rm -rf /data/* && tar -xzf /backup/redis-data.tar.gz -C /data'`,
          folder,
        );
        await stack.told('docker compose start redis worker');
        await goesOn(stack, 'a backup that was restored');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    PATIENCE_MS,
  );

  itWith(
    ONE,
    'shows at the end each window as a namespace that nothing happened to, and each list once',
    async (stack) => {
      await shop?.close();
      const shown = await expectAsUndisturbed(stack, 'at-the-end');
      // Not only equal: all that the shop and the known traffic sent, each list once.
      const end = Number(shown.get('receval_result_timestamp_seconds{horizon="1m"}')) * 1000;
      const count = Number(shown.get('receval_window_impressions{window="24h",horizon="1m",by=""}'));
      const sent = shop?.before(end) ?? { least: 0, most: 0 };
      process.stderr.write(`tests: ${count} lists shown, ${known} of them known traffic, ${sent.least} of the shop\n`);
      expect(sent.least).toBeGreaterThan(100);
      expect(count).toBeGreaterThanOrEqual(known + sent.least);
      expect(count).toBeLessThanOrEqual(known + sent.most);

      await stack.told('docker compose --profile demo-traffic up --detach --wait');
      await goesOn(stack, 'the traffic of the page');
    },
    PATIENCE_MS,
  );
});

/** "accepted 9,280, invalid 1" as numbers by name. */
function numbers(text: string): Record<string, number> {
  const found = [...text.matchAll(/(\w+) (\d[\d,]*\d|\d)/g)];
  return Object.fromEntries(found.map(([, name, value]) => [name, Number(value.replaceAll(',', ''))]));
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function named(topic: string, counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${topic} ${name}`, count]));
}

/** What the worker has counted since its start: events and drops by topic and reason, and attributed feedback. */
async function workerCounts(stack: Stack): Promise<Record<string, number>> {
  const token = 'require("fs").readFileSync("/run/secrets/http/token", "utf8").trim()';
  const script = `fetch("http://127.0.0.1:9464/metrics", {headers: {authorization: "Bearer " + ${token}}}).then(async (answer) => console.log(await answer.text()))`;
  const text = await stack.sh(`docker compose exec -T worker node -e '${script}'`);
  const counts: Record<string, number> = {};
  for (const [, topic, count] of text.matchAll(/^receval_events_total\{topic="(\w+)"\} (\d+)$/gm)) {
    counts[`${topic} events`] = Number(count);
  }
  for (const [, topic, why, count] of text.matchAll(/^receval_drops_total\{topic="(\w+)",reason="(\w+)"\} (\d+)$/gm)) {
    counts[`${topic} ${why}`] = Number(count);
  }
  counts['attributed'] = Number(/^receval_feedback_delay_seconds_count (\d+)$/m.exec(text)?.[1] ?? 0);
  return counts;
}

/** Waits until every partition has been committed again since it was called, and tells how long that took. */
async function goesOn(stack: Stack, after: string): Promise<void> {
  const began = Date.now();
  const before = await until(
    'Redis answers',
    () => units(stack),
    ({ length }) => length === PARTITIONS,
  );
  await until(
    `every partition is committed after: ${after}`,
    () => units(stack),
    (seen) => seen.length === PARTITIONS && seen.every((unit, i) => unit !== before[i]),
  );
  process.stderr.write(`tests: ${after}: all goes on after ${((Date.now() - began) / 1000).toFixed(0)} s\n`);
}

/** What is stored of each partition, with the offsets up to which it was read; none if Redis does not answer. */
async function units(stack: Stack): Promise<readonly string[]> {
  const ask = `redis-cli -e --no-auth-warning -u "$(sed s/@redis:/@127.0.0.1:/ /secrets/exporter/url)" hgetall`;
  const one = `found=$(${ask} "receval:{default:$unit}:unit"); printf %s "$found" | sha256sum`;
  const script = `set -e; for unit in $(seq 0 ${PARTITIONS - 1}); do ${one}; done`;
  const told = await stack.sh(`docker compose exec -T redis sh -c '${script}'`).catch(() => '');
  return told.trim().split('\n');
}

/** Of the alert that a worker is gone: how many Prometheus has firing, and Alertmanager active. */
async function alertStates(stack: Stack): Promise<readonly [number, number]> {
  const [told, taken] = await Promise.all([
    stack.get(PROMETHEUS, '/api/v1/alerts'),
    stack.get(ALERTMANAGER, `/api/v2/alerts?filter=alertname%3D${ALERT}`),
  ]);
  const fires = told.text.split('{"labels"').filter((one) => one.includes(ALERT) && one.includes('"state":"firing"'));
  return [fires.length, taken.text.match(/"state":"active"/g)?.length ?? 0];
}

const firing = ([told, taken]: readonly [number, number]): boolean => told > 0 && taken > 0;
const silent = ([told, taken]: readonly [number, number]): boolean => told === 0 && taken === 0;

/**
 * Waits until the exporter shows exactly what one of another namespace shows, whose worker reads everything from the first record
 * with nothing in its way. Returns what both show.
 */
async function expectAsUndisturbed(stack: Stack, name: string): Promise<ReadonlyMap<string, string>> {
  const token = await stack.token();
  const own = `--env RECEVAL_NAMESPACE=${name} --env RECEVAL_KAFKA_GROUP_ID=${name}`;
  const started = [
    await stack.sh(`docker compose run --detach ${own} worker`),
    await stack.sh(`docker compose run --detach ${own} --publish 127.0.0.1:${SECOND_PORT}:9464 exporter`),
  ].map((id) => id.trim());
  const both = async () => Promise.all([stack.quality(EXPORTER, token), stack.quality(SECOND_PORT, token)]);
  try {
    const [shown, undisturbed] = await until(
      'both namespaces show the same',
      both,
      ([one, other]) => one.size > 500 && isDeepEqual(one, other),
    ).catch(both);
    expect(differences(shown, undisturbed)).toEqual([]);
    expect(shown.size).toBeGreaterThan(500);
    process.stderr.write(`tests: ${name}: ${shown.size} series equal\n`);
    return shown;
  } finally {
    await stack.sh(`docker rm --force --volumes ${started.join(' ')}`);
  }
}

function isDeepEqual(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return differences(one, other).length === 0;
}

function differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names]
    .filter((name) => one.get(name) !== other.get(name))
    .map((name) => `${name}: ${one.get(name)}, ${other.get(name)}`);
}
