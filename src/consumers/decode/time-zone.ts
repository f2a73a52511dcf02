import type { DurationMs, EpochMs } from '../../vocabulary/events.ts';

const MINUTE = 60_000;
const SLOT: DurationMs = 15 * MINUTE;
const DAY: DurationMs = 86_400_000;
const MOST_SLOTS = 10_000;
const FIXED = /^([+-])([01][0-9]|2[0-3]):?([0-5][0-9])$/;

/** Converts local times to instants, for times that are written without a zone. */
export interface TimeZone {
  /**
   * The instant at which clocks there show this time, given as if it were UTC. If clocks are set back and show it twice, it is
   * the first of the two; if they are set forward and never show it, it is later by the size of the gap (as in java.time and
   * Temporal).
   */
  instantOf(local: number): EpochMs;
}

/** Cached zones; each caches the offsets that it has computed. */
const KNOWN = new Map<string, TimeZone>();

/** A zone by its name in the IANA database (`Europe/Berlin`, `UTC`), or as `+01:00`; undefined: there is none. */
export function timeZone(name: string): TimeZone | undefined {
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const zone = zoneOf(name);
  if (zone !== undefined) KNOWN.set(name, zone);
  return zone;
}

function zoneOf(name: string): TimeZone | undefined {
  const fixed = FIXED.exec(name);
  if (fixed !== null) {
    const [, sign, hours, minutes] = fixed;
    const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
    return { instantOf: (local) => local - offset };
  }
  try {
    return new Place(new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' }));
  } catch {
    return undefined;
  }
}

class Place implements TimeZone {
  readonly #format: Intl.DateTimeFormat;
  /** By quarter of an hour, if the offset does not change in it. Asking Intl takes some microseconds. */
  readonly #offsets = new Map<number, DurationMs>();

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  instantOf(local: number): EpochMs {
    // NaN, and times beyond the years that Intl knows.
    if (!(Math.abs(local) < 8e15)) return Number.NaN;
    const before = this.#offset(local - DAY);
    const after = this.#offset(local + DAY);
    const first = local - before;
    if (before === after || this.#offset(first) === before) return first;
    const second = local - after;
    return this.#offset(second) === after ? second : first;
  }

  #offset(at: EpochMs): DurationMs {
    const slot = Math.floor(at / SLOT);
    const known = this.#offsets.get(slot);
    if (known !== undefined) return known;
    const begin = this.#ask(slot * SLOT);
    if (begin !== this.#ask((slot + 1) * SLOT - 1)) return this.#ask(at);
    if (this.#offsets.size >= MOST_SLOTS) this.#offsets.clear();
    this.#offsets.set(slot, begin);
    return begin;
  }

  #ask(at: EpochMs): DurationMs {
    const text = this.#format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
    if (sign === undefined) return 0;
    const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1000;
    return sign === '-' ? -offset : offset;
  }
}
