import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../consumers/source/kafka/collector.ts';

const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';
const HEAP_MB = 256;

/** Most memory that a process has had, in MB (proc(5)). */
function peakOf(pid: number | undefined): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function attacker(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  socket.write(REQUEST.repeat(900));
  return socket;
}

test(`a process with a heap of ${HEAP_MB} MB survives 160 clients that ask 900 times each and never read`, async () => {
  const flags = [`--max-old-space-size=${HEAP_MB}`, '--import', 'tsx', resolve(import.meta.dirname, 'served.ts')];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  const sockets: Socket[] = [];
  try {
    const [printed] = await once(child.stdout, 'data');
    const port = Number(printed);
    sockets.push(...(await Promise.all(Array.from({ length: 160 }, () => attacker(port)))));
    for (let n = 0; n < 10; n++) {
      const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(reply.status).toBe(200);
      expect((await reply.text()).length).toBeGreaterThan(100_000);
    }
    // All that one read of each holds has been looked at.
    await until('the attack has been taken', () => sockets.every(({ bytesWritten }) => bytesWritten > 0));
    expect(child.exitCode).toBe(null);
    expect(peakOf(child.pid)).toBeLessThan(HEAP_MB);
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  }
});
