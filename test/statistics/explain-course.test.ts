/** Sentences about when a difference was there and how it is now. */
import { describe, expect, it } from 'vitest';
import type { Episode, Span } from '../../src/statistics/course.ts';
import { type Course, explainCourse } from '../../src/statistics/explain-course.ts';

const at = (time: string): number => Date.parse(`2026-01-05T${time}Z`);

/** The newest lists; the control's mean is .5. */
function span(difference: number, stderr: number): Span {
  const error = {
    stderr,
    df: 1000,
    controlVariance: stderr ** 2 / 2,
    treatmentVariance: stderr ** 2 / 2,
    covariance: 0,
  };
  return {
    from: at('14:05'),
    to: at('14:35'),
    effect: { control: 0.5, treatment: 0.5 + difference, difference, error },
  };
}

const began = { at: at('10:20'), earliest: at('10:10'), latest: at('10:30') };
const ended = { at: at('14:00'), earliest: at('13:55'), latest: at('14:05') };

const worse = (episode: Episode | undefined, now: Span | undefined): Course => ({
  lowerIsBetter: false,
  now,
  found: { word: 'worse', episode },
});

describe('the course of what was found', () => {
  it('says when it began and ended, and how it is now', () => {
    expect(explainCourse(worse({ fromStart: false, began, ended }, span(0.01, 0.01)))).toBe(
      ' It began about 2026-01-05T10:20Z (10:10Z to 10:30Z) and ended about 2026-01-05T14:00Z (13:55Z to 14:05Z). Now, in the lists from 2026-01-05T14:05Z to 14:35Z alone, no difference can be told: between -1.9 % and +6.0 %, at this one look.',
    );
  });

  it('claims no beginning and no end that the looks do not show', () => {
    const unknown = ' How it is now, apart from before, is not known yet.';
    expect(explainCourse(worse({ fromStart: true, began: undefined, ended: undefined }, undefined))).toBe(
      ` It was there from the first looks on.${unknown}`,
    );
    expect(explainCourse(worse({ fromStart: false, began, ended: undefined }, undefined))).toBe(
      ` It began about 2026-01-05T10:20Z (10:10Z to 10:30Z).${unknown}`,
    );
    expect(explainCourse(worse({ fromStart: false, began: undefined, ended: undefined }, undefined))).toBe(
      ` Since when is not known.${unknown}`,
    );
    expect(explainCourse(worse({ fromStart: false, began: undefined, ended }, undefined))).toBe(
      ` It ended about 2026-01-05T14:00Z (13:55Z to 14:05Z).${unknown}`,
    );
    expect(explainCourse(worse(undefined, undefined))).toBe(unknown);
  });

  it('names the date of a bound that lies on another day', () => {
    const early = { ...began, earliest: Date.parse('2026-01-04T23:50Z') };
    expect(explainCourse(worse({ fromStart: false, began: early, ended: undefined }, undefined))).toContain(
      'about 2026-01-05T10:20Z (2026-01-04T23:50Z to 2026-01-05T10:30Z). ',
    );
  });

  it.each([
    ['worse', false, -0.05, 'it is still worse: between -'],
    ['worse', false, 0.05, 'it is better: between +'],
    ['better', false, 0.05, 'it is still better: between +'],
    ['better', false, -0.05, 'it is worse: between -'],
    ['worse', true, 0.05, 'it is still worse: between +'],
    ['worse', true, -0.05, 'it is better: between -'],
    ['worse', true, 0.001, 'no difference can be told: between -'],
  ] as const)('%s, where lower is better is %s, at %f now: %s', (word, lowerIsBetter, difference, words) => {
    const course = { lowerIsBetter, found: { word, episode: undefined }, now: span(difference, 0.01) };
    expect(explainCourse(course)).toContain(`alone, ${words}`);
  });

  it('is how it is now alone where nothing was found', () => {
    const course = { lowerIsBetter: false, found: undefined };
    expect(explainCourse({ ...course, now: span(-0.05, 0.01) })).toMatch(/^ Now, .* alone, it is worse: between -/);
    expect(explainCourse({ ...course, now: undefined })).toBe('');
  });

  it('is in the unit of the measure where the control is 0', () => {
    const { effect, ...times } = span(-0.05, 0.01);
    const now = { ...times, effect: { ...effect, control: 0, treatment: -0.05 } };
    expect(explainCourse(worse(undefined, now))).toContain('it is still worse: between -0.0696 and -0.0304, at');
  });
});
