import type { EpochMs, Offset, Side } from '../../../vocabulary/events.ts';
import type { Decoded, Decoder } from '../../decode/decoder.ts';
import type { FileForm } from '../../decode/decoder-settings.ts';
import type { Batch, Bounds, FilePlace, LogRecord, LogSource, SourceHandler } from '../source-port.ts';
import type { RowObject } from './csv.ts';
import type { FileRow } from './format.ts';
import type { ReadProgress } from './lines.ts';
import { type ListRows, RowLists } from './row-lists.ts';
import { readRows } from './rows.ts';

/** One input file of a topic. */
interface FileInput {
  /** Path, or `-` for standard input. */
  readonly path: string;
  /** Part of the request ids that an adapter makes from file and row; unique over all files. */
  readonly name: string;
  readonly decoder: Decoder;
  /** The side on which an unreadable row is counted. */
  readonly side: Side;
  /** The form of its rows; default: detected from its first bytes. */
  readonly form?: FileForm;
  /** See `RowsOptions`. */
  readonly toObject?: RowObject | undefined;
  /** Set if all rows of a request together form one record. */
  readonly lists?: ListRows | undefined;
}

export interface FileTopic {
  readonly files: readonly FileInput[];
  /** `time`: several files are merged by event time; ties keep the order of the files. `concat`: one after the other. */
  readonly order: 'time' | 'concat';
}

const CHUNK_RECORDS = 200;

/**
 * Topics read from files, as partition 0 of a log. Offsets number the records of a topic as they are delivered. The topic whose
 * next record is the oldest is read first, so that little has to wait. A damaged record gets the time of the one before it.
 */
export class FileSource implements LogSource {
  readonly progress: ReadProgress = { bytes: 0 };
  readonly #topics: readonly TopicReader[];
  readonly #seeks: Offset[];
  readonly #paused: boolean[];
  #resumed: () => void = () => {};
  #stopping = false;
  #ended: Promise<void> = Promise.resolve();

  /**
   * @param longest bytes of the longest record that can be valid
   * @param latest an event with a later time takes the time of the one before it, so that it does not delay other files
   */
  constructor(topics: readonly FileTopic[], longest: number, latest: EpochMs = Number.POSITIVE_INFINITY) {
    this.#topics = topics.map((topic) => new TopicReader(topic, longest, latest, this.progress));
    this.#seeks = topics.map(() => 0);
    this.#paused = topics.map(() => false);
  }

  /** Whether nothing more of a topic comes. */
  hasEnded(topic: number): boolean {
    return this.#topics[topic].ended;
  }

  async run(handler: SourceHandler): Promise<void> {
    this.#ended = this.#read(handler);
    await this.#ended;
  }

