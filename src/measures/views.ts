import type { Joined } from '../events.ts';
import type { GradeRule, Grading } from './contract.ts';
import { Graded } from './grade.ts';
import { Acted, Positives } from './positives.ts';

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

  constructor(grading: Grading, named: Iterable<string>) {
    const names = new Set([...grading.actions.map(({ name }) => name), ...named]);
    this.actions = [...names];
    const rules = new Map(grading.actions.map(({ name, rule }) => [name, rule]));
    this.#rules = this.actions.map((name) => rules.get(name) ?? WITHOUT_GRADE);
  }

  /** `action` undefined: all actions. `each`: repeated items have the credit at every slot. */
  graded(action: string | undefined, each: boolean): Graded {
    const make = () => new Graded(this.#rules, action === undefined ? -1 : this.actions.indexOf(action), each);
    const graded = shared(this.#graded, JSON.stringify([action, each]), make);
    this.#everyGraded = [...this.#graded.values()];
    return graded;
  }

  positives(action: string | undefined, each: boolean, rel: number): Positives {
    const make = () => new Positives(this.graded(action, each), rel);
    const positives = shared(this.#positives, JSON.stringify([action, each, rel]), make);
    this.#everyPositives = [...this.#positives.values()];
    return positives;
  }

  acted(action: string, each: boolean): Acted {
    const make = () => new Acted(this.actions.indexOf(action), each);
    const acted = shared(this.#acted, JSON.stringify([action, each]), make);
    this.#everyActed = [...this.#acted.values()];
    return acted;
  }

  /** Reads one list into every view. */
  load(list: Joined): void {
    for (const view of this.#everyGraded) view.load(list);
    for (const view of this.#everyPositives) view.load();
    for (const view of this.#everyActed) view.load(list);
  }
}

function shared<V>(views: Map<string, V>, key: string, make: () => V): V {
  const known = views.get(key);
  if (known !== undefined) return known;
  const made = make();
  views.set(key, made);
  return made;
}
