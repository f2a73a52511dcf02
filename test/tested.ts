import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const { TESTED_FOLDER } = process.env;

/** The command that tests start: of the sources, or the compiled one that test/built.ts has made. */
export const RECEVAL = resolve(TESTED_FOLDER ?? ROOT, 'bin/receval');

/** What Node is given to start the service that ends itself at a fault point: test/crash/service.ts. */
export const KILLED_SERVICE: readonly string[] =
  TESTED_FOLDER === undefined
    ? ['--import', 'tsx', join(ROOT, 'test/crash/service.ts')]
    : [join(TESTED_FOLDER, 'dist/cli/killed.js')];
