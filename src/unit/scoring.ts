import type { Panes } from '../accumulators/panes.ts';
import { ShownItems } from '../measures/shown-items.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import type { Closing } from '../vocabulary/closing.ts';
import type { UnitDeps, UnitSettings } from './contract.ts';

/** Scores what closes, and adds it to the rows. */
export class UnitScoring {
  /** By horizon: slots of what closed whose item the catalogue does not hold. */
  readonly unknownItems: number[];
  readonly #deps: Pick<UnitDeps, 'scorer' | 'onlooker'>;
  readonly #panes: Panes;
  readonly #scores: Float64Array;
  /** undefined: no measure asks for items. */
  readonly #shown: ShownItems | undefined;

  constructor({ join, panes: { shape } }: UnitSettings, deps: Pick<UnitDeps, 'scorer' | 'onlooker'>, panes: Panes) {
    const { names, needs, catalogue } = deps.scorer;
    this.#deps = deps;
    this.#panes = panes;
    this.#scores = new Float64Array(SCORE_WIDTH * names.length);
    this.#shown = needs.items ? new ShownItems(shape.items?.parts ?? [], catalogue) : undefined;
    this.unknownItems = join.horizons.map(() => 0);
  }

  closed(closing: Closing): void {
    const { onlooker, scorer } = this.#deps;
    if (onlooker?.closing(closing) === false) return;
    const positive = scorer.score(closing.list, this.#scores);
    const shown = this.#shown;
    shown?.load(closing.list);
    if (shown !== undefined) this.unknownItems[closing.horizon] += shown.unknown;
    this.#panes.add(closing, positive, this.#scores, shown);
    if (onlooker?.scored !== undefined) onlooker.scored(closing, this.#scores, this.#panes.cohorts.values(closing.tag));
  }
}