  async #read(handler: SourceHandler): Promise<void> {
    await handler.assigned([0]);
    for (const topic of this.#topics) await topic.open();
    while (!this.#stopping) {
      const oldest = this.#oldest();
      if (oldest < 0) {
        if (this.#topics.every((topic) => topic.ended)) return;
        await new Promise<void>((resolve) => {
          this.#resumed = resolve;
        });
        continue;
      }
      const batch = await this.#next(oldest);
      if (batch.records.length > 0) await handler.batch(batch);
    }
  }

  #oldest(): number {
    let oldest = -1;
    for (let t = 0; t < this.#topics.length; t++) {
      const topic = this.#topics[t];
      if (topic.ended || this.#paused[t]) continue;
      if (oldest < 0 || topic.time < this.#topics[oldest].time) oldest = t;
    }
    return oldest;
  }

  async #next(index: number): Promise<Batch> {
    const topic = this.#topics[index];
    const records: LogRecord[] = [];
    for (let n = 0; n < CHUNK_RECORDS && !topic.ended; n++) {
      const offset = topic.offset;
      const record = topic.take();
      if (offset >= this.#seeks[index]) records.push({ offset, timestamp: undefined, ...record });
      if (topic.needsMore) await topic.refill();
    }
    return { partition: 0, topic: index, records, next: topic.offset };
  }

  seek(_partition: number, topic: number, offset: Offset): void {
    this.#seeks[topic] = offset;
  }

  pause(_partition: number, topic: number): void {
    this.#paused[topic] = true;
  }

  resume(_partition: number, topic: number): void {
    this.#paused[topic] = false;
    this.#resumed();
  }

  /** Does nothing: files keep no positions. */
  sendOffsets(): void {}

  /** The end of a file is not known until it is read. */
  async bounds(): Promise<Bounds> {
    return { start: 0, end: Number.POSITIVE_INFINITY };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#resumed();
    await this.#ended.catch(() => {});
  }
}

interface FileRecord {
  readonly value: Uint8Array;
  readonly decoded: Decoded;
  readonly place: FilePlace;
}

/** One file, with its next record decoded and ready. */
class FileReader {
  readonly #input: FileInput;
  readonly #groups: AsyncGenerator<readonly FileRow[]>;
  readonly #latest: EpochMs;
  #rows: readonly FileRow[] = [];
  #at = 0;
  #isRead = false;
  /** The next record of the file. Waiting feedback may precede it. */
  #next: TimedRecord | undefined;
  readonly #waiting = new TimedHeap<TimedRecord>();
  head: FileRecord | undefined;
  /** Event time of the head. */
  time: EpochMs = Number.NEGATIVE_INFINITY;
  ended = false;

  constructor(input: FileInput, longest: number, latest: EpochMs, progress: ReadProgress) {
    this.#input = input;
    this.#latest = latest;
    this.#groups = recordsOf(input, longest, progress);
  }

  get needsMore(): boolean {
    return this.head === undefined && !this.ended;
  }

  /** Reads until a record is ready or the file has ended. */
  async refill(): Promise<void> {
    while (this.needsMore) {
      const group = await this.#groups.next();
      if (group.done === true) this.#isRead = true;
      else {
        this.#rows = group.value;
        this.#at = 0;
      }
      this.#advance();
    }
  }

  take(): FileRecord {
    const record = this.head;
    if (record === undefined) throw new Error('no record is ready');
    this.#advance();
    return record;
  }

  #advance(): void {
    this.head = undefined;
    while (this.#next === undefined && this.#at < this.#rows.length) this.#next = this.#decode(this.#rows[this.#at++]);
    if (this.#next === undefined && !this.#isRead) return;
    const record = this.#waiting.before(this.#next?.time ?? Number.POSITIVE_INFINITY) ?? this.#next;
    if (record === this.#next) this.#next = undefined;
    this.head = record;
    this.ended = record === undefined;
    this.time = record?.time ?? Number.POSITIVE_INFINITY;
  }

  /** Decodes a row; undefined for a header. Feedback in a list waits for its time, because it would make later lists late otherwise. */
  #decode({ value, row, refused }: FileRow): TimedRecord | undefined {
    const { decoder, name, path, side, lists } = this.#input;
    const decoded: Decoded =
      refused === undefined
        ? decoder.decode(value, name, row)
        : { refused: 'invalid', code: refused, field: undefined, side };
    const place = { file: path, row };
    if (!('events' in decoded)) return { value, decoded, place, time: this.time };
    const { events, excluded = [] } = decoded;
    const all = [...events, ...excluded];
    if (all.length === 0) return undefined;
    if (lists === undefined) return { value, decoded, place, time: this.#turnOf(all[0].ts) };
    let list: TimedRecord | undefined;
    for (const [e, event] of all.entries()) {
      const one = e < events.length ? { events: [event] } : { events: [], excluded: [event] };
      const record = { value, decoded: one, place, time: this.#turnOf(event.ts) };
      if (event.kind === 'impression') list = record;
      else this.#waiting.add(record);
    }
    return list;
  }

  /** The time at which an event is delivered: at once if it is in the future, so that it does not delay the records after it. */
  #turnOf(ts: EpochMs): EpochMs {
    return ts <= this.#latest ? ts : this.time;
  }
}

interface TimedRecord extends FileRecord {
  readonly time: EpochMs;
}

async function* recordsOf(
  { path, form, toObject, lists: settings }: FileInput,
  longest: number,
  progress: ReadProgress,
): AsyncGenerator<readonly FileRow[]> {
  const rows = readRows(path, { form, longest, toObject, progress });
  if (settings === undefined) {
    yield* rows;
    return;
  }
  const lists = new RowLists(settings, longest);
  for await (const group of rows) yield group.flatMap((row) => lists.add(row));
  yield lists.end();
}

class TopicReader {
  readonly #files: readonly FileReader[];
  readonly #order: 'time' | 'concat';
  #current = 0;
  offset: Offset = 0;

  constructor(topic: FileTopic, longest: number, latest: EpochMs, progress: ReadProgress) {
    this.#files = topic.files.map((file) => new FileReader(file, longest, latest, progress));
    this.#order = topic.order;
  }

  /** Event time of the next record; Infinity at the end. */
  get time(): EpochMs {
    return this.#files.length === 0 ? Number.POSITIVE_INFINITY : this.#files[this.#current].time;
  }

  get ended(): boolean {
    return this.#files.length === 0 || this.#files[this.#current].ended;
  }

  get needsMore(): boolean {
    return this.#files[this.#current].needsMore;
  }

  async open(): Promise<void> {
    if (this.#order === 'time') for (const file of this.#files) await file.refill();
    if (this.#files.length > 0) await this.refill();
  }

  /**
   * Reads ahead. If files follow one another, only in the current file: how the next one is read may depend on the contents of the
   * earlier ones.
   */
  async refill(): Promise<void> {
    do {
      await this.#files[this.#current].refill();
      this.#choose();
    } while (this.needsMore);
  }

  take(): FileRecord {
    const record = this.#files[this.#current].take();
    this.offset++;
    if (!this.needsMore) this.#choose();
    return record;
  }

  /** Chooses the file whose record comes next. */
  #choose(): void {
    const files = this.#files;
    if (this.#order === 'concat') {
      while (this.#current < files.length - 1 && files[this.#current].ended) this.#current++;
      return;
    }
    let oldest = 0;
    for (let f = 1; f < files.length; f++) if (files[f].time < files[oldest].time) oldest = f;
    this.#current = oldest;
  }
}

interface Timed {
  readonly time: EpochMs;
}

/** Records ordered by time, then by arrival, in a binary heap: log n per record, whatever the order of arrival. */
export class TimedHeap<Of extends Timed> {
  readonly #records: Of[] = [];
  /** Arrival number of each record. */
  readonly #turns: number[] = [];
  #added = 0;

  add(record: Of): void {
    let at = this.#records.length;
    const turn = this.#added++;
    for (let above = (at - 1) >> 1; at > 0 && record.time < this.#records[above].time; above = (at - 1) >> 1) {
      this.#put(at, this.#records[above], this.#turns[above]);
      at = above;
    }
    this.#put(at, record, turn);
  }

  /** Removes and returns the first record if its time is before `time`; undefined: there is none. */
  before(time: EpochMs): Of | undefined {
    const first = this.#records[0];
    if (first === undefined || !(first.time < time)) return undefined;
    const record = this.#records.pop() ?? first;
    const turn = this.#turns.pop() ?? 0;
    if (this.#records.length > 0) this.#sink(record, turn);
    return first;
  }

  /** Inserts a record at the top and lets it sink. */
  #sink(record: Of, turn: number): void {
    const { length } = this.#records;
    let at = 0;
    for (let below = 1; below < length; below = 2 * at + 1) {
      if (below + 1 < length && this.#isBefore(below + 1, this.#records[below].time, this.#turns[below])) below++;
      if (!this.#isBefore(below, record.time, turn)) break;
      this.#put(at, this.#records[below], this.#turns[below]);
      at = below;
    }
    this.#put(at, record, turn);
  }

  #isBefore(at: number, time: EpochMs, turn: number): boolean {
    const own = this.#records[at].time;
    return own < time || (own === time && this.#turns[at] < turn);
  }

  #put(at: number, record: Of, turn: number): void {
    this.#records[at] = record;
    this.#turns[at] = turn;
  }
}
