import { Buffer } from 'node:buffer';
import { sameText, textBound, writeText } from '../packed/text.ts';

/** The configured actions by packed name. They are few, so a search beats a table. */
export class Actions {
  readonly #names: readonly Uint8Array[];

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => {
      const u8 = Buffer.alloc(textBound(name.length));
      writeText(u8, 0, name);
      return u8;
    });
  }

  /** Index of the action whose name stands at `at`; -1: it is none of them. */
  indexOf(u8: Uint8Array, at: number): number {
    const names = this.#names;
    for (let i = 0; i < names.length; i++) if (sameText(names[i], 0, u8, at)) return i;
    return -1;
  }
}
