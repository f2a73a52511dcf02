import type { Settings } from '../../src/config/settings.ts';
import type { Span } from '../../src/config/values.ts';

/** The defaults of `detect`, but that no cohort is watched. `horizon`: one of those that there are. */
export function unwatched(horizon: Span): Settings['detect'] {
  return {
    sets: [],
    measures: [],
    horizon,
    step: 300_000,
    history: 22 * 86_400_000,
    k: 0.5,
    h: 20,
    tolerance: 0.01,
    lowerIsBetter: new Set<string>(),
  };
}
