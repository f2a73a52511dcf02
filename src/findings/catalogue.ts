/**
 * Everything that can look wrong with logs: a mistake in them or in the configuration that gives zeros or wrong
 * numbers without an error. The order is that in which findings are shown: first what the result says, then what causes it. The
 * tables of docs/replay.md, docs/inspect.md and docs/doctor.md are made of it.
 */

/**
 * Who shows a finding: `files` are replay and compare, `doctor` is a sample of the topics. A service shows what its counts say, and
 * what the newest records say.
 */
export type Shower = 'files' | 'score' | 'doctor' | 'counts' | 'records' | 'inspect';

export interface FindingKind {
  /** Default: `inspect` alone. */
  readonly shownBy?: readonly Shower[];
  /** Cells of a table in Markdown: when it is shown, and what to do. */
  readonly row: string;
  /** The cells in `inspect`, where it means something else. */
  readonly inspect?: string;
  /** Whether a replay makes no sense before it is mended: it would have no result, or a wrong one. */
  readonly stops?: true;
  /** The alert that a service raises for it. */
  readonly alert?: string;
}

const KINDS = {
  nothing_counted: {
    shownBy: ['files', 'counts'],
    row: 'no impression counted | see the other findings, and the drops',
  },
  nothing_joined: {
    shownBy: ['files', 'score', 'doctor', 'counts', 'records', 'inspect'],
    stops: true,
    alert: 'RecevalFewJoined',
    row: 'there is feedback, and none counted; of a run to be scored none of the queries is judged | see the other findings; else check whether both sides log the same request id, and are from the same time',
    inspect: 'no feedback belongs to a list: the id of the list is missing | send the id of the list with each click.',
  },
  few_joined: {
    shownBy: ['score', 'counts', 'inspect'],
    row: 'of a run to be scored less than half of the queries are judged; in a service less than half of the feedback finds its list lately | see the other findings; else check whether both sides log the same request id, and are from the same time',
    inspect:
      'less than nine tenths of feedback joins (wrong below half) | check that the files cover the same hours, and all lists',
  },
  many_dropped: {
    shownBy: ['files', 'counts'],
    row: 'a twentieth of a side or more, 3 events at least, is dropped for one [reason](concepts.md#why-events-are-dropped), and no other finding says why; of a side with less than 30 events, more than a half. It says when it happened, and shows three of the events | by the reason. `late`: if a few events are far ahead of the others, correct their dates; else sort the log or, of a topic, write [a file for each partition](replay.md#dumps-of-topics); or raise `outOfOrderness`. `duplicate`: nothing, if the producer sends again. `--dropped FILE` shows all of them',
  },
  late_for_horizon: {
    shownBy: ['files', 'counts'],
    row: 'a twentieth or more of what counts of a side, of 30 events at least, comes too late for the shortest [horizon](concepts.md#event-time-watermarks-and-lateness), whose numbers are of the others alone | look for events that are dated minutes ahead of the others and move time on; else sort the log, or raise `outOfOrderness`',
  },
  feedback_missing: {
    shownBy: ['files', 'doctor', 'counts', 'records', 'inspect'],
    stops: true,
    row: 'there is no feedback, or none is read as feedback; if records meet no `when` of the maps, with the commonest values of the field that decides | name it with `--feedback`, add a map for those records, or look into the file',
  },
  feedback_partial: {
    shownBy: ['files'],
    row: 'there is no feedback of the time in which a fiftieth of the impressions or more were shown, first or last, although 30 of them or more would have some. The first count as lists without a positive, the last are [open](concepts.md#where-files-end) | add the feedback of that time, or leave out the first impressions',
  },
  feedback_to_come: {
    shownBy: ['files'],
    row: 'two thirds of the lists or more, and 30 at least, are younger than the longest horizon at the end of the feedback: the numbers there are of the others alone. With `--close-all`: by the delays of the others a twentieth of the feedback or more is still to come, and 30 events at least; or fewer than 30 lists are old enough to tell | add the feedback that came after, or read a shorter horizon',
  },
  empty_lists: {
    shownBy: ['files', 'score', 'doctor', 'records', 'inspect'],
    row: 'more than a fiftieth of the lists are [empty](measures.md#empty-lists), and at least 30; shown by variant | check that their items are logged, and which requests find nothing: they count as lists without a positive. `min_list_length=1` leaves them out of a measure',
  },
  nothing_relevant: {
    shownBy: ['score'],
    row: 'for `score`: no judged item reaches `--relevant-from` | check the grades',
  },
  not_a_log: {
    row: 'it is a run, or judgements of queries, or an empty file | use [`receval score`](score.md), with the command that is shown',
  },
  format_not_read: {
    stops: true,
    row: 'it is Avro, ORC, the response to a search of Elasticsearch, one object with its records in a list, the enriched stream of Snowplow as text, or neither JSON nor a table (lines of `name=value` pairs, JSON behind the time of syslog, lines of several kinds that each have columns of their own, a line for each list and others below it for its items) | export NDJSON, CSV or Parquet; for lines, the command is shown',
  },
  encoding: {
    stops: true,
    row: 'the file is not UTF-8 | convert it with `iconv`',
  },
  bad_rows: {
    row: 'records cannot be read, or are nested deeper than 100 levels | records that cannot be read count as `invalid`, and [dead letters](dead-letters.md) keep them. Only `inspect` leaves out the nested ones: look at what wrote them. For a topic, the finding names partition and offset',
  },
  no_header: { row: 'a CSV has no column names | they are called `column_1`, ... in `inputs`' },
  files_swapped: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    row: 'the impressions are feedback | swap `--impressions` and `--feedback`',
  },
  no_lists: {
    stops: true,
    row: 'no file holds lists. The finding says what there is: rows of shown items without an id of the list, the events of a session, or a known log of queries, visits or hits (Elasticsearch, Solr, Matomo, Adobe) | add the log of what was shown: feedback alone shows no ranking. If rows can become lists, a command or the fields to write are shown; the rule is yours, such as one person without a pause of half an hour',
  },
  lists_not_read: {
    row: 'lists are text that no transform takes apart; or one table has a row for each item, and another the time of each list | write JSON lists, or ids separated by a bar; for two tables the command is shown',
  },
  read_by_transforms: {
    row: "a field has a form that no event has, and the proposed map [transforms](events.md#adapters) it: lists with a label or a value behind each id (`N1-0 N2-1`, `a:17.99, b:5.00`), in a field for each item (`item_1`, `item_2`, ..., or `slots.1.id`, ...), within other lists, or as Python (`['a', 'b']`) or PostgreSQL (`{a,b}`) prints them; dates such as `21.11.2026 08:00` and the days of a spreadsheet (`46346.338`); times that count from a start; ids inside a longer text, such as the address of a page; decimal commas; numbers in place of text | nothing, if the map that is shown is right",
  },
  fields_in_pairs: {
    row: 'fields are in a list of pairs, as in the BigQuery export of GA4 (`{"key": ..., "value": {"string_value": ...}}`) and the `note_attributes` of Shopify\'s orders, and no other field is the id | nothing: the proposed map reads the pair by its name',
  },
  feedback_within_items: {
    row: 'the clicks are inside the items of the lists | nothing: the proposed map reads both sides of each record',
  },
  clicks_guessed: {
    row: 'no name says which column of a row holds clicks, so the only one with yes and no is used | check that it holds clicks',
  },
  lists_of_clicks: {
    row: 'each list is in the record of the click on it (the clickouts of a session log, `IMPRESSION` of Amazon Personalize). Lists without a click are missing, so every measure is too high | log each list when it is shown',
  },
  rows_beside_feedback: {
    stops: true,
    row: 'one log has a row for each shown item, and clicks beside them; a field says which are which | write them to two files, with the commands that are shown: rows become lists only if a file has nothing else',
  },
  kinds_unclear: {
    stops: true,
    row: 'one log has both sides, and no field says which records are which | write two files, or a field that says which is which',
  },
  kinds_skipped: {
    row: 'some kinds of records hold neither a list nor feedback on one, such as page views. No `when` of the maps fits them, so a replay passes over them | nothing; if they say what people did with a list, log its id, the item and the time with each',
  },
  files_differ: {
    stops: true,
    row: 'several files (or topics) of one side have their fields in different places, such as clicks in one log and orders in another. It is a note if a map for each reads them ([proposed](inspect.md#what-it-looks-at)). It is wrong, and no configuration is written, if they hold lists, if one of them does not join or needs another map of the lists, if their times are in different zones, or if no field says which is which | check the maps. If it is wrong, inspect each by itself, fix it, and put the maps together ([`maps`](events.md#adapters)), or give each topic an adapter of its own',
  },
  most_invalid: {
    shownBy: ['files', 'doctor', 'counts', 'records', 'inspect'],
    stops: true,
    row: 'more than half of the records of a file are [invalid](events.md#invalid-records). The example names the fields that the first such record has | map the fields with an [adapter](events.md#adapters)',
    inspect:
      "no field fits a required one, nor does one that a transform makes. Or a replay with the proposed configuration would refuse more than half of a file's records | log the field",
  },
  some_invalid: {
    shownBy: ['files', 'doctor', 'inspect'],
    row: "a fiftieth or more of a file's records are [invalid](events.md#invalid-records), up to half | fix what writes them: they do not count",
    inspect:
      "a replay with the proposed configuration would refuse a fiftieth of a file's records or more, up to half. The [codes](events.md#invalid-records) are those of a replay; for records without an item, their actions are named | fix what writes them: they do not count",
  },
  ids_too_large: {
    stops: true,
    row: 'ids of 64 bits (snowflakes) are JSON numbers. Above 2^53 they lose digits when they are read, so a replay refuses them (`bad_id`) | write them as text, with the command that is shown. `jq` would round them',
  },
  dated_ahead: {
    shownBy: ['files', 'doctor', 'counts', 'records'],
    row: 'more than 1 % of a side is later than the wall clock plus `futureSkew` | fix the clock, or `tsUnit`; use `--now` for logs that are dated ahead on purpose',
  },
  all_late: {
    stops: true,
    row: 'a time is far ahead of all others, or in the future | remove the record: what follows it would be late',
  },
  unit_of_time: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    row: 'most times of a side are before 1990 | set `tsUnit`',
    inspect: 'a field holds both seconds and milliseconds | nothing, they are read; but one unit is better',
  },
  times_shortened: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    stops: true,
    row: 'times are written as spreadsheets show long numbers, `1.79525E+12`, and lack their last digits, so they are right to some hours at best. With nine or more digits behind the point they are read | export them again from where they were logged; in the spreadsheet, format the column as a number without decimals',
  },
  times_without_zone: {
    row: 'times have no zone | set [`timeZone`](configuration.md); if the other side has a zone, it is inferred',
  },
  clock_change: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    row: 'a hundredth of a side or more, 3 times at least, names no zone and is of [the hour that clocks show twice](events.md#times): it says how many were read as the second of the two, by the order of the log, and of how many the order does not tell. Or 3 times or more are ones that clocks skip, so that their clock does not follow `timeZone` | log UTC, or times with their offset; name the parts of one log in their order, with `--concat`; or correct `timeZone`',
    inspect:
      'times without a zone go back once by up to an hour, at night, because clocks that are set back show an hour twice | set [`timeZone`](configuration.md): the times are then read by their order',
  },
  out_of_order: {
    shownBy: ['files', 'inspect'],
    row: 'in one log of both sides much feedback is late for a horizon | sort the log by time, or give two files',
    inspect:
      'records are out of order by more than ten minutes; rows of items are judged by the times of their lists. It is a note if the proposed `outOfOrderness` tolerates it, since a replay of files then gives the right numbers. Otherwise it is wrong; also in a topic, whose results would be that late | sort the log, with the command that is shown; for a topic write [a file for each partition](replay.md#dumps-of-topics)',
  },
  request_ids_repeat: {
    stops: true,
    row: 'many lists repeat the id of another | give each list that is shown an id of its own',
  },
  lists_in_pages: {
    row: 'requests were shown in several pages, each of which is a list ([pages](concepts.md#pages)) | nothing, or put the pages of a request together with the command',
  },
  duplicates: { row: 'records occur twice | nothing: they count once' },
  ids_differ_by_prefix: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    stops: true,
    alert: 'RecevalFewJoined',
    row: 'ids of feedback would match without something before the id on one side; in `inspect` also without something behind it | log the same id on both sides. In `inspect` the proposed map makes them equal, and it is a note; wrong where no transform does',
  },
  ids_differ_by_suffix: {
    shownBy: ['files', 'doctor', 'records'],
    alert: 'RecevalFewJoined',
    row: 'ids of feedback would match without something behind the id on one side | log the same id on both sides',
  },
  ids_differ_by_case: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    stops: true,
    alert: 'RecevalFewJoined',
    row: 'ids of feedback would match but for capital letters, blanks or punctuation, such as a UUID without hyphens | log the same id on both sides. In `inspect` the proposed map makes them equal, and it is a note; wrong where no transform does',
  },
  other_type_of_id: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    stops: true,
    alert: 'RecevalFewJoined',
    row: 'ids of feedback would match as numbers, such as `7` and `7.0`, or `007` | log the same id on both sides, as a whole number or as text; often a column of integers became one of floats. In `inspect` the proposed map makes them equal, and it is a note; wrong where no transform does',
  },
  ids_differ: {
    stops: true,
    row: 'ids have dashes, braces or blanks on one side, also with capital letters | log the same id on both sides; the proposed map makes them equal, and it is a note; wrong where no transform does',
  },
  clock_offset: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    stops: true,
    alert: 'RecevalFewJoined',
    row: 'most feedback is dated before its list, or whole or half hours after it | log UTC, or times with their offset; for some seconds set `attribution.backward`. An offset larger than that of any zone is a wrong clock',
  },
  before_list: {
    shownBy: ['files', 'doctor', 'records'],
    row: 'a thousandth of the feedback or more, 3 events at least, is dated up to 5 minutes before its list, and so is `orphan`: its clock is a little behind, or shows whole seconds | set [`attribution.backward`](concepts.md#horizons): `1s` for whole seconds',
  },
  feedback_before_list: {
    row: 'feedback is dated a little before its list, because the clocks of two producers differ | set `attribution.backward`',
  },
  beyond_horizon: {
    shownBy: ['files', 'doctor', 'records'],
    row: 'a twentieth of the feedback or more comes later than the longest horizon, and so is `orphan` | add a longer one; `--horizons` tries it',
  },
  items_never_match: {
    shownBy: ['files', 'score', 'doctor', 'counts', 'records', 'inspect'],
    stops: true,
    alert: 'RecevalFewJoined',
    row: 'the request is known, but most items are not in its list; for a run: no judged item is in its lists | log the same item id on both sides',
    inspect:
      'the request joins, but the item is never in its list | a SKU is not a product id: log the same id on both sides',
  },
  few_items_match: {
    row: 'less than nine tenths of the items are in their list (wrong below half) | check that each list on a page has an id of its own',
  },
  unjudged_items: {
    shownBy: ['score'],
    row: 'for `score`: more than a tenth of the items in the top of a run are not judged, or a twentieth more than of another run, although judgements call some items not relevant. They count as not relevant | judge them; `--unjudged skip` [scores the judged items alone](score.md#items-that-nobody-judged)',
  },
  close_scores: {
    shownBy: ['score'],
    row: 'for `score`: scores of a run differ as doubles, but not as 32-bit floats, so that [other tools](measures.md#agreement-with-other-libraries) rank its items otherwise | write scores that differ in the first seven digits',
  },
  unknown_actions: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    row: 'more than half of the feedback has actions without a [grade](concepts.md#grades), or one is spelled almost like one with a grade | add it to `grades`, with 0 if it does not count',
    inspect: 'the names of some actions do not say what they are worth | set them in `grades`',
  },
  action_assumed: {
    row: 'no field says what people did, so it is inferred. The name of the file or a column (`order_id`, `paid_at`, `purchased_at`, `revenue`, a price with a quantity) shows that they bought: `purchase`. Another file, without such a sign, holds clicks, if a field distinguishes the records of both; otherwise this is wrong. A note is also made if everything is taken for clicks and a field has a few words in another script | set another action in `inputs`; give each of several files a field of it. Map words in another script as `action`, and grade them',
  },
  flags_not_read: {
    row: 'rows of items have columns of yes and no that are not read: they are not named after an action, nor set only where a column is that is | nothing; or add them to [`feedback`](files.md#one-row-per-shown-item) of the adapter',
  },
  ratings: {
    row: 'feedback holds ratings; only you know which of them are a success | check the proposed `relevantFrom`',
  },
  values_missing: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    row: 'more than half of the feedback with an action whose grade comes from the value (`from: value`, as `rating` by default) has none, and so is worth 0; decimal commas (`4,5`) are no numbers | map `value`; write decimal points; or give the action a fixed grade',
  },
  several_lists: {
    shownBy: ['files'],
    row: 'with [`join.by: userId`](files.md#no-id-of-the-list) a tenth or more of the feedback, 3 events at least, could belong to several lists with its item | log the id of the list with each click; until then compare no lists that show the same users the same items. `join.touch: first` shows how much depends on which of them takes it',
  },
  no_list_id: {
    row: 'feedback has no id of its list, and the last list in which its user saw that item holds at least half of it: the proposal joins it so ([`join.by: userId`](files.md#no-id-of-the-list)) | log the id of the list with each click. Until then read [when the last touch misleads](files.md#when-the-last-touch-misleads)',
  },
  no_user_ids: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    row: "none of 1,000 impressions or more has a user; in an experiment more than 5 % of a variant's do not; in `inspect` more than a quarter | log `userId`: without it errors are too small if users return, and above 25 % of a variant nothing is decided",
  },
  one_variant: {
    shownBy: ['files', 'doctor', 'records', 'inspect'],
    row: 'a variant of the experiment has no impression; in `inspect` there is only one | write the variants as the impressions do; with one there is nothing to compare',
  },
  variant_not_named: {
    shownBy: ['files', 'doctor', 'records'],
    row: 'no impression has the field that the experiment reads: `variant` for `default`, else `experiments.NAME` | call the experiment `default`, or log that field',
  },
  uneven_split: {
    row: 'the traffic is not split between variants as expected | set their weights, or check the assignment',
  },
  users_of_two_variants: { row: 'users saw several variants | assign users, not requests' },
} satisfies Readonly<Record<string, FindingKind>>;

export type FindingCode = keyof typeof KINDS;

export const CATALOGUE: Readonly<Record<FindingCode, FindingKind>> = KINDS;
