/** Tables of cohorts that are watched against their own past. */
import { type CohortSettings, EVERY_HOURS, judged } from './cohort.ts';
import { each, head, print, quantile, row, type Seeds, share } from './output.ts';

/** The default settings of `detect`. */
export const RULE = { k: 0.5, h: 20, tolerance: 0.03 } as const;

const LISTS = [20, 100, 300, 1000, 3000, 10_000, 30_000];
const THREE_WEEKS = 21 * 24;
const WEEK = 7 * 24;
/** Seeds up to here were looked at while the rules were chosen. */
const FRESH = 1000;
/** The fall begins so many hours into the watched week. */
const FALL_AT = 6;

export const STILL: CohortSettings = {
  lists: 1000,
  history: THREE_WEEKS,
  moods: [0, 0],
  drop: 0,
  from: FALL_AT,
  hours: WEEK,
};

const MOODS: readonly (readonly [name: string, moods: CohortSettings['moods']])[] = [
  ['by nothing', [0, 0]],
  ['by 1 %', [0.01, 0.005]],
  ['by 2 %', [0.02, 0.01]],
];

export interface Finding {
  /** Hours from the fall to the first `regressed`; undefined: none within the watched week. */
  readonly delay: number | undefined;
  /** Share of the looks from then on that say `regressed`. */
  readonly stays: number;
}

export function findingOf(seed: number, settings: CohortSettings): Finding {
  const labels = judged(seed, settings, RULE).slice(settings.from / EVERY_HOURS);
  const first = labels.indexOf('regressed');
  if (first < 0) return { delay: undefined, stays: 0 };
  const rest = labels.slice(first);
  return {
    delay: (first + 1) * EVERY_HOURS,
    stays: rest.filter((label) => label === 'regressed').length / rest.length,
  };
}

/** @param count a twentieth of them are weeks of each kind, at least ten */
export function againstPast({ count, first }: Seeds): void {
  const n = Math.max(10, Math.floor(count / 20));
  const seeds: Seeds = { count: n, first: FRESH + first };
  const counts = LISTS.map((lists) => lists.toLocaleString('en'));
  print('### Against the own past: weeks with a false alarm', '');
  print(head('days differ', 'weeks', ...counts.map((lists) => `${lists} lists a step`)));
  for (const [name, moods] of MOODS) {
    const cells = LISTS.map((lists) => {
      const weeks = each(`days differ ${name}, ${lists} lists`, seeds, (seed) =>
        judged(seed, { ...STILL, lists, moods }, RULE),
      );
      return share(weeks.filter((labels) => labels.includes('regressed')).length, n);
    });
    print(row(name, n, ...cells));
  }
  print('', '### Against the own past: falls that are found', '');
  print(head('fall', 'weeks', ...counts.map((lists) => `${lists} lists a step`)));
  for (const drop of [0.02, 0.05, 0.1, 0.2, 0.6, 1]) {
    const cells = LISTS.map((lists) => {
      const settings: CohortSettings = { ...STILL, lists, moods: [0.01, 0.005], drop };
      return shown(each(`a fall of ${drop}, ${lists} lists`, seeds, (seed) => findingOf(seed, settings)));
    });
    print(row(`${100 * drop} %`, n, ...cells));
  }
  print('');
}

function shown(findings: readonly Finding[]): string {
  const found = findings.flatMap(({ delay }) => delay ?? []);
  const soon = found.filter((delay) => delay <= 48).length;
  if (found.length === 0) return '0 %';
  const stays = findings.reduce((sum, { stays: part }) => sum + part, 0) / found.length;
  return `${Math.round((100 * soon) / findings.length)} %, ${quantile(found, 0.5)} h, ${Math.round(100 * stays)} %`;
}
