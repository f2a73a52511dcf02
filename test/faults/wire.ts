import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onPath } from '../services/commands.ts';
import { MachineCannot } from '../services/debian.ts';
import type { Service } from '../services/it-with.ts';

/** What becomes of packets; shares are percent. What is not named does not happen. */
export interface Manner {
  readonly seed: number;
  /** Milliseconds that each packet takes. */
  readonly delay?: number;
  readonly loss?: number;
  readonly twice?: number;
  /** Share that is overtaken by what was sent up to `behind` milliseconds later. */
  readonly late?: number;
  readonly behind?: number;
}

/** Packets, by what became of them; one that came late or twice has passed, too. */
export interface Passed {
  readonly passed: number;
  readonly lost: number;
  readonly twice: number;
  readonly late: number;
}

export const PYTHON: Service<string> = {
  name: 'Python',
  get: async () => {
    const python = onPath('python3', process.env['PATH'] ?? '');
    if (python === undefined)
      throw new MachineCannot('there is no python3 on the PATH; on Debian: apt-get install python3');
    return python;
  },
};

/** The process of wire.py: a device from which packets come out again late, twice, in another order, or not at all. */
export class Wire {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  /** `enter` are the words that run a program in the network namespace of the device. @throws ServiceMissing */
  static async make(enter: readonly string[], device: string, manner: Manner): Promise<Wire> {
    const all = { delay: 0, loss: 0, twice: 0, late: 0, behind: 0, ...manner };
    const [file, ...words] = [
      ...enter,
      await PYTHON.get(),
      join(import.meta.dirname, 'wire.py'),
      device,
      JSON.stringify(all),
    ];
    const wire = new Wire(spawn(file, words, { stdio: ['pipe', 'pipe', 'pipe'] }));
    await wire.#line();
    return wire;
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    const { stdout } = child;
    if (stdout === null) throw new Error('the wire has no output');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** Takes the device away. Packets that were under way are lost. */
  async end(): Promise<Passed> {
    const gone = once(this.#child, 'exit');
    this.#child.stdin?.end();
    const counts: Passed = JSON.parse(await this.#line());
    await gone;
    return counts;
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done !== true) return value;
    const said = this.#child.stderr?.read();
    throw new MachineCannot(`the wire has ended: ${said ?? 'without a word'}`);
  }
}
