import { joinedFindings } from '../accumulators/store/redis-findings.ts';
import { RedisStore } from '../accumulators/store/redis-store.ts';
import { StoreUnavailable } from '../accumulators/store/store-port.ts';
import { redactUrl } from '../config/redact.ts';
import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { type Sample, sample } from '../consumers/source/kafka/access/kafka-sample.ts';
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
import { topicRates } from './topic-rates.ts';
import { newestRanges, SAMPLE_TIMEOUT_MS, SAMPLED_PER_TOPIC } from './topic-sample.ts';

interface DoctorDeps {
  readonly now: () => EpochMs;
  /** Called with each finding. */
  readonly tell: (finding: CheckResult) => void;
  /** Files with secrets that the settings no longer name; default: none. */
  readonly secretFiles?: readonly SecretFile[];
}

const BROKER_TIMEOUT_MS = 3000;
const REDIS_TIMEOUT_MS = 5000;

/** Checks everything that the service needs. Changes only a unit of its own in Redis, which it deletes again. Never rejects. */
export async function diagnose(settings: Settings, deps: DoctorDeps): Promise<void> {
  deps.tell(checkSeries(settings));
  const access = checkAccess(settings, deps.now(), deps.secretFiles);
  for (const one of access) deps.tell(one);
  if (access.some(({ level }) => level === 'error')) return;
  const connection = kafkaConnection(settings, 'receval-doctor');
  const admin = new KafkaAdmin({ ...connection, topics: settings.kafka.topics.map(({ name }) => name) });
  const doctor = new Doctor(settings, deps, admin, connection);
  try {
    await doctor.look();
  } finally {
    await admin.close().catch(() => {});
  }
}

class Doctor {
  readonly #settings: Settings;
  readonly #deps: DoctorDeps;
  readonly #admin: KafkaAdmin;
  readonly #connection: KafkaConnection;

  constructor(settings: Settings, deps: DoctorDeps, admin: KafkaAdmin, connection: KafkaConnection) {
    this.#connection = connection;
    this.#settings = settings;
    this.#deps = deps;
    this.#admin = admin;
  }

  async look(): Promise<void> {
    const partitions = (await this.#brokers()) ? await this.#topics() : undefined;
    const { to } = this.#settings.deadLetter;
    if (to === 'file' || partitions !== undefined) {
      await this.#try('dead letters', async () =>
        this.#tell(...(await lookAtDeadLetters(this.#settings, this.#connection, this.#deps.now()))),
      );
    }
    const bounds = partitions === undefined ? undefined : await this.#try('topics', () => this.#bounds(partitions));
    // Must precede the reading of Redis: a commit in between then makes Redis newer, never the group.
    const committed =
      partitions === undefined
        ? undefined
        : await this.#try('group', () => this.#admin.committedBy(this.#settings.kafka.groupId));
    const store = await this.#redis();
    if (store !== undefined) {
      if (partitions !== undefined && bounds !== undefined && committed !== undefined) {
        await this.#try('state', async () => {
          const { stored, unreadable } = await readCheckpoints(store, this.#settings.namespace, partitions);
          const ending = await readEndingRuns(this.#settings, stored, store);
          const expiry = { rowTtl: rowTtl(this.#settings), now: await store.time() };
          const lost = await readLost(this.#settings, store, partitions, expiry);
          const facts = { stored, unreadable, committedByGroup: committed, bounds, ending, lost };
          this.#tell(...checkState(this.#settings, facts));
          const ranges = lastRecordRanges(this.#settings, facts);
          const { records } = await sample(this.#admin.client, ranges, SAMPLE_TIMEOUT_MS);
          this.#tell(...checkLastRecords(this.#settings, stored, records));
          const there = stored.filter((checkpoint) => checkpoint !== undefined);
          if (there.length > 0) this.#tell(checkCohorts(this.#settings, there));
          const first = await sample(this.#admin.client, firstRecordRanges(this.#settings, facts), SAMPLE_TIMEOUT_MS);
          this.#tell(...checkExperiments(this.#settings, facts, first.records, this.#deps.now()));
        });
      }
      await store.close();
    }
    if (partitions !== undefined && bounds !== undefined) {
      await this.#traffic(partitions, bounds);
      await this.#try('transactions', async () => {
        const names = this.#settings.kafka.topics.map(({ name }) => name);
        this.#tell(...checkTransactions(names, bounds, await this.#bounds(partitions)));
      });
    }
  }

  /** Whether Kafka can be queried. */
  async #brokers(): Promise<boolean> {
    const { brokers } = this.#settings.kafka;
    const configured = await ask(brokers, this.#connection);
    this.#tell(...checkReach(configured, 'configured'));
    if (configured.every(({ answer, said }) => answer instanceof Error || said !== undefined)) return false;
    const advertised = await this.#try('brokers', async () => {
      const others = (await this.#admin.cluster()).filter((broker) => !brokers.includes(broker));
      const answers = await ask(others, this.#connection);
      this.#tell(...checkReach(answers, 'advertised'));
      return answers;
    });
    this.#tell(...checkVersions([...configured, ...(advertised ?? [])]));
    return advertised !== undefined;
  }

  /** Number of partitions of all topics; undefined: they differ, or a topic is missing. */
  async #topics(): Promise<number | undefined> {
    const { topics, groupId } = this.#settings.kafka;
    const names = topics.map(({ name }) => name);
    const partitions = await this.#try('topics', async () => {
      const found = checkPartitions(this.#settings, await this.#admin.questions.partitionCounts());
      this.#tell(resultsOf('topics').ok(`${names.join(', ')}: each has ${found} partition${found === 1 ? '' : 's'}`));
      return found;
    });
    await this.#try('group', async () => this.#tell(checkGroup(groupId, names, await this.#admin.group(groupId))));
    await this.#try('rights', async () =>
      this.#tell(...checkRights(await this.#admin.questions.unreadable(groupId), this.#connection)),
    );
    return partitions;
  }

  /** The bounds of the logs, by topic, then partition. */
  async #bounds(partitions: number): Promise<readonly (readonly Bounds[])[]> {
    return Promise.all(
      this.#settings.kafka.topics.map((_, topic) =>
        Promise.all(
          Array.from({ length: partitions }, (_, partition) => this.#admin.questions.bounds(partition, topic)),
        ),
      ),
    );
  }

