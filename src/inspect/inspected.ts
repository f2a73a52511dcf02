/** What goes into an inspection, and what comes out of it. */
import type { AdapterChoice } from '../consumers/decode/decoder-settings.ts';
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { Fit } from './field-fit.ts';
import type { Profile } from './fields.ts';
import type { FileFormat } from './file-shape.ts';
import type { Doubt, ItemTrial, JoinTrial } from './join-trial.ts';
import type { ClockOffset, Facts } from './log-facts.ts';
import type { Finding } from './log-finding.ts';
import type { Proposal } from './proposal.ts';
import type { Reading, Sample } from './reading.ts';
import type { GuessedRole, Role } from './roles.ts';
import type { KnownSide } from './systems.ts';

/** A file, or a partition of a topic, as far as it was read. */
export interface SampledFile {
  /** Path, or topic; partitions of one topic share it. */
  readonly name: string;
  readonly format: FileFormat;
  readonly rows: readonly Fields[];
  readonly bad: readonly BadRow[];
  /** It continues behind the sample. */
  readonly more: boolean;
  /** What the user says that it is. */
  readonly role: Role | undefined;
}

export interface InspectOptions {
  readonly now: EpochMs;
  /** Actions that the user's configuration has grades for. */
  readonly grades: ReadonlySet<string>;
  /** Weights of variants in the user's configuration; undefined: equal ones. */
  readonly weights: ReadonlyMap<string, number> | undefined;
}

export interface InspectedFile extends SampledFile {
  readonly profile: Profile;
  /** undefined: it holds no records. */
  readonly guess: GuessedRole | undefined;
  readonly known: KnownSide | undefined;
}

export interface InspectedSide {
  readonly files: readonly string[];
  readonly profile: Profile;
  readonly reading: Reading;
  readonly fits: readonly Fit[];
  readonly missing: readonly string[];
  readonly sample: Sample;
}

export interface Inspection {
  readonly files: readonly InspectedFile[];
  /** Both sides stand in the same log. */
  readonly oneLog: boolean;
  /** Of `oneLog`: how the one log is read; undefined: nothing tells its records apart. */
  readonly joined: AdapterChoice | undefined;
  readonly impressions: InspectedSide | undefined;
  readonly feedback: InspectedSide | undefined;
  /** Pairs of id fields that were tried, the best first. */
  readonly joins: readonly JoinTrial[];
  /** Those that meet, but do not tell which list was clicked. */
  readonly notTaken: readonly { readonly join: JoinTrial; readonly doubt: Doubt }[];
  readonly items: readonly ItemTrial[];
  /** The column that is taken for that of clicks, though its name does not say so. */
  readonly guess: string | undefined;
  readonly facts: Facts;
  readonly clock: ClockOffset | undefined;
  /** Of times without a zone, where the other side tells it: `+01:00`. */
  readonly zones: { readonly impressions: string | undefined; readonly feedback: string | undefined };
  readonly proposal: Proposal;
  /** What is wrong first. */
  readonly findings: readonly Finding[];
}

/** An inspection before it is judged. */
export type Known = Omit<Inspection, 'findings'>;

/** The records of a sample, whatever the form of the file: objects as JSON.parse makes them. */

/** A piece of a file that is no record. */
export interface BadRow {
  /** From 1. */
  readonly row: number;
  /** Half a sentence: `is no JSON`. */
  readonly why: string;
}

/** Takes records one by one, as JSON. */
export class Rows {
  readonly rows: Fields[] = [];
  readonly bad: BadRow[] = [];

  get count(): number {
    return this.rows.length + this.bad.length;
  }

  /** @param refused why it cannot be one; undefined: it may be one */
  add(json: string, refused: string | undefined): void {
    const row = this.count + 1;
    if (refused !== undefined) {
      this.bad.push({ row, why: refused });
      return;
    }
    try {
      const value: unknown = JSON.parse(json);
      if (isFields(value)) this.rows.push(value);
      else this.bad.push({ row, why: 'is JSON, but no object' });
    } catch {
      this.bad.push({ row, why: 'is no JSON' });
    }
  }
}
