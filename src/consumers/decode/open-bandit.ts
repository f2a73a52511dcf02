/**
 * Rows of the Open Bandit Dataset (Saito and others, arXiv:2008.07146): one row is an impression of one item at its position,
 * and a click at the same time if it has one. There is no list id, so file and row together are the request id. There is no
 * user id: users with the same features cannot be distinguished, so all features together are used as the user id.
 */

import { splitRow } from './csv-line.ts';
import type { Adapted, Adapter, RawRecord } from './raw.ts';
import { parseTime } from './times.ts';

export const OPEN_BANDIT_COLUMNS: readonly string[] = [
  'timestamp',
  'item_id',
  'position',
  'click',
  'propensity_score',
  'user_feature_0',
  'user_feature_1',
  'user_feature_2',
  'user_feature_3',
];
const REQUIRED = ['timestamp', 'item_id', 'position'];
const FEATURE = /^user_feature_[0-9]{1,3}$/;
/** Most sources whose header row is remembered. */
const MAX_SOURCES = 10_000;

/** A header row is recognised and sets the order of the columns of its source. */
export function openBanditAdapter(columns: readonly string[] = OPEN_BANDIT_COLUMNS): Adapter {
  const headers = new Map<string, readonly string[]>();
  return (text, source, offset): Adapted => {
    const row = splitRow(text);
    if (row === undefined) return 'not_csv';
    if (isHeader(row)) {
      if (headers.size >= MAX_SOURCES) headers.clear();
      headers.set(source, row);
      return [];
    }
    const names = headers.get(source) ?? columns;
    return row.length === names.length ? eventsOf(names, row, `${source}:${offset}`) : 'not_csv';
  };
}

function isHeader(row: readonly string[]): boolean {
  return Number.isNaN(parseTime(row[0])) && REQUIRED.every((name) => row.includes(name));
}

function eventsOf(names: readonly string[], row: readonly string[], requestId: string): Adapted {
  const field = (name: string): string | undefined => {
    const at = names.indexOf(name);
    return at < 0 || row[at] === '' ? undefined : row[at];
  };
  const cohorts: Record<string, string> = Object.create(null);
  const features: string[] = [];
  for (let i = 0; i < names.length; i++) {
    if (!FEATURE.test(names[i]) || row[i] === '') continue;
    cohorts[names[i]] = row[i];
    features.push(row[i]);
  }
  const ts = field('timestamp');
  const id = field('item_id');
  const item = {
    id,
    position: numberOf(field('position')) ?? Number.NaN,
    propensity: numberOf(field('propensity_score')),
  };
  const impression: RawRecord = { requestId, ts, userId: features.join('|'), items: [item], cohorts };
  const click = numberOf(field('click'));
  if (click !== undefined && click !== 0 && click !== 1) return 'bad_number';
  return click === 1 ? [impression, { requestId, ts, itemId: id, action: 'click' }] : [impression];
}

const NUMBER = /^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** NaN: not a number, which validation refuses by the field's own code. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text.length <= 40 && NUMBER.test(text) ? Number(text) : Number.NaN;
}