  /** The store, if Redis is usable. */
  async #redis(): Promise<RedisStore | undefined> {
    const { redis } = this.#settings;
    const store = await this.#try('redis', () =>
      RedisStore.connect({ ...redis, rowTtl: rowTtl(this.#settings), connectTimeout: REDIS_TIMEOUT_MS }),
    );
    if (store === undefined) return undefined;
    this.#tell(resultsOf('redis').ok(`${redactUrl(redis.url)} answers`));
    await this.#try('redis', async () => this.#tell(...(await lookAtAddresses(redis, store.primaries))));
    const findings = await this.#try('redis', () => store.checks(this.#settings.namespace));
    if (findings === undefined) {
      await store.close();
      return undefined;
    }
    this.#tell(
      ...joinedFindings(findings).map(({ check, level, message, alert }) =>
        resultsOf(`redis ${check}`)[level](message, alert),
      ),
    );
    await this.#try('clock', async () => {
      const before = this.#deps.now();
      const time = await store.time();
      this.#tell(checkClock((before + this.#deps.now()) / 2 - time));
    });
    return store;
  }

  /** Checks the traffic: records, rates, and whether the topics' settings fit them. */
  async #traffic(partitions: number, bounds: readonly (readonly Bounds[])[]): Promise<void> {
    const { topics } = this.#settings.kafka;
    const now = this.#deps.now();
    const names = topics.map(({ name }) => name);
    const rates = await this.#try('memory', () => topicRates(this.#admin, names, bounds, now));
    const newest = await this.#try('records', async () => {
      const ranges = newestRanges(names, bounds, SAMPLED_PER_TOPIC);
      const found = await sample(this.#admin.client, ranges, SAMPLE_TIMEOUT_MS);
      this.#tell(...checkRecords(this.#settings, partitions, found, serviceDecoders(this.#settings), now));
      if (!found.complete) {
        this.#tell(resultsOf('records').warning('the sample is not complete: the brokers took longer than 15 s'));
      }
      return found;
    });
    await this.#try('topics', async () => {
      const found = await this.#admin.topicSettings(names);
      const needs = { kept: neededRetention(this.#settings), ahead: this.#settings.attribution.futureSkew };
      for (const [t, { name }] of topics.entries()) {
        const size = newest === undefined ? undefined : meanSize(newest, name);
        const fastest = rates === undefined ? undefined : Math.max(...rates[t].perSecond);
        const bytesPerSecond = size === undefined || fastest === undefined ? undefined : size * fastest;
        const settings = found[t];
        if (settings === undefined) this.#tell(hiddenSettings(name, this.#connection));
        else this.#tell(...checkTopic(needs, { name, settings, bytesPerSecond }));
      }
    });
    const impressions = topics.findIndex(({ role }) => role.impressions);
    const measured = rates?.[impressions];
    const rate = measured?.perSecond.reduce((sum, perSecond) => sum + perSecond, 0) ?? 0;
    const scorer = compile(this.#settings.measures, this.#settings.grading, this.#settings.itemFile);
    const { openLimit, stateLimit } = workerSettings(this.#settings, scorer, partitions, NO_PERMISSIONS, 0);
    const impressionBytes = newest === undefined ? undefined : meanSize(newest, topics[impressions].name);
    const impressionsPerSecond = rate === 0 ? undefined : rate;
    const measuredFor = measured?.span;
    const load = { impressionsPerSecond, measuredFor, age: measured?.age, impressionBytes, openLimit, stateLimit };
    this.#tell(checkMemory(this.#settings, load));
  }

  #tell(...findings: readonly CheckResult[]): void {
    for (const one of findings) this.#deps.tell(one);
  }

  /** Runs `work`; a query that fails becomes a finding. */
  async #try<T>(check: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      // An error of Redis already says what to do, and its text may resemble one of Kafka.
      const ofKafka = async (): Promise<string> => (await troubleOf(error, this.#connection, { probe: false })).message;
      this.#tell(resultsOf(check).error(error instanceof StoreUnavailable ? error.message : await ofKafka()));
      return undefined;
    }
  }
}

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

function meanSize({ records }: Sample, name: string): number | undefined {
  const sizes = records.filter(({ topic }) => topic === name).map(({ value }) => value?.length ?? 0);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
}
