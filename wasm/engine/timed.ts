/** What a record begins with that is found by request and by deadline. */
import { Chained } from './request-table';

@unmanaged
export class Timed extends Chained {
  /** In the heap of deadlines. */
  place: u32;
}
