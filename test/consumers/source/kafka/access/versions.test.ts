/** How far the brokers are from leaving our client behind; the table stands in a decision, and a newer broker in the tests changes it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { apiVersions, CLIENT_APIS } from '../../../../../src/consumers/source/kafka/access/versions.ts';
import { itWith } from '../../../../services/it-with.ts';
import { sharedKafka } from '../../../../services/kafka-shared.ts';

const PAGE = resolve(import.meta.dirname, '../../../../../docs/decisions/0020-kafka-client-plan.md');
const PATIENCE_MS = 10_000;

itWith(sharedKafka(), 'Kafka 4.3.1 leaves the client the margin that decision 20 names', async ({ brokers }) => {
  const offered = await apiVersions(brokers[0], { tls: undefined }, PATIENCE_MS);
  const measured = CLIENT_APIS.map(({ name, key, client }) => {
    const broker = offered.get(key);
    if (broker === undefined) throw new Error(`the broker has no ${name}`);
    const spoken = Math.min(client.most, broker.most);
    const margin = client.most - broker.least;
    return `| ${name} | ${client.least} to ${client.most} | ${broker.least} to ${broker.most} | ${spoken} | ${margin} |`;
  });
  const page = readFileSync(PAGE, 'utf8');
  const written = page.split('\n').filter((line) => /^\| \w+ \| \d+ to \d+ \| \d+ to \d+ \|/.test(line));
  expect(written).toEqual(measured);
  // Below 0 nothing is spoken in common.
  for (const { key, client } of CLIENT_APIS)
    expect(client.most).toBeGreaterThanOrEqual(offered.get(key)?.least ?? Number.NaN);
});
