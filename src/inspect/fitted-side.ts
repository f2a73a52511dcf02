/** A side as its map reads it, with the fields that the map makes. */
import type { FittedSide } from './field-fit.ts';
import { type MadeField, mapWith, sourceWords } from './made-fields.ts';
import { adapterWith } from './proposed-adapter.ts';

/** The side as a map must read it: with the sources of the fields that are made. */
export function fittedWith(fitted: FittedSide, made: readonly MadeField[]): FittedSide {
  if (made.length === 0) return fitted;
  const { reading, map, fits, missing } = fitted;
  const sources = new Map(made.map(({ path, source }) => [path, source]));
  return {
    reading: { ...reading, adapter: adapterWith(reading.adapter, map, made) },
    map: mapWith(map, made),
    fits: fits.map((fit) => {
      const words = sourceWords(sources.get(fit.path) ?? {});
      return words === '' ? fit : { ...fit, why: `${words}; ${fit.why}` };
    }),
    missing,
  };
}
