// Long because every step of a unit is here, in the order in which a record takes them: claim, feed, decode, join, score and add, commit.
import type { Panes } from '../accumulators/panes.ts';
import type { Since } from '../accumulators/runs.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { readKey } from '../accumulators/store/json.ts';
import { formatOf, unitKey } from '../accumulators/store/layout.ts';
import type { Decoder } from '../consumers/decode/decoder.ts';
import { recordRows } from '../consumers/engine/record-rows.ts';
import {
  type AcceptedImpression,
  type FedImpression,
  type JoinView,
  type RecordPlace,
  type RecordReader,
  type UnitJoin,
  windowOf,
} from '../consumers/join/api.ts';
import { createJoin } from '../consumers/join/join.ts';
import type { Batch, LogRecord, RecordRun, UndecodableBatch } from '../consumers/source/source-port.ts';
import type { ExperimentState } from '../experiment/state.ts';
import type { UnitPart } from '../experiment/units.ts';
import type { InvalidCode } from '../vocabulary/drops.ts';
import type { EpochMs, Offset, Side } from '../vocabulary/events.ts';
import { NO_FAULT } from '../vocabulary/fault-point.ts';
import type { StoredClockBlocks } from './clock-blocks.ts';
import { type ClaimedUnit, claimedState, copyInvalid, delaysOf, UnitCommits } from './commits.ts';
import { type LostRows, type RestoredUnit, restoreUnit, staleKeys } from './restore.ts';
import { type Resumed, resume } from './resume.ts';
import { UnitCompleteness } from './unit-completeness.ts';
import type { CommitOutcome, CommittedState, LeftOpen, UnitDeps, UnitSettings } from './unit-contract.ts';
import type { UnitExperiments } from './unit-experiments.ts';
import { UnitReading } from './unit-reading.ts';
import { UnitScoring } from './unit-scoring.ts';

/** The smallest share of the window from which the whole is estimated: a smaller one says nothing about it. */
const LEAST_SHARE = 0.01;

/**
 * The data path of one unit: claim, replay, decode, join, score, accumulate, commit (specification: commit 1, 3, 4).
 *
 * Between two commits everything happens synchronously in memory; a commit takes one consistent state and sends it. So however
 * this process ends, the store holds the state after some commit, and the next owner reads the logs again from the replay
 * offsets of that state.
 */
export class Unit {
  readonly #settings: UnitSettings;
  readonly #deps: UnitDeps;
  readonly #join: UnitJoin;
  readonly #panes: Panes;
  readonly #experiments: UnitExperiments;
  readonly #clockBlocks: StoredClockBlocks;
  readonly #reading: UnitReading;
  readonly #scoring: UnitScoring;
  /** Where the engine adds what closes by itself; undefined: all that closes comes to `UnitScoring.closed`. */
  readonly #adder: number | undefined;
  readonly #commits: UnitCommits;
  /** How often records were refused, by topic and side, then code. */
  readonly #invalid: readonly Record<Side, Map<InvalidCode, number>>[];
  readonly #generation: string;
  readonly #since: Since;
  /** Keys that are no longer used and that the next commit deletes. */
  #stale: readonly string[];
  #idleAdvances = 0;
  #closedByIdle = 0;
  #changed = false;
  readonly #completeness: UnitCompleteness;
  /** Rows that the checkpoint lists, and that the claim did not find in the store. */
  readonly lost: LostRows;
  readonly #lostUpTo: EpochMs;
  readonly #isNew: boolean;
  #isUnscoredTaken = false;
  readonly #rows = recordRows();

  /** Claims the unit and restores its state. Rejects when the store cannot be read or holds an unknown format. */
  static async claim(settings: UnitSettings, deps: UnitDeps): Promise<Unit> {
    const unit = unitKey(settings.namespace, settings.partition);
    const token = deps.newId();
    const reachFaultPoint = deps.faultPoint ?? NO_FAULT;
    reachFaultPoint('claim wanted');
    const claiming = deps.store.claim(unit, token);
    reachFaultPoint('claim sent');
    const { checkpoint, seq, cid } = await claiming;
    reachFaultPoint('claim answered');
    const { damaged } = settings.permissions;
    const isUnreadable = damaged !== undefined && 'cid' in damaged && damaged.cid === cid;
    const stored =
      checkpoint === undefined || isUnreadable ? undefined : readKey(unit, () => decodeCheckpoint(checkpoint));
    const resumed = resume(stored, { ...settings, runs: settings.panes.runs }, settings.permissions);
    reachFaultPoint('rows wanted');
    const restored = await restoreUnit(settings, deps.store, resumed, token);
    reachFaultPoint('rows read');
    const lastRecords = (resumed.join && stored?.lastRecords) ?? [];
    return new Unit(settings, deps, { unit, token, seq, cid }, resumed, restored, lastRecords);
  }

