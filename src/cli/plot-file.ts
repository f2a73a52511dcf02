import { extname } from 'node:path';
import { UsageError } from './failure.ts';
import { isOther, mustBeWritable } from './written-file.ts';

/** @throws UsageError for a name that a plot should not have, or where it cannot be written */
export function mustBePlotFile(flag: string, path: string, inputs: readonly string[]): void {
  mustBeWritable(flag, path, inputs);
  const ending = extname(path);
  if (ending.toLowerCase() !== '.svg' && !isOther(path)) {
    const svg = `${ending === '' ? path : path.slice(0, -ending.length)}.svg`;
    const other = /^\.(?:png|pdf|eps|ps)$/i.test(ending)
      ? `; for ${path}: rsvg-convert ${svg} -o ${path}, or inkscape ${svg} -o ${path}`
      : '';
    throw new UsageError(`${flag}: plots are SVG, which browsers, Word and LaTeX (svg) take: name it ${svg}${other}`);
  }
}
