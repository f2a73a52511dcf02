import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { EpochMs, Event, Feedback, Impression, Offset } from '../../src/vocabulary/events.ts';
import type { Placed } from './judged.ts';
import type { ReadRecord, TopicLog } from './logs.ts';

/** Whether one event of a record is dropped as `future`. */
export function isFuture(settings: JoinSettings, log: TopicLog, record: ReadRecord, event: Event): boolean {
  if (log.clockDrops.includes(record.offset)) return true;
  const recordTime = record.timestamp ?? Math.max(...record.events.map((each) => each.ts));
  return event.ts > recordTime + settings.futureSkew;
}

/** w_T(n): the watermark of a topic just before the record at `offset`. */
export function watermarkBefore(settings: JoinSettings, log: TopicLog, offset: Offset): EpochMs {
  let watermark = -Infinity;
  for (const record of log.records) {
    if (record.kind !== 'read' || record.offset >= offset) continue;
    for (const event of record.events) {
      if (isFuture(settings, log, record, event)) continue;
      const time = Math.min(event.ts, record.timestamp ?? event.ts);
      watermark = Math.max(watermark, time - settings.outOfOrderness);
    }
  }
  for (const advance of log.idleAdvances) {
    if (advance.before <= offset) watermark = Math.max(watermark, advance.watermark);
  }
  return watermark;
}

/** W, once all of every log is read. */
export function combinedWatermark(settings: JoinSettings, logs: readonly TopicLog[]): EpochMs {
  return Math.min(...logs.map((log) => watermarkBefore(settings, log, Infinity)));
}

/** All events of one topic in log order, each with the watermark before its record. */
export function placedEvents(settings: JoinSettings, log: TopicLog, topic: number): Placed<Event>[] {
  return log.records.flatMap((record) =>
    record.kind !== 'read'
      ? []
      : record.events.map((event, place) => ({
          topic,
          offset: record.offset,
          place,
          event,
          watermark: watermarkBefore(settings, log, record.offset),
          future: isFuture(settings, log, record, event),
        })),
  );
}

export function impressionsOf(placed: readonly Placed<Event>[]): Placed<Impression>[] {
  return placed.flatMap((each) => (each.event.kind === 'impression' ? [{ ...each, event: each.event }] : []));
}

export function feedbackOf(placed: readonly Placed<Event>[]): Placed<Feedback>[] {
  return placed.flatMap((each) => (each.event.kind === 'feedback' ? [{ ...each, event: each.event }] : []));
}
