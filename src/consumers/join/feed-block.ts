import { type Engine, FEED_AT } from '../engine/engine.ts';
import type { RecordRows } from '../engine/record-rows.ts';
import type { RecordReader } from './api.ts';

/** Where the engine reads what to feed (wasm/engine/feed.ts): doubles, then words. */
const LATEST = FEED_AT / 8;
const FUTURE_SKEW = LATEST + 1;
const OUT_OF_ORDERNESS = LATEST + 2;
const POSITION_BASE = LATEST + 3;
const IGNORED_KEYS = LATEST + 4;
const UNIT = FEED_AT / 4 + 10;
const TOPIC = UNIT + 1;
const ROWS = UNIT + 2;
const COUNT = UNIT + 3;
const NEXT = UNIT + 4;
const SCANNER = UNIT + 5;
const HOLDS = UNIT + 6;
const ITEMS_PER_LIST = UNIT + 7;
const LIMIT = UNIT + 8;
const HAS_MILLISECONDS = UNIT + 9;
const CARRIES_SCORES = UNIT + 10;
const ROW = UNIT + 11;

const MOST = 0x7fffffff;

/** What records are fed with. */
export interface FeedSettings {
  readonly unit: number;
  readonly topic: number;
  /** A later time is ahead of the clock; Infinity: there is no clock. */
  readonly latest: number;
  readonly futureSkew: number;
  readonly outOfOrderness: number;
}

/** Lets the engine read and judge rows. All joins of a process share one. */
export class FeedBlock {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the index of the row that the host must judge; -1: all were judged. */
  feed(
    { unit, topic, latest, futureSkew, outOfOrderness }: FeedSettings,
    reader: RecordReader,
    rows: RecordRows,
  ): number {
    const { words, doubles } = this.#engine;
    doubles[LATEST] = latest;
    doubles[FUTURE_SKEW] = futureSkew;
    doubles[OUT_OF_ORDERNESS] = outOfOrderness;
    doubles[POSITION_BASE] = reader.positionBase;
    doubles[IGNORED_KEYS] = 0;
    words[UNIT] = unit;
    words[TOPIC] = topic;
    words[ROWS] = rows.at;
    words[COUNT] = rows.count;
    words[NEXT] = rows.judged;
    words[SCANNER] = reader.number;
    words[HOLDS] = reader.holds;
    words[ITEMS_PER_LIST] = Math.min(reader.itemsPerList, MOST);
    words[LIMIT] = reader.limit;
    words[HAS_MILLISECONDS] = reader.hasMilliseconds ? 1 : 0;
    words[CARRIES_SCORES] = reader.carriesScores ? 1 : 0;
    this.#engine.scanCalls = reader;
    const unknown = this.#engine.feed();
    rows.judged = words[NEXT];
    const ignored = doubles[IGNORED_KEYS];
    if (ignored > 0) reader.ignored(ignored);
    return unknown;
  }

  /** The offset of the record that is judged. */
  get offset(): number {
    const { words, doubles } = this.#engine;
    return doubles[words[ROW] >>> 3];
  }
}
