/** What kafkajs writes a request, or a part of one, into. */
export type Encoder = object;

/** Takes 32 bytes, as many as a request has for a partition. V8 keeps so few in its heap, without an object outside it. */
const INITIAL_BYTES = 31;

/**
 * kafkajs' encoder, except that it begins small. kafkajs itself begins with 512 bytes, and makes an encoder for each partition that a
 * request names.
 */
export function small(Plain: new (initialBytes?: number) => Encoder): new (initialBytes?: number) => Encoder {
  return class extends Plain {
    constructor(initialBytes = INITIAL_BYTES) {
      super(initialBytes);
    }
  };
}
