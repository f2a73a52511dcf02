/**
 * docker-compose.yml as its user runs it, on a container engine, in two stacks at once: faults strike the shipped one, while the
 * one beside it is taken down, backed up and rebuilt. Each test is a step, which begins where the last one of its stack ended.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { readCompose } from '../deploy/compose-file.ts';
import { itWith } from '../services/it-with.ts';
import { inTurn, type Step } from './in-turn.ts';
import { alerted, expectAsUndisturbed, goesOn, PARTITIONS, PROMETHEUS, units, workerCounts } from './seen.ts';
import { Shop } from './shop.ts';
import { STACKS, type Stack, type Stacks, until } from './stack.ts';

const PATIENCE_MS = 900_000;
/** Four sessions. */
const CUT_MS = 40_000;
const UP = 'docker compose up --build --detach --wait';
/** Where the image is there. */
const UP_AGAIN = 'docker compose up --detach --wait';
const SCALE = 'docker compose up --detach --scale worker=3';

const { services } = readCompose();
const lasting = Object.keys(services).filter(
  (name) => services[name].profiles.length === 0 && services[name].restart === 'unless-stopped',
);

/** What the known traffic is to be counted as. */
interface Known {
  /** Lists. */
  readonly accepted: number;
  readonly counts: Readonly<Record<string, number>>;
}

let shop: Shop | undefined;
let known: Known = { accepted: 0, counts: {} };

