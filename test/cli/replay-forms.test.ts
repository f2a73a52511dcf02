import { describe, expect, it } from 'vitest';
import { receval } from './receval.ts';

const EVENTS = [
  { requestId: 'r1', ts: '2026-11-21T08:00:00Z', items: ['a_1', 'b'], variant: 'x & y', cohorts: {} },
  { requestId: 'r1', itemId: 'b', ts: '2026-11-21T08:00:05Z', action: 'click' },
  { requestId: 'r1' },
]
  .map((event) => `${JSON.stringify(event)}\n`)
  .join('');

describe('receval replay', () => {
  const replay = (output: string) => {
    return receval(['replay', '--events', '-', '--close-all', '--measures', 'mrr,hit@1', '--output', output], {
      input: EVENTS,
    });
  };

  it('prints tables for LaTeX, with the words around them as comments', async () => {
    const { code, stdout } = await replay('latex');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^% needs \\usepackage\{booktabs\}\n(?:%.*\n)*\n?\\begin\{tabular\}\{lrrrr\}\n\\toprule\nhorizon & impressions &/,
    );
    expect(stdout).toContain('\n30m & 1 & 1 & 0.500000 & 0.000000 \\\\\n');
    const outside = stdout.replace(/\\begin\{tabular\}[\s\S]*?\\end\{tabular\}\n/g, '');
    expect(outside.split('\n').filter((line) => line !== '' && !line.startsWith('%'))).toEqual([]);
  });

  it('prints Markdown whose words are no rows of a table', async () => {
    const { code, stdout } = await replay('md');
    expect(code).toBe(0);
    expect(stdout).toContain('\n| x & y | 30m | 1 |');
    expect(stdout).toMatch(/\|\n\ninvalid [a-z]+: /);
    for (const block of stdout.trim().split(/\n\n+/)) {
      const rows = block.split('\n').filter((line) => line.startsWith('|'));
      expect([0, block.split('\n').length]).toContain(rows.length);
    }
  });

  it('says for which grouping sets the measures that count items are kept', async () => {
    const args = ['replay', '--events', '-', '--close-all', '--measures', 'distinct,gini@5,mrr'];
    const { code, stdout } = await receval(args, { input: EVENTS });
    expect(code).toBe(0);
    expect(stdout.match(/not kept by .*/g)).toEqual([
      'not kept by variant, unless itemSets has [variant]: distinct, gini@5',
    ]);
  });

  it('prints a page that needs nothing else', async () => {
    const { code, stdout } = await replay('html');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain('<b>0.5</b>');
    expect(stdout).toMatch(/Invalid: [a-z_]+ \d/);
    expect(stdout).not.toMatch(/<script|src=|https?:/);
  });
});
