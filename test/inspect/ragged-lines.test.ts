/** Lines of several kinds, each with columns of its own, are told, with what makes lists and clicks of them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, wrongIn } from './logs-in-folder.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const numbers = Array.from({ length: 30 }, (_, n) => n);

/** Sessions of two pages; of each second page a result is clicked, at rank 1, 2, 3, 1, ... */
function session(n: number, items: readonly string[][]): readonly (readonly (string | number)[])[] {
  return [
    [9000 + n, 'start', n % 5],
    ...items.flatMap((shown, page) => [
      [9000 + n, 90 * page, 'page', page, '10,12', ...shown],
      ...(page === 1 ? [[9000 + n, 90 * page + 20, 'pick', page, shown[n % 3].split(',')[0]]] : []),
    ]),
  ];
}

const pages = (n: number, suffix: string): readonly string[][] =>
  [0, 1].map((page) =>
    Array.from({ length: 3 + (n % 2) }, (_, i) => `${5000 + ((7 * n + 3 * page + i) % 97)}${suffix}`),
  );

describe('lines of several kinds', () => {
  it.each([
    ['with tabs, and a site behind each item', '\t', ',88'],
    ['with bars, and items alone', '|', ''],
  ])('%s', async (_, delimiter, suffix) => {
    const rows = numbers.flatMap((n) => session(n, [...pages(n, suffix)]));
    logs.write('log.txt', `${rows.map((row) => row.join(delimiter)).join('\n')}\n`);
    const [{ code, cause, command }] = wrongIn(await logs.look('log.txt'));
    expect(code).toBe('format_not_read');
    expect(cause).toContain('has lines of 3 kinds');
    expect(cause).toContain('pick with 5 columns (30)');
    expect(cause).toContain('column 2 counts the time from the start of each session');
    logs.run(command);
    const mended = await logs.look('mended-log.ndjson');
    expect(wrongIn(mended)).toEqual([]);
    expect(await logs.mrr(mended)).toBe(0.305556);
  });

  it('that hold no lists are told, too', async () => {
    const rows = numbers.flatMap((n) => [`${n}\tlogin\tu${n}`, `${n}\tview\tu${n}\tpage-${n}\t${n % 7}`]);
    logs.write('log.txt', `${rows.join('\n')}\n`);
    const [{ code, cause, command }] = wrongIn(await logs.look('log.txt'));
    expect([code, command]).toEqual(['format_not_read', undefined]);
    expect(cause).toContain('view with 5 columns (30), login with 3 columns (30)');
  });
});

describe('a line for each list, and wider lines for its items', () => {
  /** Every second list is clicked, at rank 1, 2, 3, 1, ... */
  const list = (n: number, from: number): readonly string[] => [
    `query ${n}\t${n % 4}`,
    ...[0, 1, 2].map((i) => {
      const done = n % 2 === 1 && i === n % 3 ? 1 : 0;
      return `${i + from}\t${`d${(7 * n + 3 * i) % 97}`}\t${n % 5}\t${done}\t${1 - done}\t0`;
    }),
  ];

  it.each([0, 1])('are told, with the command that names the list in each, from place %i on', async (from) => {
    logs.write('part-00000', `${numbers.flatMap((n) => list(n, from)).join('\n')}\n`);
    const [{ code, cause, command }] = wrongIn(await logs.look('part-00000'));
    expect(code).toBe('format_not_read');
    expect(cause).toContain('a line with 2 columns for each list, and below it a line with 6 columns');
    expect(cause).toContain('column 2 the item, and column 4 says yes or no of each (30 lists)');
    logs.run(command);
    const mended = await logs.look('mended-part-00000.ndjson');
    expect(wrongIn(mended)).toEqual([]);
    expect(await logs.mrr(mended)).toBe(0.305556);
  });

  it('are not seen in lines whose first column does not count', async () => {
    const rows = numbers.flatMap((n) => [`query ${n}\t1`, `7\td${n}\t0`, `9\te${n}\t1`]);
    logs.write('log.txt', `${rows.join('\n')}\n`);
    expect(wrongIn(await logs.look('log.txt'))[0].cause).toBe('log.txt is not JSON and has no columns.');
  });
});
