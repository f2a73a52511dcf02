/** Logs without zones, written while clocks were set back or forward. */
import { afterAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { type ReplayInputs, replay } from '../../src/replay/file-replay.ts';
import { removeLogs, writeLog } from './findings-logs.ts';

afterAll(removeLogs);

const MINUTE = 60_000;

/** As clocks in a zone show it: `2026-11-01 01:30:00`. */
function shownIn(timeZone: string, at: number): string {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at);
  return text;
}

interface Row {
  readonly at: number;
  readonly [name: string]: string | number;
}

/** Lists, one each 40 s, and a click on two of three, up to four minutes later; both in the order in which they happened. */
function shop(begin: number, hours: number): { readonly lists: readonly Row[]; readonly clicks: readonly Row[] } {
  const numbers = Array.from({ length: (hours * 60 * MINUTE) / 40_000 }, (_, n) => n);
  const lists = numbers.map((n) => ({ at: begin + n * 40_000, request: `r${n}`, items: 'a|b|c' }));
  const clicks = numbers
    .filter((n) => n % 3 > 0)
    .map((n) => ({ at: begin + n * 40_000 + ((n * 37) % 240) * 1000, request: `r${n}`, item: 'abc'[n % 3] }))
    .sort((a, b) => a.at - b.at);
  return { lists, clicks };
}

function csv(rows: readonly Row[], zone: string): string {
  const [first] = rows;
  const names = Object.keys(first ?? {});
  return [names, ...rows.map(({ at, ...row }) => [shownIn(zone, at), ...Object.values(row)])]
    .map((fields) => `${fields.join(',')}\n`)
    .join('');
}

const CONFIG = (zone: string): string => `
measures: [mrr]
cohorts: [[]]
attribution: {horizons: [5m]}
inputs:
  impressions: {timeZone: ${zone}, adapter: {map: {requestId: /request, ts: /at, items: {at: /items, split: "|"}}}}
  feedback: {timeZone: ${zone}, adapter: {map: {requestId: /request, ts: /at, itemId: /item, action: {const: click}}}}
`;

let ids = 0;

async function replayed(config: string, inputs: ReplayInputs, order: 'time' | 'concat' = 'time') {
  const { findings, rows, impressions, feedback } = await replay({
    settings: loadSettings({ readFile: () => config, env: {}, overrides: {}, command: 'replay' }),
    inputs,
    adapter: undefined,
    order,
    newId: () => String(ids++),
    hashSeed: 0,
    onProgress: () => {},
  });
  return { codes: findings.map(({ code }) => code), findings, rows, impressions, feedback };
}

function file(text: string, name: string) {
  return { path: writeLog(text, `${ids++}-${name}.csv`), defaults: new Map<string, string>() };
}

function inputs(lists: readonly string[], clicks: readonly string[]): ReplayInputs {
  return {
    impressions: lists.map((text) => file(text, 'lists')),
    feedback: clicks.map((text) => file(text, 'clicks')),
  };
}

const NEW_YORK = { zone: 'America/New_York', begin: Date.parse('2026-11-01T04:30:00Z') };

