import { type KeptList, KeptLists } from '../accumulators/kept-lists.ts';
import type { CountedParts, Panes } from '../accumulators/panes.ts';
import type { ClosingNames } from '../consumers/join/api.ts';
import { ShownItems } from '../measures/shown-items.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import type { Closing, EpochMs } from '../vocabulary/events.ts';
import type { ScoredList, UnitSamples } from './samples.ts';
import type { LeftOpen, UnitDeps, UnitSettings } from './unit-contract.ts';

/** Scores what closes and adds it to the rows. */
export class UnitScoring {
  /** Slots of closed lists whose item is not in the catalogue, by horizon. */
  readonly unknownItems: number[];
  /** Lists that closed, but are in no sum (specification: windows 3.5), by horizon. */
  readonly unscored: number[];
  readonly samples: UnitSamples | undefined;
  readonly #deps: Pick<UnitDeps, 'scorer' | 'hooks'>;
  readonly #panes: Panes;
  readonly #completeness: { readonly feedbackFrom: EpochMs };
  readonly #scores: Float64Array;
  /** What is counted of the list that was scored last; without items where no measure asks for them. */
  readonly #counted: CountedParts;
  /** The scores that are kept by pattern; undefined: none are, or a hook takes the scores of each list. */
  readonly #kept: KeptLists | undefined;
  #open: LeftOpen | undefined;

  constructor(
    { join, panes: { shape } }: Pick<UnitSettings, 'join' | 'panes'>,
    deps: Pick<UnitDeps, 'scorer' | 'hooks' | 'samples' | 'kept'>,
    panes: Panes,
    completeness: { readonly feedbackFrom: EpochMs },
  ) {
    const { names, needs, catalogue } = deps.scorer;
    this.#deps = deps;
    this.#panes = panes;
    this.#completeness = completeness;
    this.#scores = new Float64Array(SCORE_WIDTH * names.length);
    this.#counted = {
      items: needs.items ? new ShownItems(shape.items?.parts ?? [], catalogue) : undefined,
      positives: deps.scorer.positives,
    };
    this.#kept = deps.hooks?.scored === undefined ? (deps.kept ?? KeptLists.by(deps.scorer)) : undefined;
    this.unknownItems = join.horizons.map(() => 0);
    this.unscored = join.horizons.map(() => 0);
    this.samples = deps.samples?.watch(join.horizons.length - 1, join.hashSeed ?? 0);
  }

  /** Lets the engine add closings by itself, unless each must be given to `closed`. Returns the address at which it adds them. */
  letEngineAdd(): number | undefined {
    const isAsked = this.#deps.hooks?.closing !== undefined || this.samples !== undefined;
    return isAsked || this.#kept === undefined ? undefined : this.#panes.letEngineAdd(this.#kept.table);
  }

  /** From now on gives what closes to `open`, and counts it nowhere. */
  leaveOpen(open: LeftOpen): void {
    this.#open = open;
    this.#panes.endEngineAdding();
  }

  closed(closing: Closing, names: ClosingNames): void {
    if (this.#open !== undefined) {
      this.#open(closing, this.#panes.cohorts.keys(closing.tag));
      return;
    }
    // Lists close in the order of their times at each horizon, so the lists that the engine adds by itself are later than these.
    if (closing.ts < this.#completeness.feedbackFrom) {
      this.unscored[closing.horizon]++;
      return;
    }
    if (this.#deps.hooks?.closing?.(closing) === false) return;
    const kept = this.#kept?.of(closing.list);
    if (kept === undefined) this.#score(closing);
    else this.#panes.addKept(closing, kept);
    this.samples?.closed(closing, names, () => this.#sampled(closing, kept));
  }

  #score(closing: Closing): void {
    const { hooks, scorer } = this.#deps;
    const positive = scorer.score(closing.list, this.#scores);
    const { items: shown } = this.#counted;
    shown?.load(closing.list);
    if (shown !== undefined) this.unknownItems[closing.horizon] += shown.unknown;
    this.#panes.add(closing, positive, this.#scores, this.#counted);
    if (hooks?.scored !== undefined) hooks.scored(closing, this.#scores, this.#panes.cohorts.values(closing.tag));
  }

  /** What a sample keeps of a list that was added. */
  #sampled(closing: Closing, kept: KeptList | undefined): ScoredList {
    if (kept !== undefined) this.#deps.scorer.score(closing.list, this.#scores);
    return { scores: this.#scores, dimensions: this.#panes.cohorts.values(closing.tag) };
  }
}
