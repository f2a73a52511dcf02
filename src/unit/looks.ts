import { looksKey, type RowOwner } from '../accumulators/store/layout.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { ExperimentLooks } from '../experiment/looks.ts';
import { decodeLooks, encodeLooks } from '../experiment/looks-fields.ts';
import type { ExperimentState } from '../experiment/state.ts';
import { takeLooks } from '../experiment/take-looks.ts';

/** The looks of one run, as unit 0 keeps them. */
export class UnitLooks {
  readonly #settings: ExperimentSettings;
  readonly #run: string;
  readonly #stored: Map<string, string>;
  #looks: ExperimentLooks;
  /** Those whose fields are stored, or on their way. */
  #taken: ExperimentLooks;

  /** `stored`: the fields of the looks' key. */
  constructor(settings: ExperimentSettings, run: string, stored: ReadonlyMap<string, string>) {
    this.#settings = settings;
    this.#run = run;
    this.#stored = new Map(stored);
    this.#looks = decodeLooks(stored, settings.horizon.text);
    this.#taken = this.#looks;
  }

  get looks(): ExperimentLooks {
    return this.#looks;
  }

  take(totals: Omit<ExperimentState, 'looks'>): void {
    this.#looks = takeLooks({ ...totals, looks: this.#looks });
  }

  /** Fields that changed since the last call go into `rows`. */
  takeChanges(owner: RowOwner, rows: Map<string, Map<string, string>>): void {
    if (this.#looks === this.#taken) return;
    this.#taken = this.#looks;
    const changed = new Map<string, string>();
    for (const [field, text] of encodeLooks(this.#looks, this.#settings.horizon.text)) {
      if (this.#stored.get(field) === text) continue;
      this.#stored.set(field, text);
      changed.set(field, text);
    }
    if (changed.size > 0) rows.set(looksKey(owner, this.#settings.name, this.#run), changed);
  }
}
