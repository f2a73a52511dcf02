import { beforeEach, expect, it, vi } from 'vitest';
import { LogOutput } from '../../src/cli/log.ts';

const FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

/** A file on a disk that has so many bytes left. */
let room: number;
let file: string;
let output: LogOutput;
beforeEach(() => {
  vi.useFakeTimers({ now: 1000 });
  [room, file] = [Number.POSITIVE_INFINITY, ''];
  output = new LogOutput((bytes) => {
    const taken = Math.min(room, bytes.length);
    if (taken === 0) throw FULL;
    file += bytes.toString('utf8', 0, taken);
    room -= taken;
    return taken;
  });
  return () => vi.useRealTimers();
});

it('a line of the log is written at once', () => {
  output.write('one\n');
  expect(file).toBe('one\n');
});

it('what a full disk does not take is written once there is room, and no line is torn', () => {
  room = 6;
  for (const line of ['one\n', 'two\n', 'three\n']) output.write(line);
  expect(file).toBe('one\ntw');
  room = 1000;
  output.write('four\n');
  expect(file).toBe('one\ntwo\nthree\nfour\n');
});

it('does not wait for another line to try again', () => {
  room = 0;
  output.write('last\n');
  room = 1000;
  vi.advanceTimersByTime(1000);
  expect(file).toBe('last\n');
});

it('what is too much to keep is lost, and the log says how many lines', () => {
  room = 0;
  const long = `${'x'.repeat(99_999)}\n`;
  for (let i = 0; i < 10; i++) output.write(long);
  room = Number.POSITIVE_INFINITY;
  output.write('after\n');
  const lines = file.split('\n');
  expect(lines.slice(0, -3)).toEqual([long.trim(), long.trim()]);
  expect(lines.at(-3)).toBe('after');
  expect(JSON.parse(lines.at(-2) ?? '')).toEqual({
    level: 40,
    time: 1000,
    lines: 8,
    msg: 'the log could not be written for a while, as on a full disk: so many lines are lost',
  });
});

it('a line that is longer than what is kept is written where there is room', () => {
  const long = `${'x'.repeat(1_000_000)}\n`;
  output.write(long);
  expect(file).toBe(long);
});

it('waits a moment for a slow reader when the process ends', () => {
  vi.useRealTimers();
  let refusals = 3;
  let read = '';
  const slow = new LogOutput((bytes) => {
    if (refusals-- > 0) throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' });
    read += String(bytes);
    return bytes.length;
  });
  slow.write('why it ends\n');
  expect(read).toBe('');
  slow.end();
  expect(read).toBe('why it ends\n');
});

it('does not wait for ever for a full disk when the process ends', () => {
  vi.useRealTimers();
  room = 0;
  output.write('lost\n');
  output.end();
  expect(file).toBe('');
});
