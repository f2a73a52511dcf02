import { RECORDS, sourceContract } from '../../../../contracts/source/suite.ts';
import { itWith } from '../../../../services/it-with.ts';
import { sharedKafka } from '../../../../services/kafka-shared.ts';
import { makeTopics, produce, sourceOver } from '../fixture.ts';

const KAFKA = sharedKafka();
let filled: Promise<string[]> | undefined;

async function fill(): Promise<string[]> {
  const kafka = await KAFKA.get();
  const topics = await makeTopics(kafka, 2, 1);
  const records = Array.from({ length: RECORDS }, (_, i) => ({ value: String(i) }));
  for (const topic of topics) await produce(kafka, topic, records);
  return topics;
}

sourceContract(
  'Kafka',
  async () => {
    filled ??= fill();
    const source = sourceOver(await KAFKA.get(), await filled);
    return { source, cleanUp: () => source.stop() };
  },
  (name, test) => itWith(KAFKA, name, test),
);
