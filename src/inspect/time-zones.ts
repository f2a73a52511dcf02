/** Finds the zones of times without one, if the other side reveals them. */
import type { InspectedSide, Inspection, Sides } from './inspected.ts';
import { type ClockOffset, type Facts, isZone, zoneText } from './log-facts.ts';

/**
 * If one side has a zone and the other has none, the constant offset between them is that of the other's zone; no offset means
 * UTC. If neither has one, the lists are taken to be in UTC, and the offset gives the zone of the feedback. An offset that no
 * zone has gives none.
 */
export function zonesOf(
  { impressions, feedback, oneLog }: Pick<Sides, 'impressions' | 'feedback' | 'oneLog'>,
  facts: Facts,
  clock: ClockOffset | undefined,
): Inspection['zones'] {
  const [lists, clicks] = [impressions, feedback].map(isLocal);
  const offset = clock?.offset ?? 0;
  if (oneLog || facts.joining.delays.length === 0) return { impressions: undefined, feedback: undefined };
  if (lists === clicks) {
    return lists && offset !== 0 && isZone(offset)
      ? { impressions: 'UTC', feedback: zoneText(offset) }
      : { impressions: undefined, feedback: undefined };
  }
  const own = lists ? -offset : offset;
  if (!isZone(own)) return { impressions: undefined, feedback: undefined };
  const zone = own === 0 ? 'UTC' : zoneText(own);
  return { impressions: lists ? zone : undefined, feedback: clicks ? zone : undefined };
}

export function isLocal(side: InspectedSide | undefined): boolean {
  return side?.reading.time?.form === 'local';
}
