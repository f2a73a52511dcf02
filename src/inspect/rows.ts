/** The records of a text, whatever its form: objects as JSON.parse makes them; of a row of text, its cells by the names of the header. */
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import type { Form } from './format.ts';

/** A piece of a text that is no record. */
export interface BadRow {
  /** Line, row or element, from 1. */
  readonly row: number;
  readonly why: string;
}

export interface Rows {
  readonly rows: readonly Fields[];
  readonly bad: readonly BadRow[];
  /** Whether the text holds more than was read. */
  readonly more: boolean;
}

const NONE: Rows = { rows: [], bad: [], more: false };

/** At most `limit` records. `cut`: the text goes on behind its end, so that its last piece may be half a record. */
export function rowsOf(text: string, form: Form, limit: number, cut: boolean): Rows {
  switch (form.kind) {
    case 'ndjson':
      return jsonRows(linesOf(text, cut), limit, cut);
    case 'json-array':
      return jsonRows(valuesOf(text, text.indexOf('[') + 1), limit, cut);
    case 'json-object':
      return jsonRows(valuesOf(text, 0), limit, cut);
    case 'delimited': {
      const all = delimitedRows(text, form.delimiter, limit + 2);
      const data = (form.columns === undefined ? all : all.slice(1)).slice(0, cut ? -1 : undefined);
      const columns = form.columns ?? Array.from({ length: form.width }, (_, i) => `column_${i + 1}`);
      const rows: Fields[] = [];
      const bad: BadRow[] = [];
      for (const [i, cells] of data.slice(0, limit).entries()) {
        if (cells.length === columns.length) rows.push(recordOf(columns, cells));
        else bad.push({ row: i + 1, why: `${cells.length} columns, where the header has ${columns.length}` });
      }
      return { rows, bad, more: cut || data.length > limit };
    }
    default:
      return NONE;
  }
}

/** An empty cell is an absent field. */
function recordOf(columns: readonly string[], cells: readonly string[]): Fields {
  const record: Record<string, unknown> = Object.create(null);
  for (const [i, name] of columns.entries()) if (cells[i] !== '') record[name] = cells[i];
  return record;
}

function jsonRows(pieces: Iterable<string>, limit: number, cut: boolean): Rows {
  const rows: Fields[] = [];
  const bad: BadRow[] = [];
  let row = 0;
  for (const piece of pieces) {
    if (row >= limit) return { rows, bad, more: true };
    row++;
    const value = parsed(piece);
    if (isFields(value)) rows.push(value);
    else bad.push({ row, why: value === undefined ? 'is no JSON' : 'is JSON, but no object' });
  }
  return { rows, bad, more: cut };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* linesOf(text: string, cut: boolean): Generator<string> {
  const lines = text.split(/\r\n|\n|\r(?!\n)/);
  if (cut) lines.pop();
  for (const line of lines) if (line.trim() !== '') yield line;
}

/** JSON values one after the other, with commas between them or not, up to the bracket that ends their list. */
function* valuesOf(text: string, from: number): Generator<string> {
  let start = -1;
  let depth = 0;
  let inText = false;
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (inText) {
      if (sign === '\\') at++;
      else if (sign === '"') inText = false;
      continue;
    }
    if (depth === 0 && start >= 0 && /[,\]\s]/.test(sign)) {
      yield text.slice(start, at);
      start = -1;
    }
    if (depth === 0 && sign === ']') return;
    if (start < 0 && !/[,\s]/.test(sign)) start = at;
    if (sign === '"') inText = true;
    else if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') {
      depth--;
      if (depth > 0) continue;
      yield text.slice(start, at + 1);
      start = -1;
    }
  }
}

/** Rows of cells (RFC 4180 with any delimiter): quotes may hold line ends, a quote inside of them is doubled. Blank lines are left out. */
export function delimitedRows(text: string, delimiter: string, limit: number): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const endRow = (): void => {
    if (row.length > 1 || row[0].trim() !== '') rows.push(row);
    row = [];
  };
  while (at < text.length && rows.length < limit) {
    let cell = '';
    if (text[at] === '"') {
      for (;;) {
        const end = text.indexOf('"', at + 1);
        cell += text.slice(at + 1, end < 0 ? text.length : end);
        at = end < 0 ? text.length : end + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
    }
    const from = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++;
    row.push(cell + text.slice(from, at));
    const sign = text[at];
    if (sign === delimiter && at + 1 === text.length) row.push('');
    if (sign === '\r' && text[at + 1] === '\n') at++;
    at++;
    if (sign !== delimiter) endRow();
  }
  if (row.length > 0 && rows.length < limit) endRow();
  return rows;
}