describe('a log of the night in which clocks are set back', () => {
  const { lists, clicks } = shop(NEW_YORK.begin, 4);

  it.each([
    ['America/New_York', '2026-11-01T04:30:00Z'],
    ['Europe/Berlin', '2026-10-24T23:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T13:30:00Z'],
  ])('gives the numbers of the same log in UTC (%s)', async (zone, begin) => {
    const own = shop(Date.parse(begin), 4);
    const utc = await replayed(CONFIG('UTC'), inputs([csv(own.lists, 'UTC')], [csv(own.clicks, 'UTC')]));
    const local = await replayed(CONFIG(zone), inputs([csv(own.lists, zone)], [csv(own.clicks, zone)]));
    expect(utc.codes).toEqual([]);
    expect(utc.feedback.attributed).toBe(own.clicks.length);
    expect(local.rows).toEqual(utc.rows);
    expect(local.impressions).toEqual(utc.impressions);
    expect(local.feedback).toEqual(utc.feedback);
    expect(local.codes).toEqual(['clock_change', 'clock_change']);
    const half = zone === 'Australia/Lord_Howe' ? 45 : 90;
    expect(local.findings[0]).toMatchObject({
      cause: `${2 * half} times of the impressions name no zone, and clocks in ${zone} showed them twice, as they were set back: by their order in the log ${half} were read as the second of the two.`,
      remedy: expect.stringMatching(/^Log UTC, or times with their offset/),
    });
  });

  it('gives the same, however it is cut, if its parts are read one after the other', async () => {
    const { zone } = NEW_YORK;
    const whole = await replayed(CONFIG(zone), inputs([csv(lists, zone)], [csv(clicks, zone)]));
    const parts = (rows: readonly Row[], ...cuts: readonly number[]): readonly string[] =>
      [0, ...cuts].map((from, i) => csv(rows.slice(from, cuts[i]), zone));
    // The last parts begin in the second of the two hours.
    const cut = inputs(parts(lists, 100, 160, 170), parts(clicks, 60, 110));
    expect(await replayed(CONFIG(zone), cut, 'concat')).toMatchObject({ rows: whole.rows, feedback: whole.feedback });
  });

  it('says where a file begins in that hour, so that nothing shows which of the two it is', async () => {
    const { zone } = NEW_YORK;
    const late = lists.slice(150);
    const { findings } = await replayed(CONFIG(zone), inputs([csv(late, zone)], [csv(clicks, zone)]));
    const own = findings.filter(({ cause }) => cause.includes('of the impressions name no zone'));
    expect(own).toHaveLength(1);
    expect(own[0].cause).toContain(
      '; for 75, with which a file begins, the order does not tell, and they were read as the first',
    );
    expect(own[0].remedy).toContain('name them in their order, with --concat');
  });

  it('is read likewise in one log of both sides, and in rows of shown items', async () => {
    const { zone } = NEW_YORK;
    const events = [...lists, ...clicks].sort((a, b) => a.at - b.at);
    const both = `${events.map(({ at, ...row }) => JSON.stringify({ at: shownIn(zone, at), ...row })).join('\n')}\n`;
    const maps = `[{when: {/items: {exists: true}}, map: {requestId: /request, ts: /at, items: {at: /items, split: "|"}}}, {map: {requestId: /request, ts: /at, itemId: /item, action: {const: click}}}]`;
    const log = await replayed(
      `measures: [mrr]\ncohorts: [[]]\nattribution: {horizons: [5m]}\ninputs: {events: {timeZone: ${zone}, adapter: {maps: ${maps}}}}`,
      { events: [{ path: writeLog(both, `${ids++}.ndjson`), defaults: new Map() }] },
    );
    expect(log.feedback.attributed).toBe(clicks.length);
    expect(log.codes).toEqual(['clock_change']);
    expect(log.findings[0].cause).toContain(' times of the log name no zone');

    const clickedAt = new Map(clicks.map(({ at, request, item }) => [`${request} ${item}`, at]));
    const rows = lists.flatMap(({ at, request }) =>
      [...'abc'].map((item): Row => {
        const clicked = clickedAt.get(`${request} ${item}`);
        return { at, request, item, clicked: clicked === undefined ? '' : shownIn(zone, clicked) };
      }),
    );
    const table = await replayed(
      `measures: [mrr]\ncohorts: [[]]\nattribution: {horizons: [5m]}\ninputs: {impressions: {timeZone: ${zone}, adapter: {list: {by: request}, map: {requestId: /request, ts: /at, itemId: /item}, feedback: {clicked: {action: click, ts: /clicked}}}}}`,
      inputs([csv(rows, zone)], []),
    );
    expect(table.codes).toEqual(['clock_change']);
    expect(table.impressions).toMatchObject({ read: lists.length, accepted: lists.length });
    expect(table.feedback).toMatchObject({ read: clicks.length, attributed: clicks.length });
  });

  it('is not a finding where few of its times are shown twice', async () => {
    const { zone } = NEW_YORK;
    const long = shop(NEW_YORK.begin - 60 * 60 * MINUTE, 300);
    const { codes, feedback } = await replayed(CONFIG(zone), inputs([csv(long.lists, zone)], [csv(long.clicks, zone)]));
    expect(feedback.attributed).toBe(long.clicks.length);
    expect(codes).not.toContain('clock_change');
  });
});

describe('a log of the night in which clocks are set forward', () => {
  const begin = Date.parse('2026-03-29T00:00:00Z');

  it('has no times that clocks never show, if it follows the zone', async () => {
    const { lists, clicks } = shop(begin, 3);
    const zone = 'Europe/Berlin';
    const { codes, feedback } = await replayed(CONFIG(zone), inputs([csv(lists, zone)], [csv(clicks, zone)]));
    expect(feedback.attributed).toBe(clicks.length);
    expect(codes).toEqual([]);
  });

  it('has some, if its clock follows another: the zone is named, and what to set', async () => {
    const { lists, clicks } = shop(begin, 3);
    const standard = 'Etc/GMT-1';
    const { findings } = await replayed(
      CONFIG('Europe/Berlin'),
      inputs([csv(lists, standard)], [csv(clicks, standard)]),
    );
    const [found] = findings.filter(({ code }) => code === 'clock_change');
    expect(found).toMatchObject({
      cause: expect.stringMatching(
        /^90 times of the impressions name no zone, and clocks in Europe\/Berlin never showed them, as they were set forward/,
      ),
      example: '2026-03-29 02:00:00',
      remedy: expect.stringContaining('Set timeZone to what that clock shows, such as +01:00'),
    });
  });
});
