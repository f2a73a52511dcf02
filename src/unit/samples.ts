/**
 * Some lists as they closed at the longest horizon, and feedback that was dropped, for people to look at. They live in memory
 * and end with the process; no result depends on them. Number and bytes are bounded, and so is what taking them costs:
 * between two calls of `renew` no more lists are looked at than are kept.
 */
import { createHmac } from 'node:crypto';
import type { Settings } from '../config/settings.ts';
import type { ClosingNames, JoinObserver } from '../consumers/join/api.ts';
import type { FeedbackTexts } from '../consumers/packed/packed-events.ts';
import { hashText, readText } from '../consumers/packed/text.ts';
import type { Graded } from '../measures/grade.ts';
import { rankOf } from '../measures/places.ts';
import type { Grading, Scorer } from '../measures/scorer-contract.ts';
import { Views } from '../measures/views.ts';
import { dropNamed, FEEDBACK_DROPS, type FeedbackDrop } from '../vocabulary/drops.ts';
import type { Closing, DurationMs, EpochMs } from '../vocabulary/events.ts';

/** How ids of requests and items are shown: as they are, or as a hash. Equal ids look equal. */
export type SampledIds = 'masked' | 'shown';

interface SampledFeedback {
  /** The name of the action; undefined: it has neither a grade nor a measure. */
  readonly action: string | undefined;
  readonly value: number | undefined;
  /** The time since the list was shown. */
  readonly delay: DurationMs;
}

interface SampledSlot {
  readonly rank: number;
  readonly item: string;
  readonly grade: number;
  readonly feedback: readonly SampledFeedback[];
}

export interface SampledDrop {
  readonly reason: FeedbackDrop;
  readonly requestId: string;
  readonly itemId: string;
  readonly action: string;
  readonly ts: EpochMs;
}

export interface SampledList {
  readonly requestId: string;
  /** When it was shown. */
  readonly ts: EpochMs;
  /** The values of its dimensions, in the order of the settings. */
  readonly dimensions: readonly string[];
  readonly length: number;
  /** The first slots, up to `MOST_SLOTS`. */
  readonly slots: readonly SampledSlot[];
  /** The number of events that count but are not in `slots`: they belong to later slots, or are too many to be kept. */
  readonly moreFeedback: number;
  /** The scores as `Scorer.score` wrote them. */
  readonly scores: Float64Array;
  /** Feedback that names this request and does not count, as far as it is known. */
  readonly drops: readonly SampledDrop[];
}

/** The parts of a closed list that `SampledList` takes over unchanged. */
export type ScoredList = Pick<SampledList, 'scores' | 'dimensions'>;

interface Held extends SampledList {
  readonly drops: SampledDrop[];
}

interface SampleSettings {
  /** The number of lists that are kept, at least 1. */
  readonly most: number;
  readonly ids: SampledIds;
  /** The key of the masks. Each process draws its own, so that nobody can find out ids by trying them. */
  readonly key: string;
}

/** What is kept of one list at most: its slots, its feedback, and feedback of it that was dropped. */
const MOST_SLOTS = 40;
const MOST_FEEDBACK = 60;
const MOST_DROPS = 10;
/** How many dropped events are kept for each reason. */
const DROPS_PER_REASON = 5;
/** How many open lists of one unit may be marked, to be kept when they close. */
const MOST_MARKED = 64;
/** UTF-16 units of a text that is kept as it is; a longer one loses its end. */
const LONGEST_TEXT = 64;
const MASK_DIGITS = 10;
/** How many lists whose feedback was dropped are kept in addition, as a share of the number of last lists. */
const SHARE_KEPT = 0.2;

/** The samples that the configuration asks for; undefined: none are to be kept. @param key as in `SampleSettings` */
export function samplesOf(
  { http, grading }: Pick<Settings, 'grading' | 'http'>,
  scorer: Pick<Scorer, 'actions'>,
  key: string,
): ListSamples | undefined {
  const { page, samples: most = 0, samplesIds: ids = 'masked' } = http;
  return page && most > 0 ? new ListSamples({ most, ids, key }, grading, scorer) : undefined;
}

/** What the page reads of the samples. */
export type ShownSamples = Pick<ListSamples, 'ids' | 'last' | 'withDrops' | 'drops' | 'renew'>;

export class ListSamples {
  readonly ids: SampledIds;
  readonly #most: number;
  readonly #mostKept: number;
  readonly #key: string;
  readonly #actions: readonly string[];
  readonly #graded: Graded;
  /** The lists that closed last, oldest first. */
  readonly #last: Held[] = [];
  /** Lists with feedback that was dropped, oldest first; none of `#last`. */
  readonly #kept: Held[] = [];
  readonly #drops = new Map<FeedbackDrop, SampledDrop[]>();
  #listsLeft = 0;
  #keptLeft = 0;
  readonly #dropsLeft = new Map<FeedbackDrop, number>();

