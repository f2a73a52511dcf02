import type { Engine } from '../engine/engine.ts';
import { IMPRESSION_EVENT, USERLESS } from '../engine/engine-layout.ts';
import { readText } from '../packed/text.ts';
import type { FedImpression, RecordReader } from './api.ts';

/** The impression that the engine has read itself and now accepts. All joins of a process share one. */
export class FedEvent {
  readonly #engine: Engine;
  readonly #impression: { -readonly [Field in keyof FedImpression]: FedImpression[Field] };
  #request = 0;
  /** Of the topic that is fed. */
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
      get requestId() {
        return requestId();
      },
    };
  }

  /** The one at this place: good until the next call. */
  at(place: number): FedImpression {
    const { words, doubles } = this.#engine;
    const { reader } = this;
    if (reader === undefined) throw new Error('nothing is fed');
    const at = place >>> 2;
    const impression = this.#impression;
    const { dimensions, tuple } = reader.contextOf(words[at + IMPRESSION_EVENT.context]);
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
