/** What is made for many readers: a text with its version, in turns of the event loop, so that nothing waits for long. */
import { createHash } from 'node:crypto';
import type { Versioned } from '../server/routes.ts';
import { Turns } from '../vocabulary/clock.ts';

/** A worker and an exporter have other things to do: after so many ms they come first. */
const TURN_MS = 1;

/** The first piece is made before it returns; another turn may begin after each. */
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
