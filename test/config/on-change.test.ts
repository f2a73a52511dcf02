import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { settingRows } from '../../src/config/reference.ts';
import type { Settings } from '../../src/config/settings.ts';
import { runOf } from '../../src/experiment/run-settings.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { load } from './fixture.ts';

const FORM = {
  adapter: { map: { requestId: '/id', ts: '/ts', items: '/items' } },
  tsUnit: 's',
  timeZone: 'UTC',
  positionBase: 0,
};
const EXPERIMENT = { control: 'a', variants: { a: 0.5, b: 0.5 } };

/** Another value than the default, by path. Those of an experiment are beside EXPERIMENT. */
const OTHER: Readonly<Record<string, unknown>> = {
  relevantFrom: 2,
  measures: ['mrr', 'ndcg@10'],
  lowerIsBetter: ['ndcg@10'],
  windows: ['5m'],
  incompleteWindows: 'show',
  paneSize: '30s',
  cohorts: [[]],
  'kafka.topics.impressions': { name: 'impressions', ...FORM },
  'kafka.topics.feedback': { name: 'feedback', tsUnit: 's' },
  'kafka.sessionTimeout': '10s',
  'inputs.impressions.tsUnit': 's',
  'inputs.impressions.timeZone': 'UTC',
  'inputs.impressions.positionBase': 0,
  'inputs.impressions.drop': { userId: 'bot' },
  'inputs.feedback.drop': [{ userId: 'bot' }],
  'inputs.feedback.tsUnit': 's',
  'inputs.feedback.timeZone': 'UTC',
  'inputs.feedback.positionBase': 0,
  'inputs.impressions.format': 'csv',
  'attribution.horizons': ['1m'],
  'attribution.outOfOrderness': '20s',
  'attribution.backward': '1s',
  'attribution.idleAfter': '1m',
  'attribution.maxSkew': '1m',
  'attribution.futureSkew': '1m',
  'attribution.unitTimeout': '1m',
  'join.touch': 'first',
  'start.from': 'latest',
  'start.onGap': 'skip',
  'start.onUndecodable': 'skip',
  'commit.interval': '2s',
  'commit.perSecond': 2,
  grades: { click: 2 },
  'grades.<name>.max': 4,
  'positions.ranks': 3,
  'positions.sets': [[]],
  'limits.series': 1000,
  'limits.cohortsPerSet': 2,
  'limits.stateBytes': 1_000_000,
  'limits.openImpressions': 1000,
  'limits.itemsPerList': 10,
  'limits.feedbackPerImpression': 10,
  'limits.impressionBytes': 1000,
  'limits.feedbackBytes': 1000,
  'limits.catalogueItems': 10,
  'statistics.clustered': [[]],
  'detect.sets': [['variant']],
  'detect.step': '10m',
  'http.port': 1,
  deadLetter: 'topic',
  experiments: { other: EXPERIMENT },
  'experiments.<name>.control': 'b',
  'experiments.<name>.variants': { a: 0.9, b: 0.1 },
  'experiments.<name>.primary': 'mrr',
  'experiments.<name>.guardrails': ['mrr'],
  'experiments.<name>.horizon': '1m',
  'experiments.<name>.start': '2026-11-21T08:00:00Z',
  'experiments.<name>.alpha': 0.01,
  'experiments.<name>.nStar': 100,
  'experiments.<name>.tolerance': 0.5,
};
/** Part of what is in OTHER, or has no second value that a configuration of nothing else can have. */
const NOT_ALONE =
  /\.adapter\b|^kafka\.topics\.\w+\.|^inputs\.events|^grades\.<name>|interleaved|^itemSets|^limits\.itemsCounted|^catalogue/;

const AN_EXPERIMENT = { ...EXPERIMENT, primary: 'ndcg@10' };

function loaded(path: string, value: unknown): Settings {
  const [group, name = '', field = ''] = path.split('.');
  const own = name === '<name>';
  const base = { experiments: { default: AN_EXPERIMENT } };
  if (own && group === 'experiments')
    return load(stringify({ experiments: { default: { ...AN_EXPERIMENT, [field]: value } } }));
  if (own)
    return load(stringify({ ...base, [group]: { rating: { from: 'value', rule: 'last', max: 5, [field]: value } } }));
  return load(
    stringify({ ...base, ...(name === '' ? { [group]: value } : { [group]: { [name]: nested(path, value) } }) }),
  );
}

function nested(path: string, value: unknown): unknown {
  return path
    .split('.')
    .slice(2)
    .reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

/** What the service does when a setting has changed. */
function changeOf(before: Settings, after: Settings): string {
  const [old, now] = [fingerprint(before), fingerprint(after)];
  if (old.shape !== now.shape) return 'changing';
  const [known, last] = [before.experiments[0], after.experiments[0]];
  if (known.name === last.name && runOf(known) !== runOf(last)) return 'run';
  return old.additive === now.additive ? '' : 'additive';
}

it('of every setting the reference says what a change of it does', () => {
  const rows = [...settingRows().values()].flat();
  const isTried = (path: string): boolean => Object.hasOwn(OTHER, path);
  const untried = rows.filter(({ path, change }) => change !== '' && !isTried(path) && !NOT_ALONE.test(path));
  expect(untried.map(({ path }) => path)).toEqual([]);
  const usual = load(stringify({ experiments: { default: AN_EXPERIMENT } }));
  const wrong = rows.filter(({ path, change }) => {
    if (!isTried(path)) return false;
    const said = path.startsWith('kafka.topics.') ? 'changing' : change.split(' ')[0];
    return changeOf(path === 'grades.<name>.max' ? loaded(path, 5) : usual, loaded(path, OTHER[path])) !== said;
  });
  expect(wrong.map(({ path, change }) => `${path}: ${change}`)).toEqual([]);
  expect(Object.keys(OTHER).filter((path) => !rows.some((row) => row.path === path))).toEqual([]);
});
