import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { FORMAT_VERSION } from '../../src/accumulators/store/layout.ts';
import { loadSettings } from '../../src/config/load.ts';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { type ApiVersions, CLIENT_APIS, overlaps } from '../../src/consumers/source/kafka/access/versions.ts';
import { assignerName } from '../../src/consumers/source/kafka/flow/assigner.ts';
import type { CheckResult } from '../../src/service/check-result.ts';
import { checkGroup, checkReach, checkVersions } from '../../src/service/doctor-access.ts';
import {
  checkClock,
  checkCohorts,
  checkMemory,
  checkSeries,
  checkState,
  type StoredTables,
} from '../../src/service/doctor-state.ts';
import { checkTopic, keptFor, neededRetention } from '../../src/service/doctor-topics.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';

const settings = (text = '') => loadSettings({ file: 'x', readFile: () => text, env: {} });
const levels = (findings: readonly CheckResult[]): string[] => findings.map(({ level, check }) => `${level} ${check}`);

describe('the versions of the client', () => {
  const require = createRequire(import.meta.url);

  it.each(CLIENT_APIS)('of $name are those that kafkajs has', ({ name, key, client }) => {
    const keys: Readonly<Record<string, number>> = require('kafkajs/src/protocol/requests/apiKeys.js');
    expect(keys[name === 'FindCoordinator' ? 'GroupCoordinator' : name]).toBe(key);
    const folder = `${name[0].toLowerCase()}${name.slice(1)}`;
    const { versions }: { readonly versions: readonly string[] } = require(
      `kafkajs/src/protocol/requests/${folder}/index.js`,
    );
    const numbers = versions.map(Number);
    expect(client).toEqual({ least: Math.min(...numbers), most: Math.max(...numbers) });
  });

  it('must touch those of the broker', () => {
    const client = { least: 2, most: 4 };
    expect(overlaps(client, { least: 0, most: 1 })).toBe(false);
    expect(overlaps(client, { least: 0, most: 2 })).toBe(true);
    expect(overlaps(client, { least: 4, most: 9 })).toBe(true);
    expect(overlaps(client, { least: 5, most: 9 })).toBe(false);
  });
});

describe('the brokers', () => {
  const all: ApiVersions = new Map(CLIENT_APIS.map(({ key }) => [key, { least: 0, most: 20 }]));

  it('are told together where they offer the same', () => {
    const answers = ['a:1', 'b:1'].map((broker) => ({ broker, answer: all }));
    expect(checkVersions(answers)).toEqual([
      expect.objectContaining({ level: 'ok', message: expect.stringMatching(/^a:1, b:1 offer Produce 0-20/) }),
    ]);
  });

  it('must speak a version that the client knows', () => {
    const newer: ApiVersions = new Map([...all, [1, { least: 12, most: 20 }]]);
    const [found] = checkVersions([{ broker: 'a:1', answer: newer }]);
    expect(found.level).toBe('error');
    expect(found.message).toContain('Fetch 12-20 (client 0-11)');
    expect(found.message).toContain('no common version of Fetch.');
    const without = new Map([...all].filter(([key]) => key !== 11));
    expect(checkVersions([{ broker: 'a:1', answer: without }])[0].message).toContain('JoinGroup none (client 0-5)');
  });

  it('may be silent while another configured one answers; an advertised one may not', () => {
    const silent = { broker: 'b:1', answer: new Error('no answer') };
    expect(levels(checkReach([{ broker: 'a:1', answer: all }, silent], 'configured'))).toEqual([
      'ok brokers',
      'warning brokers',
    ]);
    expect(levels(checkReach([silent], 'configured'))).toEqual(['error brokers']);
    expect(levels(checkReach([{ broker: 'a:1', answer: all }, silent], 'advertised'))).toEqual([
      'ok brokers',
      'error brokers',
    ]);
  });
});

