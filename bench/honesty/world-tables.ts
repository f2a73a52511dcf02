/** How often equal variants are decided in each world, and how often a loss is found. */
import { type CrowdWatched, watchLists } from './crowd-watch.ts';
import { each, head, print, row, type Seeds, shareWithError } from './output.ts';
import { drawWorld, type World } from './world.ts';
import { SOUND, UNSEEN, UNSOUND } from './worlds.ts';

const HEAD = ['world', 'experiments x looks', 'regressed or improved', 'Welch once, at the end', 'srm at any look'];

/** @param seeds of a thousand, two hundred experiments of each kind */
export function sameWorlds({ count, first }: Seeds): void {
  const seeds = { count: Math.ceil(count / 5), first };
  for (const [title, worlds] of [
    ['at most 5 % may be decided', SOUND],
    ['nothing may be decided', UNSOUND],
    ['it cannot be seen', UNSEEN],
  ] as const) {
    print(`### All variants are the same: ${title}`, '', head(...HEAD, 'at the end'));
    for (const [name, world] of worlds) print(sameWorld(name, world, seeds));
    print('');
  }
}

function sameWorld(name: string, world: World, seeds: Seeds): string {
  const all = each(name, seeds, (seed) => watchLists(drawWorld(seed, world)));
  const share = (holds: (one: CrowdWatched) => boolean): string => shareWithError(all.filter(holds).length, all.length);
  const ends = new Map<string, number>();
  for (const { reason } of all) ends.set(reason, (ends.get(reason) ?? 0) + 1);
  return row(
    name,
    `${all.length} x ${world.looks}`,
    share(({ decided }) => decided),
    share(({ fixed }) => fixed),
    share(({ srm }) => srm),
    [...ends]
      .sort(([, a], [, b]) => b - a)
      .map(([reason, some]) => `${reason} ${some}`)
      .join(', '),
  );
}

const LOSSES = [0.05, 0.1] as const;

/** @param seeds of a thousand, fifty experiments of each kind */
export function worseWorlds({ count, first }: Seeds): void {
  const seeds = { count: Math.ceil(count / 20), first };
  print('### The variants differ: how often a loss of clicks is found in sound worlds', '');
  print(head('world', 'loss', 'experiments x looks', 'regressed at any look', 'Welch once, at the end'));
  for (const [name, world] of SOUND) {
    for (const loss of LOSSES) {
      const all = each(`${name}, loss ${loss}`, seeds, (seed) => watchLists(drawWorld(seed, world, loss)));
      const found = all.filter(({ regressed }) => regressed !== undefined).length;
      const once = all.filter(({ fixedWorse }) => fixedWorse).length;
      const cells = [found, once].map((some) => shareWithError(some, all.length));
      print(row(name, `${100 * loss} %`, `${all.length} x ${world.looks}`, ...cells));
    }
  }
  print('');
}
