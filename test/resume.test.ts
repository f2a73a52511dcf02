import { describe, expect, it } from 'vitest';
import type { UnitCheckpoint } from '../src/accumulators/store/checkpoint.ts';
import { loadSettings } from '../src/config/load.ts';
import { noCounts } from '../src/consumers/join/topic.ts';
import { fingerprint } from '../src/fingerprint.ts';
import { NO_PERMISSIONS, resume, StateMismatch } from '../src/resume.ts';

const settings = (yaml: string) => loadSettings({ readFile: () => yaml, env: {} });

function stored(yaml: string, more: Partial<UnitCheckpoint> = {}): UnitCheckpoint {
  return {
    format: 1,
    generation: '4',
    fingerprint: fingerprint(settings(yaml)),
    partitions: 3,
    incompleteBefore: 1000,
    hasGap: false,
    join: {
      watermark: 50_000,
      counts: [noCounts(3)],
      topics: [{ committed: 90, replay: 70, replayWatermark: 40_000, idleAdvances: [], clockDrops: [[80, 82]] }],
    },
    panes: { minutes: [[0, 2]], hours: [], admission: [] },
    runs: [],
    lastRecords: [undefined],
    ...more,
  };
}

const now = (yaml: string, partitions = 3) => ({
  generation: '1',
  fingerprint: fingerprint(settings(yaml)),
  partitions,
});

describe('a unit goes on from its stored state', () => {
  it('from the beginning when there is none', () => {
    expect(resume(undefined, now(''), NO_PERMISSIONS)).toMatchObject({
      generation: '1',
      join: undefined,
      panes: undefined,
    });
  });

  it('as it is when the configuration is the same', () => {
    const state = stored('');
    expect(resume(state, now(''), NO_PERMISSIONS)).toEqual({
      generation: '4',
      join: state.join,
      panes: state.panes,
      runs: state.runs,
      incompleteBefore: 1000,
      hasGap: false,
      replaced: undefined,
    });
  });

  it('with something missing, if no impression has come since', () => {
    expect(resume(stored('', { hasGap: true }), now(''), NO_PERMISSIONS).hasGap).toBe(true);
  });

  it('in a new generation with nothing passed: what can be decoded then is judged anew', () => {
    const state = stored('');
    const topics = state.join.topics.map((topic) => ({ ...topic, undecodable: [[75, 80]] as const }));
    const again = resume(stored('', { join: { ...state.join, topics } }), now('attribution: {horizons: [1m]}'), {
      ...NO_PERMISSIONS,
      newGeneration: true,
    });
    expect(again.join?.topics).toEqual([
      { committed: 70, replay: 70, replayWatermark: 40_000, idleAdvances: [], clockDrops: [] },
    ]);
  });

  it.each([
    ['measures: [mrr, ndcg@10]', 'measures: [mrr, ndcg@10, hit@3]'],
    ['cohorts: [[]]', 'cohorts: [[], [surface]]'],
    ['windows: [5m]', 'windows: [5m, 1h]'],
    [
      'measures: [distinct]\ncohorts: [[], [surface]]',
      'measures: [distinct]\ncohorts: [[], [surface]]\nitemSets: [[], [surface]]',
    ],
  ])('marking windows incomplete when something is added: %s to %s', (before, after) => {
    const grown = resume(stored(before), now(after), NO_PERMISSIONS);
    expect(grown).toMatchObject({ generation: '4', incompleteBefore: 50_000 });
    expect(resume(stored(after), now(before), NO_PERMISSIONS)).toMatchObject({ incompleteBefore: 1000 });
  });

  it.each([
    ['attribution: {horizons: [1m, 10m]}', /attribution\.horizons: stored \["1m","5m","30m"\], now \["1m","10m"\]/],
    ['paneSize: 5m', /paneSize/],
    ['grades: {click: 2}', /grades/],
    ['relevantFrom: 2', /relevantFrom: stored 1, now 2/],
    ['attribution: {backward: 1s}', /attribution\.backward/],
    ['attribution: {outOfOrderness: 20s}', /outOfOrderness/],
    ['attribution: {futureSkew: 1m}', /futureSkew/],
    ['kafka: {topics: {feedback: [{name: feedback, tsUnit: s}]}}', /kafka\.topics/],
    ['limits: {itemsPerList: 10}', /limits\.itemsPerList/],
  ])('not at all when rows would mean something else: %s', (yaml, message) => {
    const refused = () => resume(stored(''), now(yaml), NO_PERMISSIONS);
    expect(refused).toThrow(StateMismatch);
    expect(refused).toThrow(message);
    expect(refused).toThrow(/--new-generation/);
  });

  it('in a new generation from the replay offsets, when told so', () => {
    const state = stored('');
    const anew = resume(state, now('relevantFrom: 2'), { ...NO_PERMISSIONS, newGeneration: true });
    expect(anew).toMatchObject({
      generation: '5',
      panes: undefined,
      replaced: { generation: '4', panes: state.panes },
    });
    expect(anew.join).toMatchObject({
      watermark: Number.NEGATIVE_INFINITY,
      topics: [{ committed: 70, replay: 70, replayWatermark: 40_000, clockDrops: [] }],
    });
  });

  it('not with another number of partitions, unless told so', () => {
    expect(() => resume(stored(''), now('', 6), NO_PERMISSIONS)).toThrow(
      /6 partitions.*built with 3.*--accept-partitions/,
    );
    expect(resume(stored(''), now('', 6), { ...NO_PERMISSIONS, acceptPartitions: true })).toMatchObject({
      generation: '4',
      incompleteBefore: 50_000,
    });
  });
});
