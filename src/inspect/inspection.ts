/** Inspects a sample of logs: what the records are, and what to do about them. */
import { findingsOf } from './all-findings.ts';
import { isSound, sidesOf } from './both-sides.ts';
import { mendsOfFields } from './field-mends.ts';
import { profileOf } from './fields.ts';
import { mendsOfIds, mendsOfTexts } from './id-mends.ts';
import type { InspectedFile, Inspection, InspectOptions, Known, SampledFile } from './inspected.ts';
import { judgedFile } from './judged-files.ts';
import { knownSide } from './known-systems.ts';
import { joinedByUser } from './last-touch.ts';
import { mendsOfLists } from './list-mends.ts';
import { clockOffset, factsOf } from './log-facts.ts';
import { type MadeField, merged, rowsWith } from './made-fields.ts';
import { type Mend, withMends } from './mends.ts';
import { otherLog } from './other-logs.ts';
import { propose } from './proposal.ts';
import { refusedFiles } from './refused.ts';
import { rolesOf } from './roles.ts';
import { withoutSideTables } from './side-tables.ts';
import { zonesOf } from './time-zones.ts';

export function inspect(sampled: readonly SampledFile[], options: InspectOptions): Inspection {
  const best = withMends((made) => lookAt(sampled, made, options, undefined), mendsOf, worthOf);
  const { mends } = best;
  const look = isTied(best.look)
    ? best.look
    : lookAt(sampled, merged(mends.flatMap(({ fields }) => fields)), options, joinedByUser);
  const known: Known = { ...look, mends };
  return { ...known, findings: findingsOf(known, options) };
}

type Look = Omit<Known, 'mends'>;

/** Whether ids join some feedback. */
function isTied({ impressions, feedback, facts }: Look): boolean {
  return impressions === undefined || feedback === undefined || facts.joining.known > 0;
}

function mendsOf(look: Look): readonly Mend[] {
  const { files } = look;
  return [
    ...mendsOfLists(look, files),
    ...mendsOfFields(look, files),
    ...mendsOfIds(look),
    ...mendsOfTexts(look, files),
  ];
}

/** How much of the logs is read: whole sides, feedback that joins, items in their lists, valid records. */
function worthOf({ impressions, feedback, facts: { joining, ratings }, joins, items, refused }: Look): number {
  const sides = [impressions, feedback].map((side) => (side === undefined ? -4 : -side.missing.length));
  const { asked, known, inList } = joining;
  const invalid = refused.map((one) => one.invalid / Math.max(1, one.read));
  // Where ids differ, nothing joins as it stands.
  const [areKnown, areIn] = [joins[0]?.match.difference, items[0]?.difference].map((one) => one === undefined);
  const joined = asked === 0 || !areKnown ? 0 : (known + (areIn ? inList : 0)) / asked;
  const read = [impressions?.sample.lists.length ?? 0, feedback?.sample.feedback.length ?? 0].map((n) =>
    Math.min(n, 1),
  );
  return [...sides, joined, ...read, ratings === undefined ? 0 : 0.1, ...invalid.map((share) => -share)].reduce(
    (sum, one) => sum + one,
    0,
  );
}

/** @param join how sides are joined that no id joins; undefined: they are not */
function lookAt(
  sampled: readonly SampledFile[],
  made: readonly MadeField[],
  options: InspectOptions,
  join: typeof joinedByUser | undefined,
): Look {
  const rowed = sampled.map((file) => {
    const own = made.filter(({ files: names }) => names.includes(file.name));
    return { ...file, rows: rowsWith(own, file.rows), made: own };
  });
  const files = withoutSideTables(withGuesses(rowed), sidesOf, isSound);
  const apart = sidesOf(files);
  const found = join?.(apart, files) ?? apart;
  const facts = factsOf({
    lists: found.impressions?.sample.lists ?? [],
    feedback: found.feedback?.sample.feedback ?? [],
    logs: [...found.logs.lists, ...found.logs.feedback],
    listsCut: files.some(({ more, guess: is }) => more && is !== undefined && is.role !== 'feedback'),
    requestIds: found.joins[0]?.match.difference,
    itemIds: found.items[0]?.difference,
    weights: options.weights,
  });
  const clock = clockOffset(facts.joining.delays);
  const proposal = propose(facts, clock?.offset ?? 0, options.grades);
  const zones = zonesOf(found, facts, clock);
  const read = { files, ...found, facts, clock, zones, proposal };
  return { ...read, refused: refusedFiles(read) };
}

type RowedFile = SampledFile & Pick<InspectedFile, 'made'>;

function withGuesses(sampled: readonly RowedFile[]): readonly InspectedFile[] {
  const profiles = sampled.map(({ rows }) => profileOf(rows));
  const known = profiles.map((profile, i) => (sampled[i].rows.length === 0 ? undefined : knownSide(profile)));
  const read = sampled
    .map((_, i) => i)
    .filter((i) => sampled[i].rows.length > 0)
    .map((i) => ({ ...sampled[i], profile: profiles[i], i }))
    .filter((file) => otherLog(file) === undefined);
  const logs = read.filter((file) => judgedFile(file) === undefined);
  // A table beside a log may be a part of it.
  const withRows = (logs.length === 0 ? logs : read.filter((file) => logs.includes(file) || isTable(file))).map(
    ({ i }) => i,
  );
  const roles = rolesOf(
    withRows.map((i) => ({ rows: sampled[i].rows, profile: profiles[i] })),
    withRows.map((i) => sampled[i].role ?? known[i]?.role),
  );
  return sampled.map((file, i) => {
    const at = withRows.indexOf(i);
    const guess = at < 0 ? undefined : roles[at];
    const is = known[i];
    const why = is !== undefined && file.role === undefined ? `${is.system} (${is.page})` : guess?.why;
    return {
      ...file,
      profile: profiles[i],
      guess: guess === undefined || why === undefined ? undefined : { ...guess, why },
      known: is,
    };
  });
}

function isTable({ format: { form } }: SampledFile): boolean {
  return form.kind === 'delimited';
}
