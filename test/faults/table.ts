/** What runs have found, kept in results.json, and the tables of docs/reliability.md that are made of it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AuditResult } from './audit.ts';
import { GROUPS } from './groups.ts';
import { MATRIX } from './matrix.ts';
import type { Outcome } from './outcome.ts';

const RESULTS = resolve(import.meta.dirname, 'results.json');
const PAGE = resolve(import.meta.dirname, '../../docs/reliability.md');
const BEGIN = '<!-- written by npm run faults -- --write -->';
const END = '<!-- to here -->';

/** One row as it was run last. */
export interface Recorded {
  readonly id: string;
  readonly date: string;
  readonly kafka: string;
  readonly redis: string;
  /** Records a second. */
  readonly pace: number;
  readonly isShort: boolean;
  /** Seconds; null: some unit never continued, or the row could not be run to its end. */
  readonly recovery: number | null;
  /** Null: it did not come to a comparison. */
  readonly records: number | null;
  readonly numbers: number | null;
  readonly lost: number | null;
  readonly double: number | null;
  readonly different: number | null;
}

export interface Circumstances {
  readonly kafka: string;
  readonly redis: string;
  readonly pace: number;
  readonly isShort: boolean;
}

export function recorded(): readonly Recorded[] {
  if (!existsSync(RESULTS)) return [];
  const kept: readonly Recorded[] = JSON.parse(readFileSync(RESULTS, 'utf8'));
  return kept;
}

/** Keeps what came of some rows in place of what was known of them. */
export function remember(outcomes: readonly Outcome[], end: AuditResult | undefined, about: Circumstances): void {
  const news = outcomes.map((outcome): Recorded => {
    const audit = outcome.audit ?? end;
    return {
      id: outcome.row.id,
      date: new Date().toISOString().slice(0, 10),
      ...about,
      recovery: outcome.recovery === undefined ? null : Number(outcome.recovery.toFixed(1)),
      records: audit?.records ?? null,
      numbers: audit?.numbers ?? null,
      lost: audit?.lost ?? null,
      double: audit?.double ?? null,
      different: audit?.different ?? null,
    };
  });
  const others = recorded().filter(({ id }) => news.every((one) => one.id !== id));
  const all = [...others, ...news].sort((a, b) => (a.id < b.id ? -1 : 1));
  writeFileSync(RESULTS, `${JSON.stringify(all, undefined, 1)}\n`);
}

export function writeTable(): void {
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${PAGE} must hold the lines "${BEGIN}" and "${END}"`);
  writeFileSync(PAGE, `${page.slice(0, from)}${BEGIN}\n${tables(recorded())}\n${page.slice(to)}`);
}

/** What stands between the two lines. */
export function written(): string {
  const page = readFileSync(PAGE, 'utf8');
  return page.slice(page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)).trim();
}

export function tables(results: readonly Recorded[]): string {
  return [runTable(results), matrixTable(results)].join('\n\n');
}

function runTable(results: readonly Recorded[]): string {
  const rows = GROUPS.flatMap((group) =>
    group.rows.map((row) => {
      const found = results.find(({ id }) => id === row.id);
      return `| ${row.id} | ${row.fault} | ${group.servers} | ${row.promise} s | ${found === undefined ? 'not run yet | | |' : cells(found)}`;
    }),
  );
  return [
    '| row | what happens | servers | promised | goes on after | lost, double, different | run |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function cells({ recovery, records, lost, double, different, date, kafka, redis, isShort }: Recorded): string {
  const after = recovery === null ? '**it did not**' : `${recovery.toFixed(1)} s`;
  const audit = records === null ? 'not compared' : `${lost}, ${double}, ${different} of ${grouped(records)} records`;
  return `${after} | ${audit} | ${date}${isShort ? ', short' : ''}; Kafka ${kafka}, ${/^\d/.test(redis) ? 'Redis ' : ''}${redis} |`;
}

function matrixTable(results: readonly Recorded[]): string {
  const rows = MATRIX.map(({ id, fault, tests, missing }) => {
    const ran = results.filter((row) => row.id.slice(0, 3) === id && row.recovery !== null).map((row) => row.id);
    const others = tests.filter((path) => path !== 'faults').map((path) => `[${path}](../test/${path})`);
    return `| ${id} | ${fault} | ${ran.length === 0 ? 'no' : ran.join(', ')} | ${others.join(', ')} | ${missing ?? ''} |`;
  });
  return ['| | fault | rows above | other tests | not tested |', '|---|---|---|---|---|', ...rows].join('\n');
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
