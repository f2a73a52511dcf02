import { parseDuration } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { RegressionSettings, VariantSettings } from './simulation-settings.ts';

/** A text that does not say what it should. The message names the text and shows the right form. */
export class NotationError extends Error {
  override readonly name = 'NotationError';
}

/** `90s`, `30m`, `24h`: a whole number and ms, s, m, h or d. @throws NotationError */
export function readDuration(text: string): DurationMs {
  const duration = parseDuration(text);
  if (duration === undefined) {
    throw new NotationError(`"${text}" is not a duration; write a whole number with ms, s, m, h or d, such as 30m`);
  }
  return duration;
}

/** An ISO 8601 time; UTC where it names no zone. @throws NotationError */
export function parseTime(text: string): EpochMs {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text);
  const [, clock, , , zone] = match ?? [];
  const time = match === null ? Number.NaN : Date.parse(clock !== undefined && zone === undefined ? `${text}Z` : text);
  if (Number.isNaN(time)) {
    throw new NotationError(`"${text}" is not a time; write ISO 8601, such as 2025-11-03T08:00:00Z`);
  }
  return time;
}

/** @throws NotationError */
export function parseNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new NotationError(`"${text}" is not a number`);
  return value;
}

/** Quality of variants whose notation does not name one: each better than the one before, up to 0.9. */
const LEAST_QUALITY = 0.6;
const QUALITY_STEP = 0.1;

/** `control:0.5:0.6,treatment:0.5:0.7`: name, weight and quality; weight 1 and a quality by the place are usual. @throws NotationError */
export function parseVariants(text: string): readonly VariantSettings[] {
  return text.split(',').map((part, place) => {
    const [name = '', weight, quality, ...more] = part.trim().split(':');
    if (name === '' || more.length > 0) {
      throw new NotationError(`"${part}" is not a variant; write name:weight:quality, such as treatment:0.5:0.7`);
    }
    const usual = Math.min(0.9, Math.round(10 * (LEAST_QUALITY + QUALITY_STEP * place)) / 10);
    return {
      name,
      weight: weight === undefined ? 1 : parseNumber(weight),
      quality: quality === undefined ? usual : parseNumber(quality),
    };
  });
}

/** `treatment@20m..40m:0.5`: variant, span as times or as durations since `start`, and amount. @throws NotationError */
export function parseRegression(text: string, start: EpochMs): RegressionSettings {
  const at = text.lastIndexOf('@');
  const dots = text.indexOf('..', at);
  const colon = text.lastIndexOf(':');
  if (at < 1 || dots < 0 || colon < dots) {
    throw new NotationError(
      `"${text}" is not a regression; write variant@from..to:amount, such as treatment@20m..40m:0.5`,
    );
  }
  const moment = (part: string): EpochMs => (/^\d+[a-z]+$/.test(part) ? start + readDuration(part) : parseTime(part));
  return {
    variant: text.slice(0, at),
    from: moment(text.slice(at + 1, dots)),
    to: moment(text.slice(dots + 2, colon)),
    share: parseNumber(text.slice(colon + 1)),
  };
}
