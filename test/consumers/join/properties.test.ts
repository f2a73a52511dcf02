import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJoin } from '../../../src/consumers/join/join.ts';
import { textBound, writeText } from '../../../src/consumers/packed/text.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS } from '../../../src/vocabulary/drops.ts';
import { runs } from '../../runs.ts';
import { openParts } from '../engine/parts.ts';
import { checkHistory, type Reached } from './check.ts';
import { type Habits, histories, USUAL } from './history.ts';
import { BROAD, MANY_PAGES, type Profile } from './profile.ts';

/** Runs the law over histories and returns the cases that they reached seldom. */
function hold(profile: Profile, habits: Habits, numRuns: number): string[] {
  const reached: Reached = new Map();
  fc.assert(
    fc.property(histories(profile, habits), (history) => checkHistory(createJoin, history, reached)),
    { numRuns },
  );
  return CASES.filter((what) => (reached.get(what) ?? 0) < numRuns / 50);
}

/** What the histories must meet, each at least once in 50 of them. */
const CASES = [
  'advance',
  'commit',
  'commit in replay',
  'crash',
  'crash in replay',
  'idle',
  'rejoin',
  'read in replay',
  'closing',
  'closing with feedback',
  'impression accepted',
  'impression accepted, missed a horizon',
  'impression future',
  'impression excluded',
  'impression late',
  'impression duplicate',
  'feedback attributed',
  'feedback attributed, missed a horizon',
  'feedback future by record',
  'feedback excluded by record',
  'feedback late by record',
  'feedback late by meeting',
  'feedback orphan by deadline',
  'feedback not_in_list by deadline',
  'feedback duplicate by meeting',
  'feedback capped by meeting',
] as const;

it('the cases name every reason for which a join drops an event', () => {
  // The decoder has dropped what is `undecodable`, `tombstone` or `invalid`.
  const before: readonly string[] = ['undecodable', 'tombstone', 'invalid'];
  const ofJoin = [
    ...IMPRESSION_DROPS.map((reason) => ({ side: 'impression', reason })),
    ...FEEDBACK_DROPS.map((reason) => ({ side: 'feedback', reason })),
  ].filter(({ reason }) => !before.includes(reason));
  const named = CASES.map((what) => what.split(' ', 2).join(' '));
  const missing = ofJoin.map(({ side, reason }) => `${side} ${reason}`).filter((what) => !named.includes(what));
  expect(missing, 'add each to CASES, and draw events that meet it: logs.ts, profile.ts').toEqual([]);
});

describe('the join', () => {
  it('is a pure function of the logs, for any interleaving, batching, idle advance and crash', () => {
    expect(hold(BROAD, USUAL, runs(1000))).toEqual([]);
  });

  it('is one without any fault, too', () => {
    hold(BROAD, { ...USUAL, crash: 0, idle: 0, clock: 0 }, runs(250));
  });

  it('is one when the worker hardly gets past its replays', () => {
    hold(BROAD, { ...USUAL, steps: 150, crash: 3, commit: 6 }, runs(250));
  });

  it('is one when a request has many pages and many events', () => {
    expect(hold(MANY_PAGES, USUAL, runs(400))).toEqual([]);
  });

  it('keeps requests apart whose ids have one hash', () => {
    const [one, other] = colliding();
    expect(hashOf(one)).toBe(hashOf(other));
    hold({ ...BROAD, requests: [one, other] }, USUAL, runs(250));
  });
});

/** Two texts with one 32-bit hash: among n texts there are about n^2 / 2^33 such pairs. */
function colliding(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let n = 0; n < 1_000_000; n++) {
    const text = `request-${Math.imul(n, 0x9e3779b1) >>> 0}-${Math.imul(n, 0x85ebca6b) >>> 0}`;
    const hash = hashOf(text);
    const other = seen.get(hash);
    if (other !== undefined) return [other, text];
    seen.set(hash, text);
  }
  throw new Error('no two of a million texts have one hash');
}

const parts = openParts(32);
const keys = parts.call('newKeys', 0n);
const place = parts.call('take', 1024);

/** As the table of requests takes it. */
function hashOf(text: string): number {
  const u8 = Buffer.alloc(textBound(text.length));
  const end = writeText(u8, 0, text);
  parts.u8.set(u8, place);
  return parts.call('hashBytes', keys, place, place + end);
}