const SHIPPED: readonly Step[] = [
  {
    name: 'comes up as the page tells, and once more without a container recreated',
    run: async (stack) => {
      known = await sendKnown(stack);
      await stack.up(UP);
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
    },
  },
  {
    name: 'lets in nobody who does not show who he is, and publishes on loopback alone',
    run: async (stack) => {
      const { exporter } = stack.ports;
      const token = await stack.token();
      expect((await stack.get(exporter, '/metrics', token)).status).toBe(200);
      for (const wrong of [undefined, '', `${token}0`, token.slice(1)]) {
        expect((await stack.get(exporter, '/metrics', wrong)).status, wrong).toBe(401);
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
  },
  {
    name: 'goes on where it was, whatever is paused, cut off, restarted or killed, and tells of a worker that is gone',
    run: async (stack) => {
      shop = new Shop(stack.kafka());
      await stack.told(SCALE);
      await until(
        'three workers are healthy',
        () => stack.sh("docker compose ps --format '{{.Health}}' worker"),
        (states) => states.match(/\bhealthy/g)?.length === 3,
      );
      await goesOn(stack, 'three workers');
      const [first, second, third] = await stack.containers('worker');
      const [redis] = await stack.containers('redis');
      const [kafka] = await stack.containers('kafka');
      const paused = await stack.address(third);
      // Faults strike together where neither hides what the other one does.
      await stack.sh(`docker pause ${third}`);
      await stack.cut('worker', second, CUT_MS, async () => {
        await stack.sh('docker compose restart redis');
        await stack.sh('docker compose kill redis && docker compose up --detach --wait redis');
        await goesOn(
          stack,
          'a worker of three paused, another one cut off, Redis restarted and killed: the first has all',
        );
        await stack.sh('docker compose kill kafka && docker compose up --detach --wait kafka');
        await goesOn(stack, 'Kafka killed, with one worker of three');
      });
      await goesOn(stack, 'a worker that was cut off is back');

      await stack.cut('redis', redis, CUT_MS, async () => {
        await stack.sh('docker compose restart kafka');
        await stack.sh(`docker restart ${first}`);
      });
      await goesOn(stack, 'Redis cut off, Kafka and a worker restarted meanwhile');

      await until(
        `the alert fires for ${paused}`,
        () => alerted(stack),
        (found) => found.every((addresses) => addresses?.some((address) => address.startsWith(`${paused}:`))),
      );
      await stack.sh(`docker unpause ${third}`);
      await goesOn(stack, 'a worker that woke up');

      await stack.cut('kafka', kafka, CUT_MS, async () => {
        await stack.sh(`docker kill ${first} && docker start ${first}`);
      });
      await goesOn(stack, 'Kafka cut off, a worker killed meanwhile');
      await until(
        'the alert is over',
        () => alerted(stack),
        (found) => found.every((addresses) => addresses?.length === 0),
      );
      await stack.sh(`${UP_AGAIN} --scale worker=1`);
      expect(await stack.containers('worker')).toEqual([first]);
      await goesOn(stack, 'one worker again');
    },
  },
  {
    name: 'shows after all faults each window as a namespace that nothing happened to, and each list once',
    run: async (stack) => {
      await shop?.close();
      const shown = await expectAsUndisturbed(stack, 'after-faults');
      // Not only equal: all that the shop and the known traffic sent, each list once.
      const end = Number(shown.get('receval_result_timestamp_seconds{horizon="1m"}')) * 1000;
      const count = Number(shown.get('receval_window_impressions{window="24h",horizon="1m",by=""}'));
      const sent = shop?.before(end) ?? { least: 0, most: 0 };
      process.stderr.write(
        `tests: ${count} lists shown, ${known.accepted} of them known traffic, ${sent.least} of the shop\n`,
      );
      expect(sent.least).toBeGreaterThan(100);
      expect(count).toBeGreaterThanOrEqual(known.accepted + sent.least);
      expect(count).toBeLessThanOrEqual(known.accepted + sent.most);
    },
  },
];

const BESIDE: readonly Step[] = [
  {
    name: 'counts known traffic exactly, and has after down and up what a worker shows that starts over',
    run: async (stack) => {
      const told = await sendKnown(stack);
      await stack.up(UP_AGAIN);
      await expectCounted(stack, told.counts);
      const token = await stack.token();
      await stack.told('docker compose down');
      expect(await stack.containers()).toEqual([]);
      await stack.up(UP_AGAIN);
      // Nothing is made again: not the token, not what is stored. A worker that began at the first record would read them all.
      expect(await stack.token()).toBe(token);
      expect((await workerCounts(stack))['impressions events']).toBeLessThan(told.accepted);
      await stack.told('docker compose --profile demo-traffic up --detach --wait');
      await goesOn(stack, 'the traffic of the page');
      await stack.sh('docker compose --profile demo-traffic stop traffic');
      await expectAsUndisturbed(stack, 'after-down');
    },
  },
  {
    name: 'takes a new password, and the old one no longer',
    run: async (stack) => {
      await stack.sh('docker compose --profile demo-traffic start traffic');
      const url = () => stack.sh('docker compose exec -T redis cat /secrets/worker/url');
      const old = (await url()).trim();
      await stack.told("docker compose run --rm --entrypoint sh secrets -c 'rm /secrets/worker/url'");
      await stack.told('docker compose up --detach --force-recreate secrets redis worker');
      await stack.up(UP_AGAIN);
      await goesOn(stack, 'a new password');
      expect((await url()).trim()).not.toBe(old);
      const asked = `docker compose exec -T redis redis-cli --no-auth-warning -u '${old}' ping 2>&1 || true`;
      expect(await stack.sh(asked)).toContain('WRONGPASS');
    },
  },
  {
    name: 'takes settings of its user; is backed up, rebuilt from the log when Redis has lost all, and restored',
    run: async (stack) => {
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
        const example = await stack.sh(
          'docker compose --file docker-compose.yml --file examples/kafka/compose.yaml run --rm --no-deps worker config check',
        );
        expect(example).toContain('control: old');

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
          'the worker that rebuilds is healthy',
          () => stack.sh(one),
          (healthy) => healthy.trim() !== '',
        );
        expect(await units(stack), 'units that are stored when the worker that rebuilds is healthy').toHaveLength(
          PARTITIONS,
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
  },
  {
    name: 'shows after backup and rebuild each window as a namespace that nothing happened to',
    run: async (stack) => {
      await stack.sh('docker compose --profile demo-traffic stop traffic');
      await expectAsUndisturbed(stack, 'after-restore');
    },
  },
];

let getting: Promise<Stacks> | undefined;
let running: ReadonlyMap<Step, Promise<void>> | undefined;

/** Promises of all steps, which have begun; both stacks run the image that is built first. */
const BEGUN = {
  ...STACKS,
  get: async (): Promise<ReadonlyMap<Step, Promise<void>>> => {
    getting ??= STACKS.get();
    const { shipped, beside } = await getting;
    if (running === undefined) {
      const steps = [...SHIPPED, ...BESIDE];
      // The broker, which starts slowly, meanwhile.
      const broker = (stack: Stack) => stack.sh('docker compose up --detach kafka');
      const built = Promise.all([shipped.sh('docker compose build'), broker(shipped), broker(beside)]);
      running = new Map(
        [...inTurn(shipped, SHIPPED, built), ...inTurn(beside, BESIDE, built)].map((done, i) => [steps[i], done]),
      );
    }
    return running;
  },
};
afterAll(async () => {
  void shop?.close();
  await Promise.allSettled(running?.values() ?? []);
  await (await getting?.catch(() => undefined))?.stop();
}, PATIENCE_MS);

describe('docker-compose.yml on a container engine', () => {
  for (const step of [...SHIPPED, ...BESIDE]) {
    itWith(BEGUN, step.name, async (begun) => begun.get(step), PATIENCE_MS);
  }
});

/** Sends traffic of the last two hours, before the first worker is there: nothing of it can be late. */
async function sendKnown(stack: Stack): Promise<Known> {
  const flags = '--to kafka --seed 7 --events 12000 --rate 2 --late 0 --clock-ahead 0';
  const told = await stack.sh(`docker compose run --rm traffic simulate ${flags} 2>&1`);
  const [impressions, feedback] = (/^to count +impressions: (.*); feedback: (.*)$/m.exec(told) ?? ['', '', ''])
    .slice(1)
    .map(numbers);
  const { accepted, ...refused } = impressions;
  const { attributed, ...lost } = feedback;
  expect(accepted).toBeGreaterThan(5000);
  expect(Object.keys({ ...refused, ...lost }).sort()).toEqual(['duplicate', 'invalid', 'late', 'orphan']);
  const counts = {
    'impressions events': accepted + sum(refused),
    'feedback events': attributed + sum(lost),
    attributed,
    ...named('impressions', refused),
    ...named('feedback', lost),
  };
  return { accepted, counts };
}

/** Feedback is an orphan when its impression can come no more, a while after all is read. */
async function expectCounted(stack: Stack, counts: Known['counts']): Promise<void> {
  const seen = await until(
    'all is read and judged',
    () => workerCounts(stack),
    (found) => Object.entries(counts).every(([name, count]) => found[name] >= count),
  ).catch(() => workerCounts(stack));
  expect(seen).toMatchObject(counts);
}

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
