import { Buffer } from 'node:buffer';
import type { EpochMs } from '../../vocabulary/events.ts';
import type { Engine } from '../engine/engine.ts';
import { SETTINGS } from '../engine/engine-layout.ts';
import { textBound, writeText } from '../packed/text.ts';
import { Delays, type JoinSettings, type JoinSink } from './api.ts';

/** Up to this many records are searched one by one; for more an index is made. */
const SEARCH_UP_TO = 64;
/** The same limit for the items of a list, in bytes per record. */
const LONG_LIST_BYTES = 16;
const MOST = 0x7fffffff;

/** Opens a unit (wasm/engine/unit.ts) and returns its address. */
export function openUnit(own: Engine, settings: JoinSettings, sink: JoinSink, decidedUpTo: EpochMs): number {
  const { observer, readsNames = true, adder = 0 } = sink;
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
  const at = SETTINGS.AT >>> 2;
  words[at + SETTINGS.seed] = hashSeed % 2 ** 32;
  words[at + SETTINGS.seed + 1] = Math.floor(hashSeed / 2 ** 32);
  doubles[(SETTINGS.AT >>> 3) + SETTINGS.backward] = settings.backward;
  doubles[(SETTINGS.AT >>> 3) + SETTINGS.decidedUpTo] = decidedUpTo;
  words[at + SETTINGS.topics] = topics.length;
  words[at + SETTINGS.horizons] = horizons.length;
  words[at + SETTINGS.feedbackLimit] = Math.min(settings.feedbackPerImpression, MOST);
  words[at + SETTINGS.searchUpTo] = Math.min(searchUpTo, MOST);
  words[at + SETTINGS.longBytes] = Math.min(LONG_LIST_BYTES * searchUpTo, MOST);
  words[at + SETTINGS.feedbackTopics] = topics.filter((role) => role.feedback).length;
  words[at + SETTINGS.hasObserver] = observer === undefined ? 0 : 1;
  words[at + SETTINGS.actions] = actions.length;
  words[at + SETTINGS.delayBounds] = Delays.bounds.length;
  words[at + SETTINGS.hasNames] = readsNames || observer !== undefined || settings.namesItems === true ? 1 : 0;
  words[at + SETTINGS.adder] = adder;
  words[at + SETTINGS.block] = block;
  return own.begin();
}
