/** Messages about partitions that were stored under another configuration than that of this process (specification: windows 3.3). */
import { MINUTE } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { Misfit } from '../windows/unit-state.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Time within which a worker that starts with something new has stored it. */
const STARTUP_MS: DurationMs = MINUTE;

interface MisfitGroup {
  readonly kind: 'changed' | 'missing';
  readonly partitions: readonly number[];
  /** Settings that differ, or what is missing. */
  readonly parts: readonly string[];
}

/** Groups partitions that differ in the same way; those that cannot be shown come first. `misfits`: by partition. */
export function misfitGroups(misfits: readonly (Misfit | undefined)[]): readonly MisfitGroup[] {
  const groups = new Map<string, { kind: MisfitGroup['kind']; partitions: number[]; parts: readonly string[] }>();
  for (const [partition, misfit] of misfits.entries()) {
    if (misfit === undefined) continue;
    const kind = misfit.changed.length > 0 ? 'changed' : 'missing';
    const parts = misfit[kind];
    if (parts.length === 0) continue;
    const key = JSON.stringify([kind, parts]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { kind, partitions: [partition], parts });
    else group.partitions.push(partition);
  }
  return [...groups.values()].sort((a, b) => Number(a.kind === 'missing') - Number(b.kind === 'missing'));
}

/** Returns text such as: partitions 0, 1. */
export function partitionsText(partitions: readonly number[]): string {
  return `partition${partitions.length === 1 ? '' : 's'} ${partitions.join(', ')}`;
}

/** Returns text such as: partitions 0, 1 were stored without measure hit@1, which no window has whole. */
export function describeMisfit({ kind, partitions, parts }: MisfitGroup): string {
  const which = `${partitionsText(partitions)} ${partitions.length === 1 ? 'was' : 'were'} stored`;
  return kind === 'missing'
    ? `${which} without ${parts.join(', ')}, which no window has whole`
    : `${which} under another configuration and not shown (${parts.join('; ')})`;
}

const ADVICE =
  'Start every worker and exporter of this namespace with the same configuration; receval doctor compares it with what is stored';

/** Why stored partitions are not shown, and what to do. */
export function unshown(misfits: readonly (Misfit | undefined)[]): readonly string[] {
  const unlike = misfitGroups(misfits).filter(({ kind }) => kind === 'changed');
  return unlike.map((group) => `${describeMisfit(group)}. ${ADVICE}`);
}

/** Why not everything that is stored is shown after partitions were added. `ours`: number of partitions at our start. */
export function unknownPartitions(ours: number, stored: number): readonly string[] {
  if (stored <= ours) return [];
  return [
    `there were ${ours} partitions when this process was started, and now ${stored} are stored: the others are not shown, and all ` +
      'windows are incomplete. Restart it',
  ];
}

/** Logs when partitions have differed for a while, and when that is over. */
export class MisfitChanges {
  #since: EpochMs | undefined;
  /** The text that was logged last; '': nothing is wrong. */
  #logged = '';

  report(misfits: readonly (Misfit | undefined)[], log: Pick<WorkerLog, 'info' | 'warn'>, now: EpochMs): void {
    const groups = misfitGroups(misfits);
    if (groups.length === 0) {
      if (this.#logged !== '') log.info({}, 'what all partitions have stored fits the configuration again');
      this.#logged = '';
      this.#since = undefined;
      return;
    }
    this.#since ??= now;
    const text = groups.map(describeMisfit).join('. ');
    if (text === this.#logged || now - this.#since < STARTUP_MS) return;
    this.#logged = text;
    log.warn({ advice: ADVICE }, text);
  }
}
