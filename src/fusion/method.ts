import type { Ballots } from './ballots.ts';
import type { Training } from './training.ts';

/** A parameter that takes one of a few words; the first is the default. */
export interface WordParam {
  readonly kind: 'word';
  readonly values: readonly string[];
  readonly meaning: string;
}

/** A parameter that takes a number. */
export interface NumberParam {
  readonly kind: 'number';
  readonly initial: number;
  /** The allowed numbers in words: `a number from 0 to 1`. */
  readonly range: string;
  readonly allows: (value: number) => boolean;
  readonly meaning: string;
}

export type Param = WordParam | NumberParam;

/** Values of all parameters of a method. */
export class Params {
  readonly #values: ReadonlyMap<string, string | number>;

  constructor(values: ReadonlyMap<string, string | number>) {
    this.#values = values;
  }

  word(key: string): string {
    return String(this.#values.get(key));
  }

  number(key: string): number {
    return Number(this.#values.get(key));
  }

  /** Whether to compute as PyFLAGR does. */
  get flagr(): boolean {
    return this.#values.get('as') === 'flagr';
  }
}

/**
 * `as=flagr` computes what PyFLAGR 1.0.17 to 1.0.20 does, to the last bit, even where it differs from the paper: parameters in single
 * precision, and votes added in the order of the lists, so that rounding breaks ties. Otherwise the paper is followed, independent of the
 * order of the lists.
 */
export const as: WordParam = {
  kind: 'word',
  values: ['paper', 'flagr'],
  meaning: 'as the paper says, or as PyFLAGR computes, to the last bit',
};

/**
 * A way to merge lists. Convention, formula and a worked example are at the top of the method's file. n is the number of
 * different items of a query, v that of voters.
 */
export interface Method {
  readonly name: string;
  /** Other names that are accepted but never printed. */
  readonly aliases?: readonly string[];
  readonly params: Readonly<Record<string, Param>>;
  /** What it does, in one sentence. */
  readonly summary: string;
  readonly source: string;
  /** Work for one query, as a term in n and v. */
  readonly cost: string;
  /** Whether it learns from judged queries, and knows voters by name. */
  readonly trained?: boolean;
  /**
   * Computes a score for each item, higher is better; NaN: the item is left out. There must be at least one ballot.
   * @throws FusionError if the lists lack what the method needs, or are too long for it
   */
  readonly fuse: (ballots: Ballots, params: Params, training: Training) => Float64Array;
}

export function oneOf(meaning: string, ...values: readonly string[]): WordParam {
  return { kind: 'word', values, meaning };
}

export function share(meaning: string, initial: number): NumberParam {
  const allows = (value: number) => value >= 0 && value <= 1;
  return { kind: 'number', initial, range: 'a number from 0 to 1', allows, meaning };
}

export function atLeast0(meaning: string, initial: number): NumberParam {
  return { kind: 'number', initial, range: 'a number from 0', allows: (value) => value >= 0, meaning };
}

export function whole(meaning: string, initial: number, most: number): NumberParam {
  const allows = (value: number) => Number.isInteger(value) && value >= 1 && value <= most;
  return { kind: 'number', initial, range: `a whole number from 1 to ${most}`, allows, meaning };
}
