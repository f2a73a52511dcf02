/** Single lists as the page and `/api/v1/lists` show them. */
import type { Settings } from '../config/settings.ts';
import { SCORE_WIDTH } from '../measures/sums.ts';
import { sumsKind } from '../measures/value.ts';
import type { DroppedView, ListsView, ListView } from '../page/model.ts';
import { listValue } from '../score/list-sums.ts';
import type { ListSamples, SampledDrop, SampledList } from '../unit/samples.ts';

/** Number of lists with the worst value. */
const MOST_WORST = 5;

type ListSettings = Pick<Settings, 'attribution' | 'detect' | 'dimensions' | 'experiments' | 'measures'>;

export function listsOf(samples: ListSamples, settings: ListSettings): ListsView {
  const { attribution, detect, experiments, measures } = settings;
  const primary = experiments[0]?.primary ?? measures[0]?.canonical ?? '';
  const sign = detect.lowerIsBetter.has(primary) ? -1 : 1;
  const last = samples.last.map((list) => listView(list, settings));
  const judged = last.flatMap((list) => {
    const value = list.measures[primary] ?? null;
    const hasFeedback = list.moreFeedback > 0 || list.items.some(({ feedback }) => feedback.length > 0);
    return value === null || !hasFeedback ? [] : [{ list, value: sign * value }];
  });
  return {
    ids: samples.ids,
    horizon: attribution.horizons[attribution.horizons.length - 1].text,
    primary,
    worst: judged
      .sort((a, b) => a.value - b.value)
      .slice(0, MOST_WORST)
      .map(({ list }) => list),
    missed: samples.missed.map((list) => listView(list, settings)),
    last,
    dropped: samples.drops.map(droppedView),
  };
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
    measures: Object.fromEntries(
      measures.map((measure, m) => [
        measure.canonical,
        listValue(measure, sumsKind(measure), scores, SCORE_WIDTH * m) ?? null,
      ]),
    ),
    dropped: drops.map(droppedView),
  };
}

function droppedView({ reason, requestId, itemId, action, ts }: SampledDrop): DroppedView {
  return { reason, requestId, itemId, action, happenedAt: new Date(ts).toISOString() };
}
