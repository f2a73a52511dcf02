import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDecoder, type Decoder } from '../../../../src/consumers/decode/decoder.ts';
import { FileSource } from '../../../../src/consumers/source/files/files.ts';
import { readRows } from '../../../../src/consumers/source/files/rows.ts';
import type { LogRecord } from '../../../../src/consumers/source/source-port.ts';
import { RECORDS, sourceContract } from '../../../contracts/source/suite.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function decoder(side: 'impressions' | 'feedback' = 'feedback'): Decoder {
  return createDecoder({
    adapter: 'canonical',
    role: { impressions: side === 'impressions', feedback: side === 'feedback' },
    dimensions: [],
    itemsPerList: 10,
    impressionBytes: 1000,
    feedbackBytes: 1000,
    tsUnit: 'ms',
    positionBase: 1,
  });
}

/** So that small numbers are times. */
const BASE = 1_795_248_000_000;

const click = (ts: number, requestId = `r${ts}`): string =>
  JSON.stringify({ requestId, itemId: 'i', ts: BASE + ts, action: 'click' });

let files = 0;
function file(text: string | Buffer): string {
  const path = join(folder, `f${files++}`);
  writeFileSync(path, text);
  return path;
}

const lines = (times: readonly number[]): string => times.map((ts) => `${click(ts)}\n`).join('');

sourceContract('files', async () => {
  const times = Array.from({ length: RECORDS }, (_, i) => 1_000_000 + i);
  const topic = () =>
    ({
      order: 'time',
      files: [{ path: file(lines(times)), name: '1', decoder: decoder(), side: 'feedback' }],
    }) as const;
  return { source: new FileSource([topic(), topic()], 1000), cleanUp: async () => {} };
});

async function readAll(paths: readonly string[], order: 'time' | 'concat' = 'time'): Promise<LogRecord[]> {
  const source = new FileSource(
    [{ order, files: paths.map((path, i) => ({ path, name: String(i + 1), decoder: decoder(), side: 'feedback' })) }],
    1000,
  );
  const records: LogRecord[] = [];
  await source.run({ assigned: async () => {}, batch: async (batch) => void records.push(...batch.records) });
  return records;
}

const times = (records: readonly LogRecord[]): (number | undefined)[] =>
  records.map(({ decoded }) =>
    decoded !== undefined && 'events' in decoded ? decoded.events[0].ts - BASE : undefined,
  );

async function linesOf(text: string | Buffer, longest = 1000): Promise<string[]> {
  const read: string[] = [];
  for await (const group of readRows(file(text), { longest }))
    read.push(...group.map(({ value }) => Buffer.from(value).toString()));
  return read;
}

describe('files as a log', () => {
  it('are merged by event time, each in its own order, ties in the order of the files', async () => {
    const a = file([5, 3, 9].map((ts) => `${click(ts, 'a')}\n`).join(''));
    const b = file([5, 6].map((ts) => `${click(ts, 'b')}\n`).join(''));
    expect(times(await readAll([a, b]))).toEqual([5, 3, 5, 6, 9]);
    expect((await readAll([a, b])).map((r) => r.offset)).toEqual([0, 1, 2, 3, 4]);
  });

  it('are taken one after the other when concatenated', async () => {
    expect(times(await readAll([file(lines([5, 9])), file(''), file(lines([1, 2]))], 'concat'))).toEqual([5, 9, 1, 2]);
  });

  it('keep a damaged record at its place', async () => {
    const a = file(`${click(5)}\n{"broken\n${click(9)}\n`);
    const b = file(lines([6, 7]));
    expect(times(await readAll([a, b]))).toEqual([5, undefined, 6, 7, 9]);
  });

  it('leave out blank lines, take CRLF, a missing last newline and an empty file', async () => {
    expect(times(await readAll([file(`\n${click(1)}\r\n  \n\n${click(2)}`)]))).toEqual([1, 2]);
    expect(await readAll([file('')])).toEqual([]);
    expect(await readAll([file('\n\n')])).toEqual([]);
  });

  it('are unpacked by their first bytes, also when made of several members', async () => {
    const packed = Buffer.concat([gzipSync(lines([1])), gzipSync(lines([2]))]);
    expect(times(await readAll([file(packed)]))).toEqual([1, 2]);
  });

  it('fail with the reason when they are cut off or not there', async () => {
    const packed = gzipSync(lines(Array.from({ length: 2000 }, (_, i) => i + 1)));
    await expect(readAll([file(packed.subarray(0, packed.length / 2))])).rejects.toThrow(/the gzip data end too early/);
    await expect(readAll([join(folder, 'nowhere')])).rejects.toThrow(/ENOENT.*nowhere/);
  });

  it('cut a line only above the longest that can be valid, also over many chunks', async () => {
    for (const [length, kept] of [
      [999, 999],
      [1000, 1000],
      [1001, 1001],
      [3_000_000, 1001],
    ]) {
      const read = await linesOf(`${'x'.repeat(length)}\nnext\n`);
      expect(read.map((line) => line.length)).toEqual([length < 100_000 ? length : kept, 4]);
    }
  });

  it('come in the order of time over topics, so that little has to wait', async () => {
    const a = {
      path: file(lines(Array.from({ length: 600 }, (_, i) => i))),
      name: '1',
      decoder: decoder(),
      side: 'feedback',
    } as const;
    const b = {
      path: file(lines(Array.from({ length: 600 }, (_, i) => i))),
      name: '2',
      decoder: decoder(),
      side: 'feedback',
    } as const;
    const source = new FileSource(
      [
        { order: 'time', files: [a] },
        { order: 'time', files: [b] },
      ],
      1000,
    );
    const order: number[] = [];
    await source.run({ assigned: async () => {}, batch: async (batch) => void order.push(batch.topic) });
    expect(order).toEqual([0, 1, 0, 1, 0, 1]);
  });
});
