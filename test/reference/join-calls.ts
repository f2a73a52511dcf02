/**
 * What a join reports, and when, and what is open, waits and is remembered meanwhile (specification: join 4.2, 5). Nothing is kept up to
 * date: all records from where the join begins are judged at once, since no verdict depends on what is read after it is known, and each
 * step reports the verdicts that become known with it.
 */
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { FeedbackDrop } from '../../src/vocabulary/drops.ts';
import type { DurationMs, EpochMs, Event, Feedback, Impression, Offset } from '../../src/vocabulary/events.ts';
import { judgeFeedback } from './feedback.ts';
import { longest } from './horizons.ts';
import { judgeImpressions } from './impressions.ts';
import { closingsOf, type ReferenceClosing } from './join.ts';
import type { JudgedFeedback, JudgedImpression, Placed } from './judged.ts';
import type { TopicLog } from './logs.ts';
import { feedbackOf, impressionsOf, placedEvents, watermarksOf } from './watermark.ts';

interface Place {
  readonly topic: number;
  readonly offset: Offset;
}

/** A record is read, or what the watermark has passed is decided. */
export type Step = Place | 'advance';

/** Where a join begins to read each topic, below which offset all was judged before, and the watermark up to which it was decided. */
export interface Beginning {
  readonly replay: readonly Offset[];
  readonly committed: readonly Offset[];
  readonly decided: EpochMs;
}

export type Call =
  | { readonly told: 'accepted'; readonly requestId: string; readonly from: Place & { readonly isReplayed: boolean } }
  | { readonly told: 'closed'; readonly closing: ReferenceClosing }
  /** `of`: the dimensions of the impression. */
  | { readonly told: 'released'; readonly of: string }
  | { readonly told: 'strayed' | 'found'; readonly feedback: Feedback }
  | {
      readonly told: 'dropped';
      readonly reason: FeedbackDrop;
      /** Whether it has a list that is open. */
      readonly hasList: boolean;
      readonly feedback: Feedback;
      /** Its record; undefined: it has waited. */
      readonly from: Place | undefined;
    }
  | { readonly told: 'not taken'; readonly why: string; readonly event: Event; readonly from: Place };

/** What one step reports, and what is open, waits and is remembered after it. */
export interface ToldStep {
  readonly calls: readonly Call[];
  readonly open: number;
  readonly waiting: number;
  readonly oldest: EpochMs | undefined;
}

/** What one join reports in these steps, of which there is one at least. */
export class JoinCalls {
  readonly #settings: JoinSettings;
  readonly #logs: readonly TopicLog[];
  readonly #steps: readonly Step[];
  readonly #from: Beginning;
  readonly #H: DurationMs;
  readonly #impressions: readonly JudgedImpression[];
  readonly #accepted: readonly JudgedImpression[];
  readonly #feedback: readonly JudgedFeedback[];
  readonly #closings: readonly ReferenceClosing[];
  /** The step that reads an offset, for each topic. */
  readonly #readAt: readonly ReadonlyMap<Offset, number>[];
  /** The watermark up to which each step decides. */
  readonly #decided: readonly EpochMs[];

