/** Logs of a known form: what was shown and done, written as the options say. */

import { TOPIC } from '../../src/inspect/file-shape.ts';
import type { SampledFile } from '../../src/inspect/inspected.ts';

export interface MadeLog {
  readonly seed: number;
  readonly lists: number;
  /** Path of each field: `ctx.recId` is that inside of an object. */
  readonly names: {
    readonly request: readonly [lists: string, feedback: string];
    readonly time: readonly [lists: string, feedback: string];
    readonly items: string;
    /** In the list; undefined: lists of ids. */
    readonly id: string | undefined;
    readonly item: string;
    readonly action: string;
    readonly user: string | undefined;
    readonly variant: string | undefined;
  };
  readonly times: readonly [lists: TimeWriter, feedback: TimeWriter];
  /** Half hours that the clock of feedback is ahead. */
  readonly halves: number;
  readonly requestIds: (id: string) => string;
  readonly itemIds: (id: string) => string;
}

export type TimeWriter = (ms: number) => unknown;

export const TIME_WRITERS = {
  iso: (ms: number) => new Date(ms).toISOString(),
  offset: (ms: number) => `${new Date(ms + 3_600_000).toISOString().slice(0, -1)}+01:00`,
  seconds: (ms: number) => ms / 1000,
  milliseconds: (ms: number) => ms,
  microseconds: (ms: number) => ms * 1000,
  text: (ms: number) => String(ms),
} as const;

export const MADE_AT = Date.parse('2026-11-21T08:00:00Z');
const HALF_HOUR = 1_800_000;

export interface Made {
  readonly impressions: readonly object[];
  readonly feedback: readonly object[];
  /** Mean reciprocal rank of what was done, after the longest delay. */
  readonly mrr: number;
}

export function makeLog({ seed, lists, names, times, halves, requestIds, itemIds }: MadeLog): Made {
  const random = randomOf(seed);
  const items = Array.from({ length: 25 }, (_, i) => `p${100 + i}`);
  const impressions: object[] = [];
  const events: { readonly at: number; readonly record: object }[] = [];
  let reciprocals = 0;
  for (let n = 0; n < lists; n++) {
    const at = MADE_AT + n * 9000 + Math.floor(random() * 5000);
    const id = `${Math.floor(random() * 2 ** 31).toString(36)}q${n}`;
    const shown = [...items].sort(() => random() - 0.5).slice(0, 4);
    const user = `u${Math.floor((random() * lists) / 3)}`;
    impressions.push(
      record([
        [names.request[0], id],
        [names.time[0], times[0](at)],
        [names.user, user],
        [names.variant, Number(user.slice(1)) % 2 === 0 ? 'control' : 'treatment'],
        [names.items, names.id === undefined ? shown : shown.map((item) => record([[names.id, item]]))],
      ]),
    );
    if (n > 1 && random() < 0.4) continue;
    const rank = Math.floor(random() * 4);
    reciprocals += 1 / (rank + 1);
    const later = at + 1000 + Math.floor(random() * 200_000);
    events.push({
      at: later,
      record: record([
        ['id', `e${n}`],
        [names.request[1], requestIds(id)],
        [names.time[1], times[1](later + halves * HALF_HOUR)],
        [names.user, user],
        [names.item, itemIds(shown[rank])],
        [names.action, n % 5 === 0 ? 'purchase' : 'click'],
      ]),
    });
  }
  events.sort((a, b) => a.at - b.at);
  return { impressions, feedback: events.map((event) => event.record), mrr: reciprocals / lists };
}

/** Through JSON, so that nothing of the maker is left in it. */
export function sampledFile(name: string, rows: readonly object[]): SampledFile {
  return { name, format: TOPIC, rows: JSON.parse(JSON.stringify(rows)), bad: [], more: false, role: undefined };
}

/** As JSON pointers have it. */
export function pointerOf(name: string): string {
  return `/${name.replaceAll('.', '/')}`;
}

function record(fields: readonly (readonly [name: string | undefined, value: unknown])[]): object {
  const made: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    if (name === undefined) continue;
    const [first, second] = name.split('.');
    if (second === undefined) made[first] = value;
    else made[first] = { ...Object(made[first]), [second]: value };
  }
  return made;
}

/** mulberry32 by T. Ettinger, public domain. */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
