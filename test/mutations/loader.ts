import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Change, changed } from './mutation.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/**
 * Imports a module of a copy of src in which the changes are made. `load` gets the absolute path of `file` (below src) in
 * the copy. The copy is gone when this returns: a module that imports more of src later would not find it.
 */
export async function withMutation<Module>(
  changes: readonly Change[],
  file: string,
  load: (path: string) => Promise<Module>,
): Promise<Module> {
  const folder = await mkdtemp(join(tmpdir(), 'receval-mutation-'));
  try {
    await cp(SRC, join(folder, 'src'), { recursive: true });
    await symlink(PACKAGES, join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const change of changes) {
      const path = join(folder, 'src', change.file);
      await writeFile(path, changed(await readFile(path, 'utf8'), change));
    }
    return await load(join(folder, 'src', file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
