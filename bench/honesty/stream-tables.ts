/** Tables of streams that are made in memory. */
import { SAMPLE_CAPACITY } from '../../src/statistics/user-sample.ts';
import { each, head, print, row, type Seeds, share, spread } from './output.ts';
import { BROKEN, type CohortRatioSettings, type RatioSettings, watchCohorts, watchSplit } from './ratio.ts';
import { REGRESSED, SAME } from './settings.ts';
import { watch } from './watch.ts';

/** @param seeds streams of each kind */
export function sameVariants(seeds: Seeds): void {
  print('### Both variants are the same: streams with a false alarm', '');
  print(
    head(
      'traffic',
      'streams x looks',
      'regressed or improved',
      'z on lists, each look',
      'z on lists, once',
      't on users, each look',
      't on users, once',
      'srm p < .001',
      'srm found',
    ),
  );
  for (const [name, settings] of SAME) {
    const all = each(name, seeds, (seed) => watch(seed, settings));
    const count = (holds: (one: (typeof all)[number]) => boolean): string =>
      share(all.filter(holds).length, all.length);
    print(
      row(
        name,
        `${all.length} x ${settings.looks}`,
        count(({ regressed, improved }) => regressed !== undefined || improved !== undefined),
        count(({ listsEachLook }) => listsEachLook),
        count(({ listsOnce }) => listsOnce),
        count(({ usersEachLook }) => usersEachLook),
        count(({ usersOnce }) => usersOnce),
        count(({ srmP }) => srmP),
        count(({ srm }) => srm !== undefined),
      ),
    );
  }
  print('');
}

export function worseTreatment({ count, first }: Seeds): void {
  print('### The treatment is clicked less often by 5 %', '');
  print(
    head(
      'traffic',
      'streams',
      'regressed',
      'improved',
      'delay in looks: median (5 % to 95 %)',
      'in users',
      'in lists',
      'users and lists at the end (median)',
    ),
  );
  const n = Math.ceil(count / 5);
  for (const [name, settings] of REGRESSED) {
    const all = each(name, { count: n, first }, (seed) => watch(seed, settings));
    const found = all.flatMap((one) => one.regressed ?? []);
    const later = found.filter(({ looks }) => looks > settings.from);
    const usersAt = (users: number): number => Math.round(users / 100) * 100;
    print(
      row(
        name,
        n,
        share(later.length, n) + (later.length < found.length ? `, too early: ${found.length - later.length}` : ''),
        share(all.filter(({ improved }) => improved !== undefined).length, n),
        spread(later.map(({ looks }) => looks - settings.from)),
        settings.from > 0 ? '-' : spread(later.map(({ users }) => usersAt(users))),
        settings.from > 0 ? '-' : spread(later.map(({ lists }) => usersAt(lists))),
        `${spread(all.map(({ last }) => usersAt(last.users))).split(' ')[0]}, ${spread(all.map(({ last }) => usersAt(last.lists))).split(' ')[0]}`,
      ),
    );
  }
  print('');
}

export function wrongSplit({ count, first }: Seeds): void {
  print('### The split of the users is off', '');
  print(head('deviation', 'users', 'units', 'streams x looks', 'srm found', 'after users: median (5 % to 95 %)'));
  const n = Math.ceil(count / 10);
  for (const [users, looks, capacity, deviations] of [
    [30_000, 25, SAMPLE_CAPACITY, [0, 0.02, 0.03, 0.05]],
    [100_000, 10, SAMPLE_CAPACITY, [0, 0.02, 0.03]],
    [100_000, 10, Number.POSITIVE_INFINITY, [0, 0.02, 0.03]],
  ] as const) {
    for (const deviation of deviations) {
      const settings: RatioSettings = { users, looks, deviation, capacity };
      const found = each(`split off by ${deviation}`, { count: n, first }, (seed) =>
        watchSplit(seed, settings),
      ).flatMap((one) => one ?? []);
      print(
        row(
          `${100 * deviation} %`,
          users.toLocaleString('en'),
          capacity === SAMPLE_CAPACITY ? 'one' : 'four or more',
          `${n} x ${looks}`,
          share(found.length, n),
          spread(found.map((one) => one.users)),
        ),
      );
    }
  }
  print('');
}

/** The split of the users in twenty cohorts, of which one loses users of the treatment. */
export function wrongCohort({ count, first }: Seeds): void {
  print('### The split of the users is off in one of 20 cohorts', '');
  print(
    head(
      'lost in it',
      'users',
      'streams x looks',
      'warning there',
      'elsewhere',
      'p adjusted < .05 anywhere',
      'chi-square of a cohort < .001, each look',
      'srm found by all users',
    ),
  );
  const n = Math.ceil(count / 5);
  for (const [users, losses] of [
    [30_000, [0, 0.1, 0.2, 0.3, 0.5]],
    [200_000, [0, 0.05, 0.1, 0.2]],
  ] as const) {
    for (const lost of losses) {
      const settings: CohortRatioSettings = { users, looks: 24, cohorts: 20, lost };
      const all = each(`one cohort loses ${lost}`, { count: n, first }, (seed) => watchCohorts(seed, settings));
      const times = (holds: (one: (typeof all)[number]) => boolean): string => share(all.filter(holds).length, n);
      print(
        row(
          `${100 * lost} %`,
          users.toLocaleString('en'),
          `${n} x ${settings.looks}`,
          times(({ warned }) => warned.includes(BROKEN)),
          times(({ warned }) => warned.some((cohort) => cohort !== BROKEN)),
          times(({ adjusted }) => adjusted < 0.05),
          times(({ chiSquareEachLook }) => chiSquareEachLook),
          times(({ total }) => total),
        ),
      );
    }
  }
  print('');
}
