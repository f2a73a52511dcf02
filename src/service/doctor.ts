import { joinedFindings } from '../accumulators/store/redis-findings.ts';
import { RedisStore } from '../accumulators/store/redis-store.ts';
import { StoreUnavailable } from '../accumulators/store/store-port.ts';
import { redactUrl } from '../config/redact.ts';
import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { type Sample, type SampleRange, sample } from '../consumers/source/kafka/access/kafka-sample.ts';
import type { KafkaConnection } from '../consumers/source/kafka/access/kafka-settings.ts';
import { explainBroker, troubleOf } from '../consumers/source/kafka/access/trouble.ts';
import { apiVersions } from '../consumers/source/kafka/access/versions.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import { compile } from '../measures/scorer.ts';
import { NO_PERMISSIONS } from '../unit/resume.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { type CheckResult, resultsOf } from './check-result.ts';
import { checkPartitions, readCheckpoints } from './checks.ts';
import {
  type BrokerAnswer,
  checkAccess,
  checkGroup,
  checkReach,
  checkRights,
  checkVersions,
  lookAtAddresses,
  type SecretFile,
} from './doctor-access.ts';
import { lookAtDeadLetters } from './doctor-dead-letters.ts';
import { checkExperiments, firstRecordRanges } from './doctor-experiments.ts';
import { checkRecords } from './doctor-records.ts';
import {
  checkClock,
  checkCohorts,
  checkLastRecords,
  checkMemory,
  checkSeries,
  checkState,
  lastRecordRanges,
} from './doctor-state.ts';
import { checkTopic, checkTransactions, hiddenSettings, neededRetention } from './doctor-topics.ts';
import { readEndingRuns } from './ending-runs.ts';
import { readLost } from './lost-state.ts';
import { kafkaConnection, rowTtl, serviceDecoders, workerSettings } from './service-settings.ts';
import { newestRanges, SAMPLE_TIMEOUT_MS, SAMPLED_PER_TOPIC, topicRates } from './topic-sample.ts';

interface DoctorDeps {
  readonly now: () => EpochMs;
  /** Called with each result. */
  readonly report: (result: CheckResult) => void;
  /** Files with secrets that the settings no longer name; default: none. */
  readonly secretFiles?: readonly SecretFile[];
}

const BROKER_TIMEOUT_MS = 3000;
const REDIS_TIMEOUT_MS = 5000;

/** Checks everything that the service needs. Changes only a unit of its own in Redis, which it deletes again. Never rejects. */
export async function diagnose(settings: Settings, { now, report, secretFiles }: DoctorDeps): Promise<void> {
  report(checkSeries(settings));
  const access = checkAccess(settings, now(), secretFiles);
  access.forEach(report);
  if (access.some(({ level }) => level === 'error')) return;
  const questions = questionsOf(settings, now);
  try {
    for (const name of Object.keys(CHECKS)) await run(name, questions, report);
  } finally {
    await questions.close();
  }
}

/** Runs a check. That it cannot find something out is a result of it. */
async function run(name: string, questions: Questions, report: DoctorDeps['report']): Promise<void> {
  try {
    for await (const result of CHECKS[name](questions)) report(result);
  } catch (error) {
    if (!(error instanceof Unanswered)) report(resultsOf(name).error(await textOf(error, questions)));
  }
}

/** An error of Redis already says what to do, and its text may resemble one of Kafka. */
async function textOf(error: unknown, { connection }: Questions): Promise<string> {
  if (error instanceof StoreUnavailable) return error.message;
  return (await troubleOf(error, connection, { probe: false })).message;
}

/** A question has failed before, and the check that asked it first has said so. */
class Unanswered extends Error {}

/** Returns a question that is asked once: the first who asks gets its failure. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    const isFirst = answer === undefined;
    answer ??= ask();
    return isFirst ? answer : answer.catch(() => Promise.reject(new Unanswered()));
  };
}

/** The answer to a question of which an earlier check has reported the failure; undefined: it failed. */
function known<T>(question: () => Promise<T>): Promise<T | undefined> {
  return question().catch(() => undefined);
}

