/** What holds now, and from when to when an effect was there, on runs whose courses are known. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/simulate/random.ts';
import { isAbsent } from '../../src/statistics/absent.ts';
import { type ArmSoFar, type CoursePoint, episodeOf, newestSpan } from '../../src/statistics/course.ts';
import { type Effect, unpairedEffect } from '../../src/statistics/effect.ts';

const HOUR = 3_600_000;
const BEGIN = Date.UTC(2026, 10, 1);
const SD = 0.4;
const LEVEL = 0.35;

interface Course {
  readonly looks: number;
  /** Lists of each variant between two looks. */
  readonly lists: number;
  /** What the variant has beyond the control, at a time in hours. */
  readonly effectAt: (hours: number) => number;
}

/** One look an hour, at lists whose values are independent. */
function run({ looks, lists, effectAt }: Course, random: Random) {
  const arm = (mean: (hours: number) => number): readonly ArmSoFar[] => {
    let sum = 0;
    return Array.from({ length: looks }, (_, k) => {
      sum += lists * mean(k + 0.5) + SD * Math.sqrt(lists) * random.normal();
      return { value: sum / (lists * (k + 1)), weight: lists * (k + 1) };
    });
  };
  const control = arm(() => LEVEL);
  const variant = arm((hours) => LEVEL + effectAt(hours));
  const points: CoursePoint[] = control.map((of, k) => ({
    at: BEGIN + (k + 1) * HOUR,
    control: of,
    variant: variant[k],
  }));
  const mean = ({ value, weight }: ArmSoFar) => ({ value, stderr: SD / Math.sqrt(weight), df: 255 });
  const last = points[points.length - 1];
  const effect = unpairedEffect(mean(last.control), mean(last.variant));
  if (isAbsent(effect)) throw new Error('an effect without means');
  return { points, effect };
}

const hours = (at: number): number => (at - BEGIN) / HOUR;

function errorOf({ error }: Effect): number {
  if (isAbsent(error)) throw new Error('an effect without an error');
  return error.stderr;
}

const many = <Result>(runs: number, of: (random: Random) => Result): readonly Result[] =>
  Array.from({ length: runs }, (_, seed) => of(new Random(seed, 'course')));

const share = (of: readonly boolean[]): number => of.filter(Boolean).length / of.length;

describe('when an effect was there', () => {
  it.each([
    [20, 48, -0.05],
    [70, 96, -0.03],
    [5.5, 48, 0.06],
  ])('is found within its span where it begins after %d of %d hours, by %d', (onset, looks, size) => {
    const course = { looks, lists: 2000, effectAt: (at: number) => (at >= onset ? size : 0) };
    const found = many(200, (random) => {
      const { points, effect } = run(course, random);
      return episodeOf(points, effect, size < 0 ? -1 : 1);
    });
    const covered = found.map((one) => {
      const { began } = one ?? {};
      return began !== undefined && hours(began.earliest) <= onset && onset <= hours(began.latest);
    });
    expect(share(covered)).toBeGreaterThan(0.9);
    expect(share(found.map((one) => one?.ended === undefined))).toBeGreaterThan(0.9);
    const widths = found.map((one) => hours(one?.began?.latest ?? 0) - hours(one?.began?.earliest ?? 0));
    expect(Math.max(...widths)).toBeLessThan(looks / 2);
  });

  it.each([
    [16, 2000, -0.016],
    [72, 2000, -0.03],
    [72, 500, -0.014],
    [250, 200, -0.012],
  ])('has no beginning and no end where it is constant, over %d looks', (looks, lists, size) => {
    const course = { looks, lists, effectAt: () => size };
    const found = many(looks > 100 ? 100 : 400, (random) => {
      const { points, effect } = run(course, random);
      return episodeOf(points, effect, -1);
    });
    expect(share(found.map((one) => one?.began !== undefined || one?.ended !== undefined))).toBeLessThan(0.05);
    expect(share(found.map((one) => one?.fromStart === true))).toBeGreaterThan(0.6);
  });

  it('has both ends where it was mended', () => {
    const course = { looks: 72, lists: 2000, effectAt: (at: number) => (at >= 20 && at < 30 ? -0.1 : 0) };
    const found = many(200, (random) => {
      const { points, effect } = run(course, random);
      return episodeOf(points, effect, -1);
    });
    const within = found.map((one) => {
      const { began, ended } = one ?? {};
      if (began === undefined || ended === undefined) return false;
      const isIn = ({ earliest, latest }: typeof began, at: number): boolean =>
        hours(earliest) <= at && at <= hours(latest);
      return isIn(began, 20) && isIn(ended, 30);
    });
    expect(share(within)).toBeGreaterThan(0.9);
  });

  it('is not known without an error, without looks, or where all differences point the other way', () => {
    const { points, effect } = run({ looks: 20, lists: 5000, effectAt: () => 0.2 }, new Random(1, 'course'));
    expect(episodeOf(points, { absent: 'no_data' }, 1)).toBeUndefined();
    expect(episodeOf([], effect, 1)).toBeUndefined();
    expect(episodeOf(points, effect, -1)).toBeUndefined();
  });
});

describe('what holds now', () => {
  it('is the mean of the newest lists, with an interval that holds at one look', () => {
    const course = { looks: 60, lists: 700, effectAt: (at: number) => (at < 40 ? -0.1 : 0.01) };
    const spans = many(500, (random) => {
      const { points, effect } = run(course, random);
      return newestSpan(points, effect);
    });
    for (const span of spans) expect(span && hours(span.from) >= 40).toBe(true);
    const missed = spans.map((span) => {
      if (span === undefined) return true;
      return Math.abs(span.effect.difference - 0.01) > 1.96 * errorOf(span.effect);
    });
    // 5 % of 500, and four of its errors.
    expect(share(missed)).toBeLessThan(0.09);
    expect(share(missed)).toBeGreaterThan(0.01);
  });

  it('is as short as its interval may be, and half of the run at most where that is wide', () => {
    const spanOf = (lists: number) => {
      const { points, effect } = run({ looks: 48, lists, effectAt: () => 0 }, new Random(3, 'course'));
      const span = newestSpan(points, effect);
      return span && hours(span.to) - hours(span.from);
    };
    expect(spanOf(20_000)).toBe(1);
    expect(spanOf(200)).toBeGreaterThan(2);
    expect(spanOf(100)).toBeLessThanOrEqual(24);
    expect(spanOf(5)).toBeUndefined();
  });

  it('differs by the sums of the lists between, whatever was before', () => {
    const arm = (sum: number, weight: number): ArmSoFar => ({ value: sum / weight, weight });
    const points: CoursePoint[] = [
      { at: BEGIN, control: arm(300, 1000), variant: arm(100, 1000) },
      { at: BEGIN + HOUR, control: arm(900, 3000), variant: arm(700, 3000) },
    ];
    const error = {
      stderr: 0.005,
      df: 255,
      controlVariance: 1.25e-5,
      treatmentVariance: 1.25e-5,
      covariance: 0,
    };
    const span = newestSpan(points, { control: 0.3, treatment: 0.2333, difference: -0.0667, error });
    expect(span?.effect.control).toBeCloseTo(0.3, 12);
    expect(span?.effect.treatment).toBeCloseTo(0.3, 12);
    // Two thirds of the lists: variances are half as large again.
    expect(
      errorOf(span?.effect ?? { control: 0, treatment: 0, difference: 0, error: { absent: 'no_data' } }),
    ).toBeCloseTo(0.005 * Math.sqrt(1.5), 12);
  });
});
