/** Shows which windows are whole, and when the others will be (specification: windows 3.3). */
import type { Panel } from './panel.ts';

/** All exporters report the same values; takes one. */
const of = (metric: string): string => `max without (instance, pod) (${metric}{job="$job"})`;
const legend = '{{window}} at {{horizon}}';

const COMPLETE = 'receval_window_complete';
const COMPLETE_AT = 'receval_window_complete_timestamp_seconds';

export const WHOLE_WINDOWS: readonly Panel[] = [
  {
    title: 'Whole windows',
    metrics: [COMPLETE],
    note: 'While a window is incomplete its values are absent above, unless incompleteWindows is show; then they are of a part of its lists.',
    look: {
      kind: 'states',
      states: [
        { value: 0, text: 'incomplete', color: 'orange' },
        { value: 1, text: 'whole', color: 'green' },
      ],
    },
    queries: [{ expr: of(COMPLETE), legend }],
    width: 16,
  },
  {
    title: 'Incomplete windows are whole in',
    metrics: [COMPLETE_AT],
    look: { kind: 'lines' },
    queries: [{ expr: `${of(COMPLETE_AT)} - time()\nand ${of(COMPLETE)} == 0`, legend }],
    unit: 's',
    width: 8,
  },
];