  private constructor(
    settings: UnitSettings,
    deps: UnitDeps,
    claimed: ClaimedUnit,
    resumed: Resumed,
    { join, panes, experiments, clockBlocks, lost }: RestoredUnit,
    lastRecords: readonly (string | undefined)[],
  ) {
    this.#settings = settings;
    this.#deps = deps;
    this.#panes = panes;
    this.#experiments = experiments;
    this.#clockBlocks = clockBlocks;
    this.#generation = resumed.generation;
    this.#since = resumed.since;
    this.#stale = staleKeys(settings, resumed);
    this.lost = lost;
    this.#lostUpTo = Math.max(resumed.lostUpTo, lost.notedUpTo);
    const incompleteBefore = Math.max(resumed.incompleteBefore, lost.upTo);
    this.#completeness = new UnitCompleteness(settings.join, { ...resumed, incompleteBefore });
    this.#isNew = resumed.join === undefined;
    this.#scoring = new UnitScoring(settings, deps, panes, this.#completeness);
    this.#invalid = settings.join.topics.map(() => ({ impressions: new Map(), feedback: new Map() }));
    this.#adder = this.#scoring.letEngineAdd();
    this.#join = createJoin(
      settings.join,
      {
        accepted: (impression, from) => this.#accepted(impression, from),
        unref: (tag) => panes.cohorts.unref(tag),
        closed: (closing, names) => this.#scoring.closed(closing, names),
        readsNames: this.#scoring.samples !== undefined,
        adder: this.#adder,
        observer: deps.observer ?? this.#scoring.samples,
      },
      join,
    );
    this.#commits = new UnitCommits(claimed, claimedState(this.#join, this.#invalid, resumed), panes.columns, deps);
    this.#reading = new UnitReading(settings.join, this.#join, () => this.committed, lastRecords);
  }

  /**
   * Applies the next records of one topic. Synchronous: when it returns, they are part of the state. The join judges each record as it is
   * decoded, and calls `#accepted` for each list that counts. In `advance` lists close that the watermark has passed: `UnitScoring.closed`
   * scores them and adds them to the panes, whose changes the next `commit` stores.
   */
  feed(batch: Batch): void {
    this.#reading.compare(batch);
    if (this.#reading.diverged !== undefined) return;
    const { topic, undecodable } = batch;
    const now = this.#deps.now();
    const reader =
      batch.runs === undefined || this.#join.skipsInReplay(topic) ? undefined : this.#deps.decoders[topic].reader;
    if (reader !== undefined) for (const run of batch.runs ?? []) this.#feedRun(topic, run, reader, now);
    else this.#feedRecords(topic, batch.records, now);
    if (undecodable !== undefined) this.#skip(topic, undecodable);
    this.#reading.taken(batch);
    this.#completeness.read(batch, this.#newest(topic), now);
    if (batch.next > this.#join.position(topic)) this.#join.seek(topic, batch.next);
    this.#join.advance();
    this.#changed = true;
  }

  /** Decodes and judges one record after the other, as files need it, where one record may hold many events. */
  #feedRecords(topic: number, records: readonly LogRecord[], now: EpochMs | undefined): void {
    const position = this.#join.position(topic);
    const skips = this.#join.skipsInReplay(topic);
    for (const record of records) {
      const { offset } = record;
      if (offset < position || (skips && this.#join.wasSkipped(topic, offset, offset + 1))) continue;
      const decoder = this.#deps.decoders[topic];
      const decoded = record.decoded ?? decoder.scan(record.value, this.#settings.sources[topic], offset);
      this.#judge(topic, record, decoded, now);
    }
  }

  /** Lets the engine read and judge the run, part by part; decodes here what the engine does not know. */
  #feedRun(topic: number, run: RecordRun, reader: RecordReader, now: EpochMs | undefined): void {
    const position = this.#join.position(topic);
    let index = 0;
    while (index < run.count && run.offsets[index] < position) index++;
    while (index < run.count) {
      const first = index;
      index = this.#rows.fill(run, first, reader.limit);
      const feed = (): number => this.#join.feed(topic, reader, this.#rows, now);
      for (let unknown = feed(); unknown >= 0; unknown = feed()) {
        const record = run.record(first + unknown);
        const decoded = this.#deps.decoders[topic].decode(record.value, this.#settings.sources[topic], record.offset);
        this.#judge(topic, record, decoded, now);
      }
    }
  }

  #judge(topic: number, record: LogRecord, decoded: ReturnType<Decoder['scan']>, now: EpochMs | undefined): void {
    if ('events' in decoded) {
      this.#join.record(topic, record.offset, record.timestamp, decoded.events, now, decoded.excluded);
      return;
    }
    if (decoded.refused === 'unmapped') {
      const { condition } = decoded;
      if (record.offset >= this.#join.judgedBelow(topic)) this.#deps.onPassedOver?.({ topic, record, condition });
      this.#join.passedOver(topic, record.offset, condition);
      return;
    }
    if (decoded.refused === 'invalid' && record.offset >= this.#join.judgedBelow(topic)) {
      const codes = this.#invalid[topic][decoded.side];
      codes.set(decoded.code, (codes.get(decoded.code) ?? 0) + 1);
      const { side, code, field } = decoded;
      this.#deps.onInvalid?.({ topic, record, side, code, field });
    }
    this.#join.refused(topic, record.offset, decoded.side, decoded.refused);
  }

  /** Called when the join has accepted a list. Returns the tag of its cohorts, under which it closes. */
  #accepted(impression: AcceptedImpression, from: RecordPlace): number {
    this.#deps.hooks?.accepted?.(impression);
    this.#completeness.accepted(impression.ts, from.isReplayed);
    const leftOut = this.#experiments.accepted(impression, from);
    const { cohorts } = this.#panes;
    const tag = cohorts.tag(impression.dimensions, impression.tuple, leftOut);
    if (this.#adder !== undefined && this.#isTagAll(impression, from)) cohorts.remember(impression.context, tag);
    return tag;
  }

  /** Whether nobody will ask for more of an impression of this context than its tag. */
  #isTagAll(impression: AcceptedImpression, from: RecordPlace): impression is FedImpression {
    if (!('context' in impression) || this.#deps.hooks?.accepted !== undefined) return false;
    return this.#completeness.isSettled && this.#experiments.ignores(impression.dimensions, from);
  }

  /**
   * Commits all changes in one piece. A rejected promise means that the outcome is unknown: the next call sends the same commit
   * again, until its outcome is known. At most one call at a time.
   */
  async commit(): Promise<CommitOutcome> {
    if (this.#reading.diverged !== undefined) return 'DIVERGED';
    if (!this.#commits.hasInFlight) {
      if (this.replaying) return 'REPLAYING';
      if (!this.#changed) return 'NOTHING_NEW';
      this.#prepareCommit();
      this.#changed = false;
    }
    return await this.#commits.send();
  }

  #prepareCommit(): void {
    const { fingerprint, namespace, partition, partitions, topicNames } = this.#settings;
    const stale = this.#stale;
    this.#stale = [];
    const join = this.#join.checkpoint();
    this.#panes.advance(join.watermark);
    const changes = this.#panes.takeChanges();
    const panes = this.#panes.stateText();
    const owner = { namespace, unit: partition, generation: this.#generation };
    const { rows, stored, removes } = changes;
    this.#experiments.takeChanges(join.watermark, owner, changes);
    this.#clockBlocks.takeChanges(join, owner, rows, removes);
    const later = { since: this.#since, runs: this.#experiments.state(this.#panes.listsOfRuns) };
    const checkpoint = encodeCheckpoint({
      format: formatOf(join, later, this.#panes.hasPlacesBeside, this.#generation),
      generation: this.#generation,
      fingerprint,
      partitions,
      topicNames,
      ...this.#completeness.state(),
      lostUpTo: this.#lostUpTo,
      ...later,
      join: { ...join, topics: this.#completeness.marked(join.topics) },
      panes,
      lastRecords: this.#reading.marks(),
    });
    const deletes = [...stale, ...changes.deletes];
    this.#commits.prepare(
      { checkpoint, rows, stored, deletes, removes },
      {
        counts: join.counts,
        invalid: this.#invalid.map(copyInvalid),
        unknownItems: [...this.#scoring.unknownItems],
        unscored: [...this.#scoring.unscored],
        delays: delaysOf(this.#join),
        offsets: join.topics.map((topic) => topic.committed),
        replayOffsets: join.topics.map((topic) => topic.replay),
        replayWatermarks: join.topics.map((topic) => topic.replayWatermark),
      },
      this.#panes.takeScored(),
    );
  }

  /** The state after the last commit that is known to be applied. */
  get committed(): CommittedState {
    return this.#commits.committed;
  }

  /** How often the wall clock advanced an idle topic since this claim, and how many lists closed by that. */
  get idleAdvances(): number {
    return this.#idleAdvances;
  }

  get closedByIdle(): number {
    return this.#closedByIdle;
  }

  /** Whether nothing was stored for this unit when it was claimed. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Whether state of this unit is stored, from which a worker that claims it now goes on. */
  get isStored(): boolean {
    return !this.#isNew || this.#commits.hasApplied;
  }

  /** Lets a new unit start at `offset` instead of at 0. The next commit stores this, even if no record comes. */
  beginAt(topic: number, offset: Offset): void {
    this.#completeness.begins(topic, offset);
    if (offset > this.#join.position(topic)) this.#join.seek(topic, offset);
    this.#changed = true;
  }

  /**
   * Returns, once, the time before which lists have been left out of all sums since the claim, because their feedback was not read.
   * undefined: none was left out, or this was returned before.
   */
  takeUnscoredBefore(): EpochMs | undefined {
    if (this.#isUnscoredTaken || this.committed.unscored.every((lists) => lists === 0)) return undefined;
    this.#isUnscoredTaken = true;
    return this.#completeness.feedbackFrom;
  }

  /** Goes on at `start`, where the log of a topic begins now, above its position. What was to be read below is lost, and counted once. */
  skipGap(topic: number, start: Offset): void {
    this.#lose(topic, start, this.#reading.gapBelow(topic, start) ?? 0);
    this.#reading.beginsAt(topic, start);
    this.#join.seek(topic, start);
    this.#join.advance();
    this.#changed = true;
  }

  /** Notes that `records` of a topic, all of them below `behind`, were lost before they could be read. */
  #lose(topic: number, behind: Offset, records: number): void {
    this.#completeness.lost(topic, behind);
    this.#experiments.lost(records);
  }

  /** The token of the claim under which this unit is owned. */
  get token(): string {
    return this.#commits.token;
  }

  /** Whether records are read again: to rebuild what is open, or to see whether the last records are still the same. */
  get replaying(): boolean {
    return this.#join.replaying || this.#reading.awaits;
  }

  /** What is known of the logs: where to read next, and whether they are the logs that were read. */
  get reading(): Omit<UnitReading, 'compare' | 'taken'> {
    return this.#reading;
  }

  /** Skips a batch that cannot be decoded. It leaves a gap, unless it was skipped before the checkpoint already. */
  #skip(topic: number, batch: UndecodableBatch): void {
    const from = Math.max(batch.from, this.#join.position(topic));
    const { to } = batch;
    if (to <= from || this.#join.wasSkipped(topic, from, to)) return;
    const side = this.#settings.join.topics[topic].impressions ? 'impressions' : 'feedback';
    const counted = this.#join.undecodable(topic, { from, to, records: batch.records }, side);
    // The end of a transaction holds no records.
    if (batch.records > 0) this.#lose(topic, to, counted);
    if (counted > 0) this.#deps.onUndecodable?.({ topic, batch });
  }

  /** Whether [from, to) was judged already, by this object or before the checkpoint. It is then skipped, whatever it holds now. */
  wasJudged(topic: number, from: Offset, to: Offset): boolean {
    const position = this.#join.position(topic);
    return to <= position || this.#join.wasSkipped(topic, Math.max(from, position), to);
  }

  /** Copies of the rows of a since-start total, with everything that has closed, committed or not. */
  readonly total: Panes['total'] = (name) => this.#panes.total(name);

  /** What this unit holds of a run, by its index in the settings, with everything that has closed, committed or not. */
  part(run: number): UnitPart {
    return this.#experiments.part(run, this.#panes.runTotal(run), this.#join.watermark);
  }

  /** Takes one more look at a run, which the next commit stores. `totals`: the sums of all units, this one's from `part`. */
  look(run: number, totals: Omit<ExperimentState, 'looks'>): void {
    this.#experiments.look(run, totals);
    this.#changed = true;
  }

  /** The greatest event time of a topic so far. */
  #newest(topic: number): EpochMs {
    return this.#join.topicNewest(topic) + this.#settings.join.outOfOrderness;
  }

  /** Advances the watermark of a topic that has nothing new; not while replaying. */
  idle(topic: number, watermark: EpochMs): void {
    if (this.replaying || this.#reading.diverged !== undefined || !this.#join.idle(topic, watermark)) return;
    this.#completeness.silent(topic, this.#newest(topic));
    const open = this.#join.openImpressions;
    this.#join.advance();
    this.#idleAdvances++;
    this.#closedByIdle += open - this.#join.openImpressions;
    this.#changed = true;
  }

  /** The greatest event time of all topics so far; -Infinity: there is none. */
  get newest(): EpochMs {
    return Math.max(...this.#settings.join.topics.map((_, topic) => this.#newest(topic)));
  }

  /**
   * Closes everything, where logs end (specification: join 4.1). Lists that are old enough at `reach` are counted as ever; those that
   * are still open then are not counted, but go to `open`, once for every such horizon.
   */
  finish(reach: EpochMs = Number.POSITIVE_INFINITY, open: LeftOpen = () => {}): void {
    const { join } = this.#settings;
    const end = this.newest + windowOf(join) + join.backward;
    if (!Number.isFinite(end)) return;
    this.#idleAll(Math.min(reach, end));
    this.#scoring.leaveOpen(open);
    this.#idleAll(end);
  }

  #idleAll(watermark: EpochMs): void {
    for (let topic = 0; topic < this.#settings.join.topics.length; topic++) this.idle(topic, watermark);
  }

  /** Whether `commit` would send something. */
  get hasToCommit(): boolean {
    if (this.#reading.diverged !== undefined) return false;
    return this.#commits.hasInFlight || (this.#changed && !this.replaying);
  }

  /** Whether the outcome of the last commit is unknown. */
  get isUnanswered(): boolean {
    return this.#commits.hasInFlight;
  }

  /** The number of combinations of values that open lists and sums have. */
  get cohorts(): number {
    return this.#panes.cohorts.size;
  }

  /** Bytes in memory, estimated, of the rows that the next commit stores. */
  get changedBytes(): number {
    return this.#panes.changedBytes;
  }

  /** Bytes in memory of rows, cohorts and experiments, cells of the engine included. Most are in the heap of V8, unlike those of the join. */
  get rowBytes(): number {
    return this.#panes.bytes + this.#experiments.bytes;
  }

  /** Bytes in memory of all that this unit holds. */
  get stateBytes(): number {
    return this.#join.stateBytes + this.rowBytes;
  }

  /** Gives back the memory of what is open. What was committed stays readable; nothing is fed to it any more. */
  release(): void {
    this.#join.close();
    this.#panes.close();
  }

  /** How much of the longest time that can be open at once is open now, (0, 1]. */
  get openShare(): number {
    const { join } = this.#settings;
    const { oldestRemembered: oldest } = this.#join;
    const whole = windowOf(join) + join.outOfOrderness;
    return oldest === undefined ? 1 : Math.min(1, Math.max(LEAST_SHARE, (this.newest - oldest) / whole));
  }

  get ignoredCohortKeys(): number {
    return this.#deps.decoders.reduce((sum, decoder) => sum + decoder.ignoredCohortKeys, 0);
  }

  /** The watermarks, counts and sizes of the join. */
  get join(): JoinView {
    return this.#join;
  }
}
