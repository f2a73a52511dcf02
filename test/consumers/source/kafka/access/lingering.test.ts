import { describe, expect, it } from 'vitest';
import {
  ENOUGH_BYTES,
  type FetchingGroup,
  lingering,
} from '../../../../../src/consumers/source/kafka/access/lingering.ts';
import type { Message } from '../../../../../src/consumers/source/kafka/flow/batches.ts';

const RECORD: Message = { offset: '1', timestamp: '-1', key: null, value: null };
const ONE = 7;

function batchOf(bytes: number): Message {
  return { ...RECORD, stand: { kind: 'batch', bytes: Buffer.alloc(bytes) } };
}

/** Returns what it is told to, and notes for how many bytes each fetch was to wait. */
class Group implements FetchingGroup {
  readonly minBytes: number;
  readonly waitedFor: number[] = [];
  next: readonly (readonly Message[])[] = [];
  resumed = 0;

  constructor({ minBytes }: { readonly minBytes: number }) {
    this.minBytes = minBytes;
  }

  resume(): void {
    this.resumed++;
  }

  async fetch(): ReturnType<FetchingGroup['fetch']> {
    this.waitedFor.push(this.minBytes);
    return this.next.map((rawMessages) => ({ rawMessages }));
  }
}

function group(): Group {
  const made = new (lingering(Group))({ minBytes: ONE });
  if (!(made instanceof Group)) throw new Error('no group');
  return made;
}

describe('a fetch', () => {
  it('waits until there is enough, after one that has brought less', async () => {
    const member = group();
    member.next = [[batchOf(ENOUGH_BYTES - 1)]];
    for (let n = 0; n < 3; n++) await member.fetch();
    expect(member.waitedFor).toEqual([ONE, ENOUGH_BYTES, ENOUGH_BYTES]);
  });

  it('waits for nothing after one that has brought enough from all partitions together, records and batches', async () => {
    const member = group();
    const half = ENOUGH_BYTES / 2;
    member.next = [[batchOf(half)], [{ ...RECORD, value: Buffer.alloc(half - 1) }, batchOf(1)]];
    for (let n = 0; n < 3; n++) await member.fetch();
    expect(member.waitedFor).toEqual([ONE, ONE, ONE]);
  });

  it('waits for nothing when something was resumed', async () => {
    const member = group();
    for (let n = 0; n < 2; n++) await member.fetch();
    member.resume();
    for (let n = 0; n < 2; n++) await member.fetch();
    expect(member.waitedFor).toEqual([ONE, ENOUGH_BYTES, ONE, ENOUGH_BYTES]);
    expect(member.resumed).toBe(1);
  });

  it('returns nothing of partitions that have nothing, and all of the others, in their order', async () => {
    const member = group();
    const control: Message = { ...RECORD, isControlRecord: true };
    const aborted: Message = { ...RECORD, stand: { kind: 'aborted' } };
    member.next = [[], [RECORD], [], [control], [aborted], []];
    expect(await member.fetch()).toEqual([[RECORD], [control], [aborted]].map((rawMessages) => ({ rawMessages })));
    member.next = [[], []];
    expect(await member.fetch()).toEqual([]);
  });
});
