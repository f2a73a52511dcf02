import { MOST_VARIANTS, SampleColumns, type Sampled } from '../../src/statistics/sampled.ts';
import { readField } from '../../src/statistics/user-sample.ts';

/** A sample as it was stored. */
export function readSample(fields: ReadonlyMap<string, string>): Sampled {
  const read = new SampleColumns();
  for (const [field, text] of fields) readField(read, field, text, MOST_VARIANTS);
  read.trim();
  return read;
}
