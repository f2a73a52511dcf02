import { describe, expect, it } from 'vitest';
import { reasonsText } from '../../src/findings/invalid-files.ts';
import type { InvalidReason } from '../../src/findings/invalid-reasons.ts';

function reason(code: InvalidReason['code'], count: number, field?: string): InvalidReason {
  return { side: 'impressions', code, field, count, place: undefined, fields: [], hasComma: false };
}

describe('the reasons why records are invalid', () => {
  const four = [
    reason('not_an_object', 2000),
    reason('bad_time', 5, 'ts'),
    reason('bad_id', 3, 'requestId'),
    reason('not_json', 1),
  ];

  it('are three at most, and how many records have another', () => {
    expect(reasonsText(four.slice(0, 1))).toBe('not_an_object 2,000');
    expect(reasonsText(four.slice(0, 3))).toBe('not_an_object 2,000, bad_time: ts 5, bad_id: requestId 3');
    expect(reasonsText(four)).toBe('not_an_object 2,000, bad_time: ts 5, bad_id: requestId 3, others 1');
    expect(reasonsText([...four, reason('not_csv', 1234)])).toMatch(/requestId 3, others 1,235$/);
  });
});
