/** The choices of a reader of the live page. All of them are in the address, so that a link can be shared. */
import type { Settings } from '../config/settings.ts';

export interface LiveQuery {
  /** The measure's canonical name. */
  readonly measure: string;
  /** Horizon and window, as in the configuration. */
  readonly horizon: string;
  readonly window: string;
  /** The grouping set whose cohorts are listed. */
  readonly by: readonly string[];
  /** What cohorts are compared with: the control in their place, or everything together. */
  readonly against: 'control' | 'everything';
  /** Only cohorts whose names contain this text, ignoring case, are listed. */
  readonly filter: string;
  /** `lists`, `cohort`, or the name of a measure. */
  readonly sort: string;
  readonly order: 'falling' | 'rising';
  /** Page number, from 1. */
  readonly page: number;
  /** The cohort of `by` that is shown in detail; undefined: none. */
  readonly cohort: readonly string[] | undefined;
  /** Whether all of the last lists are shown, in addition to those that went wrong. */
  readonly showsLast: boolean;
  /** undefined: the theme of the reader's system. */
  readonly theme: 'light' | 'dark' | undefined;
}

type QuerySettings = Pick<Settings, 'attribution' | 'cohorts' | 'experiments' | 'measures' | 'windows'>;

const LONGEST_FILTER = 100;
const MOST_PAGES = 10_000;

/** The query of a reader who has chosen nothing. */
export function defaultQuery({ attribution, cohorts, experiments, measures, windows }: QuerySettings): LiveQuery {
  const by = cohorts.find((set) => set.length > 0) ?? [];
  return {
    measure: experiments[0]?.primary ?? measures[0].canonical,
    horizon: attribution.horizons[0].text,
    // The shortest window shows changes first, but says little about small cohorts.
    window: (windows[1] ?? windows[0]).text,
    by,
    against: defaultAgainst(by, experiments),
    filter: '',
    sort: 'lists',
    order: 'falling',
    page: 1,
    cohort: undefined,
    showsLast: false,
    theme: undefined,
  };
}

function defaultAgainst(by: readonly string[], [first]: QuerySettings['experiments']): LiveQuery['against'] {
  return first !== undefined && by.includes(first.dimension) ? 'control' : 'everything';
}

/** Parses the part of an address after `?`. Unknown values become defaults: a link may be older than the configuration. */
export function readQuery(text: string, settings: QuerySettings): LiveQuery {
  const defaults = defaultQuery(settings);
  const asked = new URLSearchParams(text);
  const one = (name: string, known: readonly string[]): string | undefined =>
    known.find((value) => value === asked.get(name));
  const measures = settings.measures.map(({ canonical }) => canonical);
  const by = settings.cohorts.find((set) => set.join() === asked.get('by')) ?? defaults.by;
  const order = one('order', ['falling', 'rising']) === 'rising' ? 'rising' : 'falling';
  const page = Number(asked.get('page') ?? '1');
  const values = asked.get('cohort')?.split(',');
  const against = one('against', ['control', 'everything']);
  const theme = one('theme', ['light', 'dark']);
  const otherwise = defaultAgainst(by, settings.experiments);
  return {
    measure: one('measure', measures) ?? defaults.measure,
    horizon:
      one(
        'horizon',
        settings.attribution.horizons.map(({ text: name }) => name),
      ) ?? defaults.horizon,
    window:
      one(
        'window',
        settings.windows.map(({ text: name }) => name),
      ) ?? defaults.window,
    by,
    against: otherwise === 'control' && against === 'everything' ? 'everything' : otherwise,
    filter: (asked.get('filter') ?? '').trim().slice(0, LONGEST_FILTER),
    sort: one('sort', ['lists', 'cohort', ...measures]) ?? 'lists',
    order,
    page: Number.isSafeInteger(page) && page >= 1 && page <= MOST_PAGES ? page : 1,
    cohort: values?.length === by.length && by.length > 0 ? values : undefined,
    showsLast: asked.get('lists') === 'last',
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  };
}

/**
 * The query as text in an address. It contains only what differs from the defaults, in a fixed order, so equal queries have equal texts.
 * '' is the default.
 */
export function queryText(query: LiveQuery, settings: QuerySettings): string {
  const defaults = defaultQuery(settings);
  const text = new URLSearchParams();
  const add = (name: string, value: string, otherwise: string): void => {
    if (value !== otherwise) text.set(name, value);
  };
  add('measure', query.measure, defaults.measure);
  add('horizon', query.horizon, defaults.horizon);
  add('window', query.window, defaults.window);
  add('by', query.by.join(), defaults.by.join());
  add('against', query.against, defaultAgainst(query.by, settings.experiments));
  add('filter', query.filter, '');
  add('sort', query.sort, 'lists');
  add('order', query.order, 'falling');
  add('page', String(query.page), '1');
  add('cohort', query.cohort?.join() ?? '', '');
  add('lists', query.showsLast ? 'last' : '', '');
  add('theme', query.theme ?? '', '');
  return text.toString();
}