type Questions = ReturnType<typeof questionsOf>;

/** What checks ask of Kafka and Redis. */
function questionsOf(settings: Settings, now: () => EpochMs) {
  const names = settings.kafka.topics.map(({ name }) => name);
  const connection = kafkaConnection(settings, 'receval-doctor');
  const admin = new KafkaAdmin({ ...connection, topics: names });
  const sampled = (ranges: readonly SampleRange[]): Promise<Sample> => sample(admin.client, ranges, SAMPLE_TIMEOUT_MS);
  const { brokers, groupId } = settings.kafka;
  const configured = once(() => ask(brokers, connection));
  /** The brokers that the cluster names besides. What is asked of Kafka is asked after them. */
  const advertised = once(async () => {
    if ((await configured()).every(isSilent)) throw new Unanswered();
    return ask(
      (await admin.cluster()).filter((broker) => !brokers.includes(broker)),
      connection,
    );
  });
  const partitions = once(async () => {
    await advertised();
    return checkPartitions(settings, await admin.questions.partitionCounts());
  });
  /** The bounds of the logs as they are now, by topic, then partition. */
  const boundsNow = async (): Promise<readonly (readonly Bounds[])[]> => {
    const all = Array.from({ length: await partitions() }, (_, partition) => partition);
    return Promise.all(names.map((_, t) => Promise.all(all.map((partition) => admin.questions.bounds(partition, t)))));
  };
  const bounds = once(boundsNow);
  const committed = once(async () => {
    await partitions();
    return admin.committedBy(groupId);
  });
  const options = { ...settings.redis, rowTtl: rowTtl(settings), connectTimeout: REDIS_TIMEOUT_MS };
  const store = once(() => RedisStore.connect(options));
  const checked = once(async () => (await store()).checks(settings.namespace));
  const rates = once(async () => topicRates(admin, names, await bounds(), now()));
  const newest = once(async () => sampled(newestRanges(names, await bounds(), SAMPLED_PER_TOPIC)));
  const close = async (): Promise<void> => {
    await (await known(store))?.close();
    await admin.close().catch(() => {});
  };
  return {
    settings,
    now,
    names,
    connection,
    admin,
    sampled,
    configured,
    advertised,
    partitions,
    boundsNow,
    bounds,
    committed,
    store,
    checked,
    rates,
    newest,
    close,
  };
}

