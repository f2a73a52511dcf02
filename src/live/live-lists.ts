/** Single lists as the page and `/api/v1/lists` show them. */
import type { Settings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import { sumsKind } from '../measures/value.ts';
import type { DroppedView, ListsView, ListView } from '../page/model.ts';
import { listValue } from '../score/list-values.ts';
import type { SampledDrop, SampledList, ShownSamples } from '../unit/samples.ts';

/** Number of lists with the worst value. */
const MOST_WORST = 5;

type ListSettings = Pick<Settings, 'attribution' | 'detect' | 'dimensions' | 'experiments' | 'measures'>;

interface Viewed {
  /**
   * Number of drops, by which a changed view is noticed: feedback may be dropped after its list has closed, and nothing else changes in a
   * list.
   */
  readonly drops: number;
  readonly view: ListView;
}

export class LiveLists {
  readonly #samples: ShownSamples;
  readonly #settings: ListSettings;
  readonly #primary: string;
  readonly #views = new WeakMap<SampledList, Viewed>();
  readonly #dropped = new WeakMap<SampledDrop, DroppedView>();

  constructor(samples: ShownSamples, settings: ListSettings) {
    this.#samples = samples;
    this.#settings = settings;
    this.#primary = settings.experiments[0]?.primary ?? settings.measures[0]?.canonical ?? '';
  }

  /** @param withLast whether all of the last lists are shown, which are most of the work. A list has the same view each time */
  view(withLast: boolean): ListsView {
    const { ids, last, withDrops, drops } = this.#samples;
    return {
      ids,
      horizon: this.#settings.attribution.window.text,
      primary: this.#primary,
      worst: this.#worst(last).map((list) => this.#viewOf(list)),
      missed: withDrops.map((list) => this.#viewOf(list)),
      last: withLast ? last.map((list) => this.#viewOf(list)) : undefined,
      lastCount: last.length,
      dropped: drops.map((drop) => this.#droppedOf(drop)),
    };
  }

  #worst(last: readonly SampledList[]): readonly SampledList[] {
    const { detect, measures } = this.#settings;
    const m = measures.findIndex(({ canonical }) => canonical === this.#primary);
    if (m < 0) return [];
    const sign = detect.lowerIsBetter.has(this.#primary) ? -1 : 1;
    const judged = last.flatMap((list) => {
      const hasFeedback = list.moreFeedback > 0 || list.slots.some(({ feedback }) => feedback.length > 0);
      const value = hasFeedback ? measured(list, measures[m], m) : null;
      return value === null ? [] : [{ list, value: sign * value }];
    });
    return judged
      .sort((a, b) => a.value - b.value)
      .slice(0, MOST_WORST)
      .map(({ list }) => list);
  }

  #viewOf(list: SampledList): ListView {
    const known = this.#views.get(list);
    if (known?.drops === list.drops.length) return known.view;
    const view = listView(list, this.#settings);
    this.#views.set(list, { drops: list.drops.length, view });
    return view;
  }

  #droppedOf(drop: SampledDrop): DroppedView {
    const view = this.#dropped.get(drop) ?? droppedView(drop);
    this.#dropped.set(drop, view);
    return view;
  }
}

function listView(list: SampledList, { dimensions, measures }: ListSettings): ListView {
  const { requestId, ts, length, slots, moreFeedback, scores, drops } = list;
  return {
    requestId,
    shownAt: new Date(ts).toISOString(),
    cohort: Object.fromEntries(dimensions.map((dimension, d) => [dimension, list.dimensions[d]])),
    length,
    items: slots.map(({ rank, item, grade, feedback }) => ({
      rank,
      item,
      grade,
      feedback: feedback.map(({ action, value, delay }) => ({
        action: action ?? null,
        value: value ?? null,
        seconds: delay / 1000,
      })),
    })),
    moreFeedback,
    measures: Object.fromEntries(measures.map((measure, m) => [measure.canonical, measured({ scores }, measure, m)])),
    dropped: drops.map(droppedView),
  };
}

/** null if the measure leaves the list out. */
function measured({ scores }: Pick<SampledList, 'scores'>, measure: Measure, m: number): number | null {
  return listValue(measure, sumsKind(measure), scores, SCORE_WIDTH * m) ?? null;
}

function droppedView({ reason, requestId, itemId, action, ts }: SampledDrop): DroppedView {
  return { reason, requestId, itemId, action, happenedAt: new Date(ts).toISOString() };
}
