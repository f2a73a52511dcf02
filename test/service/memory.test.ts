import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { memoryGroup } from '../services/memory-cgroup.ts';
import { freePort } from '../services/ports.ts';
import { type RunningService, type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const MIB = 2 ** 20;
/** Of the process, and of the heap of V8 in it. */
const LIMIT = 384 * MIB;
const HEAP_MIB = 256;
/** What `auto` makes of that limit: given where no control group can be made. */
const STATE_LIMIT = 96 * MIB;
/** Together half as much again as the process may use. */
const LISTS = Math.ceil((1.5 * LIMIT) / 255_000);
const PER_BATCH = 100;
const SMALL = 5;

/** Valid lists, each of close to 256 KiB, shown now. */
function* largeLists(count: number): Generator<readonly string[]> {
  const items = Array.from(
    { length: 1000 },
    (_, n) => `${n}-${'x'.repeat(239)}`.slice(0, 240) + String(n).padStart(12, '0'),
  );
  const rest = `,"ts":${Date.now()},"items":${JSON.stringify(items)}}`;
  for (let from = 0; from < count; from += PER_BATCH) {
    const size = Math.min(PER_BATCH, count - from);
    yield Array.from({ length: size }, (_, n) => `{"requestId":"large-${from + n}"${rest}`);
  }
}

/** The most that it has had in memory up to now; undefined: this system does not tell. */
function peakOf({ pid }: RunningService): number | undefined {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return 1024 * Number(kib);
  } catch {
    return undefined;
  }
}

/** Each process has a group of its own, so that it need not wait until Kafka misses the dead one. */
async function configure(stand: Stand, life: number, limits: object): Promise<string> {
  const port = await freePort();
  const { brokers } = stand.servers.kafka;
  const topics = { impressions: { name: stand.topics.impressions }, feedback: { name: stand.topics.feedback } };
  const kafka = { brokers, groupId: `${stand.namespace}-${life}`, topics };
  stand.configure({ kafka, http: { port }, attribution: { horizons: ['1h'] }, limits });
  return `http://127.0.0.1:${port}`;
}

/** The worker's page once it holds all of these lines. */
async function pageWith(url: string, service: RunningService, lines: readonly RegExp[]): Promise<string> {
  for (const until = Date.now() + 300_000; ; await sleep(100)) {
    const page = await fetch(`${url}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    if (lines.every((line) => line.test(page))) return page;
    if (Date.now() > until || !service.isRunning) {
      const ours = page.match(
        /^receval_(?:unit_stopped.* 1|state_bytes|open_impr|drops_total.*[1-9]$|invalid|process_resident).*$/gm,
      );
      throw new Error(`it did not come to it: ${ours?.join('\n')}\n${service.printed.slice(-3000)}`);
    }
  }
}

itWith(
  SERVERS,
  'a worker that is sent more valid lists than its memory holds stops that partition, says why, and lives; also after a kill',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const group = memoryGroup(LIMIT);
      if (group === undefined)
        process.stderr.write('no control group can be made here: resident memory alone is checked\n');
      await stand.makeTopics(2);
      await stand.produceCompressed('impressions', 0, largeLists(LISTS));
      const small = Array.from({ length: SMALL }, (_, n) => `{"requestId":"s${n}","ts":${Date.now()},"items":["a"]}`);
      await stand.produceCompressed('impressions', 1, [small]);
      const services: RunningService[] = [];
      try {
        for (const life of [1, 2]) {
          const url = await configure(stand, life, group === undefined ? { stateBytes: STATE_LIMIT } : {});
          const service = stand.runWithin({ heap: HEAP_MIB, procs: group?.procs }, '--role', 'worker');
          services.push(service);
          const page = await pageWith(url, service, [
            /^receval_unit_stopped\{partition="0",cause="memory"\} 1$/m,
            new RegExp(`^receval_open_impressions\\{partition="1"\\} ${SMALL}$`, 'm'),
          ]);
          expect(page).toMatch(/^receval_unit_stopped\{partition="1",cause="memory"\} 0$/m);
          expect(page).toMatch(/^receval_state_bytes\{partition="0"\} 0$/m);
          expect(page).toContain(`receval_state_bytes_limit ${STATE_LIMIT}`);
          expect(service.printed).toMatch(/"cause":"memory".*raise limits\.stateBytes to at least \d+/);
          expect((await fetch(`${url}/healthz`)).status).toBe(200);
          const peak = peakOf(service);
          process.stderr.write(`life ${life}: at most ${((peak ?? 0) / MIB).toFixed(0)} MiB\n`);
          if (peak !== undefined) expect(peak).toBeLessThan(LIMIT);
          expect(group?.kills() ?? 0).toBe(0);
          expect(service.isRunning).toBe(true);
          await service.kill();
        }
      } finally {
        for (const service of services) await service.kill();
        group?.remove();
      }
    });
  },
  900_000,
);
