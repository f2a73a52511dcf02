/** Tables of crowds: how often variants that are the same are distinguished, and how often a loss is found. */
import { LOSSES, POWER, POWER_USERS, SAME_CROWDS } from './crowd-settings.ts';
import { watchCrowd } from './crowd-watch.ts';
import { each, head, print, row, type Seeds, shareWithError } from './output.ts';

/** @param seeds of a thousand, four hundred experiments of each kind */
export function sameCrowds({ count, first }: Seeds): void {
  print('### All variants are the same, in crowds as they hurt', '');
  print(
    head('traffic', 'experiments x looks', 'regressed or improved', '`few_users` at the end', 'invalid at the end'),
  );
  for (const name of SAME_CROWDS.keys()) print(sameCrowd(name, { count: Math.ceil(count * 0.4), first }));
  print('');
}

/** One line of the table. */
export function sameCrowd(name: string, seeds: Seeds): string {
  const settings = SAME_CROWDS.get(name);
  if (settings === undefined) throw new Error(`no crowd "${name}"`);
  const all = each(name, seeds, (seed) => watchCrowd(seed, settings));
  const share = (holds: (one: (typeof all)[number]) => boolean): string =>
    shareWithError(all.filter(holds).length, all.length);
  return row(
    name,
    `${all.length} x ${settings.hours}`,
    share(({ decided }) => decided),
    share(({ reason }) => reason === 'few_users'),
    share(({ reason }) => ['srm', 'crossover', 'effect_changed'].includes(reason)),
  );
}

/** @param seeds of a thousand, a hundred experiments of each kind */
export function crowdPower({ count, first }: Seeds): void {
  const seeds = { count: Math.ceil(count / 10), first };
  print('### How often a loss is found: looks each hour, and one test at the end', '');
  print(head('loss', 'users', 'experiments', 'regressed at any look', 'Welch once, at the end', 'hours until: median'));
  for (const loss of LOSSES) {
    for (const users of POWER_USERS) {
      const all = each(`loss ${loss}, ${users} users`, seeds, (seed) => watchCrowd(seed, { ...POWER, users, loss }));
      const hours = all.flatMap(({ regressed }) => regressed ?? []).sort((a, b) => a - b);
      print(
        row(
          `${100 * loss} %`,
          users.toLocaleString('en'),
          all.length,
          shareWithError(hours.length, all.length),
          shareWithError(all.filter(({ fixedWorse }) => fixedWorse).length, all.length),
          hours.length === 0 ? '-' : `${hours[Math.floor(hours.length / 2)]} of ${POWER.hours}`,
        ),
      );
    }
  }
  print('');
}
