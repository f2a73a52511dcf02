import { writeFileSync } from 'node:fs';
import { startKafka } from '/work/main/test/services/kafka.ts';
import { KafkaSource } from '/work/main/src/consumers/source/kafka.ts';
import kafkajs from 'kafkajs';
const kafka = await startKafka();
async function makeTopics(k: any, count: number, partitions: number) { const names = Array.from({length: count}, (_, i) => `t${i}-${Math.random().toString(36).slice(2)}`); const admin = new kafkajs.Kafka({brokers: k.brokers}).admin(); await admin.connect(); await admin.createTopics({waitForLeaders: true, topics: names.map(topic => ({topic, numPartitions: partitions}))}); await admin.disconnect(); return names; }

const items = (n: number) => Array.from({ length: 20 }, (_, i) => ({ id: `item-${(n * 7919 + i * 104729) % 100000}`, score: Math.round(1e6 * Math.abs(Math.sin(n + i))) / 1e6 }));
writeFileSync('/tmp/payload.txt', Array.from({ length: 5000 }, (_, n) => JSON.stringify({ type: 'impression', requestId: `r-${n}-${(n * 2654435761) >>> 0}`, ts: 1700000000000 + n, userId: `u${n % 997}`, items: items(n) })).join('\n'));
writeFileSync('/tmp/payload2.txt', Array.from({ length: 5000 }, (_, n) => JSON.stringify({ type: 'click', requestId: `r-${n}-${(n * 2654435761) >>> 0}`, itemId: `item-${n}`, ts: 1700000000000 + n, action: 'click', eventId: `e-${n * 31}-${n}` , pad: 'x'.repeat(40)})).join('\n'));
for (const codec of (process.argv[2] ?? 'none,lz4,zstd').split(',')) {
  const topics = await makeTopics(kafka, 2, 4);
  const N = [160_000, 240_000];
  for (const i of [0, 1]) await kafka.tool('org.apache.kafka.tools.ProducerPerformance', ['--topic', topics[i], '--num-records', String(N[i]), '--throughput', '-1', '--payload-file', i ? '/tmp/payload2.txt' : '/tmp/payload.txt', '--producer-props', `bootstrap.servers=${kafka.brokers[0]}`, `compression.type=${codec}`, 'linger.ms=50', 'batch.size=100000']);
  for (const concurrency of [1, 4]) {
    let n = 0, bytes = 0;
    const source = new KafkaSource({ brokers: kafka.brokers, clientId: 'b', groupId: `g${codec}${concurrency}${Date.now()}`, topics, concurrency, events: { onGap: () => 'skip', onLostLog() {}, onRefused(r) { console.log(r); }, onUnpaired() {}, onPartitionCounts() {} }, log: () => {} });
    let t0 = 0, c0 = process.cpuUsage();
    await source.run({ assigned: async () => { t0 = performance.now(); c0 = process.cpuUsage(); }, batch: async (b) => {
      n += b.records.length; for (const r of b.records) bytes += r.value?.length ?? 0;
      if (n === N[0] + N[1]) { const s = (performance.now() - t0) / 1000; const c = process.cpuUsage(c0); const cpu = (c.user + c.system) / 1e6; console.log(codec, 'concurrency', concurrency, n, 'records', Math.round(bytes / n), 'B avg', Math.round(n / s), 'records/s', (cpu * 1e6 / n).toFixed(2), 'us CPU/record'); void source.stop(); }
    } });
  }
}
await kafka.stop();
process.exit(0);
