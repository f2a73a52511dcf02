/** Reads two topics to their ends with kafkajs and does nothing with them: `node --import tsx bench/fetch-only.ts BROKERS RECORDS`. */
import kafkajs from 'kafkajs';

const [brokers, wanted] = [process.argv[2].split(','), Number(process.argv[3])];
const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.ERROR });
const consumer = kafka.consumer({
  groupId: `fetch-only-${process.pid}`,
  maxBytesPerPartition: 1 << 20,
  maxBytes: 8 << 20,
});
await consumer.connect();
await consumer.subscribe({ topics: ['impressions', 'feedback'], fromBeginning: true });
let records = 0;
let began: { readonly at: number; readonly cpu: NodeJS.CpuUsage; readonly records: number } | undefined;
await new Promise<void>((done) => {
  void consumer.run({
    partitionsConsumedConcurrently: 4,
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      records += batch.messages.length;
      if (began === undefined && records > 0.4 * wanted)
        began = { at: performance.now(), cpu: process.cpuUsage(), records };
      if (records >= 0.95 * wanted) done();
    },
  });
});
if (began === undefined) throw new Error('nothing was read');
const { user, system } = process.cpuUsage(began.cpu);
const read = records - began.records;
process.stdout.write(
  `${JSON.stringify({ perSecond: read / ((performance.now() - began.at) / 1000), cpuUs: (user + system) / read })}\n`,
);
process.exit(0);