/** The checks of servers, in their order. Each asks what it needs, and is left out if that is not known. */
const CHECKS: Readonly<Record<string, (questions: Questions) => AsyncIterable<CheckResult>>> = {
  async *brokers({ configured, advertised }) {
    yield* checkReach(await configured(), 'configured');
    yield* checkReach(await advertised(), 'advertised');
  },
  async *versions({ configured, advertised }) {
    const answers = await configured();
    if (!answers.every(isSilent)) yield* checkVersions([...answers, ...((await known(advertised)) ?? [])]);
  },
  async *topics({ names, partitions, bounds }) {
    const found = await partitions();
    yield resultsOf('topics').ok(`${names.join(', ')}: each has ${found} partition${found === 1 ? '' : 's'}`);
    await bounds();
  },
  async *group({ settings: { kafka }, names, admin, advertised, committed }) {
    await advertised();
    yield checkGroup(kafka.groupId, names, await admin.group(kafka.groupId));
    await committed();
  },
  async *rights({ settings: { kafka }, connection, admin, advertised }) {
    await advertised();
    yield* checkRights(await admin.questions.unreadable(kafka.groupId), connection);
  },
  async *'dead letters'({ settings, now, connection, partitions }) {
    if (settings.deadLetter.to !== 'file') await partitions();
    yield* await lookAtDeadLetters(settings, connection, now());
  },
  async *redis({ settings: { redis }, store, checked }) {
    const { primaries } = await store();
    yield resultsOf('redis').ok(`${redactUrl(redis.url)} answers`);
    yield* await lookAtAddresses(redis, primaries);
    for (const { check, ...one } of joinedFindings(await checked())) yield { check: `redis ${check}`, ...one };
  },
  async *clock({ now, store, checked }) {
    await checked();
    const before = now();
    const time = await (await store()).time();
    yield checkClock((before + now()) / 2 - time);
  },
  async *state({ settings, now, sampled, partitions, boundsNow, committed, checked, store: connected }) {
    // Asked before Redis is read: a commit in between then makes Redis newer, never the group.
    const committedByGroup = await committed();
    await checked();
    const store = await connected();
    const { stored, unreadable } = await readCheckpoints(store, settings.namespace, await partitions());
    // Asked behind it: a log is then never shorter than what was committed of it.
    const bounds = await boundsNow();
    const ending = await readEndingRuns(settings, stored, store);
    const expiry = { rowTtl: rowTtl(settings), now: await store.time() };
    const lost = await readLost(settings, store, await partitions(), expiry);
    const facts = { bounds, committedByGroup, stored, unreadable, ending, lost };
    yield* checkState(settings, facts);
    yield* checkLastRecords(settings, stored, (await sampled(lastRecordRanges(settings, facts))).records);
    const there = stored.filter((checkpoint) => checkpoint !== undefined);
    if (there.length > 0) yield checkCohorts(settings, there);
    const first = await sampled(firstRecordRanges(settings, facts));
    yield* checkExperiments(settings, facts, first.records, now());
  },
  async *records({ settings, now, partitions, newest }) {
    const found = await newest();
    yield* checkRecords(settings, await partitions(), found, serviceDecoders(settings), now());
    if (!found.complete) {
      yield resultsOf('records').warning('the sample is not complete: the brokers took longer than 15 s');
    }
  },
  async *memory({ settings, partitions, rates, newest }) {
    const topic = settings.kafka.topics.findIndex(({ role }) => role.impressions);
    const { perSecond, span: measuredFor, age } = (await rates())[topic];
    const rate = perSecond.reduce((sum, one) => sum + one, 0);
    const impressionBytes = meanSize(await known(newest), settings.kafka.topics[topic].name);
    const scorer = compile(settings.measures, settings.grading, settings.itemFile);
    const { openLimit, stateLimit } = workerSettings(settings, scorer, await partitions(), NO_PERMISSIONS, 0);
    const impressionsPerSecond = rate === 0 ? undefined : rate;
    yield checkMemory(settings, { impressionsPerSecond, measuredFor, age, impressionBytes, openLimit, stateLimit });
  },
  async *retention({ settings, names, connection, admin, bounds, rates, newest }) {
    await bounds();
    const [traffic, records] = [await known(rates), await known(newest)];
    const needs = { kept: neededRetention(settings), ahead: settings.attribution.futureSkew };
    for (const [t, found] of (await admin.topicSettings(names)).entries()) {
      const [name, size] = [names[t], meanSize(records, names[t])];
      const fastest = traffic === undefined ? undefined : Math.max(...traffic[t].perSecond);
      const bytesPerSecond = size === undefined || fastest === undefined ? undefined : size * fastest;
      if (found === undefined) yield hiddenSettings(name, connection);
      else yield* checkTopic(needs, { name, settings: found, bytesPerSecond });
    }
  },
  async *transactions({ names, bounds, boundsNow }) {
    const before = await bounds();
    yield* checkTransactions(names, before, await boundsNow());
  },
};

function ask(brokers: readonly string[], connection: KafkaConnection): Promise<readonly BrokerAnswer[]> {
  return Promise.all(
    brokers.map(async (broker) => {
      try {
        const answer = await apiVersions(broker, connection, BROKER_TIMEOUT_MS);
        return { broker, answer, said: await explainBroker(broker, connection) };
      } catch (error) {
        const said = await explainBroker(broker, connection);
        return { broker, answer: error instanceof Error ? error : new Error(String(error)), said };
      }
    }),
  );
}

function isSilent({ answer, said }: BrokerAnswer): boolean {
  return answer instanceof Error || said !== undefined;
}

function meanSize(found: Sample | undefined, name: string): number | undefined {
  const sizes = (found?.records ?? []).filter(({ topic }) => topic === name).map(({ value }) => value?.length ?? 0);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
}
