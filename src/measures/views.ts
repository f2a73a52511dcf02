import type { Joined } from '../vocabulary/events.ts';
import { Graded } from './grade.ts';
import { Acted, Known, KnownPositives, Positives } from './known.ts';
import type { ActionReading } from './patterns.ts';
import { Pairs, Rated } from './rated.ts';
import type { GradeRule, Grading } from './scorer-contract.ts';
import type { Credit } from './touched.ts';

const WITHOUT_GRADE: GradeRule = { from: 'grade', grade: 0, rule: 'max', max: 0, veto: false };

/** How measures see a list: by action, by treatment of repeated items, by lowest positive grade. Equal views are shared. */
export class Views {
  /** Names by index of action: the configured ones, then those that only measures name. */
  readonly actions: readonly string[];
  readonly #rules: readonly GradeRule[];
  readonly #graded = new Map<string, Graded>();
  readonly #positives = new Map<string, Positives>();
  readonly #acted = new Map<string, Acted>();
  #everyGraded: readonly Graded[] = [];
  #everyPositives: readonly Positives[] = [];
  #everyActed: readonly Acted[] = [];
  /** Views that read other views or that few measures need, in order of creation. */
  readonly #others: { load(list: Joined): void }[] = [];
  readonly #known = new Map<string, Known>();
  readonly #relevant = new Map<string, KnownPositives>();
  readonly #rated = new Map<string, Rated>();
  readonly #pairs = new Map<string, Pairs>();
  readonly #relevantFrom: number;
  /** Whether a rate counts it, by index of action. */
  readonly #rates: boolean[];

  constructor(grading: Grading, named: Iterable<string>) {
    this.#relevantFrom = grading.relevantFrom;
    const names = new Set([...grading.actions.map(({ name }) => name), ...named]);
    this.actions = [...names];
    const rules = new Map(grading.actions.map(({ name, rule }) => [name, rule]));
    this.#rules = this.actions.map((name) => rules.get(name) ?? WITHOUT_GRADE);
    this.#rates = this.actions.map(() => false);
  }

  /**
   * The grades of a list.
   * @param action undefined: all actions
   */
  graded(action: string | undefined, credit: Credit): Graded {
    const make = () => new Graded(this.#rules, action === undefined ? -1 : this.actions.indexOf(action), credit);
    const graded = shared(this.#graded, JSON.stringify([action, credit]), make);
    this.#everyGraded = [...this.#graded.values()];
    return graded;
  }

  positives(action: string | undefined, credit: Credit, rel: number): Positives {
    const make = () => new Positives(this.graded(action, credit), rel);
    const positives = shared(this.#positives, JSON.stringify([action, credit, rel]), make);
    this.#everyPositives = [...this.#positives.values()];
    return positives;
  }

  acted(action: string, credit: Credit): Acted {
    const make = () => new Acted(this.actions.indexOf(action), credit);
    const acted = shared(this.#acted, JSON.stringify([action, credit]), make);
    this.#everyActed = [...this.#acted.values()];
    return acted;
  }

  /** The positives of the shown list by `relevantFrom`. */
  usual(): Positives {
    return this.positives(undefined, 'first', this.#relevantFrom);
  }

  /** All known grades; those of the shown items come from one action. */
  known(action: string | undefined): Known {
    const graded = this.graded(action, 'first');
    return shared(this.#known, JSON.stringify([action]), () => this.#also(new Known(graded)));
  }

  knownPositives(action: string | undefined, rel: number): KnownPositives {
    const known = this.known(action);
    const shown = this.positives(action, 'first', rel);
    return shared(this.#relevant, JSON.stringify([action, rel]), () =>
      this.#also(new KnownPositives(known, shown, rel)),
    );
  }

  /** The slots with a rating by this action and a score (with `by` rank: all rated slots). */
  pairs(action: string, credit: Credit, by: 'score' | 'rank'): Pairs {
    const place = this.actions.indexOf(action);
    this.#rates[place] = true;
    const rated = shared(this.#rated, JSON.stringify([action, credit]), () =>
      this.#also(new Rated(place, this.#rules[place].rule, credit)),
    );
    return shared(this.#pairs, JSON.stringify([action, credit, by]), () => this.#also(new Pairs(rated, by)));
  }

  /** What the views made so far read of an action's events, for a grade or as a rating, by index of action. */
  get reading(): readonly ActionReading[] {
    return this.#rules.map(({ from, rule }, a) => ({
      readsValue: from === 'value' || this.#rates[a],
      addsUp: rule === 'sum',
    }));
  }

  #also<V extends { load(list: Joined): void }>(view: V): V {
    this.#others.push(view);
    return view;
  }

  /** Reads one list into every view. */
  load(list: Joined): void {
    for (const view of this.#everyGraded) view.load(list);
    for (const view of this.#everyPositives) view.load();
    for (const view of this.#everyActed) view.load(list);
    for (const view of this.#others) view.load(list);
  }
}

function shared<V>(views: Map<string, V>, key: string, make: () => V): V {
  const known = views.get(key);
  if (known !== undefined) return known;
  const made = make();
  views.set(key, made);
  return made;
}
