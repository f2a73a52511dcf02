import { createServer } from 'node:net';

/**
 * Below those that the kernel hands out by itself (32768 and above on Linux, 49152 elsewhere): nobody who connects, or
 * listens on any port, takes one before the server that it is meant for has it, or while that server is away.
 */
const LOWEST = 15_000;
const HIGHEST = 32_000;

/** Where this process continues; others begin elsewhere. */
let next = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));

/** A port of the loopback address that nobody listens on, and that this process has not named for long. */
export async function freePort(): Promise<number> {
  for (let tries = HIGHEST - LOWEST; tries > 0; tries--) {
    const port = next;
    next = port + 1 < HIGHEST ? port + 1 : LOWEST;
    if (await isFree(port)) return port;
  }
  throw new Error(`every port from ${LOWEST} to ${HIGHEST} is taken`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
