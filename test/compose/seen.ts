/** What can be seen of a stack from outside: what it counts, stores, shows and warns of. */
import { expect } from 'vitest';
import { z } from 'zod';
import { type Answer, type Stack, until } from './stack.ts';

export const PROMETHEUS = 9090;
const ALERTMANAGER = 9093;
/** Of each topic, by the service `topics`. */
export const PARTITIONS = 12;
const ALERT = 'RecevalWorkerDown';

/** What the worker has counted since its start: events and drops by topic and reason, and attributed feedback. */
export async function workerCounts(stack: Stack): Promise<Record<string, number>> {
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

/** Waits until every partition has been committed again since it was called, and returns how long that took. */
export async function goesOn(stack: Stack, after: string): Promise<void> {
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
export async function units(stack: Stack): Promise<readonly string[]> {
  const ask = 'redis-cli --csv --no-auth-warning -u "$(sed s/@redis:/@127.0.0.1:/ /secrets/exporter/url)"';
  const all = `for unit in $(seq 0 ${PARTITIONS - 1}); do echo "hgetall receval:{default:$unit}:unit"; done`;
  const told = await stack.sh(`docker compose exec -T redis sh -c '(${all}) | ${ask}'`).catch(() => '');
  // Without those that are not stored, and without refusals.
  return told.split('\n').filter((line) => line.startsWith('"'));
}

/** What Prometheus and Alertmanager tell of an alert. */
const toldAlert = z.object({
  labels: z.record(z.string(), z.string()),
  state: z.string().optional(),
  status: z.object({ state: z.string() }).optional(),
});
const prometheusAlerts = z.object({ data: z.object({ alerts: z.array(toldAlert) }) });

/** Of the alert that a worker is gone: the addresses that Prometheus has firing, and Alertmanager active; undefined: no answer. */
export async function alerted(stack: Stack): Promise<readonly (readonly string[] | undefined)[]> {
  const [told, taken] = await Promise.all([
    stack.get(PROMETHEUS, '/api/v1/alerts'),
    stack.get(ALERTMANAGER, '/api/v2/alerts'),
  ]);
  const read = ({ status, text }: Answer) => (status === 200 ? JSON.parse(text) : undefined);
  const found = [
    prometheusAlerts.safeParse(read(told)).data?.data.alerts,
    z.array(toldAlert).safeParse(read(taken)).data,
  ];
  return found.map((alerts) =>
    alerts
      ?.filter(({ labels, state, status }) => {
        return labels['alertname'] === ALERT && ['firing', 'active'].includes(state ?? status?.state ?? '');
      })
      .map(({ labels }) => labels['instance'] ?? ''),
  );
}

/**
 * Waits until the exporter shows exactly what one of another namespace shows, whose worker reads everything from the first record
 * with nothing in its way. Returns what both show.
 */
export async function expectAsUndisturbed(stack: Stack, name: string): Promise<ReadonlyMap<string, string>> {
  const token = await stack.token();
  const own = `--env RECEVAL_NAMESPACE=${name} --env RECEVAL_KAFKA_GROUP_ID=${name}`;
  const start = `docker compose run --detach --no-deps ${own}`;
  const started = await Promise.all([
    stack.sh(`${start} worker`),
    stack.sh(`${start} --publish 127.0.0.1:${stack.ports.second}:9464 exporter`),
  ]);
  const both = async () =>
    Promise.all([stack.quality(stack.ports.exporter, token), stack.quality(stack.ports.second, token)]);
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
    await stack.sh(`docker rm --force --volumes ${started.map((id) => id.trim()).join(' ')}`);
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