describe('the group', () => {
  it('may be empty, or hold workers of the same topics; others are an error', () => {
    const judge = (protocol: string, members: number) =>
      checkGroup('receval', ['a', 'b'], { state: 'Stable', protocol, members }).level;
    expect(judge('', 0)).toBe('ok');
    expect(judge(assignerName(['a', 'b']), 2)).toBe('ok');
    expect(judge(assignerName(['a', 'c']), 2)).toBe('error');
    expect(judge('RoundRobinAssigner', 1)).toBe('error');
  });
});

describe('a topic', () => {
  const needs = { kept: 100_000, ahead: 70_000 };
  const topic = (more: Readonly<Record<string, string>>, bytesPerSecond?: number) =>
    checkTopic(needs, {
      name: 't',
      bytesPerSecond,
      settings: new Map(
        Object.entries({
          'retention.ms': '-1',
          'retention.bytes': '-1',
          'cleanup.policy': 'delete',
          'message.timestamp.type': 'CreateTime',
          'message.timestamp.after.max.ms': '70000',
          'max.message.bytes': '1048588',
          ...more,
        }),
      ),
    });
  const worst = (findings: readonly CheckResult[]) =>
    findings.filter(({ level }) => level !== 'ok').map(({ level }) => level);

  it('must keep records for 3 H + backward + outOfOrderness + a day', () => {
    const some = settings('attribution: {horizons: [1m, 1h], backward: 5m, outOfOrderness: 20s}');
    expect(neededRetention(some)).toBe(3 * 3_600_000 + 300_000 + 20_000 + 86_400_000);
    expect(worst(topic({ 'retention.ms': '99999' }))).toEqual(['error']);
    expect(worst(topic({ 'retention.ms': '100000' }))).toEqual([]);
    expect(worst(topic({ 'retention.ms': '100001' }))).toEqual([]);
  });

  it('must have room for that, as far as the rate is known', () => {
    expect(worst(topic({ 'retention.bytes': '1000' }))).toEqual(['warning']);
    expect(worst(topic({ 'retention.bytes': '999' }, 10))).toEqual(['error']);
    expect(worst(topic({ 'retention.bytes': '1000' }, 10))).toEqual([]);
    expect(topic({ 'retention.bytes': '999' }, 10)[1].message).toContain('Set it to 1000 or more');
  });

  it('should not let producers date records so far ahead that the clock drops them', () => {
    const limited = (limit: string) => topic({ 'message.timestamp.after.max.ms': limit });
    expect(worst(limited('70000'))).toEqual([]);
    expect(worst(limited('70001'))).toEqual(['warning']);
    expect(limited('3600000').find(({ check }) => check === 'timestamps')?.message).toMatch(
      /up to 1\.0 h ahead.*Set message\.timestamp\.after\.max\.ms to 70000/,
    );
    expect(limited('9223372036854775807').find(({ check }) => check === 'timestamps')?.message).toContain(
      'at any time to come',
    );
    const append = { 'message.timestamp.type': 'LogAppendTime', 'message.timestamp.after.max.ms': '3600000' };
    expect(worst(topic(append))).toEqual([]);
    const old = { 'message.timestamp.after.max.ms': '', 'message.timestamp.difference.max.ms': '60000' };
    expect(worst(topic(old))).toEqual([]);
  });

  it('must not be compacted, and should not take batches above the largest fetch', () => {
    expect(worst(topic({ 'cleanup.policy': 'compact' }))).toEqual(['error']);
    expect(worst(topic({ 'cleanup.policy': 'delete,compact' }))).toEqual(['error']);
    expect(worst(topic({ 'max.message.bytes': String(8 * 2 ** 20) }))).toEqual([]);
    expect(worst(topic({ 'max.message.bytes': String(8 * 2 ** 20 + 1) }))).toEqual(['warning']);
  });
});

