import type { Located } from './problems.ts';
import { type Path, printPath } from './tree.ts';

/** Collects what is wrong across settings. Says nothing about settings that are wrong by themselves already. */
export class Report {
  readonly problems: Located[] = [];
  readonly #broken: readonly string[];

  /** `broken`: printed paths of settings that were left at their defaults because they are wrong. */
  constructor(broken: readonly string[]) {
    this.#broken = broken;
  }

  /** `needs`: other settings that the judgement rests on; it is moot where one of them is wrong. */
  add(path: Path, message: string, needs: readonly string[] = []): void {
    const mine = this.problems.map((problem) => printPath(problem.path));
    const isMoot = needs.some((text) => this.isBroken(text) || mine.some((wrong) => isWithin(wrong, text)));
    if (!isMoot && !this.isBroken(printPath(path))) this.problems.push({ path, message });
  }

  /** Whether this setting, one above it or one below it is wrong by itself. */
  isBroken(path: string): boolean {
    return this.#broken.some((wrong) => isWithin(wrong, path) || isWithin(path, wrong));
  }
}

function isWithin(path: string, above: string): boolean {
  return path === above || (path.startsWith(above) && '.['.includes(path[above.length]));
}
