import type { Engine } from '../engine/engine.ts';
import { FEED, IMPRESSION_EVENT, ROW, USERLESS } from '../engine/engine-layout.ts';
import type { RecordRows } from '../engine/record-rows.ts';
import { readText } from '../packed/text.ts';
import type { FedImpression, RecordReader } from './api.ts';

/** Where the engine reads what to feed, as indexes of doubles and of words. */
const DOUBLES_AT = FEED.AT / 8;
const WORDS_AT = FEED.AT / 4;
const MOST = 0x7fffffff;

/** Settings with which records are fed. */
export interface FeedSettings {
  readonly unit: number;
  readonly topic: number;
  /** The latest time that the clock allows; Infinity: there is no clock. */
  readonly latest: number;
  readonly futureSkew: number;
  readonly outOfOrderness: number;
  /** How far one record may advance the watermark, in ms. */
  readonly reach: number;
}

/** Makes the engine read and judge rows. All joins of a process share one. */
export class FeedBlock {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Feeds rows. Returns the index of the row that the host must judge; -1: all were judged. */
  feed(
    { unit, topic, latest, futureSkew, outOfOrderness, reach }: FeedSettings,
    reader: RecordReader,
    rows: RecordRows,
  ): number {
    const { words, doubles } = this.#engine;
    doubles[DOUBLES_AT + FEED.latest] = latest;
    doubles[DOUBLES_AT + FEED.futureSkew] = futureSkew;
    doubles[DOUBLES_AT + FEED.outOfOrderness] = outOfOrderness;
    doubles[DOUBLES_AT + FEED.reach] = reach;
    doubles[DOUBLES_AT + FEED.positionBase] = reader.positionBase;
    doubles[DOUBLES_AT + FEED.ignoredKeys] = 0;
    words[WORDS_AT + FEED.unit] = unit;
    words[WORDS_AT + FEED.topic] = topic;
    words[WORDS_AT + FEED.rows] = rows.at;
    words[WORDS_AT + FEED.count] = rows.count;
    words[WORDS_AT + FEED.next] = rows.judged;
    words[WORDS_AT + FEED.program] = reader.program;
    words[WORDS_AT + FEED.scanner] = reader.number;
    words[WORDS_AT + FEED.holds] = reader.holds;
    words[WORDS_AT + FEED.itemsPerList] = Math.min(reader.itemsPerList, MOST);
    words[WORDS_AT + FEED.limit] = reader.limit;
    words[WORDS_AT + FEED.hasMilliseconds] = reader.hasMilliseconds ? 1 : 0;
    words[WORDS_AT + FEED.carriesScores] = reader.carriesScores ? 1 : 0;
    this.#engine.scanCalls = reader;
    const unknown = this.#engine.feed();
    rows.judged = words[WORDS_AT + FEED.next];
    const ignored = doubles[DOUBLES_AT + FEED.ignoredKeys];
    if (ignored > 0) reader.ignored(ignored);
    return unknown;
  }

  /** The offset of the record being judged. */
  get offset(): number {
    const { words, doubles } = this.#engine;
    return doubles[(words[WORDS_AT + FEED.row] >>> 3) + ROW.offset];
  }
}

/** The impression that the engine has read itself and now accepts. All joins of a process share one. */
export class FedEvent {
  readonly #engine: Engine;
  readonly #impression: { -readonly [Field in keyof FedImpression]: FedImpression[Field] };
  #request = 0;
  /** The reader of the topic being fed. */
  reader: RecordReader | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    const requestId = (): string => readText(engine.bytes, this.#request);
    this.#impression = {
      kind: 'impression',
      ts: 0,
      sampleKey: -1,
      dimensions: [],
      tuple: '',
      context: -1,
      get requestId() {
        return requestId();
      },
    };
  }

  /** The impression at this address; valid until the next call. */
  at(place: number): FedImpression {
    const { words, doubles } = this.#engine;
    const { reader } = this;
    if (reader === undefined) throw new Error('nothing is fed');
    const at = place >>> 2;
    const impression = this.#impression;
    const context = words[at + IMPRESSION_EVENT.context] - 1;
    const { dimensions, tuple } = reader.contextOf(context);
    impression.context = context;
    impression.ts = doubles[(place >>> 3) + IMPRESSION_EVENT.ts];
    impression.dimensions = dimensions;
    impression.tuple = tuple;
    impression.sampleKey =
      (words[at + IMPRESSION_EVENT.flags] & USERLESS) === 0
        ? reader.sampleKeyOf(words[at + IMPRESSION_EVENT.userFrom], words[at + IMPRESSION_EVENT.userEnd])
        : -1;
    this.#request = words[at + IMPRESSION_EVENT.texts];
    return impression;
  }
}
