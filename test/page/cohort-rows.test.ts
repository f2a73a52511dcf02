import { describe, expect, it } from 'vitest';
import { type CohortRow, CohortRows, differing } from '../../src/page/cohort-rows.tsx';
import { markupOf } from '../../src/page/kept-markup.ts';
import type { CohortLine } from '../../src/page/model.ts';

function line(impressions: number, value: number): CohortLine {
  const measures = { mrr: { value, n: impressions, stderr: 0.01 } };
  return { by: ['variant'], labels: { variant: 'B' }, horizon: '1m', impressions, positives: 1, measures };
}

/** The row of one cohort. */
function drawn(one: Partial<CohortRow>, lowerIsBetter: readonly string[] = []): string {
  const row: CohortRow = { name: 'B', line: line(1000, 0.4), base: line(1000, 0.4), ...one };
  const props = { rows: [row], drawn: 'mrr', measures: [], lowerIsBetter: new Set(lowerIsBetter) };
  return /<tbody>(.*)<\/tbody>/.exec(markupOf(CohortRows(props)))?.[1] ?? '';
}

describe('a row of the table of cohorts', () => {
  it.each([
    [99, true],
    [100, false],
    [101, false],
  ])('of %d lists is grey: %s', (lists, isGrey) => {
    const row = drawn({ line: line(lists, 0.2) });
    expect(row.startsWith('<tr class="few">')).toBe(isGrey);
    // A colour would say more than so few lists do.
    expect(row.includes('worse-')).toBe(!isGrey);
  });

  it.each([
    [0.4, undefined],
    [0.393, undefined],
    [0.391, 'worse-1'],
    [0.361, 'worse-4'],
    [0.2, 'worse-5'],
    [0.409, 'better-1'],
    [0.6, 'better-5'],
  ])('with %d in place of 0.4 is coloured as %s, and the other way round where lower is better', (value, colour) => {
    const colourOf = (row: string): string | undefined => /(?:worse|better)-\d/.exec(row)?.[0];
    expect(colourOf(drawn({ line: line(1000, value) }))).toBe(colour);
    const [kind = '', step = ''] = colour?.split('-') ?? [];
    const turned = colour === undefined ? undefined : `${kind === 'worse' ? 'better' : 'worse'}-${step}`;
    expect(colourOf(drawn({ line: line(1000, value) }, ['mrr']))).toBe(turned);
  });

  it('of bias, which is best near 0, is not coloured, and no cohort is called worse or better on it', () => {
    const lineOf = (value: number): CohortLine => ({
      ...line(1000, 0.4),
      measures: { bias: { value, n: 1000, stderr: 0.01 } },
    });
    const rows: CohortRow[] = [{ name: 'B', line: lineOf(0.8), base: lineOf(0.4) }];
    const lowerIsBetter = new Set<string>();
    const html = markupOf(CohortRows({ rows, drawn: 'bias', measures: ['bias'], lowerIsBetter }));
    expect(html).toContain('+100.0');
    expect(html).not.toMatch(/worse-|better-|\b(?:good|bad)\b/);
    expect(differing(rows, { measure: 'bias', against: 'A', lowerIsBetter })).toBe(
      'bias is best near 0, so neither a fall nor a rise of it is better',
    );
  });

  it('is marked where it is the one that is open, and links to what opens it', () => {
    expect(drawn({ isChosen: true, href: '?cohort=B' })).toContain(
      '<tr aria-current="true"><th scope="row"><a href="?cohort=B#cohort" data-view="true"><bdi class="name">B</bdi></a>',
    );
    expect(drawn({})).toMatch(/^<tr><th scope="row"><bdi class="name">B<\/bdi><\/th>/);
  });
});
