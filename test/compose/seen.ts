/** What can be seen of a stack from outside: what it counts, stores, shows and warns of. */
import { expect } from 'vitest';
import { type Stack, until } from './stack.ts';

export const PROMETHEUS = 9090;
const ALERTMANAGER = 9093;
/** Of each topic, by the service `topics`. */
const PARTITIONS = 12;
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

/** Waits until every partition has been committed again since it was called, and tells how long that took. */
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
async function units(stack: Stack): Promise<readonly string[]> {
  const ask = `redis-cli -e --no-auth-warning -u "$(sed s/@redis:/@127.0.0.1:/ /secrets/exporter/url)" hgetall`;
  const one = `found=$(${ask} "receval:{default:$unit}:unit"); printf %s "$found" | sha256sum`;
  const script = `set -e; for unit in $(seq 0 ${PARTITIONS - 1}); do ${one}; done`;
  const told = await stack.sh(`docker compose exec -T redis sh -c '${script}'`).catch(() => '');
  return told.trim().split('\n');
}

/** Of the alert that a worker is gone: how many Prometheus has firing, and Alertmanager active. */
export async function alertStates(stack: Stack): Promise<readonly [number, number]> {
  const [told, taken] = await Promise.all([
    stack.get(PROMETHEUS, '/api/v1/alerts'),
    stack.get(ALERTMANAGER, `/api/v2/alerts?filter=alertname%3D${ALERT}`),
  ]);
  const fires = told.text.split('{"labels"').filter((one) => one.includes(ALERT) && one.includes('"state":"firing"'));
  return [fires.length, taken.text.match(/"state":"active"/g)?.length ?? 0];
}

export const firing = ([told, taken]: readonly [number, number]): boolean => told > 0 && taken > 0;
export const silent = ([told, taken]: readonly [number, number]): boolean => told === 0 && taken === 0;

/**
 * Waits until the exporter shows exactly what one of another namespace shows, whose worker reads everything from the first record
 * with nothing in its way. Returns what both show.
 */
export async function expectAsUndisturbed(stack: Stack, name: string): Promise<ReadonlyMap<string, string>> {
  const token = await stack.token();
  const own = `--env RECEVAL_NAMESPACE=${name} --env RECEVAL_KAFKA_GROUP_ID=${name}`;
  const started = [
    await stack.sh(`docker compose run --detach ${own} worker`),
    await stack.sh(`docker compose run --detach ${own} --publish 127.0.0.1:${stack.ports.second}:9464 exporter`),
  ].map((id) => id.trim());
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
