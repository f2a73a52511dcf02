import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, textOf } from '../../src/score/line-fields.ts';
import { scoreText } from './in-memory.ts';

const read = (bytes: Uint8Array): string => textOf(bytes, 0, bytes.length);

describe('text of bytes', () => {
  it('is that of UTF-8 where they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(text, 'utf8');
        expect(read(bytes)).toBe(bytes.toString('utf8'));
        expect(bytesOf(read(bytes))).toEqual(bytes);
      }),
    );
  });

  it('gives the same bytes back, whatever they are', () => {
    const some = fc.constantFrom(0x61, 0xc3, 0xa9, 0xed, 0xb3, 0xe9, 0xf0, 0x9f, 0x8d, 0x80, 0xff, 0xef, 0xbf, 0xbd);
    fc.assert(
      fc.property(fc.uint8Array(), fc.array(some), (any, likely) => {
        for (const bytes of [Buffer.from(any), Buffer.from(likely)]) expect(bytesOf(read(bytes))).toEqual(bytes);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads only the span it is given', () => {
    const bytes = Buffer.from('x\xe9\xe8y', 'latin1').subarray(1);
    expect([textOf(bytes, 0, 1), textOf(bytes, 1, 3)]).toEqual(['\udce9', '\udce8y']);
  });
});

describe('queries of a file that is not UTF-8', () => {
  it('differ where their bytes do', () => {
    const run = Buffer.from('\xe9 Q0 a 1 1 t\n\xe8 Q0 b 1 1 t\n', 'latin1');
    const qrels = Buffer.from('\xe9 0 a 1\n\xe8 0 a 1\n', 'latin1');
    const [{ queries, mean }] = scoreText(run, qrels, { measures: ['mrr'] }).runs;
    expect([queries, mean]).toEqual([2, [0.5]]);
  });

  it('have items in quotes that do, too', () => {
    const run = Buffer.from('q,v,"\xe9,1",2,s\nq,v,"\xe8,1",1,s\n', 'latin1');
    const qrels = Buffer.from('q,0,"\xe8,1",1\n', 'latin1');
    expect(scoreText(run, qrels, { measures: ['mrr'] }).runs[0].mean).toEqual([0.5]);
  });
});
