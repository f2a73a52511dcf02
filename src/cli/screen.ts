import { clearScreenDown, moveCursor } from 'node:readline';

/** A block of text that is redrawn in place on a terminal, and lines above it that stay. */
export class LiveScreen {
  readonly #stream: NodeJS.WriteStream;
  /** Lines of the block that stands on the terminal. */
  #drawn = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Of the terminal; the usual 80 without one. */
  get columns(): number {
    return this.#stream.columns ?? 80;
  }

  /** A line that stays. */
  note(line: string): void {
    this.#clear();
    this.#stream.write(`${line}\n`);
  }

  /** Replaces the block; what does not fit the terminal is cut. */
  draw(block: string): void {
    const { columns } = this;
    const { rows = 24 } = this.#stream;
    const lines = block
      .split('\n')
      .slice(0, rows - 1)
      .map((line) => line.slice(0, columns));
    this.#clear();
    this.#stream.write(lines.join('\n'));
    this.#drawn = lines.length;
  }

  /** Leaves the last block where it is. */
  end(): void {
    if (this.#drawn > 0) this.#stream.write('\n');
    this.#drawn = 0;
  }

  #clear(): void {
    if (this.#drawn === 0) return;
    this.#stream.write('\r');
    moveCursor(this.#stream, 0, 1 - this.#drawn);
    clearScreenDown(this.#stream);
    this.#drawn = 0;
  }
}
