import { clearScreenDown, moveCursor } from 'node:readline';

/** A block of text that is redrawn in place on a terminal, and lines above it that stay. */
export class LiveScreen {
  readonly #stream: NodeJS.WriteStream;
  readonly #paint: (text: string) => string;
  /** Lines of the block that stands on the terminal. */
  #drawn = 0;

  /** @param paint gives words their colour, when lines have their length */
  constructor(stream: NodeJS.WriteStream, paint: (text: string) => string) {
    this.#stream = stream;
    this.#paint = paint;
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
    this.#stream.write(`${this.#paint(line)}\n`);
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
    this.#stream.write(this.#paint(lines.join('\n')));
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
