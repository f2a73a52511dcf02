/** What goes into an inspection, and what comes out of it. */

import type { FieldMap } from '../consumers/decode/decoder-settings.ts';
import { DEEPEST_JSON, isTooDeep } from '../consumers/decode/json-depth.ts';
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import type { InvalidFiles } from '../findings/invalid-files.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';
import type { Fit } from './field-fit.ts';
import type { Profile } from './fields.ts';
import type { FileFormat } from './file-shape.ts';
import type { Doubt, ItemTrial, JoinTrial } from './join-trial.ts';
import type { KnownSide } from './known-systems.ts';
import type { ClockOffset, Facts } from './log-facts.ts';
import type { Finding } from './log-finding.ts';
import type { Proposal } from './proposal.ts';
import type { Kinds, ProposedAdapter } from './proposed-adapter.ts';
import type { Reading, Sample } from './reading.ts';
import type { GuessedRole, Role } from './roles.ts';

/** The sample that was read of a file or of a topic's partition. */
export interface SampledFile {
  /** Path of the file, or name of the topic, which its partitions share. */
  readonly name: string;
  readonly format: FileFormat;
  readonly rows: readonly Fields[];
  readonly bad: readonly BadRow[];
  /** The file continues after the sample. */
  readonly more: boolean;
  /** What the user said it is. */
  readonly role: Role | undefined;
  /** A folder that was named brought it along. */
  readonly inFolder?: boolean | undefined;
  /** Of a topic: its partition, and the offset of each record. */
  readonly log?: { readonly partition: number; readonly offsets: readonly Offset[] };
}

export interface InspectOptions {
  readonly now: EpochMs;
  /** Actions with a grade in the user's configuration. */
  readonly grades: ReadonlySet<string>;
  /** Weights of variants in the user's configuration; undefined: equal ones. */
  readonly weights: ReadonlyMap<string, number> | undefined;
}

export interface InspectedFile extends SampledFile {
  readonly profile: Profile;
  /** undefined: it holds no records. */
  readonly guess: GuessedRole | undefined;
  readonly known: KnownSide | undefined;
  /** It lies beside the log, and is left out. */
  readonly isSideTable?: boolean;
}

export interface InspectedSide {
  readonly files: readonly string[];
  readonly profile: Profile;
  readonly reading: Reading;
  /** The map of `reading`, spelled out where that is canonical. */
  readonly map: FieldMap;
  readonly fits: readonly Fit[];
  readonly missing: readonly string[];
  readonly sample: Sample;
  /** Its files where their fields are in different places: those with the same map together. Empty: one map reads all. */
  readonly apart: readonly FilesApart[];
}

/** Some files of a side, and what reads them. */
export interface FilesApart {
  readonly side: InspectedSide;
  readonly join: JoinTrial;
  /** Only their records have it, which is how `maps` tells them; undefined: they are what remains. */
  readonly has: string | undefined;
}

/** The parts of a side that one map reads: one, unless its files have their fields in different places. */
export function alikeIn(side: InspectedSide): readonly InspectedSide[] {
  return side.apart.length === 0 ? [side] : side.apart.map((part) => part.side);
}

/** Kinds of records in one log of both sides, and those of feedback that a map reads. */
export interface KindsRead extends Kinds {
  readonly read: readonly string[];
}

/** Both sides as they are read. */
export interface Sides {
  /** Both sides are in the same log. */
  readonly oneLog: boolean;
  /** How the one log of `oneLog` is read; undefined: nothing tells its records apart. */
  readonly joined: ProposedAdapter | undefined;
  /** Kinds of records of that log; undefined: no field tells them. */
  readonly kinds: KindsRead | undefined;
  readonly impressions: InspectedSide | undefined;
  readonly feedback: InspectedSide | undefined;
  /** Pairs of id fields that were tried, best first. */
  readonly joins: readonly JoinTrial[];
  /** Pairs whose values match, but do not tell which list was clicked. */
  readonly notTaken: readonly { readonly join: JoinTrial; readonly doubt: Doubt }[];
  readonly items: readonly ItemTrial[];
  /** The column that is taken for clicks although its name does not say so. */
  readonly guess: string | undefined;
}

export interface Inspection extends Sides {
  readonly files: readonly InspectedFile[];
  readonly facts: Facts;
  readonly clock: ClockOffset | undefined;
  /** The zone of times without one, where the other side reveals it: `+01:00`. */
  readonly zones: { readonly impressions: string | undefined; readonly feedback: string | undefined };
  readonly proposal: Proposal;
  /** Files of which a replay with the proposed configuration would refuse records. */
  readonly refused: readonly InvalidFiles[];
  /** Problems first. */
  readonly findings: readonly Finding[];
}

/** What is known of the logs before findings are made of it. */
export type Known = Omit<Inspection, 'findings'>;

/** The records of a sample, whatever the format of the file: objects as from JSON.parse. */

/** A part of a file that is not a record. */
export interface BadRow {
  /** From 1. */
  readonly row: number;
  /** The predicate of a sentence: `is not JSON`. */
  readonly why: string;
  /** It may be valid, but is not looked into here. */
  readonly isDeep?: true;
}

/** Takes records one by one, as JSON. */
export class Rows {
  readonly rows: Fields[] = [];
  readonly bad: BadRow[] = [];

  get count(): number {
    return this.rows.length + this.bad.length;
  }

  /** @param refused why the text cannot be a record; undefined: it may be one */
  add(json: string, refused: string | undefined): void {
    const row = this.count + 1;
    if (refused !== undefined) {
      this.bad.push({ row, why: refused });
      return;
    }
    try {
      const value: unknown = JSON.parse(json);
      if (!isFields(value)) this.bad.push({ row, why: 'is JSON, but not an object' });
      else if (isTooDeep(json))
        this.bad.push({ row, why: `is nested deeper than ${DEEPEST_JSON} levels`, isDeep: true });
      else this.rows.push(value);
    } catch {
      this.bad.push({ row, why: 'is not JSON' });
    }
  }
}
