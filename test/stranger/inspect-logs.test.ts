/**
 * Logs as strangers have them: the whole screen of `receval inspect` (screen.txt beside each log), what it finds, and, where the
 * log is sound, a replay with the configuration that it writes. The numbers were computed apart, from what the logs were made of.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextCommand, sampleFiles } from '../../src/cli/inspect.ts';
import type { Given } from '../../src/cli/sample-file.ts';
import { loadSettings } from '../../src/config/load.ts';
import { screenOf } from '../../src/inspect/inspect-screen.ts';
import type { Inspection } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { type ReplayInputs, replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';

const LOGS = resolve(import.meta.dirname, 'logs');
const SAMPLES = resolve(import.meta.dirname, '../../sample');
const NOW = Date.parse('2026-11-23T00:00:00Z');

interface Stranger {
  readonly log: string;
  /** In the order given; with what the user says of them. */
  readonly files: readonly (string | Given)[];
  /** Codes of what is wrong; then of what is noted. */
  readonly wrong: readonly string[];
  readonly notes: readonly string[];
  /** Of a replay with the configuration that was written, at the longest horizon; undefined: the log is not sound. */
  readonly mrr?: number;
}

const LOGS_OF_STRANGERS: readonly Stranger[] = [
  { log: 'inspect-csv-bars', files: ['shown.csv', 'clicks.tsv'], wrong: [], notes: [], mrr: 0.436111 },
  { log: 'inspect-rows', files: ['rows.csv'], wrong: [], notes: ['times_without_zone'], mrr: 0.488889 },
  {
    log: 'inspect-rows-and-clicks',
    files: ['rows.tsv', 'clicks.csv'],
    wrong: [],
    notes: ['no_user_ids'],
    mrr: 0.338889,
  },
  {
    log: 'inspect-python-lists',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'users_of_two_variants'],
    mrr: 0.344444,
  },
  {
    log: 'inspect-postgres-lists',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'users_of_two_variants'],
    mrr: 0.344444,
  },
  {
    log: 'inspect-prefix',
    files: ['served.ndjson', 'taps.ndjson'],
    wrong: [],
    notes: ['ids_differ_by_prefix'],
    mrr: 0.369444,
  },
  {
    log: 'inspect-case',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: [],
    notes: ['ids_differ_by_case'],
    mrr: 0.463889,
  },
  { log: 'inspect-zone', files: ['shown.ndjson', 'clicks.ndjson'], wrong: ['clock_offset'], notes: [] },
  {
    log: 'inspect-local-times',
    files: ['served.json', 'clicks.ndjson'],
    wrong: [],
    notes: ['times_without_zone', 'no_user_ids'],
    mrr: 0.286111,
  },
  { log: 'inspect-one-log', files: ['events.ndjson'], wrong: [], notes: ['kinds_skipped'], mrr: 0.255556 },
  {
    log: 'inspect-orders-in-one-log',
    files: ['events.ndjson'],
    wrong: [],
    notes: ['kinds_skipped'],
    mrr: 0.546667,
  },
  {
    log: 'inspect-unsorted',
    files: ['events.ndjson'],
    wrong: [],
    notes: ['no_user_ids', 'out_of_order'],
    mrr: 0.255556,
  },
  {
    log: 'inspect-float-ids',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: [],
    notes: ['other_type_of_id', 'no_user_ids'],
    mrr: 0.305556,
  },
  {
    log: 'inspect-clicked-inside',
    files: ['shown.ndjson'],
    wrong: [],
    notes: ['feedback_within_items', 'no_user_ids'],
    mrr: 0.488889,
  },
  { log: 'inspect-clicked-list', files: ['shown.ndjson'], wrong: [], notes: ['no_user_ids'], mrr: 0.344444 },
  { log: 'inspect-only-users', files: ['shown.ndjson', 'clicks.ndjson'], wrong: [], notes: ['no_list_id'], mrr: 0.45 },
  { log: 'inspect-two-ids', files: ['shown.ndjson', 'clicks.ndjson'], wrong: [], notes: [], mrr: 0.258333 },
  {
    log: 'inspect-swapped',
    files: [
      { path: '../inspect-two-ids/clicks.ndjson', role: 'impressions' },
      { path: '../inspect-two-ids/shown.ndjson', role: 'feedback' },
    ],
    wrong: ['files_swapped'],
    notes: [],
    mrr: 0.258333,
  },
  { log: 'inspect-future', files: ['shown.ndjson', 'clicks.ndjson'], wrong: ['all_late'], notes: [] },
  {
    log: 'inspect-semicolons',
    files: ['anzeigen.csv', 'aktionen.csv'],
    wrong: [],
    notes: [],
    mrr: 0.397222,
  },
  { log: 'inspect-unknown-actions', files: ['anzeigen.csv', 'aktionen.csv'], wrong: ['unknown_actions'], notes: [] },
  { log: 'inspect-other-items', files: ['shown.ndjson', 'clicks.ndjson'], wrong: ['items_never_match'], notes: [] },
  {
    log: 'inspect-clock-skew',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: [],
    notes: ['feedback_before_list'],
    mrr: 0.313889,
  },
  { log: 'inspect-sampled', files: ['shown.ndjson', 'clicks.ndjson'], wrong: ['few_joined'], notes: [] },
  {
    log: 'inspect-mixed-units',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: [],
    notes: ['unit_of_time'],
    mrr: 0.308333,
  },
  {
    log: 'inspect-no-header',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['no_header', 'no_header', 'no_user_ids'],
    mrr: 0.322222,
  },
  {
    log: 'inspect-two-fields',
    files: ['shown.ndjson', 'clicks.csv'],
    wrong: [],
    notes: ['no_user_ids'],
    mrr: 0.253333,
  },
  {
    log: 'inspect-objects-alone',
    files: ['events.ndjson'],
    wrong: ['no_lists', 'most_invalid'],
    notes: [],
  },
  {
    log: 'inspect-ubi-wrapped',
    files: ['queries.ndjson', 'events.ndjson'],
    wrong: [],
    notes: ['kinds_skipped'],
    mrr: 0.453333,
  },
  {
    log: 'inspect-rows-of-hotels',
    files: ['shown.csv'],
    wrong: [],
    notes: ['times_without_zone', 'flags_not_read', 'no_user_ids'],
    mrr: 0.259328,
  },
  {
    log: 'inspect-clickouts',
    files: ['steps.csv'],
    wrong: [],
    notes: ['kinds_skipped', 'lists_of_clicks'],
    mrr: 0.393889,
  },
  {
    log: 'inspect-labels-behind-ids',
    files: ['behaviors.tsv'],
    wrong: [],
    notes: [
      'read_by_transforms',
      'read_by_transforms',
      'no_header',
      'times_without_zone',
      'no_user_ids',
      'out_of_order',
    ],
    mrr: 0.418333,
  },
  { log: 'inspect-two-tables', files: ['pages.csv', 'ads.csv'], wrong: ['lists_not_read'], notes: [] },
  { log: 'inspect-rows-without-list', files: ['log.csv'], wrong: ['no_lists'], notes: [] },
  { log: 'inspect-events-of-sessions', files: ['train.jsonl'], wrong: ['no_lists'], notes: [] },
  { log: 'inspect-ragged', files: ['log.tsv'], wrong: ['format_not_read'], notes: [] },
  { log: 'inspect-no-list-id-ga4', files: ['events.json'], wrong: [], notes: ['no_list_id'], mrr: 0.314444 },
  {
    log: 'inspect-personalize-interactions',
    files: ['interactions.csv'],
    wrong: ['lists_of_clicks'],
    notes: ['kinds_skipped'],
  },
  { log: 'inspect-judged', files: ['ratings.csv', 'run.csv'], wrong: [], notes: ['not_a_log', 'not_a_log'] },
  { log: 'inspect-slow-log', files: ['slowlog.json'], wrong: ['no_lists'], notes: [] },
  { log: 'inspect-solr-log', files: ['requests.txt'], wrong: ['no_lists'], notes: [] },
  { log: 'inspect-visits', files: ['visits.json'], wrong: ['no_lists'], notes: [] },
  { log: 'inspect-data-feed', files: ['hit_data.tsv'], wrong: ['no_lists'], notes: [] },
  { log: 'inspect-empty-lists', files: ['shown.csv', 'clicks.csv'], wrong: [], notes: [], mrr: 0.29 },
  { log: 'inspect-rows-gapped', files: ['rows.csv', 'clicks.csv'], wrong: [], notes: [], mrr: 0.268333 },
  { log: 'inspect-rows-by-time', files: ['recs.csv'], wrong: [], notes: ['no_user_ids'], mrr: 0.334583 },
  {
    log: 'inspect-lists-with-prices',
    files: ['einblendungen.tsv', 'klicks.tsv'],
    wrong: [],
    notes: ['read_by_transforms'],
    mrr: 0.260833,
  },
  {
    log: 'inspect-slots-in-one-log',
    files: ['events.ndjson'],
    wrong: [],
    notes: ['read_by_transforms', 'no_user_ids'],
    mrr: 0.228333,
  },
  {
    log: 'inspect-place-of-the-click',
    files: ['lists.jsonl', 'clicks.jsonl'],
    wrong: ['most_invalid'],
    notes: [],
  },
  {
    log: 'inspect-pages',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: [],
    notes: ['lists_in_pages'],
    mrr: 0.194226,
  },
  {
    log: 'inspect-prefix-in-a-pair',
    files: ['shown.ndjson', 'clicks.csv'],
    wrong: [],
    notes: ['ids_differ_by_prefix', 'no_user_ids'],
    mrr: 0.253333,
  },
  {
    log: 'inspect-rows-and-two-fields',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['no_user_ids'],
    mrr: 0.235606,
  },
  {
    log: 'inspect-rows-other-id',
    files: ['impressions.tsv', 'taps.ndjson'],
    wrong: [],
    notes: ['no_user_ids'],
    mrr: 0.361111,
  },
  {
    log: 'inspect-rows-session-alone',
    files: ['shown.csv', 'clicks.csv'],
    wrong: ['nothing_joined'],
    notes: ['no_user_ids'],
  },
  { log: 'inspect-rows-two-fields', files: ['rows.csv'], wrong: [], notes: ['no_user_ids'], mrr: 0.244167 },
  {
    log: 'inspect-one-log-two-fields',
    files: ['all.ndjson'],
    wrong: [],
    notes: ['users_of_two_variants'],
    mrr: 0.323889,
  },
  {
    log: 'inspect-edges',
    files: ['lists.jsonl', 'actions.jsonl'],
    wrong: [],
    notes: ['users_of_two_variants'],
    mrr: 0.366389,
  },
  { log: 'inspect-places-alone', files: ['serve.ndjson', 'click.ndjson'], wrong: ['most_invalid'], notes: [] },
  {
    log: 'inspect-slots-object',
    files: ['served.ndjson', 'clicked.ndjson'],
    wrong: [],
    notes: ['read_by_transforms', 'users_of_two_variants'],
    mrr: 0.336389,
  },
  { log: 'inspect-uuid-forms', files: ['imp.ndjson', 'fb.ndjson'], wrong: [], notes: ['ids_differ'], mrr: 0.191111 },
  {
    log: 'inspect-session-ids',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: ['request_ids_repeat'],
    notes: ['no_user_ids'],
  },
  {
    log: 'inspect-dates',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'read_by_transforms', 'times_without_zone', 'times_without_zone', 'no_user_ids'],
    mrr: 0.486111,
  },
  {
    log: 'inspect-utf16',
    files: ['shown.ndjson', 'clicks.csv'],
    wrong: ['encoding', 'feedback_missing'],
    notes: ['no_user_ids'],
  },
  { log: 'inspect-trec', files: ['bm25.run', 'qrels.txt'], wrong: [], notes: ['not_a_log', 'not_a_log'] },
  {
    log: 'inspect-canonical',
    files: ['impressions.ndjson', 'feedback.ndjson'],
    wrong: ['bad_rows'],
    notes: ['uneven_split'],
    mrr: 0.36211,
  },
  { log: 'inspect-no-rank', files: ['shown.csv'], wrong: [], notes: ['no_user_ids'], mrr: 0.427778 },
  { log: 'inspect-json-payload', files: ['events.ndjson'], wrong: [], notes: [], mrr: 0.336111 },
  { log: 'inspect-order-lines', files: ['searches.ndjson', 'orders.ndjson'], wrong: [], notes: [], mrr: 0.45 },
  { log: 'inspect-chance-numbers', files: ['shown.ndjson', 'clicks.ndjson'], wrong: ['nothing_joined'], notes: [] },
  {
    log: 'inspect-no-header-users',
    files: ['shown.csv', 'clicks.csv'],
    wrong: ['nothing_joined'],
    notes: ['no_header', 'no_header'],
  },
  { log: 'inspect-odd-id-names', files: ['shown.ndjson', 'clicks.ndjson'], wrong: [], notes: [], mrr: 0.3975 },
  { log: 'inspect-rows-german', files: ['anzeigen.csv'], wrong: [], notes: ['times_without_zone'], mrr: 0.522083 },
  {
    log: 'inspect-rows-no-header',
    files: ['log.tsv'],
    wrong: [],
    notes: ['no_header', 'clicks_guessed', 'no_user_ids'],
    mrr: 0.3,
  },
  { log: 'inspect-oui-non', files: ['rows.csv'], wrong: [], notes: ['no_user_ids'], mrr: 0.423611 },
  { log: 'inspect-si-no', files: ['rows.csv'], wrong: [], notes: ['no_user_ids'], mrr: 0.520833 },
  { log: 'inspect-y-n', files: ['rows.csv'], wrong: [], notes: ['no_user_ids'], mrr: 0.451389 },
  { log: 'inspect-flag-words', files: ['shown.ndjson', 'seen.csv'], wrong: [], notes: [], mrr: 0.504167 },
  {
    log: 'inspect-prefix-and-case',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: [],
    notes: ['ids_differ_by_prefix'],
    mrr: 0.522917,
  },
  {
    log: 'inspect-prefix-and-zeros',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['ids_differ_by_prefix'],
    mrr: 0.450417,
  },
  { log: 'inspect-no-list-id', files: ['shown.ndjson', 'clicks.ndjson'], wrong: ['nothing_joined'], notes: [] },
  {
    log: 'inspect-ratings',
    files: ['shown.ndjson', 'ratings.ndjson'],
    wrong: [],
    notes: ['ratings'],
    mrr: 0.157083,
  },
  {
    log: 'inspect-ratings-liking',
    files: ['shown.ndjson', 'ratings.ndjson'],
    wrong: [],
    notes: ['ratings'],
    mrr: 0.247222,
  },
  {
    log: 'inspect-ratings-fractions',
    files: ['shown.ndjson', 'ratings.ndjson'],
    wrong: [],
    notes: ['ratings'],
    mrr: 0.113889,
  },
  {
    log: 'inspect-ratings-commas',
    files: ['shown.csv', 'ratings.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'ratings'],
    mrr: 0.189167,
  },
  {
    log: 'inspect-both-local',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['times_without_zone', 'times_without_zone'],
    mrr: 0.41875,
  },
  {
    log: 'inspect-csv-capitals',
    files: ['shown.csv', 'clicks.csv'],
    wrong: [],
    notes: ['ids_differ_by_case'],
    mrr: 0.430833,
  },
  { log: 'inspect-csv-clock', files: ['shown.csv', 'clicks.csv'], wrong: ['clock_offset'], notes: [] },
  { log: 'inspect-rows-arm', files: ['rows.csv'], wrong: [], notes: [], mrr: 0.421944 },
  {
    log: 'inspect-no-header-commas',
    files: ['lists.tsv', 'events.tsv'],
    wrong: [],
    notes: ['no_header', 'no_header', 'no_user_ids'],
    mrr: 0.437917,
  },
  {
    log: 'inspect-german-dates',
    files: ['Empfehlungen.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'times_without_zone'],
    mrr: 0.447083,
  },
  {
    log: 'inspect-capitals-in-parts',
    files: ['clicks-0.csv', 'clicks-1.csv', 'searches-0.csv', 'searches-1.csv'],
    wrong: [],
    notes: ['ids_differ_by_case', 'no_user_ids'],
    mrr: 0.3825,
  },
  { log: 'inspect-nested-micros', files: ['events.jsonl'], wrong: [], notes: [], mrr: 0.385833 },
  {
    log: 'inspect-view-detail',
    files: ['served.ndjson', 'reactions.ndjson'],
    wrong: [],
    notes: [],
    mrr: 0.4125,
  },
  { log: 'inspect-wide', files: ['shown.csv', 'clicks.csv'], wrong: [], notes: ['read_by_transforms'], mrr: 0.372083 },
  {
    log: 'inspect-ranks-object',
    files: ['shown.ndjson', 'clicks.ndjson'],
    wrong: [],
    notes: ['read_by_transforms'],
    mrr: 0.519167,
  },
  { log: 'inspect-positions', files: ['shown.ndjson', 'clicks.ndjson'], wrong: ['most_invalid'], notes: [] },
  {
    log: 'inspect-page-views',
    files: ['impressions.tsv'],
    wrong: [],
    notes: ['no_user_ids'],
    mrr: 0.41375,
  },
  {
    log: 'inspect-apache-times',
    files: ['reco-access.tsv', 'item-access.tsv'],
    wrong: [],
    notes: ['read_by_transforms', 'read_by_transforms'],
    mrr: 0.638333,
  },
  { log: 'inspect-json-in-json', files: ['events.jsonl'], wrong: [], notes: [], mrr: 0.579167 },
  {
    log: 'inspect-ids-in-addresses',
    files: ['slates.ndjson', 'pageviews.csv'],
    wrong: [],
    notes: ['read_by_transforms'],
    mrr: 0.5,
  },
  {
    log: 'inspect-slugs',
    files: ['shown.csv', 'views-0.ndjson', 'views-1.ndjson'],
    wrong: [],
    notes: ['read_by_transforms'],
    mrr: 0.568704,
  },
  { log: 'inspect-name-value-lines', files: ['app.txt'], wrong: ['format_not_read'], notes: [] },
  { log: 'inspect-json-behind', files: ['app.txt'], wrong: ['format_not_read'], notes: [] },
  {
    log: 'inspect-spreadsheet-days',
    files: ['shown.ndjson', 'sales.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'action_assumed'],
    mrr: 0.322083,
  },
  {
    log: 'inspect-ga4-pairs',
    files: ['events.json'],
    wrong: [],
    notes: ['fields_in_pairs', 'kinds_skipped'],
    mrr: 0.339167,
  },
  {
    log: 'inspect-ga4-pairs-csv',
    files: ['bq-results.csv'],
    wrong: [],
    notes: ['fields_in_pairs', 'kinds_skipped'],
    mrr: 0.339167,
  },
  { log: 'inspect-ga4-params', files: ['events.json'], wrong: [], notes: ['kinds_skipped'], mrr: 0.339167 },
  {
    log: 'inspect-order-attributes',
    files: ['recommendations.ndjson', 'orders.ndjson'],
    wrong: [],
    notes: ['fields_in_pairs', 'action_assumed'],
    mrr: 0.164167,
  },
  {
    log: 'inspect-order-lines-listed',
    files: ['recommendations.ndjson', 'orders.ndjson'],
    wrong: [],
    notes: ['action_assumed'],
    mrr: 0.164167,
  },
  {
    log: 'inspect-purchases',
    files: ['recommendations.ndjson', 'purchases.csv'],
    wrong: [],
    notes: ['action_assumed'],
    mrr: 0.164167,
  },
  {
    log: 'inspect-purchases-and-clicks',
    files: ['recommendations.ndjson', 'purchases.csv', 'clicks.csv'],
    wrong: [],
    notes: ['files_differ', 'action_assumed'],
    mrr: 0.164167,
  },
  { log: 'inspect-avro-unions', files: ['impressions.json', 'clicks.json'], wrong: [], notes: [], mrr: 0.4025 },
  { log: 'inspect-distinct-id', files: ['export.jsonl'], wrong: [], notes: [], mrr: 0.356667 },
  {
    log: 'inspect-decimal-commas',
    files: ['anzeigen.csv', 'klicks.csv'],
    wrong: [],
    notes: ['times_without_zone', 'times_without_zone'],
    mrr: 0.250833,
  },
  { log: 'inspect-user-or-anonymous', files: ['events.ndjson'], wrong: [], notes: [], mrr: 0.320755 },
  { log: 'inspect-snowplow-enriched', files: ['enriched.tsv'], wrong: ['format_not_read'], notes: [] },
  { log: 'inspect-changes-of-tables', files: ['changes.ndjson'], wrong: [], notes: [], mrr: 0.398333 },
  {
    log: 'inspect-dates-of-dotnet',
    files: ['clicks.json'],
    wrong: [],
    notes: ['read_by_transforms', 'read_by_transforms', 'lists_of_clicks', 'no_user_ids'],
    mrr: 0.621199,
  },
  {
    log: 'inspect-python-lists-clicked',
    files: ['searches.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'no_user_ids'],
    mrr: 0.282222,
  },
  {
    log: 'inspect-times-in-sessions',
    files: ['queries.csv', 'clicks.csv'],
    wrong: [],
    notes: ['read_by_transforms', 'read_by_transforms'],
    mrr: 0.292667,
  },
];

const HERE = process.cwd();
afterAll(() => process.chdir(HERE));

async function look(files: Stranger['files']): Promise<{
  readonly inspection: Inspection;
  readonly given: readonly Given[];
  readonly written: string | undefined;
}> {
  const given = files.map((file) => (typeof file === 'string' ? { path: file, role: undefined } : file));
  const inspection = inspect(await sampleFiles(given, 20_000), { now: NOW, grades: new Set(), weights: undefined });
  return { inspection, given, written: configurationOf(inspection, { topics: undefined }) };
}

/** As the user would with the command that is printed. */
async function replayed(
  { oneLog, impressions, feedback, files }: Inspection,
  configuration: string,
): Promise<ReplayResult> {
  const settings = loadSettings({
    file: 'written',
    readFile: () => configuration,
    env: {},
    command: 'replay',
    reads: 'files',
  });
  const paths = (names: readonly string[]) => [...new Set(names)].map((path) => ({ path, defaults: new Map() }));
  const inputs: ReplayInputs = oneLog
    ? { events: paths(files.map(({ name }) => name)) }
    : {
        impressions: paths(impressions?.files ?? []),
        feedback: feedback === impressions ? [] : paths(feedback?.files ?? []),
      };
  const options = { adapter: undefined, order: 'time', newId: randomUUID, hashSeed: 1, onProgress: () => {} } as const;
  // The logs end soon after their last list.
  return replay({ settings, inputs, closeAll: true, ...options });
}

function mrrOf({ rows }: ReplayResult): number | null | undefined {
  const value = rows.filter(({ by }) => by.length === 0).at(-1)?.measures['mrr']?.value;
  return typeof value === 'number' ? Number(value.toFixed(6)) : value;
}

describe.each(LOGS_OF_STRANGERS)('$log', ({ log, files, wrong, notes, mrr }) => {
  let seen: Awaited<ReturnType<typeof look>>;
  beforeAll(async () => {
    process.chdir(join(LOGS, log));
    seen = await look(files);
  });

  it('is told on one screen', async () => {
    const { inspection, given, written } = seen;
    const screen = screenOf(inspection, written === undefined ? undefined : nextCommand(inspection, undefined, given));
    const lines = screen.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    // A command is not broken over lines.
    expect(lines.filter((line) => line.length > 100 && !line.trimStart().startsWith('$ '))).toEqual([]);
    await expect(screen).toMatchFileSnapshot(join(LOGS, log, 'screen.txt'));
  });

  it('has found what is wrong, and no more', () => {
    const codes = (level: string) =>
      seen.inspection.findings.filter((one) => one.level === level).map(({ code }) => code);
    expect({ wrong: codes('wrong'), notes: codes('note') }).toEqual({ wrong, notes });
  });

  it('is replayed with what was written, where it is sound', async () => {
    const { inspection, written } = seen;
    if (mrr === undefined) {
      if (written !== undefined)
        loadSettings({ file: 'written', readFile: () => written, env: {}, command: 'replay', reads: 'files' });
      return;
    }
    expect(written).toBeDefined();
    const result = await replayed(inspection, written ?? '');
    expect(mrrOf(result)).toBe(mrr);
    expect(result.feedback.drops).toMatchObject({ late: 0, not_in_list: 0, invalid: 0 });
    // A service joins by the id of the list alone.
    const isForFiles = inspection.touch !== undefined;
    const reads = isForFiles ? 'files' : 'topics';
    loadSettings({
      file: 'written',
      readFile: () => written ?? '',
      env: {},
      command: isForFiles ? 'replay' : 'run',
      reads,
    });
  });
});

describe('every log beside this test', () => {
  it('stands in the table', () => {
    const folders = readdirSync(LOGS).filter((name) => name.startsWith('inspect-'));
    expect(folders.sort()).toEqual(LOGS_OF_STRANGERS.map(({ log }) => log).sort());
  });
});

const SYSTEMS = [
  ['algolia', ['impressions.ndjson', 'feedback.ndjson'], 'Algolia'],
  ['amazon-personalize', ['impressions.ndjson', 'feedback.ndjson'], 'Amazon Personalize'],
  ['ga4', ['impressions.ndjson', 'feedback.ndjson'], 'Google Analytics 4'],
  ['ga4', ['impressions.ndjson', 'measurement.ndjson'], 'Google Analytics 4'],
  ['opensearch-ubi', ['impressions.ndjson', 'feedback.ndjson'], 'OpenSearch UBI'],
  ['segment', ['events.ndjson'], 'Segment'],
  ['snowplow', ['events.ndjson'], 'Snowplow'],
] as const;

describe.each(SYSTEMS)('the log of %s (%j)', (folder, files, system) => {
  it('is recognised by its fields, and replayed as its documentation does', async () => {
    process.chdir(join(SAMPLES, 'adapters', folder));
    const { inspection, written } = await look(files);
    expect(new Set(inspection.files.map(({ known }) => known?.system))).toEqual(new Set([system]));
    expect(inspection.findings.filter(({ level }) => level === 'wrong')).toEqual([]);
    const configuration = files[1] === 'measurement.ndjson' ? 'measurement.yaml' : 'receval.yaml';
    const own = await replayed(inspection, written ?? '');
    const text = await import('node:fs').then(({ readFileSync }) => readFileSync(configuration, 'utf8'));
    const documented = await replayed(inspection, text);
    expect([mrrOf(own), own.impressions, own.feedback.read, own.feedback.attributed]).toEqual([
      mrrOf(documented),
      { ...documented.impressions, late: own.impressions.late, open: own.impressions.open },
      documented.feedback.read,
      documented.feedback.attributed,
    ]);
  });
});

describe('Open Bandit', () => {
  it('is recognised by its columns', async () => {
    process.chdir(join(SAMPLES, 'open_bandit'));
    const { inspection, written } = await look(['random_men.csv.gz']);
    expect(inspection.files[0]?.known?.system).toBe('Open Bandit');
    expect(relative(SAMPLES, process.cwd())).toBe('open_bandit');
    const result = await replayed(inspection, written ?? '');
    expect([result.impressions.accepted, result.feedback.attributed]).toEqual([10_000, 46]);
  });
});
