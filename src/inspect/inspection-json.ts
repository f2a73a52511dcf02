/** An inspection as JSON, for `--output json`: plain objects in place of maps, and no records. */

import { quantile } from '../findings/sample-findings.ts';
import type { Field } from './fields.ts';
import type { InspectedSide, Inspection } from './inspected.ts';
import { idPaths } from './join-trial.ts';
import { DELAY_BINS, delayBins } from './log-facts.ts';

export function reportOf(inspection: Inspection): object {
  const { files, impressions, feedback, joins, items, facts, clock, zones, proposal, findings } = inspection;
  const { joining } = facts;
  return {
    findings: findings.map(({ code, level, cause, remedy, command }) => ({
      code,
      level,
      message: cause,
      remedy,
      command,
    })),
    files: files.map(({ name, format, rows, bad, more, log, guess, known }) => ({
      name,
      ...(log && { partition: log.partition }),
      format,
      records: rows.length + bad.length,
      more,
      bad: bad
        .slice(0, 10)
        .map(({ row, why }) => (log === undefined ? { row, why } : { row, why, offset: log.offsets[row - 1] })),
      role: guess?.role ?? null,
      why: guess?.why ?? null,
      system: known === undefined ? null : { name: known.system, page: known.page },
    })),
    impressions: sideOf(impressions),
    feedback: impressions === feedback ? null : sideOf(feedback),
    join: {
      tried: joins.slice(0, 20).map((join) => ({
        impressions: pathOf(idPaths(join, 'impressions')),
        feedback: pathOf(idPaths(join, 'feedback')),
        share: join.match.share,
        difference: join.match.difference ?? null,
      })),
      items: items.slice(0, 10).map(({ feedback: f, share, withinList, difference }) => ({
        feedback: f,
        share,
        withinList,
        difference: difference ?? null,
      })),
      feedback: joining.asked,
      known: joining.known,
      inList: joining.inList,
    },
    delays: {
      bins: delayBins(joining.delays).map((n, i) => ({ upTo: DELAY_BINS[i] ?? null, n })),
      median: finite(quantile(joining.delays, 0.5)),
      p99: finite(quantile(joining.delays, 0.99)),
      clockOffset: clock?.offset ?? null,
      timeZones: { impressions: zones.impressions ?? null, feedback: zones.feedback ?? null },
    },
    users: facts.users,
    variants: Object.fromEntries(facts.variants),
    splitChance: facts.splitChance ?? null,
    usersOfSeveralVariants: facts.crossed,
    duplicates: facts.duplicates,
    disorder: facts.disorder,
    actions: Object.fromEntries(facts.actions),
    proposal: { ...proposal, grades: Object.fromEntries(proposal.grades) },
  };
}

/** `apart`: the groups of files with their own maps, if fields are in different places. */
function sideOf(side: InspectedSide | undefined): object | null {
  if (side === undefined) return null;
  const { files, profile, fits, missing, reading, sample, apart } = side;
  return {
    files,
    records: profile.records,
    adapter: reading.adapter,
    fits,
    missing,
    incomplete: Object.fromEntries(sample.missing),
    apart: apart.map(({ side: part, has }) => ({
      files: part.files,
      has: has ?? null,
      map: part.map,
      fits: part.fits,
    })),
    fields: [...profile.fields.values()].map((field) => fieldOf(field, profile.records)),
  };
}

function fieldOf(field: Field, records: number): object {
  const { path, types, records: n, values, distinct, manyMore, example, elements } = field;
  const isHolder = typeof example === 'object';
  return {
    path,
    types: Object.fromEntries(types),
    share: records === 0 ? 0 : n / records,
    values,
    distinct: distinct.size,
    moreDistinct: manyMore,
    example: isHolder ? null : example,
    elements,
    times: Object.fromEntries(field.times),
  };
}

/** The path of an id. A composite id has a list of paths. */
function pathOf(paths: readonly string[]): string | readonly string[] {
  return paths.length === 1 ? paths[0] : paths;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
