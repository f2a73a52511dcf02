import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** The command that tests start: of the sources, or the compiled one that test/built.ts has made. */
export const RECEVAL = resolve(process.env['TESTED_FOLDER'] ?? ROOT, 'bin/receval');
