import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { verdictOf } from '../../src/page/experiment.tsx';
import { renderReport } from '../../src/page/report.tsx';
import { scoresVerdict } from '../../src/page/scores.tsx';
import { dropNamed, FEEDBACK_DROPS, IMPRESSION_DROPS } from '../../src/vocabulary/drops.ts';
import { experimentReport, HOSTILE, scoresReport } from './views.ts';

/** Names of the tags of a page, in order, with what is left of names and values between them. */
function tagsOf(html: string): readonly string[] {
  return [...html.matchAll(/<(\/?[a-zA-Z][\w-]*)/g)].map((match) => match[1]);
}

const STYLE = /<style>([\s\S]*?)<\/style>/;

describe('a report', () => {
  it.each([
    ['experiment', experimentReport],
    ['scores', scoresReport],
  ] as const)('of %s is the same bytes for equal input', (_, view) => {
    expect(renderReport(view('treatment'))).toBe(renderReport(view('treatment')));
  });

  it.each([
    ['experiment', experimentReport],
    ['scores', scoresReport],
  ] as const)('of %s has no script, no address, and a style that its policy names', (_, view) => {
    const html = renderReport(view('treatment'));
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).not.toMatch(/<script|<link|<iframe|<img|\ssrc=|https?:|@import|url\(|\son\w+=/);
    const style = STYLE.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(html).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
  });

  it('says the verdict before everything else', () => {
    const html = renderReport(experimentReport('treatment'));
    const text = html.slice(html.indexOf('<main>')).replace(/<[^>]+>/g, ' ');
    expect(text.trim()).toMatch(/^regressed\s+treatment (?:is|was) worse than A on ndcg@10 by/);
    expect(text.indexOf('What looks wrong')).toBeLessThan(text.indexOf('Every measure'));
  });

  it('says when it was decided, where somebody may have to act', () => {
    const comparison = experimentReport('treatment').experiments?.[0]?.comparison;
    if (comparison === undefined) throw new Error('there is an experiment');
    const [variant] = comparison.variants;
    const time = variant.decidedAt?.replace('T', ' ').replace('.000Z', '');
    expect(verdictOf(comparison).sentence).toMatch(new RegExp(` Decided at ${time} UTC\\.$`));
    const others = ['healthy', 'insufficient'] as const;
    for (const decision of others) {
      const { sentence } = verdictOf({ ...comparison, variants: [{ ...variant, decision }] });
      expect(sentence).not.toContain('Decided');
    }
  });

  it('names first the variant whose proven loss is largest', () => {
    const comparison = experimentReport('treatment').experiments?.[0]?.comparison;
    if (comparison === undefined) throw new Error('there is an experiment');
    const [one] = comparison.variants;
    const losing = (variant: string, most: number, least: number) => ({
      ...one,
      variant,
      explanation: `${variant} lost.`,
      measures: one.measures.map((each) => ({ ...each, better: 'higher' as const, liftCi: [-most, -least] as const })),
    });
    const variants = [losing('B', 0.5, 0.01), losing('C', 0.2, 0.1), losing('D', 0.9, 0.05)];
    expect(verdictOf({ ...comparison, variants }).sentence).toMatch(/^C lost\./);
    const rising = variants.map((each) => ({
      ...each,
      measures: each.measures.map((of) => ({
        ...of,
        better: 'lower' as const,
        liftCi: [-of.liftCi[1], -of.liftCi[0]] as const,
      })),
    }));
    expect(verdictOf({ ...comparison, variants: rising }).sentence).toMatch(/^C lost\./);
  });

  it('draws an invalid experiment faded, and says that its numbers decide nothing', () => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const html = (decision: 'invalid' | 'insufficient'): string => {
      const variants = experiment.comparison.variants.map((one) => ({
        ...one,
        ...{ decision, reason: 'srm' as const, explanation: 'The users are not split as configured.' },
      }));
      const points = (experiment.trail.get('treatment') ?? []).map((point) => ({ ...point, lower: -1, upper: 1 }));
      const comparison = { ...experiment.comparison, variants };
      const trail = new Map([['treatment', points]]);
      return renderReport({
        ...view,
        ...{ verdict: verdictOf(comparison), experiments: [{ ...experiment, comparison, trail }] },
      });
    };
    expect(html('invalid')).toMatch(/<section class="card faded"[\s\S]*decide nothing/);
    expect(html('invalid')).not.toContain('yet');
    expect(html('insufficient')).not.toContain('faded"');
    expect(html('insufficient')).toContain('no difference can be told yet');
  });

  it('has no column of users where no list names one', () => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const users = Object.fromEntries(Object.keys(experiment.comparison.users).map((name) => [name, 0]));
    const srm = { ...experiment.comparison.srm, p: null, deviation: null, reason: 'no_user_ids' as const };
    const splitOf = (impressions: Readonly<Record<string, number>>): string => {
      const comparison = { ...experiment.comparison, users, impressions, srm };
      const html = renderReport({ ...view, experiments: [{ ...experiment, comparison }] });
      return html.slice(html.indexOf('Is the split sound?'));
    };
    const split = splitOf(experiment.comparison.impressions);
    expect(split).toContain('could not be tested: no_user_ids');
    // Where there is no list yet, nothing says that lists name nobody.
    expect(splitOf(users)).toMatch(/<table[\s\S]*users[\s\S]*<\/table>/);
    expect(split.slice(split.indexOf('<table'), split.indexOf('</table>'))).not.toMatch(/users|expected/);
  });

  it('says below each picture what there is to see', () => {
    for (const view of [experimentReport('treatment'), scoresReport('second')]) {
      const html = renderReport(view);
      const figures = html.match(/<figure>[\s\S]*?<\/figure>/g) ?? [];
      expect(figures.length).toBeGreaterThan(2);
      for (const figure of figures.filter((one) => one.includes('<svg'))) {
        expect(figure).toMatch(/<figcaption>[\s\S]*<strong>[\s\S]+<\/strong>/);
      }
    }
    expect(renderReport(experimentReport('treatment'))).toContain('Surely worse: ndcg@10.');
  });

  it.each([
    ['invalid', 'srm', 'The experiment is invalid, so none of these differences can be trusted.'],
    ['insufficient', 'few_users', 'There are too few users for errors that can be trusted'],
  ] as const)('colours no measure and calls none worse where the decision is %s (%s)', (decision, reason, says) => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const [variant] = experiment.comparison.variants;
    const comparison = { ...experiment.comparison, variants: [{ ...variant, decision, reason } as typeof variant] };
    const all = renderReport({ ...view, experiments: [{ ...experiment, comparison }] });
    const html = all.slice(all.indexOf('id="experiments"'), all.indexOf('id="cohorts"'));
    expect(html).toContain(says);
    expect(html).not.toMatch(/surely|class="mark (?:bad|good)"|class="number strong (?:bad|good)"/i);
    expect(html).not.toMatch(/class="(?:band|effect|last) (?:bad|good)"/);
  });

  it('does not call traffic sound whose split is off, or was not tested', () => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const { srm } = experiment.comparison;
    const sound = 'Nothing is odd about the traffic.';
    const told = (change: Partial<typeof srm>): boolean => {
      const comparison = { ...experiment.comparison, others: {}, srm: { ...srm, ...change } };
      return renderReport({ ...view, experiments: [{ ...experiment, comparison }] }).includes(sound);
    };
    expect(told({})).toBe(true);
    for (const change of [{ mismatch: true }, { warning: true }, { p: null, deviation: null }]) {
      expect(told(change), JSON.stringify(change)).toBe(false);
    }
  });

  it('names lists that take no part: those before the start, and those of no variant', () => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const comparison = { ...experiment.comparison, others: { __none__: 7 }, start: '2026-11-21T09:30:00.000Z' };
    const html = renderReport({ ...view, experiments: [{ ...experiment, comparison }] });
    expect(html).toContain('Lists before 2026-11-21 09:30:00 UTC take no part.');
    expect(html).toContain('Lists of other variants, which take no part: without a variant 7.');
  });

  it('says of a measure that differs alone, or was found before, what its decision says of it', () => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const [variant] = experiment.comparison.variants;
    const told = (change: Partial<(typeof variant.measures)[number]>, reason: string): string => {
      const [primary, ...others] = variant.measures;
      const variants = [{ ...variant, reason, measures: [{ ...primary, ...change }, ...others] } as typeof variant];
      const comparison = { ...experiment.comparison, variants };
      return renderReport({ ...view, experiments: [{ ...experiment, comparison }] });
    };
    const alone = told({ ci: [-0.02, -0.001], pAdjusted: 0.06 }, 'wide_interval');
    expect(alone).toContain('Different alone, but not after the adjustment for the number of comparisons: ndcg@10.');
    const untested = told({ ci: [-0.02, -0.001], p: null, pTwoSided: null, pAdjusted: null }, 'few_positives');
    expect(untested).not.toContain('Different alone');
    expect(untested).toContain('Not tested yet, because too little has been counted: ndcg@10.');
    const before = told({ ci: [-0.02, 0.001], pAdjusted: 0.03 }, 'primary_worse');
    expect(before).toContain('Found at an earlier look, which stays, though this one does not show it: ndcg@10.');
    const last = { at: 1_800_000_000_000, effect: -0.01, lower: -0.02, upper: 0.001 };
    const trail = new Map([['treatment', [last]]]);
    expect(renderReport({ ...view, experiments: [{ ...experiment, trail }] })).toContain(
      'The band holds 0 again; what was found at an earlier look stays.',
    );
  });

  it.each([
    ['the end', (share: number) => (share < 0.8 ? 0.004 : 0.004 - 0.2 * (share - 0.8)), (x: number) => x < 70],
    ['the beginning', (share: number) => (share < 0.4 ? -0.004 : 0.03), (x: number) => x > 50],
  ])('writes what loss is tolerated away from an effect that is near to it at %s', (_, effectAt, isThere) => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const points = Array.from({ length: 50 }, (_, i) => {
      const effect = effectAt(i / 49);
      return { at: 1_800_000_000_000 + 60_000 * i, effect, lower: effect - 0.01, upper: effect + 0.01 };
    });
    const drawn = { ...view, experiments: [{ ...experiment, trail: new Map([['treatment', points]]) }] };
    const x = Number(/class="limit-words" x="([\d.]+)%"/.exec(renderReport(drawn))?.[1]);
    expect(isThere(x), `at ${x} %`).toBe(true);
  });

  it('marks the moment of decision at its look, and none where nothing is decided', () => {
    const view = experimentReport('treatment');
    const [experiment] = view.experiments ?? [];
    const marks = (html: string): readonly string[] =>
      [...html.matchAll(/class="decided" x1="([\d.]+)%"/g)].map(([, x]) => x);
    const points = experiment.trail.get('treatment') ?? [];
    const [first, last] = [points[0].at, points[points.length - 1].at];
    const [variant] = experiment.comparison.variants;
    const decidedAt = (at: number, decision = variant.decision): readonly string[] => {
      const variants = [{ ...variant, decision, decidedAsOf: new Date(at).toISOString() }];
      const comparison = { ...experiment.comparison, variants };
      return marks(renderReport({ ...view, experiments: [{ ...experiment, comparison }] }));
    };
    expect(decidedAt(first).map(Number)).toEqual([0]);
    expect(decidedAt(first + (last - first) / 4).map(Number)).toEqual([25]);
    expect(decidedAt(last).map(Number)).toEqual([100]);
    expect(decidedAt(first - 1)).toEqual([]);
    expect(decidedAt(last, 'insufficient')).toEqual([]);
  });

  it('names the queries that won and lost most, the most first, as higher or lower is better', () => {
    const view = scoresReport('second');
    const { scores } = view;
    if (scores === undefined) throw new Error('it is of scores');
    const table = (title: string, isLowerBetter: boolean): readonly string[] => {
      const lowerIsBetter = [isLowerBetter, ...scores.lowerIsBetter.slice(1)];
      const html = renderReport({ ...view, scores: { ...scores, lowerIsBetter } });
      const part = html.slice(html.indexOf(`<caption>${title}</caption>`));
      const rows = part
        .slice(0, part.indexOf('</table>'))
        .matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/th>([\s\S]*?)<\/tr>/g);
      return [...rows].map(([, query, numbers]) =>
        `${query} ${numbers}`
          .replace(/<[^>]+>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      );
    };
    // Query i has 0.3 in the first run, and 0.3 + 0.02 (i - 8) in the second.
    const won = table('Won most', false);
    const lost = table('Lost most', false);
    expect(won).toHaveLength(8);
    expect(won[0]).toMatch(/^19 second 0\.3\d* 0\.52\d* \+0\.22/);
    expect(lost).toHaveLength(8);
    expect(lost[0]).toMatch(/^0 second 0\.3\d* 0\.14\d* −0\.16/);
    expect(table('Won most', true)[0]).toBe(lost[0]);
    expect(table('Lost most', true)[0]).toBe(won[0]);
  });

  it('calls neither more nor less of a measure better that is best near 0', () => {
    const view = scoresReport('second');
    const { scores } = view;
    if (scores === undefined) throw new Error('it is of scores');
    const textOf = (lowerIsBetter: readonly (boolean | undefined)[]): string => {
      const turned = { ...scores, lowerIsBetter };
      const html = renderReport({ ...view, scores: turned, verdict: scoresVerdict(turned) });
      return html.slice(html.indexOf('<main>')).replace(/\s+/g, ' ');
    };
    const [directed, undirected] = [textOf([false, false, false]), textOf([undefined, false, false])];
    const words = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(words(directed)).toMatch(/^ ?better second is better than first on ndcg@1\./);
    expect(words(undirected)).toMatch(/^ ?different second differs from first on ndcg@1: best near 0,/);
    // Of the differences only that of ndcg@1 has an interval, and its higher mean is bold.
    const cell = (html: string): string | undefined =>
      /<span(?: class="[^"]*")?>0\.3200<small class="[^"]*"/.exec(html)?.[0];
    expect(cell(directed)).toContain('<span class="strong">0.3200<small class="below good"');
    expect(cell(undirected)).toContain('<span>0.3200<small class="below muted"');
    // Query i has 0.02 (i - 8) more.
    expect(words(directed)).toContain('second wins 11, loses 8, and is equal on 1 of 20 queries.');
    expect(words(undirected)).toContain('second is higher on 11, lower on 8, and equal on 1 of 20 queries.');
    expect(words(undirected)).toContain('Rose most');
    expect(undirected).toContain('class="rises"');
    expect(directed).not.toContain('class="rises"');
  });

  it('shows what share of lists has a positive at each rank, and says what is at the top', () => {
    const html = renderReport(experimentReport('treatment'));
    const part = html.slice(html.indexOf('id="positions"'), html.indexOf('id="pipeline"'));
    const text = part.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    expect(text).toContain('At rank 1: A 30 %, treatment 18 % (−40.0 %).');
    // Rank, lists, with a positive, rate, share of the positives; none where no list reaches.
    expect(text).toContain('treatment 3 4,980 700 14.1 % 29.2 %');
    expect(text).toContain('treatment 4 0 0 – 0 %');
    // No list has a fifth item.
    expect(text).not.toContain('treatment 5');
  });

  it('holds the JSON that it was made of, to be saved', () => {
    const view = experimentReport('tröatment');
    const data = /download="comparison\.json" href="data:application\/json;charset=utf-8;base64,([^"]+)"/.exec(
      renderReport(view),
    );
    expect(Buffer.from(data?.[1] ?? '', 'base64').toString('utf8')).toBe(view.raw.text);
  });

  const plain = {
    experiment: tagsOf(renderReport(experimentReport('B'))),
    scores: tagsOf(renderReport(scoresReport('B'))),
  };

  it.each(HOSTILE)('takes the name %j for text, wherever it stands', (name) => {
    for (const [kind, view] of [
      ['experiment', experimentReport],
      ['scores', scoresReport],
    ] as const) {
      const html = renderReport(view(name));
      // The same elements as with a harmless name: none was added, none was closed.
      expect(tagsOf(html)).toEqual(plain[kind]);
      expect(html.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    }
  });

  test('any name is text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (name) => {
        fc.pre(name !== 'A');
        expect(tagsOf(renderReport(experimentReport(name)))).toEqual(plain.experiment);
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it('explains each reason for which an event is dropped', () => {
    for (const reason of [...IMPRESSION_DROPS, ...FEEDBACK_DROPS])
      expect(dropNamed(reason)?.words).toMatch(/^[a-z]+ [a-z]+/);
  });
});
