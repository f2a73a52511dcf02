/**
 * Handles by deadline: a binary heap, so that what is due is found without going through what is not. Where a handle stands is
 * told to its owner, who gives it back to remove the handle.
 */
const LEAST = 64;

export class Deadlines {
  readonly #moved: (handle: number, place: number) => void;
  #times = new Float64Array(LEAST);
  #handles = new Uint32Array(LEAST);
  #size = 0;

  /** @param moved a handle stands at this place now */
  constructor(moved: (handle: number, place: number) => void) {
    this.#moved = moved;
  }

  get bytes(): number {
    return this.#times.byteLength + this.#handles.byteLength;
  }

  /** The least deadline; Infinity: nothing waits. */
  get least(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0];
  }

  /** A handle with the least deadline, where something waits. */
  get first(): number {
    return this.#handles[0];
  }

  add(deadline: number, handle: number): void {
    if (this.#size === this.#handles.length) this.#resize(2 * this.#size);
    this.#up(this.#size++, deadline, handle);
  }

  removeAt(place: number): void {
    const last = --this.#size;
    if (place < last) {
      const deadline = this.#times[last];
      const handle = this.#handles[last];
      if (place > 0 && deadline < this.#times[(place - 1) >>> 1]) this.#up(place, deadline, handle);
      else this.#down(place, deadline, handle);
    }
    if (last > LEAST && last < this.#handles.length >>> 2) this.#resize(this.#handles.length >>> 1);
  }

  #up(from: number, deadline: number, handle: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (!(deadline < this.#times[parent])) break;
      this.#put(place, this.#times[parent], this.#handles[parent]);
      place = parent;
    }
    this.#put(place, deadline, handle);
  }

  #down(from: number, deadline: number, handle: number): void {
    const times = this.#times;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && times[child + 1] < times[child]) child++;
      if (!(times[child] < deadline)) break;
      this.#put(place, times[child], this.#handles[child]);
      place = child;
    }
    this.#put(place, deadline, handle);
  }

  #put(place: number, deadline: number, handle: number): void {
    this.#times[place] = deadline;
    this.#handles[place] = handle;
    this.#moved(handle, place);
  }

  #resize(room: number): void {
    const times = new Float64Array(room);
    times.set(this.#times.subarray(0, this.#size));
    this.#times = times;
    const handles = new Uint32Array(room);
    handles.set(this.#handles.subarray(0, this.#size));
    this.#handles = handles;
  }
}