  constructor({ most, ids, key }: SampleSettings, grading: Grading, { actions }: Pick<Scorer, 'actions'>) {
    this.ids = ids;
    this.#most = most;
    this.#mostKept = Math.ceil(SHARE_KEPT * most);
    this.#key = key;
    this.#actions = actions;
    this.#graded = new Views(grading, actions).graded(undefined, 'first');
    this.renew();
  }

  /** Lets as many lists be looked at again as are kept. It is to be called about once a second. */
  renew(): void {
    this.#listsLeft = this.#most;
    this.#keptLeft = this.#mostKept;
    for (const reason of FEEDBACK_DROPS) this.#dropsLeft.set(reason, this.#most);
  }

  /** An observer for one unit. @param hashSeed as in `JoinSettings` */
  watch(lastHorizon: number, hashSeed: number): UnitSamples {
    return new UnitSamples(this, lastHorizon, hashSeed);
  }

  /** The last lists, newest first. */
  get last(): readonly SampledList[] {
    return this.#last.toReversed();
  }

  /** Lists with feedback that was dropped, those among the last included: first the ones that lost more than duplicates, then the newest. */
  get withDrops(): readonly SampledList[] {
    const lists = [...this.#kept, ...this.#last.filter(({ drops }) => drops.length > 0)].toReversed();
    return [...lists.filter(isLosing), ...lists.filter((list) => !isLosing(list))].slice(0, this.#mostKept);
  }

  /** The last feedback that was dropped for each reason, newest first. */
  get drops(): readonly SampledDrop[] {
    return FEEDBACK_DROPS.flatMap((reason) => this.#drops.get(reason)?.toReversed() ?? []);
  }

  /** Whether one more list may be looked at, and where it is kept. `isMarked`: feedback of it was dropped. */
  takesList(isMarked: boolean): 'last' | 'kept' | undefined {
    if (this.#listsLeft > 0) {
      this.#listsLeft--;
      return 'last';
    }
    if (!isMarked || this.#keptLeft === 0) return undefined;
    this.#keptLeft--;
    return 'kept';
  }

  /** Whether one more dropped event may be looked at. Each reason has its own bound, so that many of one hide none of another. */
  takesDrop(reason: FeedbackDrop): boolean {
    const left = this.#dropsLeft.get(reason) ?? 0;
    this.#dropsLeft.set(reason, Math.max(0, left - 1));
    return left > 0;
  }

  dropOf(reason: FeedbackDrop, { u8, request, item, action, ts }: FeedbackTexts): SampledDrop {
    return {
      reason,
      requestId: this.#nameOf(readText(u8, request)),
      itemId: this.#nameOf(readText(u8, item)),
      action: cut(readText(u8, action)),
      ts,
    };
  }

  /** Adds feedback that is dropped for good. */
  addDrop(drop: SampledDrop): void {
    const ofReason = this.#drops.get(drop.reason) ?? [];
    this.#drops.set(drop.reason, ofReason);
    put(ofReason, drop, DROPS_PER_REASON);
    for (const lists of [this.#last, this.#kept]) {
      const list = lists.findLast(({ requestId }) => requestId === drop.requestId);
      if (list === undefined) continue;
      note(list.drops, drop);
      return;
    }
  }

  addList(
    { list, ts }: Closing,
    names: ClosingNames,
    { scores, dimensions }: ScoredList,
    drops: SampledDrop[],
    to: 'last' | 'kept',
  ): void {
    const grades = new Map<number, number>();
    this.#graded.load(list);
    for (let i = 0; i < this.#graded.count; i++) grades.set(this.#graded.ranks[i], this.#graded.grades[i]);
    const feedback = new Map<number, SampledFeedback[]>();
    let moreFeedback = 0;
    for (let e = 0; e < list.events; e++) {
      if (list.slot[e] >= MOST_SLOTS || e >= MOST_FEEDBACK) {
        moreFeedback++;
        continue;
      }
      const ofSlot = feedback.get(list.slot[e]) ?? [];
      feedback.set(list.slot[e], ofSlot);
      ofSlot.push({
        action: this.#actions[list.action[e]],
        value: Number.isNaN(list.value[e]) ? undefined : list.value[e],
        delay: list.ts[e] - ts,
      });
    }
    const held: Held = {
      requestId: this.#nameOf(names.requestId()),
      ts,
      dimensions: dimensions.map(cut),
      length: list.length,
      slots: names.items(MOST_SLOTS).map((item, s) => ({
        rank: rankOf(list, s),
        item: this.#nameOf(item),
        grade: grades.get(rankOf(list, s)) ?? 0,
        feedback: feedback.get(s) ?? [],
      })),
      moreFeedback,
      scores: scores.slice(),
      drops,
    };
    const gone = to === 'last' ? put(this.#last, held, this.#most) : held;
    if (gone !== undefined && gone.drops.length > 0) this.#keep(gone);
  }

  #keep(list: Held): void {
    this.#kept.push(list);
    if (this.#kept.length <= this.#mostKept) return;
    const harmless = this.#kept.findIndex((one) => !isLosing(one));
    this.#kept.splice(Math.max(0, harmless), 1);
  }

  /** An id as people see it. A long one ends with its hash, so that different ids look different. */
  #nameOf(id: string): string {
    if (this.ids === 'shown' && id.length <= LONGEST_TEXT) return id;
    const hash = createHmac('sha256', this.#key).update(id).digest('hex').slice(0, MASK_DIGITS);
    return this.ids === 'masked' ? `#${hash}` : `${cut(id)}#${hash}`;
  }
}

/** Observes one unit: it marks open lists whose feedback was dropped, and sees which lists close. */
export class UnitSamples implements JoinObserver {
  readonly #samples: ListSamples;
  readonly #lastHorizon: number;
  readonly #hashSeed: number;
  /** What was dropped of each open list, by its handle. */
  readonly #marked = new Map<number, Mark[]>();

  constructor(samples: ListSamples, lastHorizon: number, hashSeed: number) {
    this.#samples = samples;
    this.#lastHorizon = lastHorizon;
    this.#hashSeed = hashSeed;
  }

  dropped(reason: FeedbackDrop, handle: number, feedback: FeedbackTexts): void {
    if (!this.#samples.takesDrop(reason)) return;
    const drop = this.#samples.dropOf(reason, feedback);
    this.#samples.addDrop(drop);
    if (handle !== 0) this.#mark(handle, { drop, waits: undefined });
  }

  strayed(handle: number, feedback: FeedbackTexts): void {
    if (!this.#samples.takesDrop('not_in_list')) return;
    this.#mark(handle, { drop: this.#samples.dropOf('not_in_list', feedback), waits: this.#hashesOf(feedback) });
  }

  found(feedback: FeedbackTexts): void {
    if (this.#marked.size === 0) return;
    const found = this.#hashesOf(feedback);
    for (const [handle, marks] of this.#marked) {
      const left = marks.filter(({ waits }) => waits?.request !== found.request || waits.item !== found.item);
      if (left.length === 0) this.#marked.delete(handle);
      else if (left.length < marks.length) this.#marked.set(handle, left);
    }
  }

  /** Keeps a list that was scored, if there is room. `scored`: returns what is copied of it. */
  closed(closing: Closing, names: ClosingNames, scored: () => ScoredList): void {
    if (closing.horizon !== this.#lastHorizon) return;
    const marks = this.#marked.size === 0 ? undefined : this.#marked.get(names.handle);
    if (marks !== undefined) this.#marked.delete(names.handle);
    const to = this.#samples.takesList(marks !== undefined);
    if (to === undefined) return;
    const drops = (marks ?? []).map(({ drop }) => drop);
    this.#samples.addList(closing, names, scored(), drops, to);
  }

  #mark(handle: number, mark: Mark): void {
    const marks = this.#marked.get(handle);
    if (marks !== undefined) {
      if (marks.length < MOST_DROPS) marks.push(mark);
    } else if (this.#marked.size < MOST_MARKED) {
      this.#marked.set(handle, [mark]);
    }
  }

  #hashesOf({ u8, request, item }: FeedbackTexts): { readonly request: number; readonly item: number } {
    return { request: hashText(u8, request, this.#hashSeed), item: hashText(u8, item, this.#hashSeed) };
  }
}

/** Feedback that does not count in an open list. */
interface Mark {
  readonly drop: SampledDrop;
  /** The hashes by which it may still be found in another list of its request; undefined: it cannot be. */
  readonly waits: { readonly request: number; readonly item: number } | undefined;
}

/** Whether the list lost feedback that was not counted before. */
function isLosing({ drops }: SampledList): boolean {
  return drops.some(({ reason }) => dropNamed(reason)?.isLoss);
}

/** Adds a drop to those of a list, once: feedback that waited when the list closed is dropped later, which is the same drop. */
function note(drops: SampledDrop[], drop: SampledDrop): void {
  const isKnown = drops.some(({ itemId, action, ts }) => {
    return itemId === drop.itemId && action === drop.action && ts === drop.ts;
  });
  if (!isKnown && drops.length < MOST_DROPS) drops.push(drop);
}

/** Appends one, and removes and returns the first if there are more than `most`. */
function put<T>(into: T[], one: T, most: number): T | undefined {
  into.push(one);
  return into.length > most ? into.shift() : undefined;
}

/** Cuts a long text, but never within a surrogate pair. */
function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const end = text.charCodeAt(LONGEST_TEXT - 1) >= 0xd800 && text.charCodeAt(LONGEST_TEXT - 1) < 0xdc00 ? 1 : 0;
  return `${text.slice(0, LONGEST_TEXT - end)}…`;
}
