/** Where a server or a worker runs: on this machine itself, or on one of the machines of test/faults/network.ts. */
export interface Place {
  /** By which the others reach it. */
  readonly address: string;
  /** How a program is started there; the process that is started is the program's own. */
  readonly command: (file: string, args: readonly string[]) => readonly [string, readonly string[]];
}

export const LOOPBACK: Place = { address: '127.0.0.1', command: (file, args) => [file, args] };
