import { WriteStream } from 'node:tty';
import { describe, expect, it } from 'vitest';
import { painter, tableColumns } from '../../src/cli/terminal.ts';

/** Standard output as it is on a terminal, or not; never written to. */
function stream(isTTY: boolean, columns = 80): NodeJS.WriteStream {
  const made: NodeJS.WriteStream = Object.create(WriteStream.prototype);
  Object.defineProperties(made, { isTTY: { value: isTTY }, columns: { value: columns } });
  return made;
}

const WORDS = 'treatment: regressed, other: improved, third: healthy';
const RED = '\u001b[31m';
const GREEN = '\u001b[32m';

describe('colour', () => {
  it('is on a terminal: worse is red, better is green, the rest is as it was', () => {
    const painted = painter(stream(true), 'auto', {})(WORDS);
    expect(painted).toMatch(new RegExp(`^treatment: .*${RED.replace('[', '\\[')}regressed`));
    expect(painted).toContain(`${GREEN}improved`);
    expect(painted.endsWith(', third: healthy')).toBe(true);
  });

  it.each([
    ['in a pipe', false, 'auto', {}],
    ['with NO_COLOR', true, 'auto', { NO_COLOR: '1' }],
    ['on a dumb terminal', true, 'auto', { TERM: 'dumb' }],
    ['with --color never', true, 'never', {}],
  ])('is off %s', (_where, isTTY, when, env) => {
    expect(painter(stream(isTTY), when, env)(WORDS)).toBe(WORDS);
  });

  it('is on where it is asked for, whatever the surroundings', () => {
    expect(painter(stream(false), 'always', { NO_COLOR: '1' })(WORDS)).toContain(RED);
  });

  it('is nothing else', () => {
    expect(() => painter(stream(true), 'sometimes', {})).toThrow('--color: expected auto, always, never');
  });
});

describe('the width of tables', () => {
  it('is that of the terminal, 120 elsewhere, and any with --wide', () => {
    expect(tableColumns(stream(true, 93), undefined)).toBe(93);
    expect(tableColumns(stream(false), undefined)).toBe(120);
    expect(tableColumns(stream(true, 0), undefined)).toBe(120);
    expect(tableColumns(stream(true), true)).toBe(Number.POSITIVE_INFINITY);
    expect(tableColumns(stream(false), true)).toBe(Number.POSITIVE_INFINITY);
  });
});
