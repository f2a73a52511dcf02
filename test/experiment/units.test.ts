import { describe, expect, test } from 'vitest';
import { fixed } from '../../src/accumulators/exact.ts';
import { emptyRow, type Row, shapeOf } from '../../src/accumulators/row.ts';
import { SUM, Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import { stateOfUnits, type UnitPart } from '../../src/experiment/units.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { AS_OF, SETTINGS, sampleOf } from './states.ts';

const { measures } = parseMeasures(['ndcg@10', 'mrr(empty=skip)', 'ctr'], { relevantFrom: 1 });
const SHAPE = shapeOf(measures);
const STARTS = vectorStarts(SHAPE.kinds);

/** A row with one list in each of the buckets, half of which are positive with this value of ndcg@10. */
function row(buckets: readonly number[], value: number): Row {
  const made = emptyRow(SHAPE);
  const vector = new Vector(256, STARTS[STARTS.length - 1]);
  for (const [i, bucket] of buckets.entries()) {
    const positive = i % 2 === 0;
    made.impressions++;
    if (positive) made.positives++;
    vector.add(
      bucket,
      positive,
      Int32Array.of(STARTS[0] + SUM),
      Float64Array.of(Number(fixed(positive ? value : 0))),
      1,
    );
  }
  made.vector = vector;
  return made;
}

const buckets = Array.from({ length: 40 }, (_, i) => i);

function part(rows: Readonly<Record<string, Row>>, users: readonly number[], missing = 0): UnitPart {
  return { rows: new Map(Object.entries(rows)), sample: sampleOf(users), missing };
}

describe('the state of all units', () => {
  const one = part({ A: row(buckets, 0.5), C: row(buckets, 0.1) }, [3, 0], 2);
  const other = part({ A: row(buckets.slice(20), 0.7), B: row(buckets, 0.9) }, [5, 4], 1);

  test('is a sum in any order; users that two units saw count once', () => {
    const forth = stateOfUnits(SETTINGS, measures, [one, other], AS_OF);
    const back = stateOfUnits(SETTINGS, measures, [other, one], AS_OF);
    expect(forth.variants).toEqual(back.variants);
    expect(forth.variants.get('A')).toMatchObject({ impressions: 60, positives: 30, buckets: 40 });
    expect(forth.exposed.sampled).toBe(9);
    expect(back.exposed).toEqual(forth.exposed);
    expect(forth.missing).toBe(3);
    expect(forth.others).toEqual(new Map([['C', 40]]));
  });

  test('leaves the rows of the units as they are', () => {
    stateOfUnits(SETTINGS, measures, [one, other], AS_OF);
    expect(one.rows.get('A')?.impressions).toBe(40);
    expect(one.rows.get('A')?.vector?.sum(20, 0)).toBe(1);
  });

  test('of no unit has nothing', () => {
    expect(stateOfUnits(SETTINGS, measures, [], undefined)).toMatchObject({ missing: 0, variants: new Map() });
  });
});
