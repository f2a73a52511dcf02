import { textOrBase64 } from '../dead-letters/letter.ts';
import type { Dropped } from './drop-watch.ts';

/** What was dropped as one line of NDJSON with its line end: where it stands, why, what the event says, and its record. */
export function droppedLine({ side, reason, code, field, event, record }: Dropped): string {
  const { ts, ...says } = event ?? {};
  const line = {
    ...record?.place,
    side,
    reason,
    code,
    field,
    ...says,
    ts: ts === undefined ? undefined : new Date(ts).toISOString(),
    ...(record?.value === undefined ? {} : textOrBase64('value', record.value)),
  };
  return `${JSON.stringify(line)}\n`;
}
