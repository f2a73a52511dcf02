import { Panes } from './accumulators/panes.ts';
import { liveKeys, type PanesSettings } from './accumulators/panes-settings.ts';
import type { Store } from './accumulators/store/port.ts';
import type { EpochMs } from './events.ts';
import type { Resumed } from './resume.ts';
import type { UnitSettings } from './unit-contract.ts';

function panesSettings(settings: UnitSettings, generation: string, settledUpTo: EpochMs): PanesSettings {
  const owner = { namespace: settings.namespace, unit: settings.partition, generation };
  return { ...settings.panes, owner, settledUpTo };
}

/** The live rows that a unit goes on from, read from the store. */
export async function restorePanes(
  settings: UnitSettings,
  store: Store,
  { generation, join, panes }: Resumed,
): Promise<Panes> {
  const watermark = join?.watermark ?? Number.NEGATIVE_INFINITY;
  const shape = panesSettings(settings, generation, watermark);
  if (panes === undefined) return new Panes(shape);
  const keys = liveKeys(shape, panes, watermark);
  const rows = await store.read(keys);
  return new Panes(shape, { state: panes, rows: new Map(keys.map((key, i) => [key, rows[i]])) });
}

/** Every key that rows of a generation may lie under. */
export function keysOf(
  settings: UnitSettings,
  { generation, panes }: NonNullable<Resumed['replaced']>,
): readonly string[] {
  return liveKeys(panesSettings(settings, generation, Number.NEGATIVE_INFINITY), panes, Number.NEGATIVE_INFINITY);
}
