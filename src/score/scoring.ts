import { SCORE_WIDTH } from '../measures/sums.ts';
import type { ListSink } from './groups.ts';
import type { ItemRows } from './item-rows.ts';
import { JudgedList, type ListTop } from './judged-list.ts';
import type { Judgements } from './judgements.ts';
import { asNoList, RunTotals } from './list-values.ts';
import { closeScores, Ordering, type OrderRule } from './order.ts';
import { repeatedItem } from './remedies.ts';
import { BestRows } from './repeats.ts';
import type { RunLayout } from './run-format.ts';
import type { RunReading } from './run-reader.ts';
import type { CloseScores, MissingQuery, RunEvidence, RunScore, TopItems } from './score-result.ts';
import type { ScoringSettings } from './scoring-settings.ts';
import { TiesMean } from './ties-mean.ts';

/** Number of lists of a run that are sampled, and of items of each. */
const SAMPLED_LISTS = 20;
const SAMPLED_ITEMS = 50;

/** One run of a file, and what it lacks. */
class Run {
  readonly totals: RunTotals;
  /** Whether the run has a list for each judged query, by number. */
  readonly seen: Uint8Array;
  readonly missing: Omit<MissingQuery, 'run'>[] = [];
  readonly shown: string[] = [];
  readonly judged: string[] = [];
  close: CloseScores | undefined;
  matched = 0;
  relevantCut = 0;
  skipped = 0;
  /** Items in the top of its lists, those that nobody judged, and the first of these. */
  topItems = 0;
  topUnjudged = 0;
  firstUnjudged: TopItems['first'];
  #sampled = 0;

  constructor(settings: ScoringSettings, judged: number) {
    this.totals = new RunTotals(settings);
    this.seen = new Uint8Array(judged);
  }

  sample(rows: ItemRows, judgements: Judgements, query: number): void {
    if (this.#sampled++ >= SAMPLED_LISTS) return;
    const first = judgements.first(query);
    const judged = Math.min(SAMPLED_ITEMS, judgements.grades(query).length);
    for (let i = 0; i < Math.min(SAMPLED_ITEMS, rows.count); i++) this.shown.push(rows.idOf(i));
    for (let i = 0; i < judged; i++) this.judged.push(judgements.rows.idOf(first + i));
  }

  addTop(query: string, { items, unjudged, first }: ListTop): void {
    this.topItems += items;
    this.topUnjudged += unjudged;
    if (first !== undefined) this.firstUnjudged ??= { query, item: first };
  }

  watch(rows: ItemRows, order: Int32Array, length: number, query: string): void {
    const place = closeScores(rows, order, length);
    if (place === 0) return;
    const { lists, ...first } = this.close ?? {
      lists: 0,
      query,
      items: [rows.idOf(order[place - 1]), rows.idOf(order[place])] as const,
    };
    this.close = { lists: lists + 1, ...first };
  }
}

/** Scores the lists of one file, one after the other, against the judgements: a run for each voter. */
export class FileScoring implements RunReading {
  readonly lists: ListSink = (voter, query, rows) => this.#score(voter, query, rows);
  readonly #file: string;
  readonly #settings: ScoringSettings;
  readonly #judgements: Judgements;
  readonly #ordering = new Ordering();
  readonly #best = new BestRows();
  readonly #list: JudgedList;
  readonly #ties: TiesMean | undefined;
  readonly #runs = new Map<string | undefined, Run>();
  #rule: OrderRule = { by: 'file' };

  constructor(file: string, settings: ScoringSettings, judgements: Judgements) {
    this.#file = file;
    this.#settings = settings;
    this.#judgements = judgements;
    const { scorer, measures, relevantFrom, unjudged } = settings;
    this.#list = new JudgedList({ actions: scorer.actions.length, ...scorer.needs, unjudged }, relevantFrom);
    this.#ties = TiesMean.of(measures);
  }

  begin({ columns }: RunLayout): boolean {
    this.#rule = this.#settings.orderOf(columns);
    return this.#rule.by === 'rank';
  }

