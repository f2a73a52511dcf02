/** Numbers that stand for items while somebody holds them. A number that nobody holds is given to another item. */
export class ItemNumbers {
  readonly #numbers = new Map<string, number>();
  /** By number. */
  readonly #items: string[] = [];
  readonly #holders: number[] = [];
  readonly #free: number[] = [];

  /** Items that are held. */
  get size(): number {
    return this.#numbers.size;
  }

  /** The number of an item, held once more. */
  hold(item: string): number {
    const known = this.#numbers.get(item);
    if (known !== undefined) {
      this.#holders[known]++;
      return known;
    }
    const number = this.#free.pop() ?? this.#items.length;
    this.#numbers.set(item, number);
    this.#items[number] = item;
    this.#holders[number] = 1;
    return number;
  }

  /** The item of a number that is held. */
  item(number: number): string {
    return this.#items[number];
  }

  /** Gives up one hold. */
  release(number: number): void {
    this.#holders[number]--;
    if (this.#holders[number] > 0) return;
    this.#numbers.delete(this.#items[number]);
    this.#items[number] = '';
    this.#free.push(number);
  }
}
