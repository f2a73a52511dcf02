import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

const pack = promisify(gzip);
/** Compressing shorter bodies saves nothing. */
const LEAST_BYTES = 1024;

/** The bytes of a text that changes from time to time, encoded once for all readers. */
export class SharedBody {
  #text: string | undefined;
  #plain: Buffer = Buffer.alloc(0);
  #packed: Promise<Buffer> | undefined;

  plain(text: string): Buffer {
    if (this.#text !== text) {
      this.#text = text;
      this.#plain = Buffer.from(text);
      this.#packed = undefined;
    }
    return this.#plain;
  }

  /** The text gzipped; undefined: it is too short. */
  packed(text: string): Promise<Buffer> | undefined {
    const bytes = this.plain(text);
    if (bytes.length < LEAST_BYTES) return undefined;
    this.#packed ??= pack(bytes, { level: constants.Z_BEST_SPEED });
    return this.#packed;
  }
}

/** Whether an Accept-Encoding header takes gzip (RFC 9110, section 12.5.3). */
export function takesGzip(header: string | undefined): boolean {
  let any = false;
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim());
    const isRefused = parameters.some((text) => /^q=0(?:\.0{0,3})?$/.test(text));
    if (name === 'gzip' || name === 'x-gzip') return !isRefused;
    if (name === '*') any = !isRefused;
  }
  return any;
}
