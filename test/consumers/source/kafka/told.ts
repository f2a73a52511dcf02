import type {
  Gap,
  KafkaEvents,
  LostLog,
  RefusedBatch,
} from '../../../../src/consumers/source/kafka/access/kafka-settings.ts';

/** What a source reported beside records. */
export class Told implements KafkaEvents {
  readonly gaps: Gap[] = [];
  readonly lost: LostLog[] = [];
  readonly refused: RefusedBatch[] = [];
  readonly unpaired: (readonly number[])[] = [];
  readonly counts: (readonly number[])[] = [];
  readonly warnings: string[] = [];
  verdict: 'skip' | 'stop' | 'not needed' = 'stop';
  /** What is answered to a batch that cannot be decoded. */
  undecodable: 'skip' | 'stop' = 'stop';

  onGap(gap: Gap): 'skip' | 'stop' | 'not needed' {
    this.gaps.push(gap);
    return this.verdict;
  }

  onLostLog(lost: LostLog): void {
    this.lost.push(lost);
  }

  onRefused(refused: RefusedBatch): 'skip' | 'stop' {
    this.refused.push(refused);
    return this.undecodable;
  }

  onUnpaired(partitions: readonly number[]): void {
    this.unpaired.push(partitions);
  }

  onPartitionCounts(counts: readonly number[]): void {
    this.counts.push(counts);
  }
}
