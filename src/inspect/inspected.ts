/** The input and output of an inspection. */

import type { FieldMap } from '../consumers/decode/decoder-settings.ts';
import { DEEPEST_JSON, type Fields, isFields, isTooDeep } from '../consumers/decode/raw.ts';
import type { InvalidFiles } from '../findings/invalid-files.ts';
import type { EpochMs, Offset } from '../vocabulary/events.ts';
import type { Fit } from './field-fit.ts';
import type { Profile } from './fields.ts';
import type { FileFormat } from './file-shape.ts';
import type { Doubt, ItemTrial, JoinTrial } from './join-trial.ts';
import type { KnownSide } from './known-systems.ts';
import type { ClockOffset, Facts } from './log-facts.ts';
import type { LogFinding } from './log-finding.ts';
import type { MadeField } from './made-fields.ts';
import type { Mend } from './mends.ts';
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
  /** Whether the file continues after the sample. */
  readonly more: boolean;
  /** The role that the user gave it. */
  readonly role: Role | undefined;
  /** Whether it was found in a folder that was named. */
  readonly inFolder?: boolean | undefined;
  /** For a topic, the partition and the offset of each record. */
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
  /** Fields that stand in its rows, and that a map makes. */
  readonly made: readonly MadeField[];
  readonly profile: Profile;
  /** undefined: the file has no records. */
  readonly guess: GuessedRole | undefined;
  readonly known: KnownSide | undefined;
  /** Whether it is a table beside the log, which is not read. */
  readonly isSideTable?: boolean;
}

export interface InspectedSide {
  readonly files: readonly string[];
  readonly profile: Profile;
  readonly reading: Reading;
  /** The map of `reading`, written out even if it is canonical. */
  readonly map: FieldMap;
  readonly fits: readonly Fit[];
  readonly missing: readonly string[];
  readonly sample: Sample;
  /** The groups of files with their fields in different places, each with its own map. Empty: one map reads all files. */
  readonly apart: readonly FilesApart[];
}

/** Some files of a side, and how they are read. */
export interface FilesApart {
  readonly side: InspectedSide;
  readonly join: JoinTrial;
  /** A field that only their records have, by which `maps` selects them; undefined: they are the remaining records. */
  readonly has: string | undefined;
}

/** The parts of a side that one map reads: one, unless its files have their fields in different places. */
export function alikeIn(side: InspectedSide): readonly InspectedSide[] {
  return side.apart.length === 0 ? [side] : side.apart.map((part) => part.side);
}

/** Kinds of records in one log of both sides, and the kinds of feedback that a map reads. */
export interface KindsRead extends Kinds {
  readonly read: readonly string[];
}

/** What joining by user makes of the feedback of a sample. */
export interface Touch {
  readonly feedback: number;
  /** Number of feedback events with more than one list that holds their item. */
  readonly several: number;
  readonly none: number;
}

/** Both sides, and how they are read. */
export interface Sides {
  /** Whether both sides are in the same log. */
  readonly oneLog: boolean;
  /** How the one log of `oneLog` is read; undefined: nothing distinguishes its records. */
  readonly joined: ProposedAdapter | undefined;
  /** Kinds of records of that log; undefined: no field distinguishes them. */
  readonly kinds: KindsRead | undefined;
  readonly impressions: InspectedSide | undefined;
  readonly feedback: InspectedSide | undefined;
  /** Pairs of id fields that were tried, the best first. */
  readonly joins: readonly JoinTrial[];
  /** Pairs with matching values that do not identify the list that was clicked. */
  readonly notTaken: readonly { readonly join: JoinTrial; readonly doubt: Doubt }[];
  readonly items: readonly ItemTrial[];
  /** The column that is taken for clicks although its name does not say so. */
  readonly guess: string | undefined;
  /** How feedback is joined by user; absent: by the id of its list. */
  readonly touch?: Touch;
}

export interface Inspection extends Sides {
  readonly files: readonly InspectedFile[];
  readonly facts: Facts;
  readonly clock: ClockOffset | undefined;
  /** The zones of times without one, such as `+01:00`, where the other side reveals them. */
  readonly zones: { readonly impressions: string | undefined; readonly feedback: string | undefined };
  readonly proposal: Proposal;
  /** What the proposed map mends. */
  readonly mends: readonly Mend[];
  /** Files with records that a replay with the proposed configuration would refuse. */
  readonly refused: readonly InvalidFiles[];
  /** The findings, problems first. */
  readonly findings: readonly LogFinding[];
}

/** Everything that is known about the logs before findings are made. */
export type Known = Omit<Inspection, 'findings'>;

/** The records of a sample in any format, as objects from JSON.parse. */

/** A part of a file that is not a record. */
export interface BadRow {
  /** Number of the row, from 1. */
  readonly row: number;
  /** The predicate of a sentence, such as: `is not JSON`. */
  readonly why: string;
  /** Whether it was not examined because it is nested too deep; it may be valid. */
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
