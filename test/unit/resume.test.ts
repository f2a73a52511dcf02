import { describe, expect, it } from 'vitest';
import type { RunState } from '../../src/accumulators/runs.ts';
import type { UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { changedSettings } from '../../src/accumulators/store/fingerprint-difference.ts';
import { loadSettings } from '../../src/config/load.ts';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { NO_PERMISSIONS, type Resumed, resume, StateMismatch } from '../../src/unit/resume.ts';
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';

const settings = (yaml: string) => loadSettings({ readFile: () => yaml, env: {} });

function stored(yaml: string, more: Partial<UnitCheckpoint> = {}): UnitCheckpoint {
  return {
    format: 1,
    generation: '4',
    fingerprint: fingerprint(settings(yaml)),
    partitions: 3,
    incompleteBefore: 1000,
    lostUpTo: Number.NEGATIVE_INFINITY,
    since: {},
    hasGap: false,
    feedbackFrom: 500,
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

/** Measures that were added, at the stored watermark. */
const later = ({ since }: Resumed): readonly string[] =>
  Object.entries(since).flatMap(([part, at]) => (at === 50_000 ? [part.split(' ')[1]] : []));

const RUNS = [{ name: 'default', run: 'r1' }];

const now = (yaml: string, partitions = 3) => ({
  generation: '1',
  fingerprint: fingerprint(settings(yaml)),
  partitions,
  runs: RUNS,
  join: { topics: [0], horizons: settings(yaml).attribution.horizons },
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
      expired: [],
      since: {},
      unread: [90],
      incompleteBefore: 1000,
      lostUpTo: Number.NEGATIVE_INFINITY,
      hasGap: false,
      feedbackFrom: 500,
      replaced: undefined,
    });
  });

  it('but not with other numbers of topics or horizons than these settings give', () => {
    const { join } = stored('');
    const refused = (counts: TopicCounts, topics: number) => () =>
      resume(
        stored('', { join: { ...join, topics: new Array(topics).fill(join.topics[0]), counts: [counts] } }),
        now(''),
        NO_PERMISSIONS,
      );
    expect(refused(noCounts(2), 1)).toThrow('counts: expected 3 horizons, found 2');
    expect(refused(noCounts(3), 2)).toThrow('topics: expected 1, found 2');
  });

  it('in a new generation with other horizons: what was late for one that goes on is counted on', () => {
    const { impressions, feedback } = noCounts(3);
    const counts = { impressions: { ...impressions, late: [1, 2, 3] }, feedback: { ...feedback, late: [4, 5, 6] } };
    const { join } = stored('');
    const before = stored('attribution: {horizons: [1m, 5m, 30m]}', { join: { ...join, counts: [counts] } });
    const lateUnder = (horizons: string) => {
      const anew = { ...NO_PERMISSIONS, newGeneration: true };
      const [now1] = resume(before, now(`attribution: {horizons: [${horizons}]}`), anew).join?.counts ?? [];
      return [now1.impressions.late, now1.feedback.late];
    };
    expect(lateUnder('5m')).toEqual([[2], [5]]);
    expect(lateUnder('1m, 2m, 30m, 1h')).toEqual([
      [1, 0, 3, 0],
      [4, 0, 6, 0],
    ]);
    expect(lateUnder('2m')).toEqual([[0], [0]]);
  });

  it('in no new generation at the offsets of other topics, and from the earliest records of any', () => {
    const state = stored('relevantFrom: 2');
    const more = { ...now(''), join: { ...now('').join, topics: [0, 1] } };
    expect(() => resume(state, more, { ...NO_PERMISSIONS, newGeneration: true })).toThrow(
      /^the stored state is that of 1 topics, and kafka\.topics names 2: .* --new-generation --from earliest/,
    );
    expect(resume(state, more, { ...NO_PERMISSIONS, newGeneration: 'earliest' })).toMatchObject({ join: undefined });
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
      {
        ...{ committed: 70, replay: 70, replayWatermark: 40_000, idleAdvances: [], clockDrops: [] },
        hasGap: true,
        isBeginning: true,
      },
    ]);
  });

  it.each([
    ['measures: [mrr, ndcg@10]', 'measures: [mrr, ndcg@10, ctr]', 'measure ctr'],
    ['cohorts: [[]]', 'cohorts: [[], [surface]]', 'cohorts surface'],
    ['windows: [5m]', 'windows: [5m, 1h]', 'window 1h'],
    [
      'measures: [distinct]\nexperiments: {}\ncohorts: [[], [surface]]',
      'measures: [distinct]\nexperiments: {}\ncohorts: [[], [surface]]\nitemSets: [[], [surface]]',
      'itemSets surface',
    ],
  ])('with the time since when something was added, which alone is incomplete: %s to %s', (before, after, part) => {
    const grown = resume(stored(before), now(after), NO_PERMISSIONS);
    expect(grown).toMatchObject({ generation: '4', incompleteBefore: 1000, since: { [part]: 50_000 } });
    // It keeps its time while it stays, and goes with its part.
    const more = { ...stored(after, { since: { [part]: 7 } }) };
    expect(resume(more, now(after), NO_PERMISSIONS).since).toEqual({ [part]: 7 });
    expect(resume(more, now(before), NO_PERMISSIONS)).toMatchObject({ incompleteBefore: 1000, since: {} });
  });

  const run = (name: string, more: Partial<RunState> = {}): RunState => {
    return { name, run: 'r1', begins: [5], missing: 2, since: {}, ...more };
  };

  it('not if that ends the run of an experiment, unless asked to: then it is kept for a week', () => {
    const state = stored('', { runs: [run('default'), run('gone')] });
    expect(() => resume(state, now(''), NO_PERMISSIONS)).toThrow(
      /^the configuration ends the run of the experiment gone\. Set back what differs.*--restart-experiments/,
    );
    const ended = { at: 50_000, generation: '4' };
    const after = resume(state, now(''), { ...NO_PERMISSIONS, restartExperiments: true });
    expect(after).toMatchObject({ generation: '4', runs: [run('default'), run('gone', { ended })], expired: [] });
    // Nothing more is asked of later starts.
    const later = (watermark: number) =>
      resume(stored('', { runs: after.runs, join: { ...state.join, watermark } }), now(''), NO_PERMISSIONS);
    const week = 7 * 86_400_000;
    expect(later(50_000 + week - 1).expired).toEqual([]);
    expect(later(50_000 + week)).toMatchObject({ runs: [run('default')], expired: [run('gone', { ended })] });
  });

  it('with a run that had ended, when it is configured again: from then on', () => {
    const ended = { at: 40_000, generation: '4' };
    const back = resume(stored('', { runs: [run('default', { ended })] }), now(''), NO_PERMISSIONS);
    expect(back.runs).toEqual([run('default', { begins: [90] })]);
    // Rows of another generation mean something else.
    const other = run('default', { ended: { at: 40_000, generation: '3' } });
    expect(resume(stored('', { runs: [other] }), now(''), NO_PERMISSIONS).runs).toEqual([other]);
  });

  it('with every run at its end in a new generation, which is not asked about again', () => {
    const anew = resume(stored('', { runs: [run('default')] }), now('relevantFrom: 2'), {
      ...NO_PERMISSIONS,
      newGeneration: true,
    });
    expect(anew.runs).toEqual([run('default', { ended: { at: 50_000, generation: '4' } })]);
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

  it.each([
    [
      '',
      'inputs: {feedback: {timeZone: Europe/Berlin}}',
      ['kafka.topics.feedback.timeZone: stored (none), now "Europe/Berlin"'],
    ],
    [
      'inputs: {impressions: {timeZone: UTC}}',
      'inputs: {impressions: {timeZone: Europe/Berlin, positionBase: 0}}',
      [
        'kafka.topics.impressions.positionBase: stored 1, now 0',
        'kafka.topics.impressions.timeZone: stored "UTC", now "Europe/Berlin"',
      ],
    ],
    [
      'kafka: {topics: {feedback: [{name: a}, {name: b}]}}',
      'kafka: {topics: {feedback: [{name: a}, {name: b, tsUnit: s}]}}',
      ['kafka.topics.feedback[1].tsUnit: stored "ms", now "s"'],
    ],
    [
      'kafka: {topics: {feedback: [{name: a}, {name: b}]}}',
      'kafka: {topics: {feedback: [{name: a}]}}',
      [
        'kafka.topics.feedback[1]: stored {"role":{"impressions":false,"feedback":true},"adapter":"canonical","tsUnit":"ms","positionBase":1}, now (none)',
      ],
    ],
    [
      '',
      'kafka: {topics: {impressions: {name: a}, feedback: [{name: a}]}}',
      [
        'kafka.topics.impressions.role.feedback: stored false, now true',
        'kafka.topics.feedback: stored {"role":{"impressions":false,"feedback":true},"adapter":"canonical","tsUnit":"ms","positionBase":1}, now (none)',
      ],
    ],
    [
      'inputs: {feedback: {adapter: {map: {requestId: /id, itemId: /item, ts: /at, action: /do}}}}',
      'inputs: {feedback: {adapter: {map: {requestId: /id, itemId: /sku, ts: /at, action: /do}}}}',
      ['kafka.topics.feedback.adapter.map.itemId: stored "/item", now "/sku"'],
    ],
    [
      'inputs: {feedback: {adapter: {map: {requestId: /id, itemId: /item, ts: /at, action: /do}}}}',
      '',
      [
        'kafka.topics.feedback.adapter: stored {"map":{"requestId":"/id","itemId":"/item","ts":"/at","action":"/do"}}, now "canonical"',
      ],
    ],
    ['grades: {click: 1, purchase: 3}', 'grades: {click: 1, purchase: 5}', ['grades.purchase.grade: stored 3, now 5']],
  ])('with each setting that differs, and both of its values: %s, then %s', (before, after, lines) => {
    const refused = () => resume(stored(before), now(after), NO_PERMISSIONS);
    expect(refused).toThrow(`than the stored ones have:\n${lines.map((line) => `  ${line}\n`).join('')}Set these back`);
  });

  it('with both texts where only the order of a setting differs', () => {
    const order = (...names: string[]) => ({
      shape: JSON.stringify({ grades: names.map((name) => ({ name, rule: {} })) }),
      additive: '[]',
    });
    expect(changedSettings(order('a', 'b'), order('b', 'a'))).toEqual([
      'grades: stored [{"name":"a","rule":{}},{"name":"b","rule":{}}], now [{"name":"b","rule":{}},{"name":"a","rule":{}}]',
    ]);
  });

  it('in a new generation from the replay offsets, when asked to', () => {
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

  it('not from other topics or another order of them, whatever it was asked; what an earlier build stored names none', () => {
    const state = stored('', { topicNames: ['shown', 'clicks'] });
    const told = { ...NO_PERMISSIONS, newGeneration: 'earliest', acceptPartitions: true } as const;
    for (const topicNames of [['shown', 'sales'], ['clicks', 'shown'], ['shown']]) {
      expect(() => resume(state, { ...now(''), topicNames }, told)).toThrow(
        /from the topics shown, clicks, and .*another namespace/,
      );
    }
    expect(resume(state, { ...now(''), topicNames: ['shown', 'clicks'] }, NO_PERMISSIONS).generation).toBe('4');
    expect(resume(stored(''), { ...now(''), topicNames: ['shown'] }, NO_PERMISSIONS).generation).toBe('4');
  });

  it('not with another number of partitions, unless asked to', () => {
    expect(() => resume(stored(''), now('', 6), NO_PERMISSIONS)).toThrow(
      /6 partitions.*built with 3.*stop all workers.*--accept-partitions.*incomplete until they no longer reach back to the change$/,
    );
    expect(() => resume(stored(''), now('', 2), NO_PERMISSIONS)).toThrow(
      /2 partitions.*built with 3: Kafka takes none away.*another namespace and kafka\.groupId$/,
    );
    expect(resume(stored(''), now('', 6), { ...NO_PERMISSIONS, acceptPartitions: true })).toMatchObject({
      generation: '4',
      incompleteBefore: 50_000,
    });
  });

  /** `grades` of a fingerprint, and its measures, as versions stored them whose grades ended at 30. */
  const former = {
    grades: [
      { name: 'click', rule: { from: 'grade', grade: 1, rule: 'max', max: 30, veto: false } },
      { name: 'buy', rule: { from: 'grade', grade: 5, rule: 'max', max: 4, veto: false } },
      { name: 'play', rule: { from: 'grade', grade: 0.5, rule: 'sum', max: 2, veto: false } },
      { name: 'last', rule: { from: 'grade', grade: 2, rule: 'last', max: 30, veto: false } },
      { name: 'stars', rule: { from: 'value', grade: 0, rule: 'max', max: 30, veto: false } },
      { name: 'hide', rule: { from: 'grade', grade: 0, rule: 'max', max: 30, veto: true } },
      { name: 'nothing', rule: { from: 'grade', grade: 0, rule: 'sum', max: 30, veto: false } },
    ],
    additive: [
      'measure auc',
      'measure err(gmax=5,min_list_length=1)',
      'measure rbp(gain=scaled,gmax=5,min_list_length=1)',
      'cohorts ',
      'window 5m',
      'experiment default',
    ],
  };
  const FORMER = (stars: string, more = '') =>
    'grades: {click: 1, buy: {grade: 5, max: 4}, play: {grade: 0.5, rule: sum, max: 2}, last: {grade: 2, rule: last}, ' +
    `stars: ${stars}, hide: {grade: 0, veto: true}, nothing: {grade: 0, rule: sum}}\ncohorts: [[]]\nwindows: [5m]\n${more}`;
  const formerState = (yaml: string): UnitCheckpoint => {
    const state = stored(yaml);
    const shape = { ...JSON.parse(state.fingerprint.shape), grades: former.grades };
    return { ...state, fingerprint: { shape: JSON.stringify(shape), additive: JSON.stringify(former.additive) } };
  };

  it('that grew when grades ended at 30, where the configuration means what it meant', () => {
    const yaml = FORMER('{from: value, max: 30}', 'measures: [auc]');
    expect(resume(formerState(yaml), now(yaml), NO_PERMISSIONS)).toMatchObject({
      generation: '4',
      incompleteBefore: 1000,
    });
  });

  it.each(['{from: value}', '{from: value, max: 31}', '{from: value, max: 29}'])(
    'but not where values above 30 count now, or others are cut: %s',
    (stars) => {
      const state = formerState(FORMER('{from: value, max: 30}', 'measures: [auc]'));
      expect(() => resume(state, now(FORMER(stars, 'measures: [auc]')), NO_PERMISSIONS)).toThrow(
        / {2}grades\.stars\.max: stored/,
      );
    },
  );

  it('and says incomplete where err and rbp count grades that they did not', () => {
    const counting = (relevantFrom: number) =>
      FORMER(
        '{from: value, max: 30}',
        `relevantFrom: ${relevantFrom}\nmeasures: [auc, "err(gmax=5,min_list_length=1)", "rbp(gain=scaled,gmax=5,min_list_length=1)"]`,
      );
    expect(later(resume(formerState(counting(1)), now(counting(1)), NO_PERMISSIONS))).toEqual([
      'err(gmax=5,min_list_length=1)',
      'rbp(gain=scaled,gmax=5,min_list_length=1)',
    ]);
    // From now on they come and go like any other.
    expect(later(resume(stored(counting(1)), now(counting(1)), NO_PERMISSIONS))).toEqual([]);
    const whole = (relevantFrom: number) =>
      `grades: {click: 1, buy: 2}\nrelevantFrom: ${relevantFrom}\nmeasures: ["err(gmax=5,min_list_length=1)"]`;
    const without = (yaml: string): UnitCheckpoint => {
      const state = stored(yaml);
      const entries = state.fingerprint.additive.replace(' of every grade', '');
      return { ...state, fingerprint: { ...state.fingerprint, additive: entries } };
    };
    expect(later(resume(without(whole(1)), now(whole(1)), NO_PERMISSIONS))).toEqual([]);
    expect(later(resume(without(whole(2)), now(whole(2)), NO_PERMISSIONS))).toEqual(['err(gmax=5,min_list_length=1)']);
  });

  it('and says incomplete where empty lists count that did not, but not where they are left out as they were', () => {
    const ofMeasures = (names: string): Resumed => {
      const yaml = `grades: {click: 1, buy: 2}\nmeasures: [${names}]`;
      const state = stored(yaml);
      const before = state.fingerprint.additive.replaceAll(' (empty lists count)', '');
      return resume({ ...state, fingerprint: { ...state.fingerprint, additive: before } }, now(yaml), NO_PERMISSIONS);
    };
    const taking = ['mrr', 'hit', 'precision', 'recall', 'ap', 'ndcg', 'dcg', 'rprec', 'rbp', 'err(gmax=5)', 'f1'];
    for (const name of taking) expect(later(ofMeasures(`"${name}"`))).toHaveLength(1);
    const others = 'auc, ctr, length, diversity, "mrr(min_list_length=2)", "rate(action=buy)"';
    expect(later(ofMeasures(others))).toEqual([]);
    // What left them out by default is now written with its parameter, and starts empty.
    const skipping = resume(stored('measures: [mrr]'), now('measures: ["mrr(min_list_length=1)"]'), NO_PERMISSIONS);
    expect(later(skipping)).toEqual(['mrr(min_list_length=1)']);
  });
});
