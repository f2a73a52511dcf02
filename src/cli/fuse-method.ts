import { FusionError } from '../fusion/ballots.ts';
import { type Fusion, fusion } from '../fusion/fusion.ts';
import { UsageError } from './failure.ts';

/** A comma between two methods, not between two parameters of one. */
const COMMA = /,(?![^(]*\))/;

/** @param flag for the message @param several what to do for more than one @throws UsageError */
export function methodNamed(text: string, flag: string, several: string): Fusion {
  if (COMMA.test(text)) throw new UsageError(`${flag}: "${text}" are several methods with commas; ${several}`);
  try {
    return fusion(text);
  } catch (error) {
    if (error instanceof FusionError) throw new UsageError(`${flag}: ${error.message}`);
    throw error;
  }
}
