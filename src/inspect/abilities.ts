/** What a replay reads of the forms that logs have, and with which settings. What it does not read is told, with what to do. */
import type { FileFormat } from './format.ts';

export interface Abilities {
  readonly forms: ReadonlySet<FileFormat['form']['kind']>;
  readonly compressions: ReadonlySet<FileFormat['compression']>;
  /** Of times: each number's unit is told by its range; numbers as text are read; texts that end in UTC are. */
  readonly autoUnit: boolean;
  /** `timeZone` of a topic. */
  readonly timeZone: boolean;
  /** `split` of a topic: lists as text. */
  readonly split: boolean;
  /** `list: {by, order}` of a topic: one row for each item. */
  readonly rowLists: boolean;
}

export const ABILITIES: Abilities = {
  forms: new Set(['ndjson']),
  compressions: new Set(['none', 'gzip']),
  autoUnit: false,
  timeZone: false,
  split: false,
  rowLists: false,
};
