import { SUMS_WIDTH } from '../measures/sums.ts';
import { parseExact, printExact } from './exact.ts';
import { encodeItems, readItems } from './item-sums-codec.ts';
import { emptyRow, type Row, type RowShape, sumsOffsets } from './row.ts';
import { keysOf, listOf, parseJson, whole } from './store/json.ts';
import { vectorCodec } from './vector-codec.ts';

/** Text of rows of one shape. Equal rows have equal text. */
export interface RowCodec {
  encode(row: Row): string;
  /**
   * Reads a row that perhaps another configuration wrote: a measure that the text lacks starts empty, one that the shape
   * lacks is left out. Throws an Error that names the part that is wrong.
   */
  decode(text: string): Row;
}

/**
 * JSON `{"impressions":2,"positives":1,"userless":0,"measures":{"mrr":[2,1,500000000,250000000]}}`, and `"vector"` and
 * `"items"` (item-sums-codec.ts) where there are any. Measures stand in the order of the shape; digits beyond the safe
 * integers are strings.
 */
export function rowCodec(shape: RowShape): RowCodec {
  const offsets = sumsOffsets(shape);
  const vectors = vectorCodec(shape);
  const openings = shape.names.map((name, m) => `${m === 0 ? '' : ','}${JSON.stringify(name)}:[`);

  function encode(row: Row): string {
    let text = `{"impressions":${row.impressions},"positives":${row.positives},"userless":${row.userless},"measures":{`;
    for (let m = 0; m < openings.length; m++) {
      text += openings[m];
      for (let i = offsets[m]; i < offsets[m + 1]; i++) {
        text += i === offsets[m] ? printExact(row.sums[i]) : `,${printExact(row.sums[i])}`;
      }
      text += ']';
    }
    const vector = row.vector === undefined ? '' : `,"vector":${vectors.encode(row.vector)}`;
    const items = row.items === undefined ? '' : `,"items":${encodeItems(row.items)}`;
    return `${text}}${vector}${items}}`;
  }

  function decode(text: string): Row {
    const json = keysOf(parseJson(text, 'row'), 'row');
    const measures = keysOf(json['measures'], 'row.measures');
    const row = emptyRow(shape);
    row.impressions = whole(json['impressions'], 'row.impressions');
    row.positives = whole(json['positives'], 'row.positives');
    row.userless = whole(json['userless'], 'row.userless');
    shape.names.forEach((name, m) => {
      if (!Object.hasOwn(measures, name)) return;
      const sums = listOf(measures[name], `row.measures.${name}`, exactAt);
      const width = SUMS_WIDTH[shape.kinds[m]];
      if (sums.length !== width) throw new Error(`row.measures.${name}: expected ${width} sums, found ${sums.length}`);
      sums.forEach((sum, i) => {
        row.sums[offsets[m] + i] = sum;
      });
    });
    if (json['vector'] !== undefined) row.vector = vectors.read(json['vector']);
    if (json['items'] !== undefined && shape.items !== undefined) row.items = readItems(json['items'], shape.items);
    return row;
  }

  return { encode, decode };
}

/** The same for rows of which only the vector is kept: text as `VectorCodec` has it. */
export function vectorRowCodec(shape: RowShape): RowCodec {
  const vectors = vectorCodec(shape);
  return {
    encode: ({ vector }) => {
      if (vector === undefined) throw new Error('a row without a vector cannot be kept as one');
      return vectors.encode(vector);
    },
    decode: (text) => ({ ...emptyRow(shape), vector: vectors.decode(text) }),
  };
}

function exactAt(value: unknown, where: string): number | bigint {
  const sum = parseExact(value);
  if (sum === undefined) throw new Error(`${where}: expected a whole number`);
  return sum;
}
