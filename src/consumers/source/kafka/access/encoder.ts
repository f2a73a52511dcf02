/** The buffer into which kafkajs writes a request, or a part of one. */
export type Encoder = object;

/** This takes 32 bytes, as many as a request has for a partition. V8 keeps buffers this small in its heap, without an object outside. */
const INITIAL_BYTES = 31;

/**
 * kafkajs' encoder, except that it starts small. kafkajs starts with 512 bytes, and makes an encoder for each partition that a request
 * names.
 */
export function small(Plain: new (initialBytes?: number) => Encoder): new (initialBytes?: number) => Encoder {
  return class extends Plain {
    constructor(initialBytes = INITIAL_BYTES) {
      super(initialBytes);
    }
  };
}
