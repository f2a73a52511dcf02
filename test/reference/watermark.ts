import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { EpochMs, Event, Feedback, Impression, Offset } from '../../src/vocabulary/events.ts';
import type { Placed } from './judged.ts';
import { allEvents, type LogRecord, type ReadRecord, type TopicLog } from './logs.ts';

/** Whether one event of a record is dropped as `future`. */
export function isFuture(settings: JoinSettings, log: TopicLog, record: ReadRecord, event: Event): boolean {
  if (log.clockDrops.includes(record.offset)) return true;
  const recordTime = record.timestamp ?? Math.max(...allEvents(record).map((each) => each.ts));
  return event.ts > recordTime + settings.futureSkew;
}

/** Each record of a topic with the watermark before it, and the watermark after the last one (specification: join 2.1, 2.3). */
export function watermarksOf(
  settings: JoinSettings,
  log: TopicLog,
): { readonly before: readonly { readonly record: LogRecord; readonly watermark: EpochMs }[]; readonly last: EpochMs } {
  const { futureSkew, horizons, outOfOrderness } = settings;
  const reach = Math.min(futureSkew, Math.max(60_000, ...horizons.slice(0, 1)));
  const advances = log.idleAdvances.toSorted((a, b) => a.before - b.before);
  let watermark = -Infinity;
  // Lowest first.
  let waiting: readonly { readonly at: EpochMs; readonly votes: number }[] = [];
  const raise = (to: EpochMs): void => {
    if (to <= watermark) return;
    watermark = to;
    waiting = [];
  };
  const against = (): void => {
    const [highest] = waiting.slice(-1);
    const others = waiting.slice(0, -1);
    if (highest !== undefined)
      waiting = highest.votes === 1 ? others : [...others, { ...highest, votes: highest.votes - 1 }];
  };
  const leap = (to: EpochMs): void => {
    if (waiting.length > 0 && to - waiting[waiting.length - 1].at < -reach) against();
    const above = waiting.length === 0 ? Infinity : to - waiting[waiting.length - 1].at;
    if (above < -reach) return;
    if (above > reach) waiting = [...waiting, { at: to, votes: 1 }];
    else {
      const { at, votes } = waiting[waiting.length - 1];
      const others = waiting.slice(0, -1);
      waiting =
        above < reach / 2
          ? [...others, { at, votes: votes + 1 }]
          : [...others, { at, votes: 1 }, { at: to, votes: votes + 1 }];
    }
    if (waiting.length < 4) return;
    let confirmed = waiting[0].at;
    for (const { at } of waiting) if (at - confirmed <= reach) confirmed = at;
    waiting = waiting.filter(({ at }) => at > confirmed);
    watermark = Math.max(watermark, confirmed);
  };
  const pass = (offset: Offset): void => {
    while (advances.length > 0 && advances[0].before <= offset) raise(advances.shift()?.watermark ?? -Infinity);
  };
  const before = log.records.map((record) => {
    pass(record.offset);
    const found = { record, watermark };
    if (record.kind !== 'read') return found;
    const times = allEvents(record)
      .filter((event) => !isFuture(settings, log, record, event))
      .map((event) => Math.min(event.ts, record.timestamp ?? event.ts));
    const to = Math.max(...times) - outOfOrderness;
    const by = to - watermark;
    if (watermark === -Infinity || record.timestamp === undefined) watermark = Math.max(watermark, to);
    else if (by > reach) leap(to);
    else {
      if (by >= -reach) against();
      watermark = Math.max(watermark, to);
    }
    return found;
  });
  pass(Infinity);
  return { before, last: watermark };
}

/** W, once all of every log is read. */
export function combinedWatermark(settings: JoinSettings, logs: readonly TopicLog[]): EpochMs {
  return Math.min(...logs.map((log) => watermarksOf(settings, log).last));
}

/** All events of one topic in log order, each with the watermark before its record. */
export function placedEvents(settings: JoinSettings, log: TopicLog, topic: number): Placed<Event>[] {
  return watermarksOf(settings, log).before.flatMap(({ record, watermark }) =>
    record.kind !== 'read'
      ? []
      : allEvents(record).map((event, place) => ({
          topic,
          offset: record.offset,
          place,
          event,
          watermark,
          future: isFuture(settings, log, record, event),
          excluded: place >= record.events.length,
        })),
  );
}

export function impressionsOf(placed: readonly Placed<Event>[]): Placed<Impression>[] {
  return placed.flatMap((each) => (each.event.kind === 'impression' ? [{ ...each, event: each.event }] : []));
}

export function feedbackOf(placed: readonly Placed<Event>[]): Placed<Feedback>[] {
  return placed.flatMap((each) => (each.event.kind === 'feedback' ? [{ ...each, event: each.event }] : []));
}