  constructor(settings: JoinSettings, logs: readonly TopicLog[], steps: readonly Step[], from: Beginning) {
    this.#settings = settings;
    this.#logs = logs;
    this.#steps = steps;
    this.#from = from;
    this.#H = longest(settings);
    const placed = logs.map((log, topic) =>
      placedEvents(settings, log, topic).filter(({ offset }) => offset >= from.replay[topic]),
    );
    const impressions = judgeImpressions(settings, impressionsOf(placed.flat()));
    this.#impressions = impressions;
    this.#accepted = impressions.filter(({ verdict }) => verdict.kind === 'accepted');
    this.#feedback = placed.flatMap((events) => judgeFeedback(settings, feedbackOf(events), impressions, Infinity));
    this.#closings = closingsOf(settings, impressions, this.#feedback, Infinity);
    const readsOf = (topic: number) =>
      steps.flatMap((step, s) => (step !== 'advance' && step.topic === topic ? [[step.offset, s] as const] : []));
    this.#readAt = logs.map((_, topic) => new Map(readsOf(topic)));
    const watermarks = steps.map((step, s) => {
      if (step !== 'advance') return undefined;
      return Math.min(...this.#positions(s).map((position, topic) => this.#watermarkBefore(topic, position)));
    });
    this.#decided = steps.map((_, s) => watermarks.slice(0, s + 1).findLast((W) => W !== undefined) ?? -Infinity);
  }

  get steps(): readonly ToldStep[] {
    return this.#steps.map((step, s) => ({
      calls: step === 'advance' ? this.#advance(s) : this.#read(s),
      open: this.#accepted.filter((i) => this.#isRead(i, s) && this.#decided[s] < this.#end(i)).length,
      waiting: this.#feedback.filter((f) => this.#isRead(f, s) && !this.#isKnown(f, s)).length,
      oldest: this.#oldest(s),
    }));
  }

  /** Where the next join begins, and the watermark of each topic before the record there. */
  get next(): Beginning & { readonly watermarks: readonly EpochMs[] } {
    const end = this.#steps.length - 1;
    const committed = this.#positions(end);
    const needed = this.#needed(end);
    const replay = committed.map((position, topic) =>
      Math.min(position, ...needed.filter((each) => each.topic === topic).map(({ offset }) => offset)),
    );
    const watermarks = replay.map((offset, topic) => this.#watermarkBefore(topic, offset));
    return { replay, committed, decided: this.#decided[end], watermarks };
  }

  /** Where each topic is read next after a step. */
  #positions(s: number): readonly Offset[] {
    return this.#readAt.map((readAt, topic) => {
      const read = [...readAt].filter(([, step]) => step <= s).map(([offset]) => offset + 1);
      return Math.max(this.#from.replay[topic], ...read);
    });
  }

  #watermarkBefore(topic: number, position: Offset): EpochMs {
    const log = this.#logs[topic];
    const records = log.records.filter(({ offset }) => offset < position);
    return watermarksOf(this.#settings, { ...log, records }).last;
  }

  #stepOf({ topic, offset }: Place): number {
    return this.#readAt[topic].get(offset) ?? Infinity;
  }

  #isRead(event: Place, s: number): boolean {
    return this.#stepOf(event) <= s;
  }

  #isBefore(one: Placed<Event>, other: Placed<Event>): boolean {
    const apart = this.#stepOf(one) - this.#stepOf(other);
    return apart < 0 || (apart === 0 && one.place < other.place);
  }

  #isReplayed({ topic, offset }: Place): boolean {
    return offset < this.#from.committed[topic];
  }

  /** When its longest horizon closes. */
  #end(i: Placed<Impression>): EpochMs {
    return i.event.ts + this.#H;
  }

  #deadline(f: Placed<Feedback>): EpochMs {
    return f.event.ts + this.#settings.backward + this.#H;
  }

  #fits(i: JudgedImpression, f: JudgedFeedback): boolean {
    const lag = f.event.ts - i.event.ts;
    const isInTime = -this.#settings.backward <= lag && lag < this.#H;
    return this.#accepted.includes(i) && i.event.requestId === f.event.requestId && isInTime;
  }

  #isKnown(f: JudgedFeedback, s: number): boolean {
    const { verdict } = f;
    if (verdict.known === 'deadline') return this.#deadline(f) <= this.#decided[s];
    return verdict.known === 'record' || (verdict.known === 'meeting' && this.#isRead(verdict.to, s));
  }

  /** Whether it waits when the event comes. */
  #waits(f: JudgedFeedback, event: Placed<Event>): boolean {
    const { verdict } = f;
    const isDecided = verdict.known === 'record' || (verdict.known === 'meeting' && this.#isBefore(verdict.to, event));
    return !isDecided && !this.#isBefore(event, f);
  }

  #read(s: number): readonly Call[] {
    const impressions = this.#impressions.filter((i) => this.#stepOf(i) === s);
    const feedback = this.#feedback.filter((f) => this.#stepOf(f) === s);
    return [
      ...impressions.map((i) => ({ place: i.place, calls: this.#readImpression(i, s) })),
      ...feedback.map((f) => ({ place: f.place, calls: this.#readFeedback(f, s) })),
    ]
      .sort((one, other) => one.place - other.place)
      .flatMap(({ calls }) => calls);
  }

  #readImpression(i: JudgedImpression, s: number): readonly Call[] {
    if (i.verdict.kind === 'dropped') return this.#notTaken(i.verdict.reason, i);
    const meets = this.#feedback
      .filter((f) => this.#waits(f, i) && this.#fits(i, f))
      .sort((f, g) => (this.#isBefore(f, g) ? -1 : 1))
      .flatMap((f): readonly Call[] => {
        const { verdict } = f;
        if (verdict.known !== 'meeting' || verdict.to !== i) return this.#stray(f, i);
        const isLate = verdict.kind === 'dropped' && verdict.reason === 'late';
        return [...(isLate ? [] : [{ told: 'found' as const, feedback: f.event }]), ...this.#drop(f, s, undefined)];
      });
    const from = { ...placeOf(i), isReplayed: this.#isReplayed(i) };
    return [{ told: 'accepted', requestId: i.event.requestId, from }, ...meets];
  }

  #readFeedback(f: JudgedFeedback, s: number): readonly Call[] {
    if (f.future || f.excluded) return this.#notTaken(f.future ? 'future' : 'excluded', f);
    if (!this.#waits(f, f)) return this.#drop(f, s, placeOf(f));
    const first = this.#accepted.find((i) => this.#isBefore(i, f) && this.#fits(i, f));
    return [...(first === undefined ? [] : this.#stray(f, first)), ...this.#notTaken('waits', f)];
  }

  #advance(s: number): readonly Call[] {
    const { decided } = this.#from;
    const isDue = (at: EpochMs): boolean => (this.#decided[s - 1] ?? -Infinity) < at && at <= this.#decided[s];
    const closed = this.#closings.flatMap((closing): readonly Call[] => {
      const { at, horizon, impression } = closing;
      if (!isDue(at)) return [];
      const isLast = horizon === this.#settings.horizons.length - 1;
      return [
        ...(at > decided ? [{ told: 'closed' as const, closing }] : []),
        ...(isLast ? [{ told: 'released' as const, of: impression.dimensions.join() }] : []),
      ];
    });
    const settled = this.#feedback
      .filter((f) => f.verdict.known === 'deadline' && isDue(this.#deadline(f)) && this.#deadline(f) > decided)
      .sort((f, g) => this.#deadline(f) - this.#deadline(g));
    return [...closed, ...settled.flatMap((f) => this.#drop(f, s, undefined))];
  }

  /** If it is dropped, and was not before. */
  #drop(f: JudgedFeedback, s: number, from: Place | undefined): readonly Call[] {
    const { verdict } = f;
    if (verdict.kind !== 'dropped') return [];
    const list = verdict.known === 'meeting' ? verdict.to : undefined;
    const wasKnown = this.#isReplayed(f) && (list === undefined || this.#isReplayed(list));
    if (wasKnown && verdict.known !== 'deadline') return [];
    const hasList = list !== undefined && this.#decided[s] < this.#end(list);
    return [{ told: 'dropped', reason: verdict.reason, hasList, feedback: f.event, from }];
  }

  #stray(f: JudgedFeedback, i: JudgedImpression): readonly Call[] {
    return this.#end(i) > this.#from.decided ? [{ told: 'strayed', feedback: f.event }] : [];
  }

  #notTaken(why: string, event: Placed<Event>): readonly Call[] {
    return this.#isReplayed(event) ? [] : [{ told: 'not taken', why, event: event.event, from: placeOf(event) }];
  }

  /** Begin of the first slice of time that holds an impression and did not end 2H + b before the watermark. */
  #oldest(s: number): EpochMs | undefined {
    const sliceMs = Math.min(1000, Math.max(1, Math.floor(this.#H / 256)));
    const slices = this.#impressions
      .filter((i) => isNotLate(i) && this.#isRead(i, s))
      .map((i) => Math.floor(i.event.ts / sliceMs) * sliceMs)
      .filter((begin) => this.#decided[s] < begin + sliceMs + 2 * this.#H + this.#settings.backward);
    return slices.length === 0 ? undefined : Math.min(...slices);
  }

  /** The records that a replay must read again. */
  #needed(s: number): readonly Place[] {
    const sliceMs = Math.max(1, Math.floor(this.#H / 128));
    const isNeeded = (until: EpochMs): boolean => this.#decided[s] < (Math.floor(until / sliceMs) + 1) * sliceMs;
    const impressions = this.#impressions.filter(
      (i) => this.#isRead(i, s) && isNotLate(i) && isNeeded(this.#end(i) + this.#H + this.#settings.backward),
    );
    const feedback = this.#feedback.filter(
      (f) => this.#isRead(f, s) && f.verdict.known !== 'record' && isNeeded(this.#deadline(f)),
    );
    const predecessors = impressions.map(({ verdict }) => (verdict.kind === 'dropped' ? verdict.of : undefined));
    return [...impressions, ...feedback, ...predecessors.filter((each) => each !== undefined)];
  }
}

function isNotLate({ verdict }: JudgedImpression): boolean {
  return verdict.kind === 'accepted' || verdict.reason === 'duplicate';
}

function placeOf({ topic, offset }: Place): Place {
  return { topic, offset };
}
