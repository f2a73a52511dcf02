import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect } from 'vitest';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { NAMESPACES_AND_PYTHON, Network } from './network.ts';
import type { Manner, Passed } from './wire.ts';

const SENT = 1000;
const PORT = 4000;
/** Takes datagrams until none has come for a while. */
const TAKE = `import json, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", ${PORT}))
print("up", flush=True)
s.settimeout(20)
taken = []
try:
  while True:
    taken.append(int(s.recv(100)))
    s.settimeout(2)
except TimeoutError:
  print(json.dumps(taken))`;
/** A pause now and then, since a receiver's buffer is finite. */
const SEND = `import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(${SENT}):
  s.sendto(str(n).encode(), (sys.argv[1], ${PORT}))
  if n % 20 == 19: time.sleep(0.005)`;

interface Seen {
  readonly taken: readonly number[];
  readonly passed: Passed;
}

describe('a wire', () => {
  itWith(NAMESPACES_AND_PYTHON, 'lets everything through in order, if asked for nothing else', async (python) => {
    const { taken, passed } = await through(python, ['from'], { seed: 1, delay: 50 });
    expect(taken).toEqual(Array.from({ length: SENT }, (_, n) => n));
    expect(passed).toEqual({ passed: SENT, lost: 0, twice: 0, late: 0 });
  });

  itWith(
    NAMESPACES_AND_PYTHON,
    'loses, doubles and delays as its seed says, the same again and again',
    async (python) => {
      const manner = { seed: 7, delay: 20, loss: 5, twice: 3, late: 10, behind: 100 };
      const one = await through(python, ['from'], manner);
      const again = await through(python, ['from'], manner);
      const other = await through(python, ['from'], { ...manner, seed: 8 });
      expect(sorted(again)).toEqual(sorted(one));
      expect(again.passed).toEqual(one.passed);
      expect(sorted(other)).not.toEqual(sorted(one));

      const { passed, lost, twice, late } = one.passed;
      const kinds = new Set(one.taken);
      expect(one.taken.length).toBe(passed);
      expect(passed).toBe(SENT - lost + twice);
      expect(kinds.size).toBe(SENT - lost);
      expect([lost, twice, late].every((count) => count > 0)).toBe(true);
      // Those that were held back came after what was sent later.
      expect(one.taken.filter((n, i) => i > 0 && n < one.taken[i - 1]).length).toBeGreaterThan(0);
    },
  );

  itWith(NAMESPACES_AND_PYTHON, 'takes what a machine is sent and leaves alone what it sends', async (python) => {
    const { taken, passed } = await through(python, ['to'], { seed: 1, loss: 100 });
    expect(taken.length).toBe(SENT);
    expect(passed).toEqual({ passed: 0, lost: 0, twice: 0, late: 0 });
  });
});

/** Sends numbered datagrams from one machine, of which the wire takes these ways, to another one. */
async function through(python: string, ways: readonly ('from' | 'to')[], manner: Manner): Promise<Seen> {
  const network = await Network.open(['sender', 'taker']);
  try {
    const [sender, taker] = network.machines;
    await network.layWire([sender], ways, manner);
    const [file, words] = taker.command(python, ['-c', TAKE]);
    const taking = spawn(file, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: taking.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('up');
    const sent = await run(...sender.command(python, ['-c', SEND, taker.address]));
    expect(sent).toEqual({ code: 0, stdout: '', stderr: '' });
    const taken: readonly number[] = JSON.parse((await lines.next()).value);
    return { taken, passed: await network.takeWire() };
  } finally {
    await network.close();
  }
}

function sorted({ taken }: Seen): readonly number[] {
  return [...taken].sort((a, b) => a - b);
}
