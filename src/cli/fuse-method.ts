import { FusionError } from '../fusion/error.ts';
import { type Fusion, fusion } from '../fusion/fusion.ts';
import { UsageError } from './failure.ts';

/** @param flag for the message @throws UsageError */
export function methodNamed(text: string, flag: string): Fusion {
  try {
    return fusion(text);
  } catch (error) {
    if (error instanceof FusionError) throw new UsageError(`${flag}: ${error.message}`);
    throw error;
  }
}