  /** Voters; undefined stands for a file without voters. */
  get voters(): readonly (string | undefined)[] {
    return [...this.#runs.keys()];
  }

  /** The score of a voter's run, and the queries that are missing on one side. */
  finish(
    voter: string | undefined,
    name: string,
  ): { readonly run: RunScore; readonly missing: readonly MissingQuery[]; readonly evidence: RunEvidence } {
    const run = this.#runOf(voter);
    for (const [q, query] of this.#judgements.queries.names.entries()) {
      if (run.seen[q] === 1) continue;
      run.missing.push({ query, missingFrom: 'run' });
      if (this.#settings.missing === 'zero') this.#scoreNothing(run.totals, query, q);
    }
    const { shown, judged, matched, relevantCut, skipped, close } = run;
    const top = this.#judgements.callsIrrelevant(this.#settings.relevantFrom) ? this.#topOf(run) : undefined;
    return {
      run: run.totals.finish(name),
      missing: run.missing.map((missing) => ({ run: name, ...missing })),
      evidence: { run: name, shown, judged, matched, relevantCut, skipped, top, close },
    };
  }

  #topOf({ topItems, topUnjudged, firstUnjudged }: Run): TopItems {
    return { places: this.#settings.top, items: topItems, unjudged: topUnjudged, first: firstUnjudged };
  }

  #runOf(voter: string | undefined): Run {
    let run = this.#runs.get(voter);
    if (run === undefined) {
      run = new Run(this.#settings, this.#judgements.queries.names.length);
      this.#runs.set(voter, run);
    }
    return run;
  }

  #score(voter: string | undefined, query: string, given: ItemRows): void {
    const run = this.#runOf(voter);
    const { repeats } = this.#settings;
    const repeated = given.index();
    if (repeated >= 0 && repeats === 'refuse') throw repeatedItem(this.#file, query, given, repeated);
    const q = this.#judgements.queries.find(query);
    if (q < 0) {
      run.missing.push({ query, missingFrom: 'qrels' });
      return;
    }
    run.seen[q] = 1;
    if (repeated >= 0 && repeats === 'best') {
      this.#scoreRows(run, query, q, this.#best.of(given, this.#ordering, this.#rule), false);
    } else {
      this.#ordering.sort(given, this.#rule);
      this.#scoreRows(run, query, q, given, repeated >= 0);
    }
  }

  /** @param repeats whether an item may be in several rows */
  #scoreRows(run: Run, query: string, q: number, rows: ItemRows, repeats: boolean): void {
    const { scorer, depth, out } = this.#settings;
    run.sample(rows, this.#judgements, q);
    const { order } = this.#ordering;
    const length = Math.min(rows.count, depth);
    if (this.#rule.by === 'score' && this.#rule.ties === 'docno') run.watch(rows, order, length, query);
    const list = this.#list;
    list.load(rows, order, length, repeats, this.#judgements, q);
    run.matched += list.matched;
    run.relevantCut += list.relevantCut;
    run.skipped += list.skipped;
    run.addTop(query, list.topOf(rows, order, this.#settings.top, run.firstUnjudged === undefined));
    if (list.joined.length === 0) {
      this.#scoreNothing(run.totals, query, q);
      return;
    }
    scorer.score(list.joined, out);
    if (this.#rule.by === 'score' && this.#rule.ties === 'mean') {
      this.#ties?.correct(list.joined, (slot) => rows.scores[order[slot]], out);
    }
    run.totals.add(query, list.joined, list.counts(list.joined.length));
  }

  /** A query without a list, or with nothing left in it, scores 0 in every measure that does not leave it out. */
  #scoreNothing(totals: RunTotals, query: string, q: number): void {
    const { scorer, measures, out } = this.#settings;
    const list = this.#list;
    list.loadNothing(this.#judgements, q);
    scorer.score(list.joined, out);
    for (const [m, measure] of measures.entries()) asNoList(measure, out, SCORE_WIDTH * m);
    totals.add(query, list.joined, list.counts(0));
  }
}
