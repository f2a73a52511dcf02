import { textOrBase64 } from '../dead-letters/letter.ts';
import { NO_ID } from '../vocabulary/events.ts';
import type { Dropped } from './drop-watch.ts';

/** A dropped event as one line of NDJSON with its line end: its position, the reason, its content, and its record. */
export function droppedLine({ side, reason, code, field, event, record }: Dropped): string {
  const { ts, requestId, ...says } = event ?? {};
  const line = {
    ...record?.place,
    side,
    reason,
    code,
    field,
    requestId: requestId === NO_ID ? undefined : requestId,
    ...says,
    ts: ts === undefined ? undefined : new Date(ts).toISOString(),
    ...(record?.value === undefined ? {} : textOrBase64('value', record.value)),
  };
  return `${JSON.stringify(line)}\n`;
}
