/** Makes a text with its version, for many readers, in turns of the event loop, so that nothing waits for long. */
import { createHash } from 'node:crypto';
import type { Versioned } from '../server/routes.ts';
import { Turns } from '../vocabulary/clock.ts';

/** Longest turn in ms, after which the other work of a worker or exporter runs. */
const TURN_MS = 1;

/** The first piece is made before this returns; another turn may begin after each piece. */
export async function madeInTurns(pieces: () => Iterable<string>): Promise<Versioned> {
  const turns = new Turns(TURN_MS);
  const hash = createHash('sha256');
  let body = '';
  for (const piece of pieces()) {
    hash.update(piece);
    body += piece;
    await turns.step();
  }
  return { body, etag: `"${hash.digest('base64url').slice(0, 22)}"` };
}
