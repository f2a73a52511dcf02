import type { CellColumns } from '../accumulators/list-sums.ts';
import { type ScoredChanges, ScoredRows } from '../accumulators/scored-rows.ts';
import type { Claimed, Commit, CommitAnswer, Store } from '../accumulators/store/store-port.ts';
import type { UnitJoin } from '../consumers/join/api.ts';
import { copyCounts } from '../consumers/join/counts.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';
import type { Resumed } from './resume.ts';
import type { CommittedState, InvalidCounts, UnitDeps } from './unit-contract.ts';

/** What the next commit stores; the other fields of a commit identify it. */
type CommitContent = Pick<Commit, 'checkpoint' | 'rows' | 'stored' | 'deletes' | 'removes'>;

/** The state that is stored with a commit, without what was scored, of which a commit knows only the changes. */
type StoredState = Omit<CommittedState, 'scored'>;

/** The claim under which a unit commits. */
export type ClaimedUnit = Pick<Commit, 'unit' | 'token'> & Pick<Claimed, 'seq' | 'cid'>;

/**
 * The commits under one claim (specification: commit 1). Each builds on the one before it. A commit that was not answered stays
 * in flight: it is sent again unchanged, and nothing else is sent, until its outcome is known.
 */
export class UnitCommits {
  /** The token of the claim. */
  readonly token: string;
  readonly #unit: string;
  readonly #store: Store;
  readonly #newId: () => string;
  readonly #reachFaultPoint: FaultPoint;
  /** The number of the last commit that is known to be applied; `#cid` is its id. */
  #seq: number;
  #cid: string;
  #hasApplied = false;
  #committed: CommittedState;
  /** What was scored up to the last commit that is known to be applied. */
  readonly #scored: ScoredRows;
  /** The commit whose outcome is not known yet, with the state that it stores. */
  #inFlight: { readonly commit: Commit; readonly state: StoredState; readonly scored: ScoredChanges } | undefined;

  /** `committed`: the state that the claim has found; `columns`: the columns of its rows. */
  constructor(
    { unit, token, seq, cid }: ClaimedUnit,
    committed: StoredState,
    columns: CellColumns,
    { store, newId, faultPoint }: Pick<UnitDeps, 'store' | 'newId' | 'faultPoint'>,
  ) {
    this.#unit = unit;
    this.token = token;
    this.#seq = seq;
    this.#cid = cid;
    this.#scored = new ScoredRows(columns);
    this.#committed = { ...committed, scored: this.#scored };
    this.#store = store;
    this.#newId = newId;
    this.#reachFaultPoint = faultPoint ?? NO_FAULT;
  }

  /** The state stored by the last commit that was answered OK or ALREADY. */
  get committed(): CommittedState {
    return this.#committed;
  }

  /** Whether a commit is in flight: its outcome is not known, and no other may be sent. */
  get hasInFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Whether a commit under this claim is known to be applied. */
  get hasApplied(): boolean {
    return this.#hasApplied;
  }

  /** Sets the next commit to send, and the state that is committed with it. */
  prepare(content: CommitContent, state: StoredState, scored: ScoredChanges): void {
    const commit: Commit = {
      ...content,
      unit: this.#unit,
      token: this.token,
      seq: this.#seq + 1,
      cid: this.#newId(),
      parent: this.#cid,
    };
    this.#inFlight = { commit, state, scored };
  }

  /** Sends the commit that was prepared last. A rejected promise means that the outcome is unknown: send it again. */
  async send(): Promise<CommitAnswer> {
    if (this.#inFlight === undefined) throw new Error('nothing was prepared: prepare a commit before sending it');
    const { commit, state, scored } = this.#inFlight;
    this.#reachFaultPoint('commit built');
    const committing = this.#store.commit(commit);
    this.#reachFaultPoint('commit sent');
    const answer = await committing;
    this.#reachFaultPoint('commit answered');
    if (answer === 'OK' || answer === 'ALREADY') {
      this.#hasApplied = true;
      this.#seq = commit.seq;
      this.#cid = commit.cid;
      this.#scored.apply(scored);
      this.#committed = { ...state, scored: this.#scored };
      this.#inFlight = undefined;
    }
    return answer;
  }
}

/** The stored state of a unit that was just claimed. */
export function claimedState(join: UnitJoin, invalid: readonly InvalidCounts[], resumed: Resumed): StoredState {
  const topics = join.counts.map((_, topic) => resumed.join?.topics[topic]);
  return {
    counts: join.counts.map(copyCounts),
    invalid: invalid.map(copyInvalid),
    unknownItems: join.counts[0].impressions.late.map(() => 0),
    unscored: join.counts[0].impressions.late.map(() => 0),
    delays: delaysOf(join),
    offsets: topics.map((topic) => topic?.committed ?? 0),
    replayOffsets: topics.map((topic) => topic?.replay ?? 0),
    replayWatermarks: topics.map((topic) => topic?.replayWatermark ?? Number.NEGATIVE_INFINITY),
  };
}

export function copyInvalid({ impressions, feedback }: InvalidCounts): InvalidCounts {
  return { impressions: new Map(impressions), feedback: new Map(feedback) };
}

export function delaysOf({ delays }: UnitJoin): CommittedState['delays'] {
  return { counts: [...delays.counts], sum: delays.sum };
}
