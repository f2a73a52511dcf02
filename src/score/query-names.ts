import { isSame, textOf } from './bytes.ts';

/** Numbers for names, in the order in which they appear. Lines of one query mostly stand together: those cost a comparison. */
export class QueryNames {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();
  #last: Uint8Array = new Uint8Array(0);
  #lastNumber = -1;

  /** Of a name that is met for the first time, a new number. */
  numberAt(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length === this.#last.length && this.#lastNumber >= 0 && isSame(bytes, from, this.#last, 0, length)) {
      return this.#lastNumber;
    }
    this.#last = bytes.slice(from, to);
    this.#lastNumber = this.add(textOf(bytes, from, to));
    return this.#lastNumber;
  }

  add(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.length;
    this.#numbers.set(name, number);
    this.names.push(name);
    return number;
  }

  /** -1: there is no such name. */
  find(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }
}
