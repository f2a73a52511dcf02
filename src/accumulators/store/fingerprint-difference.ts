/** How the configuration that rows were stored under differs from another (specification: commit 6). */
import type { Fingerprint } from './checkpoint-codec.ts';

/** The settings that give rows another meaning, a line each; empty: rows of both mean the same. */
export function changedSettings(stored: Fingerprint, current: Fingerprint): readonly string[] {
  if (stored.shape === current.shape) return [];
  const before = settingsOf(stored.shape);
  const after = settingsOf(current.shape);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: stored ${before.get(name) ?? '(none)'}, now ${after.get(name) ?? '(none)'}`);
}

/** Measures, sets, windows and experiments of `current` that rows stored under `stored` lack, such as `measure mrr`. */
export function missingParts(stored: Fingerprint, current: Fingerprint): readonly string[] {
  if (stored.additive === current.additive) return [];
  const known = new Set(listOf(stored.additive));
  return listOf(current.additive).filter((part) => !known.has(part));
}

function settingsOf(shape: string): ReadonlyMap<string, string> {
  const settings: unknown = shape === '' ? {} : JSON.parse(shape);
  if (typeof settings !== 'object' || settings === null) return new Map();
  return new Map(Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)] as const));
}

function listOf(additive: string): readonly string[] {
  const parts: unknown = additive === '' ? [] : JSON.parse(additive);
  return Array.isArray(parts) ? parts.map(String) : [];
}