describe('the stored state', () => {
  const some = settings();
  const unit = (changes: Partial<UnitCheckpoint> = {}): UnitCheckpoint => {
    const topic = { committed: 100, replay: 60, replayWatermark: 0, idleAdvances: [], clockDrops: [] };
    return {
      format: FORMAT_VERSION,
      generation: '1',
      fingerprint: fingerprint(some),
      partitions: 1,
      incompleteBefore: 0,
      lostUpTo: Number.NEGATIVE_INFINITY,
      since: {},
      hasGap: false,
      feedbackFrom: Number.NEGATIVE_INFINITY,
      join: { topics: [topic, topic], counts: [noCounts(3), noCounts(3)], watermark: 0 },
      panes: { minutes: [], hours: [], admission: [] },
      runs: [],
      lastRecords: [undefined, undefined],
      ...changes,
    };
  };
  const judge = (start: number, end: number, group: number, stored: UnitCheckpoint | undefined = unit(), of = some) =>
    checkState(of, {
      stored: [stored],
      committedByGroup: [[group], [group]],
      bounds: [[{ start, end }], [{ start: 0, end: 100 }]],
      ending: [],
    }).map(({ level, message }) => `${level} ${message}`);

  it('is fine when it fits, and the logs hold all from the replay offsets to the committed ones', () => {
    expect(judge(60, 100, 100)).toEqual(['ok 1 of 1 partitions have stored state, and it fits the configuration']);
  });

  it('misses what the log does not hold any more', () => {
    expect(judge(61, 100, 100)[1]).toMatch(
      /^error impressions, partition 0: the log starts at 61, 1 records .* are gone/,
    );
    const skips = settings('start: {onGap: skip}');
    expect(judge(61, 100, 100, unit(), skips)[1]).toMatch(/^warning /);
  });

  it('stands beyond the log of a topic that was recreated', () => {
    expect(judge(0, 99, 99)[1]).toMatch(/^error impressions, partition 0: the log ends at 99, before .* 100/);
  });

  it('went back when the group has committed more', () => {
    expect(judge(0, 200, 101).slice(1)).toEqual([
      expect.stringMatching(/^warning impressions, .* 101, .* 100: Redis went back by 1 records/),
      expect.stringMatching(/^warning feedback, /),
    ]);
  });

  it('was lost when the group has committed something and nothing is stored', () => {
    const nothing = (group: number) =>
      checkState(some, {
        stored: [undefined],
        committedByGroup: [[group], [-1]],
        bounds: [[{ start: 0, end: 9 }]],
        ending: [],
      });
    expect(levels(nothing(-1))).toEqual(['ok state']);
    expect(levels(nothing(-2))).toEqual(['error state']);
    expect(levels(nothing(0))).toEqual(['error state']);
  });

  it('of another configuration is told with what differs; what was added is fine', () => {
    const other = settings('{attribution: {horizons: [1m, 7m]}, measures: [mrr]}');
    expect(judge(60, 100, 100, unit(), other)[0]).toMatch(/^error .*attribution\.horizons/s);
    const more = settings('measures: [mrr, ndcg@3]');
    expect(judge(60, 100, 100, unit(), more)[0]).toMatch(
      /^ok .*New since then: measure ndcg@3; this starts empty, and all else goes on\. Windows/,
    );
  });

  it('of partitions that differ is a warning that says what some of them lack', () => {
    const more = settings('measures: [mrr, hit@1]');
    const fewer = settings('measures: [mrr]');
    const facts = {
      stored: [more, fewer].map((own) => unit({ fingerprint: fingerprint(own), partitions: 2 })),
      committedByGroup: [
        [100, 100],
        [100, 100],
      ],
      bounds: [0, 1].map(() => [0, 1].map(() => ({ start: 0, end: 100 }))),
      ending: [],
    };
    const of = (own: typeof some) => checkState(own, facts).map(({ level, message }) => `${level} ${message}`);
    expect(of(more)).toEqual([
      expect.stringMatching(/^warning .* differ: partition 1 without measure hit@1 \(empty lists count\)\. /),
    ]);
    expect(of(fewer)).toEqual([expect.stringMatching(/^warning .* differ\. /)]);
  });
});

