/** The first fields of a record that is found by request and by deadline. */
import { Chained } from './request-table';

@unmanaged
export class Timed extends Chained {
  /** Its index in the heap of deadlines. */
  place: u32;
}
