import { extname } from 'node:path';
import { UsageError } from './failure.ts';
import { mustBeWritable } from './written-file.ts';

/** Endings that promise another form than the one that is written. */
const OTHERS = ['.png', '.pdf', '.jpg', '.jpeg', '.gif', '.webp', '.eps', '.ps', '.tif', '.tiff', '.html'];

/** @throws UsageError for a name that a plot should not have, or where it cannot be written */
export function mustBePlotFile(flag: string, path: string, inputs: readonly string[]): void {
  const ending = extname(path);
  if (OTHERS.includes(ending.toLowerCase())) {
    const svg = `${path.slice(0, -ending.length)}.svg`;
    throw new UsageError(
      `${flag}: plots are SVG, which browsers, Word and LaTeX (svg) take: name it ${svg}; for ${path}: rsvg-convert ${svg} -o ${path}, or inkscape ${svg} -o ${path}`,
    );
  }
  mustBeWritable(flag, path, inputs);
}
