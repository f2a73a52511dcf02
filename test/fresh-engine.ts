import type { TestProject } from 'vitest/node';
import { compileAll, isStale } from '../wasm/compile.ts';

/** Before tests run: an engine that was compiled from other sources would be tested in place of that of these. */
async function compileStale(): Promise<void> {
  if (!isStale()) return;
  process.stderr.write('tests: wasm/ has changed since it was compiled; compiling it\n');
  await compileAll();
}

export default async function setup(project: TestProject): Promise<void> {
  await compileStale();
  project.onTestsRerun(compileStale);
}
