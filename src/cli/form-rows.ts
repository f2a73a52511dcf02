/** Reads runs and judgements in other forms than rows (other-forms.ts) as rows. */
import { Buffer, constants } from 'node:buffer';
import { textOf } from '../score/byte-text.ts';
import { Blocks, markOf } from '../score/line-blocks.ts';
import { type OtherForm, rowLine } from '../score/other-forms.ts';

/** Characters of rows that are passed on at once. */
const PART = 2 ** 16;

/** The rows of a file as lines of CSV, without the names of its columns. @throws Error that says what is wrong with its content */
export async function* rowsOf(file: string, form: OtherForm, parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const { rows } = form;
  let part = '';
  if (rows.of === 'text') {
    for (const row of rows.read(await wholeText(parts))) {
      part += rowLine(row);
      if (part.length < PART) continue;
      yield part;
      part = '';
    }
    yield part;
    return;
  }
  let number = 0;
  for await (const lines of linesOf(file, parts)) {
    for (const line of lines) for (const row of rows.read(line, ++number)) part += rowLine(row);
    if (part.length >= PART) {
      yield part;
      part = '';
    }
  }
  yield part;
  if (form.lines !== undefined && number < form.lines) {
    throw new Error(`it has ${number} lines, and the file of features has ${form.lines}`);
  }
}

async function wholeText(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const part of parts) {
    length += part.length;
    if (length > constants.MAX_STRING_LENGTH) {
      throw new Error(
        `this JSON is longer than ${constants.MAX_STRING_LENGTH} characters, more than fit into memory: split it by queries`,
      );
    }
    all.push(part.slice());
  }
  const bytes = Buffer.concat(all);
  return textOf(bytes, markOf(bytes), bytes.length);
}

/** The lines of a file, without their ends. @throws InputError for one that does not end */
export async function* linesOf(file: string, parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const lines: string[] = [];
  const blocks = new Blocks(file, {
    block: (bytes, from, to) => {
      for (const line of textOf(bytes, from, to - 1).split('\n')) lines.push(line);
    },
    end: () => {},
  });
  for await (const part of parts) {
    blocks.add(part);
    yield lines.splice(0);
  }
  blocks.end();
  yield lines.splice(0);
}
