import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group that a process enters by writing its id into `procs`; the kernel kills what takes more memory. */
export interface MemoryGroup {
  readonly procs: string;
  /** Times that the kernel has killed in it. */
  kills(): number;
  /** Once nothing runs in it. */
  remove(): void;
}

interface Hierarchy {
  readonly root: string;
  readonly limit: string;
  /** The file that counts kills. */
  readonly events: string;
}

const HIERARCHIES: readonly Hierarchy[] = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
];

/** undefined: here we may not make one. */
export function memoryGroup(bytes: number): MemoryGroup | undefined {
  for (const { root, limit, events } of HIERARCHIES) {
    const folder = join(root, `receval-test-${process.pid}-${Date.now()}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    const remove = (): void => rmdirSync(folder);
    if (!existsSync(join(folder, limit))) {
      remove();
      continue;
    }
    try {
      writeFileSync(join(folder, limit), String(bytes));
    } catch {
      remove();
      continue;
    }
    const kills = (): number => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, events), 'utf8'))?.[1] ?? 0);
    return { procs: join(folder, 'cgroup.procs'), kills, remove };
  }
  return undefined;
}
