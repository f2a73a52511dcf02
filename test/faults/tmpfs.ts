import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../services/commands.ts';
import { MachineCannot } from '../services/debian.ts';

/** A small disk of its own, which can be filled. */
export class Tmpfs {
  readonly folder: string;

  /** @throws MachineCannot */
  static async mount(folder: string, megabytes: number): Promise<Tmpfs> {
    mkdirSync(folder, { recursive: true });
    const { code, stderr } = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'receval-faults', folder]);
    if (code !== 0) throw new MachineCannot(`no tmpfs can be mounted, which root alone may: ${stderr.trim()}`);
    return new Tmpfs(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
    process.once('exit', this.#lastResort);
  }

  readonly #lastResort = (): void => {
    spawnSync('umount', ['-l', this.folder]);
  };

  /** Leaves no byte free. */
  fill(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    try {
      writeFileSync(this.#ballast, Buffer.alloc(bavail * bsize));
    } catch (error) {
      // Somebody else has written in between: it is full all the same.
      if (!String(error).includes('ENOSPC')) throw error;
    }
  }

  empty(): void {
    rmSync(this.#ballast, { force: true });
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }

  async unmount(): Promise<void> {
    process.off('exit', this.#lastResort);
    await run('umount', ['-l', this.folder]);
  }
}
