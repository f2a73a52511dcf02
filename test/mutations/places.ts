/** The rules of places of cohorts (docs/decisions/0018-places-of-cohorts.md), one taken out at a time. */
import type { Mutation } from './mutation.ts';

const ADMISSION = 'accumulators/admission.ts';
const TABLES = 'accumulators/admission-tables.ts';
const PANES = 'accumulators/panes.ts';

function inAdmission(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: ADMISSION, text, replacement }] };
}

function inTables(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: TABLES, text, replacement }] };
}

function inPanes(name: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file: PANES, text, replacement }] };
}

export const PLACE_MUTATIONS: readonly Mutation[] = [
  inAdmission('who loses its place does not set folded', 'if (last > this.#folded) this.#folded = last;', ''),
  inAdmission(
    'who is given a place counts as there from the start',
    'this.#enter([values, other.last, this.#folded, impressions]);',
    'this.#enter([values, other.last, Number.NEGATIVE_INFINITY, impressions]);',
  ),
  inAdmission(
    'who comes back counts as there since its first life',
    'this.#enter([values, end, this.#folded]);',
    'this.#enter([values, end, (this.lives ??= new Map()).get(values) ?? (this.lives.set(values, this.#folded), this.#folded)]);',
  ),
  inAdmission(
    'the checkpoint holds no candidates',
    "const candidates = this.#candidates.size === 0 ? '' :",
    "const candidates = this.#candidates.size >= 0 ? '' :",
  ),
  inAdmission('the checkpoint holds no scores', 'return this.#score === 0 ?', 'return this.#score >= 0 ?'),
  inAdmission(
    'candidates of one hour are candidates of the next',
    'this.#candidates.clear();',
    'this.#candidates.size;',
  ),
  inAdmission(
    'a full count of candidates takes no others',
    'if (impressions === 1) this.#candidates.delete(other);',
    'if (impressions < 0) this.#candidates.delete(other); else if (impressions > 0) continue;',
  ),
  inAdmission('a reserved place is given away', '.filter(([values]) => !this.#reserved.has(values))', ''),
  inAdmission(
    'a reserved cohort leaves with its last pane',
    'last <= end && !this.#reserved.has(values)',
    'last <= end',
  ),
  inAdmission(
    'a reserved cohort has no place until it comes',
    'for (const values of reserved)',
    'for (const values of [])',
  ),
  inAdmission('places that are kept free for named cohorts are taken', 'limit - reserved.size', 'limit'),
  inAdmission('a score never falls', 'score: Math.floor(entry.score / 2) +', 'score: entry.score +'),
  inAdmission('hours without closings do not count', 'Math.floor(entry.score / 2 ** hours)', 'entry.score'),
  inAdmission(
    'a candidate with as many takes the place',
    'this.#takeover.ratio * (other.score + 1)',
    'this.#takeover.ratio * other.score',
  ),
  inPanes(
    'cells that are open keep the name that their cohort lost',
    'for (const pending of this.#pending) pending.expireJudgements();',
    '',
  ),
  inPanes('what is not folded yet is not reviewed', 'this.#pending[0].fold();', ''),
  inPanes(
    'a review waits for the next closing',
    'if (watermark >= this.#due) this.#runDue(watermark);',
    'if (this.#kinds.some(({ numbers }) => watermark >= numbers.nextDeletion)) this.#deleteUpTo(watermark);',
  ),
  inTables(
    'after a restart an hour that has not ended counts as reviewed',
    ': this.#reviewAfter(settings.closedUpTo);',
    ': this.#reviewAfter(settings.closedUpTo) + settings.hour;',
  ),
  inPanes('what is due before a review is deleted after it', 'this.#deleteUpTo(review - 1);', ''),
  inPanes('candidates are counted at every horizon', 'if (horizon === 0 && pending', 'if (horizon >= 0 && pending'),
  inTables(
    'the hour of a review is the one that begins',
    'Math.round((first - horizons[0].ms) / hour) - 1;',
    'Math.round((first - horizons[0].ms) / hour);',
  ),
  inAdmission(
    'a changed entry is not written beside the checkpoint',
    'if (this.#head !== undefined) this.#changed.add(entry.values);',
    '',
  ),
  inAdmission('who has left stays beside the checkpoint', 'this.#gone.add(values);', ''),
  inAdmission('entries are numbered anew after a restart', '[, this.#admitted] = state.places;', 'this.#admitted = 0;'),
  inAdmission('entries that fit the checkpoint again stay beside it', 'isDropped: true }', 'isDropped: false }'),
  inAdmission(
    'a table that outgrows the checkpoint writes only what changed',
    'stored === undefined ? this.#entries.keys() : this.#changed',
    'this.#changed',
  ),
];

/** Those that a simulated worker must show as well: it does so within a few seeds. */
export const SIMULATED_PLACES: readonly string[] = [
  'who is given a place counts as there from the start',
  'the checkpoint holds no candidates',
  'the checkpoint holds no scores',
  'a changed entry is not written beside the checkpoint',
  'who has left stays beside the checkpoint',
];
