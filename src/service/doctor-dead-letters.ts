import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { isRecordRefused } from '../consumers/source/kafka/access/faults.ts';
import type { KafkaConnection } from '../consumers/source/kafka/access/kafka-settings.ts';
import { KafkaProducer } from '../consumers/source/kafka/access/producer.ts';
import { allowSettings } from '../consumers/source/kafka/flow/brokers.ts';
import { openToOthers } from '../dead-letters/letter-file.ts';
import { codeOf, messageOf } from '../vocabulary/error-text.ts';
import { assertNever, type EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { type CheckResult, resultsOf } from './check-result.ts';

const DEAD_LETTERS = resultsOf('dead letters');

/** Limit above which probing with a record that is too large would cost too much. */
const LARGEST_PROBE = 16 * 2 ** 20;

/** Checks where invalid records go. Writes nothing. Rejects with kafkajs' error if Kafka cannot be queried. */
export async function lookAtDeadLetters(
  { deadLetter, kafka }: Settings,
  connection: KafkaConnection,
  now: EpochMs,
): Promise<readonly CheckResult[]> {
  switch (deadLetter.to) {
    case 'off':
      return [];
    case 'file':
      return [await checkFile(deadLetter.file), ...(await checkModes(deadLetter.file, deadLetter.files))];
    case 'topic':
      return lookAtTopic(
        deadLetter.topic,
        kafka.topics.map(({ name }) => name),
        connection,
        now,
      );
    default:
      return assertNever(deadLetter);
  }
}

async function checkModes(path: string, files: number): Promise<readonly CheckResult[]> {
  const open = await openToOthers(path, files);
  if (open.length === 0) return [];
  const found = `other users may read or write ${open.join(', ')}`;
  return [DEAD_LETTERS.warning(`${found}: what users did may stand there: chmod 600 ${open.join(' ')}`)];
}

async function checkFile(path: string): Promise<CheckResult> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink() === true) {
    const advice = 'remove it, or set deadLetter.file to the file that it leads to';
    return DEAD_LETTERS.error(`${path} is a symbolic link, which is not followed: ${advice}`);
  }
  try {
    await access(path, constants.W_OK);
    return DEAD_LETTERS.ok(`${path} can be written`);
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    const folder = dirname(path);
    const may =
      isMissing &&
      (await access(folder, constants.W_OK).then(
        () => true,
        () => false,
      ));
    if (may) return DEAD_LETTERS.ok(`${path} can be made`);
    const what = isMissing ? `${path} cannot be made in ${folder}` : `${path} cannot be written`;
    return DEAD_LETTERS.error(`${what}: let this user write there, or correct deadLetter.file`);
  }
}

async function lookAtTopic(
  topic: string,
  read: readonly string[],
  connection: KafkaConnection,
  now: EpochMs,
): Promise<readonly CheckResult[]> {
  const admin = new KafkaAdmin({ ...connection, topics: [topic] });
  try {
    const [partitions] = await admin.questions.partitionCounts();
    if (partitions === 0) {
      const advice = 'create it, with any number of partitions, or correct deadLetter.topic';
      return [DEAD_LETTERS.error(`there is no topic ${topic}: ${advice}`)];
    }
    const [settings, ...ofRead] = await admin.topicSettings([topic, ...read]);
    if (settings === undefined) return [untried(topic, connection)];
    const own = Number(settings.get('max.message.bytes'));
    const others = ofRead.map((one) => Number(one?.get('max.message.bytes')));
    const findings = [await checkWriting(topic, own, connection, now)];
    const largest = Math.max(...others.filter((bytes) => bytes > 0));
    if (own <= largest) {
      const limits = `max.message.bytes of ${topic} is ${grouped(own)}, of the topics that are read up to ${grouped(largest)}`;
      const advice = 'dead letters are larger than the records, by their headers: set it somewhat higher';
      findings.push(DEAD_LETTERS.warning(`${limits}: ${advice}`));
    }
    return findings;
  } finally {
    await admin.close().catch(() => {});
  }
}

function untried(topic: string, connection: KafkaConnection): CheckResult {
  const why = 'as this user lacks the right DESCRIBE_CONFIGS on it, which tells how large a record may be';
  const what = `${topic} exists; whether it may be written was not tried, ${why}`;
  return DEAD_LETTERS.warning(`${what}. Allow it: ${allowSettings(topic, connection)}`);
}

/** Probes with a record that is one byte too large: a client that may write gets that error, and nothing is written. */
async function checkWriting(
  topic: string,
  most: number,
  connection: KafkaConnection,
  now: EpochMs,
): Promise<CheckResult> {
  if (!(most <= LARGEST_PROBE)) {
    return DEAD_LETTERS.ok(`${topic} exists; whether it may be written was not tried, as it takes such large records`);
  }
  const producer = new KafkaProducer(connection, { idempotent: false });
  try {
    await producer.connect();
    await producer.write([{ topic, key: null, value: new Uint8Array(most + 1), at: now }]);
    return DEAD_LETTERS.ok(`${topic} can be written`);
  } catch (error) {
    if (isRecordRefused(error)) return DEAD_LETTERS.ok(`${topic} can be written`);
    const reason = messageOf(error);
    return DEAD_LETTERS.error(`${topic} cannot be written (${reason}): allow this user to write to it`);
  } finally {
    await producer.close().catch(() => {});
  }
}
