import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { debianProgram } from '../services/debian.ts';

export interface SlowSyncs {
  /** Lets the process go. Returns how many syncs were slow. @throws Error if none was */
  end(): Promise<number>;
}

/** Holds up each fsync and fdatasync of a process, as a slow disk does. @throws ServiceMissing */
export async function slowSyncs(pid: number, ms: number): Promise<SlowSyncs> {
  const strace = await debianProgram({ command: 'strace', debianPackage: 'strace' });
  const inject = `inject=fsync,fdatasync:delay_enter=${ms}ms`;
  const child = spawn(strace, ['-f', '-q', '-e', 'trace=fsync,fdatasync', '-e', inject, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const gone = once(child, 'exit');
  return {
    end: async () => {
      child.kill('SIGINT');
      await gone;
      const count = printed.split('DELAYED').length - 1;
      if (count === 0) throw new Error(`no sync was slow: ${printed.slice(-500)}`);
      return count;
    },
  };
}
