/** Lists without an item are named, by variant, and the control is the variant whose name says so. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { LogsInFolder, lines } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const write = (everyOf: number): void => {
  const lists = Array.from({ length: 600 }, (_, n) => ({
    requestId: `r${n}`,
    ts: MADE_AT + 1000 * n,
    userId: `u${n % 97}`,
    variant: n % 2 === 0 ? 'old' : 'new',
    items: n % everyOf === 1 ? [] : ['a', 'b', 'c'],
  }));
  const clicks = lists
    .filter(({ items }, n) => items.length > 0 && n % 3 === 0)
    .map(({ requestId, ts }) => ({ requestId, ts: ts + 5000, itemId: 'b', action: 'click' }));
  logs.write('shown.ndjson', lines(lists));
  logs.write('clicks.ndjson', lines(clicks));
};

describe('lists without an item', () => {
  it('are named with their share in each variant', async () => {
    write(4);
    const { findings } = await logs.look('shown.ndjson', 'clicks.ndjson');
    expect(findings.find(({ code }) => code === 'empty_lists')?.cause).toBe(
      '25 % of the lists of shown.ndjson are empty (150 of 600; new 50 %, old 0 %): they count as lists without a positive.',
    );
  });

  it('are not worth a word where they are few', async () => {
    write(60);
    expect((await logs.look('shown.ndjson', 'clicks.ndjson')).findings.map(({ code }) => code)).not.toContain(
      'empty_lists',
    );
  });

  it('of the old ranker are those of the control', async () => {
    write(4);
    const written = configurationOf(await logs.look('shown.ndjson', 'clicks.ndjson'), { topics: undefined });
    expect(written).toMatch(/^ +control: old$/m);
  });
});
