import { type PlainList, plainJoined } from '../measures/plain.ts';
import type { Joined } from '../vocabulary/events.ts';
import { NEWLINE, textOf } from './bytes.ts';
import { InputError } from './input-error.ts';
import type { BlockReader } from './line-blocks.ts';
import type { Ties } from './order.ts';
import { namedList } from './plain-list.ts';
import { RunTotals } from './run-totals.ts';
import type { Counts, RunScore } from './score-result.ts';
import type { ScoringSettings } from './scoring-settings.ts';
import { byScores, cutList } from './sorted-list.ts';
import { TiesMean } from './ties-mean.ts';

/**
 * Scores lists that contain their own grades, one JSON object per line. A list without `query` is named by the number of its
 * line. Items are in the given order; if a rule for ties is given, lists with scores are ordered by them.
 */
export class GradedLists implements BlockReader {
  readonly #file: string;
  readonly #settings: ScoringSettings;
  readonly #ties: Ties | undefined;
  readonly #totals: RunTotals;
  readonly #mean: TiesMean | undefined;
  /** Line of each query. */
  readonly #lines = new Map<string, number>();
  #line = 0;

  constructor(file: string, settings: ScoringSettings, ties: Ties | undefined) {
    this.#file = file;
    this.#settings = settings;
    this.#ties = ties;
    this.#totals = new RunTotals(settings);
    this.#mean = ties === 'mean' ? TiesMean.of(settings.measures) : undefined;
  }

  block(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      this.#line++;
      const end = bytes.indexOf(NEWLINE, at);
      const text = textOf(bytes, at, end).trim();
      if (text !== '' && !text.startsWith('#')) this.#take(text);
      at = end + 1;
    }
  }

  /** Lists so far. */
  get count(): number {
    return this.#lines.size;
  }

  end(): void {
    if (this.#lines.size === 0) throw new InputError(this.#file, undefined, 'there is no list in it');
  }

  finish(name: string): RunScore {
    return this.#totals.finish(name);
  }

  #take(text: string): void {
    const named = namedList(text);
    if (typeof named === 'string') throw new InputError(this.#file, this.#line, named);
    const query = named.query ?? String(this.#line);
    const other = this.#lines.get(query);
    if (other !== undefined) {
      throw new InputError(this.#file, this.#line, `the query "${query}" has a list on line ${other} already`);
    }
    this.#lines.set(query, this.#line);
    const list = this.#joined(named.list);
    const { scorer, out } = this.#settings;
    scorer.score(list, out);
    const { scores } = list;
    if (scores !== undefined) this.#mean?.correct(list, (slot) => scores[slot], out);
    this.#totals.add(query, list, this.#counts(list), named);
  }

  #joined(list: PlainList): Joined {
    const { depth, scorer, gradeLimit } = this.#settings;
    try {
      const ordered = this.#ties === undefined ? list : byScores(list, this.#ties);
      const cut = cutList(ordered, depth);
      const joined = withActions(plainJoined(cut, gradeLimit), scorer.actions.length);
      if (scorer.needs.items && joined.items === undefined) {
        throw new RangeError('the measures need items; expected {"items": [...]}');
      }
      return joined;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new InputError(this.#file, this.#line, error.message);
    }
  }

  #counts({ length, events, action, value, known }: Joined): Counts {
    const { relevantFrom } = this.#settings;
    let shown = 0;
    for (let e = 0; e < events; e++) if (action[e] === 0 && value[e] >= relevantFrom) shown++;
    let relevant = 0;
    if (known !== undefined) for (const grade of known) if (grade >= relevantFrom) relevant++;
    return { retrieved: length, relevant: Math.max(relevant, shown), relevantRetrieved: shown };
  }
}

/** A relevant slot has every action that a measure names. */
function withActions(list: Joined, actions: number): Joined {
  if (actions === 1) return list;
  const { events } = list;
  const [slot, action, value]: number[][] = [[], [], []];
  for (let e = 0; e < events; e++) {
    for (let a = 0; a < (list.value[e] > 0 ? actions : 1); a++) {
      slot.push(list.slot[e]);
      action.push(a);
      value.push(list.value[e]);
    }
  }
  return {
    ...list,
    events: slot.length,
    slot: Int32Array.from(slot),
    action: Int32Array.from(action),
    value: Float64Array.from(value),
    ts: new Float64Array(slot.length),
  };
}
