import { Buffer } from 'node:buffer';
import type { EpochMs } from '../../vocabulary/events.ts';
import { type Engine, SETTINGS_AT } from '../engine/engine.ts';
import { textBound, writeText } from '../packed/text.ts';
import { Delays, type JoinSettings, type JoinSink } from './api.ts';

/** Up to this many records are searched one by one; for more an index is made. */
const SEARCH_UP_TO = 64;
/** The same for the items of a list, in bytes per record. */
const LONG_LIST_BYTES = 16;
const MOST = 0x7fffffff;

/** Opens a unit (wasm/engine/unit.ts) and returns its place. */
export function openUnit(own: Engine, settings: JoinSettings, sink: JoinSink, decidedUpTo: EpochMs): number {
  const { observer, readsNames = true } = sink;
  const { horizons, topics, actions, hashSeed = 0, searchUpTo = SEARCH_UP_TO } = settings;
  const numbers = [...horizons, ...Delays.bounds];
  const texts = actions.reduce((bytes, name) => bytes + textBound(name.length), 0);
  const block = own.take(8 * numbers.length + texts);
  own.doubles.set(numbers, block >>> 3);
  const names = Buffer.alloc(texts);
  let end = 0;
  for (const name of actions) end = writeText(names, end, name);
  own.bytes.set(names.subarray(0, end), block + 8 * numbers.length);
  const { words, doubles } = own;
  const at = SETTINGS_AT >>> 2;
  words[at] = hashSeed % 2 ** 32;
  words[at + 1] = Math.floor(hashSeed / 2 ** 32);
  doubles[(SETTINGS_AT >>> 3) + 1] = settings.backward;
  doubles[(SETTINGS_AT >>> 3) + 2] = decidedUpTo;
  words.set(
    [
      topics.length,
      horizons.length,
      Math.min(settings.feedbackPerImpression, MOST),
      Math.min(searchUpTo, MOST),
      Math.min(LONG_LIST_BYTES * searchUpTo, MOST),
      topics.filter((role) => role.feedback).length,
      observer === undefined ? 0 : 1,
      actions.length,
      Delays.bounds.length,
      readsNames || observer !== undefined || settings.namesItems === true ? 1 : 0,
      block,
    ],
    at + 6,
  );
  return own.begin();
}
