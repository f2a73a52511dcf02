import { assertNever } from '../vocabulary/events.ts';
import type { Random } from './random.ts';
import { type ClickSettings, PAGE_LENGTH } from './simulation-settings.ts';

/**
 * Who is clicked on one page. `attraction[s]` is the chance that the item of slot s (from 0) is clicked when looked at.
 * Writes 1 or 0 into `clicked[s]` for each s < length; returns the number of clicks.
 */
export type ClickModel = (attraction: Float64Array, length: number, clicked: Uint8Array, random: Random) => number;

export function clickModel(settings: ClickSettings): ClickModel {
  switch (settings.model) {
    case 'position':
      return positionModel(settings.eta);
    case 'cascade':
      return cascadeModel(settings.satisfaction, settings.perseverance);
    default:
      return assertNever(settings);
  }
}

/** Chance that rank r of a page is examined: r^-eta (Joachims, Swaminathan and Schnabel 2017). */
export function examination(rank: number, eta: number): number {
  return rank ** -eta;
}

/**
 * The examination hypothesis (Richardson, Dominowska and Ragno 2007; Craswell et al. 2008, hypothesis 3): a click is
 * a slot that is examined and an item that attracts, independently. Draws two numbers per slot.
 */
function positionModel(eta: number): ClickModel {
  const theta = Float64Array.from({ length: PAGE_LENGTH }, (_, slot) => examination(slot + 1, eta));
  return (attraction, length, clicked, random) => {
    let clicks = 0;
    for (let slot = 0; slot < length; slot++) {
      const examined = random.next() < theta[slot];
      const attracted = random.next() < attraction[slot];
      clicked[slot] = examined && attracted ? 1 : 0;
      clicks += clicked[slot];
    }
    return clicks;
  };
}

/**
 * The user goes down the list and stops after a click that satisfies; else continues with the chance `perseverance`
 * (Chapelle and Zhang 2009). With satisfaction 1 and perseverance 1 it is the cascade model of Craswell et al. 2008.
 * Draws three numbers per slot, examined or not.
 */
function cascadeModel(satisfaction: number, perseverance: number): ClickModel {
  return (attraction, length, clicked, random) => {
    let clicks = 0;
    let looking = true;
    for (let slot = 0; slot < length; slot++) {
      const attracted = random.next() < attraction[slot];
      const satisfied = random.next() < satisfaction;
      const goesOn = random.next() < perseverance;
      clicked[slot] = looking && attracted ? 1 : 0;
      clicks += clicked[slot];
      if ((clicked[slot] === 1 && satisfied) || !goesOn) looking = false;
    }
    return clicks;
  };
}
