import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idDifference } from '../../src/findings/id-difference.ts';

/** Ids as systems make them. Without bias: else half of the random ones are made of noughts, and alike. */
const uuid = fc.noBias(fc.uuid());
const numbered = fc.tuple(fc.constantFrom('req', 'r', 'q'), fc.nat(1_000_000)).map(([word, n]) => `${word}-${n}`);
const hex = fc.noBias(fc.stringMatching(/^[0-9a-f]{16}$/));
const idsOf = fc.oneof(uuid, numbered, hex);
const ids = fc.uniqueArray(idsOf, { minLength: 5, maxLength: 60 });
const part = fc.constantFrom('web:', 'ios/', 'x_', 'tenant-');

const PER_KIND: Readonly<Record<'prefix' | 'suffix' | 'form', (id: string, part: string) => string>> = {
  prefix: (id, more) => `${more}${id}`,
  suffix: (id, more) => `${id}#${more.replace(/\W/g, '')}`,
  form: (id) => id.toUpperCase().replaceAll('-', ''),
};

describe('how ids differ', () => {
  it.each(Object.entries(PER_KIND))('is found on either side: %s', (kind, change) => {
    fc.assert(
      fc.property(ids, part, fc.boolean(), (known, more, swap) => {
        const changed = known.map((id) => change(id, more)).filter((id, i) => id !== known[i]);
        fc.pre(changed.length === known.length);
        const found = swap ? idDifference(known, changed) : idDifference(changed, known);
        expect(found).toMatchObject({ kind, share: 1 });
      }),
    );
  });

  it('is found of numbers in another form', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(), { minLength: 3 }), fc.constantFrom('.0', '.00', '.'), (numbers, tail) => {
        const known = numbers.map(String);
        expect(
          idDifference(
            known.map((id) => `${id}${tail}`),
            known,
          ),
        ).toMatchObject({ kind: 'number', share: 1 });
        expect(
          idDifference(
            known.map((id) => `00${id}`),
            known,
          ),
        ).toMatchObject({ kind: 'number', share: 1 });
      }),
    );
  });

  it('is found where one id of a side stands for several of the other: the position behind it', () => {
    const known = Array.from({ length: 9 }, (_, n) => `0f3a11ee${n}0242ac12`);
    const asked = known.flatMap((id) => [`${id}:1`, `${id}:2`]);
    expect(idDifference(asked, known)).toMatchObject({ kind: 'suffix', share: 1 });
    expect(idDifference(known, asked)).toMatchObject({ kind: 'suffix', share: 1 });
  });

  it('is not made up of what all ids of one machine have: UUIDs of version 1', () => {
    const idAt = (n: number): string => `${n.toString(16).padStart(8, '0')}-f3a1-11ee-8c90-0242ac120002`;
    const ids = Array.from({ length: 60 }, (_, n) => idAt(7919 * n));
    expect(idDifference(ids.slice(0, 30), ids.slice(30))).toBeUndefined();
    expect(idDifference(ids.slice(0, 1), ids.slice(1, 2))).toBeUndefined();
  });

  it('is not made up: ids of two systems are not alike', () => {
    const drawn = fc.noBias(fc.array(uuid, { minLength: 1, maxLength: 50 }));
    fc.assert(
      fc.property(drawn, drawn, (a, b) => {
        expect(
          idDifference(
            a,
            b.filter((id) => !a.includes(id)),
          ),
        ).toBeUndefined();
      }),
    );
  });

  it('is not told of a few among many', () => {
    const known = Array.from({ length: 100 }, (_, n) => `r-${n}`);
    const asked = Array.from({ length: 100 }, (_, n) => (n < 29 ? `web:r-${n}` : `session${7 * n}x`));
    expect(idDifference(asked, known)).toBeUndefined();
    expect(idDifference([...asked, 'web:r-50', 'web:r-51'], known)?.share).toBeCloseTo(31 / 102, 9);
  });

  it('shows a pair, and what each of the two has more', () => {
    expect(idDifference(['a:7', 'a:8'], ['b/c/7', 'b/c/8'])).toEqual({
      kind: 'prefix',
      wanted: 'a:7',
      known: 'b/c/7',
      wantedPart: 'a:',
      knownPart: 'b/c/',
      share: 1,
    });
  });
});