describe('the load', () => {
  const some = settings('attribution: {horizons: [10s], outOfOrderness: 10s}');

  it('of open impressions should stay below half of what a worker holds', () => {
    const judge = (perSecond: number | undefined) =>
      checkMemory(some, { impressionsPerSecond: perSecond, openLimit: 400, stateLimit: 2 ** 30 });
    expect(judge(undefined).level).toBe('ok');
    expect(judge(9.95).level).toBe('ok');
    expect(judge(10).level).toBe('ok');
    expect(judge(10.05)).toMatchObject({ level: 'warning', message: expect.stringContaining('Run 2 workers') });
    const young = (age: number) =>
      checkMemory(some, { impressionsPerSecond: 1, measuredFor: 30_000, age, openLimit: 400, stateLimit: 2 ** 30 })
        .message;
    expect(young(29_999)).toContain('run doctor again in a minute');
    expect(young(8_000)).toMatch(
      /^1\.0 impressions\/s in the last 30 s \(they began 8 s ago, so there are more in truth: /,
    );
    expect(young(30_000)).toMatch(/^1\.0 impressions\/s in the last 30 s x /);
  });

  it('of series is told as room, which nothing needs to fill', () => {
    expect(checkSeries(settings('limits: {cohortsPerSet: 10}')).message).toMatch(
      /^room for 10 cohorts in each of 3 sets, with 7 measures x 2 \(value, error\) x 3 windows x 3 horizons each: at most 3,780 series, within limits\.series 10,000\. Cohorts without impressions take none$/,
    );
    expect(checkSeries(settings('limits: {cohortsPerSet: 1}')).level).toBe('warning');
    // control and treatment, the usual variants, have places of their own.
    expect(checkSeries(settings('limits: {cohortsPerSet: 2}')).message).toContain(
      'variants take all places of [variant], and',
    );
    expect(checkSeries(settings('limits: {cohortsPerSet: 3}')).level).toBe('ok');
  });
});

describe('the cohorts', () => {
  const some = settings(
    'cohorts: [[], [variant], [country]]\nexperiments: {default: {control: a, variants: {a: 0.5, b: 0.5}}}\nlimits: {cohortsPerSet: 5}',
  );
  const HOUR = 3_600_000;
  const stored = (folded: number): StoredTables => ({
    join: { watermark: 2 * HOUR },
    panes: {
      admission: [
        { by: [], folded: Number.NEGATIVE_INFINITY, entries: [] },
        { by: ['variant'], folded, entries: [] },
        { by: ['country'], folded: 0, entries: [] },
      ],
    },
  });

  it.each([
    [Number.NEGATIVE_INFINITY, 'ok'],
    [HOUR, 'ok'],
    [HOUR + 1, 'warning'],
  ])('that were counted under __other__ up to %d, two hours from the start, are %s', (folded, level) => {
    expect(checkCohorts(some, [stored(0), stored(folded)]).level).toBe(level);
  });

  it('are told by set, with the places and whose they are', () => {
    expect(checkCohorts(some, [stored(0), stored(2 * HOUR)])).toMatchObject({
      check: 'cohorts',
      alert: 'RecevalCohortsFolded',
      message: expect.stringContaining(
        "[variant] in 1 of 2 partitions (5 places, 2 of them of the configuration's variants). Take",
      ),
    });
  });
});

describe('the clock', () => {
  it.each([
    [5000, 'ok'],
    [5001, 'warning'],
    [30_000, 'warning'],
    [30_001, 'error'],
    [-30_001, 'error'],
  ])('that is %i ms ahead of that of Redis is judged %s', (skew, level) => {
    expect(checkClock(skew).level).toBe(level);
  });
});

describe('how long a topic keeps records', () => {
  it.each([
    [{ 'retention.ms': '60000', 'cleanup.policy': 'delete' }, 60_000],
    [{ 'retention.ms': '60000' }, 60_000],
    [{ 'retention.ms': '60000', 'cleanup.policy': 'compact,delete' }, 60_000],
    [{ 'retention.ms': '60000', 'cleanup.policy': 'compact' }, undefined],
    [{ 'retention.ms': '0' }, 0],
    [{ 'retention.ms': '-1' }, undefined],
    [{ 'retention.ms': '' }, undefined],
    [{}, undefined],
  ])('is by %o: %s', (topic, kept) => {
    expect(keptFor(new Map(Object.entries(topic)))).toBe(kept);
  });
});
