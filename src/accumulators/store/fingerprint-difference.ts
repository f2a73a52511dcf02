/** How the configuration that rows were stored under differs from another (specification: commit 6). */
import type { Fingerprint } from './checkpoint-codec.ts';
import { isKeyed, type Keyed } from './json.ts';
import { setText } from './layout.ts';

/** The settings that give rows another meaning, one line each; empty: rows have the same meaning under both. */
export function changedSettings(stored: Fingerprint, current: Fingerprint): readonly string[] {
  if (stored.shape === current.shape) return [];
  const [before, after] = [settingsOf(stored.shape), settingsOf(current.shape)];
  return keysOfBoth(before, after).flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const parts = differences(name, byName(name, old), byName(name, now));
    // Only their order differs.
    return parts.length > 0 ? parts : [line(name, old, now)];
  });
}

/** Measures, sets, windows and experiments of `current` that rows stored under `stored` lack, such as `measure mrr`. */
export function missingParts(stored: Fingerprint, current: Fingerprint): readonly string[] {
  if (stored.additive === current.additive) return [];
  const known = new Set(listOf(stored.additive));
  return listOf(current.additive).filter((part) => !known.has(part));
}

/** The parts that may be added and removed, as fingerprints name them. */
export const PART = {
  measure: (canonical: string): string => `measure ${canonical}`,
  cohorts: (by: readonly string[]): string => `cohorts ${setText(by)}`,
  window: (text: string): string => `window ${text}`,
  experiment: (name: string): string => `experiment ${name}`,
  itemSets: (by: readonly string[]): string => `itemSets ${setText(by)}`,
} as const;

/** The name of a part, without its meaning. */
export function partOf(entry: string): string {
  return entry.split(' ', 2).join(' ');
}

/** The parts of `missingParts` that rows of panes lack. Experiments are compared by run: a unit holds all lists of a run, or none. */
export function missingFromPanes(stored: Fingerprint, current: Fingerprint): readonly string[] {
  return missingParts(stored, current).filter((part) => !part.startsWith(PART.experiment('')));
}

export function hasPart({ additive }: Fingerprint, part: string): boolean {
  return listOf(additive).includes(part);
}

/** The horizons of a configuration, as it writes them; empty: the fingerprint does not have them. */
export function horizonsOf({ shape }: Fingerprint): readonly string[] {
  const horizons = settingsOf(shape)['attribution.horizons'];
  return Array.isArray(horizons) ? horizons.map(String) : [];
}

function settingsOf(shape: string): Keyed {
  const settings: unknown = shape === '' ? {} : JSON.parse(shape);
  return isKeyed(settings) ? settings : {};
}

function keysOfBoth(before: Keyed, after: Keyed): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

/** A line for each of the innermost parts that differ. */
function differences(path: string, before: unknown, after: unknown): readonly string[] {
  if (isKeyed(before) && isKeyed(after)) {
    return keysOfBoth(before, after).flatMap((name) => differences(`${path}.${name}`, before[name], after[name]));
  }
  if (areGroups(before) && areGroups(after) && before.length === after.length) {
    return before.flatMap((one, i) => differences(`${path}[${i}]`, one, after[i]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [line(path, before, after)];
}

function areGroups(value: unknown): value is readonly Keyed[] {
  return Array.isArray(value) && value.every(isKeyed);
}

function line(path: string, before: unknown, after: unknown): string {
  return `${path}: stored ${JSON.stringify(before) ?? '(none)'}, now ${JSON.stringify(after) ?? '(none)'}`;
}

/** Lists whose entries the configuration names, by these names. */
function byName(setting: string, list: unknown): unknown {
  if (!areGroups(list)) return list;
  if (setting === 'kafka.topics') return topicsByName(list);
  return setting === 'grades' ? Object.fromEntries(list.map(({ name, rule }) => [String(name), rule])) : list;
}

function topicsByName(topics: readonly Keyed[]): Keyed {
  const isOfLists = ({ role }: Keyed): boolean => isKeyed(role) && role['impressions'] === true;
  const feedback = topics.filter((topic) => !isOfLists(topic));
  return Object.fromEntries([
    ...topics.filter(isOfLists).map((topic) => ['impressions', topic] as const),
    ...feedback.map((topic, i) => [i === 0 ? 'feedback' : `feedback[${i}]`, topic] as const),
  ]);
}

function listOf(additive: string): readonly string[] {
  const parts: unknown = additive === '' ? [] : JSON.parse(additive);
  return Array.isArray(parts) ? parts.map(String) : [];
}
