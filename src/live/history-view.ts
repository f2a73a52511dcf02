import type { CohortHistory } from '../exporter/exporter-contract.ts';
import type { HistoryView } from '../page/history.tsx';

/** A line of the chart; it has no history as long as none is known. */
type NamedHistory = { readonly name: string } & Partial<CohortHistory>;

/** Histories of one measure as one chart. `isReading`: older hours of at least one of them are not available yet. */
export function historyView(
  chart: Pick<HistoryView, 'measure' | 'horizon' | 'window'>,
  series: readonly NamedHistory[],
): HistoryView {
  const hours = series.flatMap(({ hoursTo }) => hoursTo ?? []);
  return {
    ...chart,
    hoursTo: hours.length === 0 ? null : Math.max(...hours),
    isReading: series.some(({ isReading = false }) => isReading),
    series: series.map(({ name, points = [] }) => ({ name, points })),
  };
}
