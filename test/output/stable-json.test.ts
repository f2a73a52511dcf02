import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { StableMembers, stableJson } from '../../src/output/stable-json.ts';

describe('JSON whose members are kept', () => {
  test('is the bytes that it would be without', () => {
    const list = fc.array(fc.oneof(fc.nat(), fc.constant({ b: [1], a: {} })), { maxLength: 200, size: 'max' });
    const member = fc.oneof(fc.jsonValue(), list, fc.constant(undefined));
    fc.assert(
      fc.property(
        fc.array(member, { minLength: 1, maxLength: 6 }),
        fc.array(
          fc.dictionary(
            fc.string().map((name) => `m${name}`),
            fc.nat(),
            { maxKeys: 6 },
          ),
          { minLength: 1, maxLength: 6 },
        ),
        (members, objects) => {
          const kept = new StableMembers();
          // The same members again and again, under other names.
          for (const places of objects) {
            const object = Object.fromEntries(
              Object.entries(places).map(([key, place]) => [key, members[place % members.length]]),
            );
            expect([...kept.pieces(object)].join('')).toBe(stableJson(object));
          }
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  it('has sorted keys at each level', () => {
    const member = { z: 1, a: [{ y: 1, b: 2 }] };
    expect([...new StableMembers().pieces({ b: member, a: 1 })].join('')).toBe(stableJson({ a: 1, b: member }));
    expect(stableJson({ b: member, a: 1 })).toBe(
      '{\n "a": 1,\n "b": {\n  "a": [\n   {\n    "b": 2,\n    "y": 1\n   }\n  ],\n  "z": 1\n }\n}\n',
    );
  });
});
