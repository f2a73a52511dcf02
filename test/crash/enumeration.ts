import { FAULT_LABELS, type FaultLabel } from '../../src/vocabulary/fault-point.ts';
import { live, type MakeWorker } from './life.ts';
import type { Step } from './script.ts';
import { BEGINNING, FATES, type Fate, type Moment, World } from './world.ts';

/** A process is killed here. */
export interface Crash {
  /** Labels, and which time. All that a process passes while nothing happens outside of it are one moment. */
  readonly at: readonly string[];
  readonly fate: Fate;
  readonly moment: Moment;
}

/** After that a process has recovered: what it continues from is its own. */
const RECOVERED: FaultLabel = 'offsets sent';
const RESTART_MS = 700;

/** How often an unbroken run passes each label. */
export async function passedBy(
  steps: readonly Step[],
  makeWorker: MakeWorker,
): Promise<ReadonlyMap<FaultLabel, number>> {
  const times = new Map<FaultLabel, number>(FAULT_LABELS.map((label) => [label, 0]));
  await live(new World(steps, BEGINNING, 'lost'), makeWorker, (label) => {
    times.set(label, (times.get(label) ?? 0) + 1);
  });
  return times;
}

/** The first, second, middle and last time of every label. */
export async function firstCrashes(steps: readonly Step[], makeWorker: MakeWorker): Promise<readonly Crash[]> {
  const times = await passedBy(steps, makeWorker);
  const passed = new Map<FaultLabel, number>();
  const world = new World(steps, BEGINNING, 'lost');
  const moments = new Moments(world);
  await live(world, makeWorker, (label) => {
    const nth = (passed.get(label) ?? 0) + 1;
    passed.set(label, nth);
    const all = times.get(label) ?? 0;
    if ([1, 2, Math.ceil(all / 2), all].includes(nth)) moments.add(`${label} (${nth} of ${all})`);
  });
  return moments.crashes;
}

/** What is stored in the end when another process comes after a crash, and every crash on its way back: at each label, the first time. */
export async function recovery(
  steps: readonly Step[],
  { moment, fate }: Crash,
  makeWorker: MakeWorker,
): Promise<{ readonly stored: World['stored']; readonly crashes: readonly Crash[] }> {
  const passed = new Set<FaultLabel>();
  const world = new World(steps, moment, fate);
  const moments = new Moments(world);
  await world.clock.advance(RESTART_MS);
  const stored = await live(world, makeWorker, (label) => {
    if (passed.has(RECOVERED) || passed.has(label)) return;
    passed.add(label);
    moments.add(label);
  });
  return { stored, crashes: moments.crashes };
}

/** Moments of one world, each with the labels that were passed at it. */
class Moments {
  readonly #world: World;
  readonly #all: { readonly moment: Moment; readonly at: string[] }[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  add(label: string): void {
    const { now, happened } = this.#world;
    const last = this.#all.at(-1);
    if (last?.moment.now === now && last.moment.happened === happened) last.at.push(label);
    else this.#all.push({ moment: this.#world.moment, at: [label] });
  }

  /** Each with all that can become of what is under way; where nothing is, all fates are one. */
  get crashes(): readonly Crash[] {
    return this.#all.flatMap(({ at, moment }) => {
      const fates = moment.underWay.length > 0 ? FATES : FATES.slice(0, 1);
      return fates.map((fate) => ({ at, fate, moment }));
    });
  }
}
