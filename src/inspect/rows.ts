/** The records of a sample, whatever the form of the file: objects as JSON.parse makes them. */
import { type Fields, isFields } from '../consumers/decode/raw.ts';

/** A piece of a file that is no record. */
export interface BadRow {
  /** From 1. */
  readonly row: number;
  /** Half a sentence: `is no JSON`. */
  readonly why: string;
}

/** Takes records one by one, as JSON. */
export class Rows {
  readonly rows: Fields[] = [];
  readonly bad: BadRow[] = [];

  get count(): number {
    return this.rows.length + this.bad.length;
  }

  /** @param refused why it cannot be one; undefined: it may be one */
  add(json: string, refused: string | undefined): void {
    const row = this.count + 1;
    if (refused !== undefined) {
      this.bad.push({ row, why: refused });
      return;
    }
    try {
      const value: unknown = JSON.parse(json);
      if (isFields(value)) this.rows.push(value);
      else this.bad.push({ row, why: 'is JSON, but no object' });
    } catch {
      this.bad.push({ row, why: 'is no JSON' });
    }
  }
}
