/** Whatever a log's fields are called and wherever they stand, however its times and ids are written: it is seen for what it is. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { screenOf } from '../../src/inspect/inspect-screen.ts';
import type { InspectedSide, Inspection } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { replay } from '../../src/replay/file-replay.ts';
import { runs } from '../runs.ts';
import { MADE_AT, type MadeLog, makeLog, pointerOf, sampledFile, TIME_WRITERS } from './made-log.ts';

const NOW = MADE_AT + 3 * 86_400_000;
const OPTIONS = { now: NOW, grades: new Set<string>(), weights: undefined };

const requests = ['requestId', 'request_id', 'ctx.recId', 'queryID', 'rec', 'meta.request', 'impression_id', 'qid'];
const times = ['ts', 'timestamp', 'at', 'meta.time', 'created_at', 'eventTime'];
const writer = fc.constantFrom(...Object.values(TIME_WRITERS));

const log: fc.Arbitrary<MadeLog> = fc.record({
  seed: fc.integer(),
  lists: fc.integer({ min: 16, max: 60 }),
  names: fc.record({
    request: fc.tuple(fc.constantFrom(...requests), fc.constantFrom(...requests)),
    time: fc.tuple(fc.constantFrom(...times), fc.constantFrom(...times)),
    items: fc.constantFrom('items', 'products', 'response.hits', 'slate', 'docs', 'ranking'),
    id: fc.constantFrom(undefined, 'id', 'sku', 'product_id', 'item.id'),
    item: fc.constantFrom('itemId', 'sku', 'target.product', 'object_id', 'asin'),
    action: fc.constantFrom('action', 'event', 'event_type', 'kind', 'payload.verb'),
    user: fc.constantFrom(undefined, 'userId', 'visitor_id', 'ctx.user'),
    variant: fc.constantFrom(undefined, 'variant', 'arm', 'ctx.group'),
  }),
  times: fc.tuple(writer, writer),
  halves: fc.constant(0),
  requestIds: fc.constant((id: string) => id),
  itemIds: fc.constant((id: string) => id),
});

function look(made: ReturnType<typeof makeLog>): Inspection {
  return inspect([sampledFile('a', made.feedback), sampledFile('b', made.impressions)], OPTIONS);
}

function pathOf(side: InspectedSide | undefined, as: string): string | undefined {
  return side?.fits.find((fit) => fit.as === as)?.path;
}

function wrongOf({ findings }: Inspection): readonly string[] {
  return findings.filter(({ level }) => level === 'wrong').map(({ code }) => code);
}

describe('a log of any form', () => {
  it('has the role that it has, and each field is seen for what it is', () => {
    fc.assert(
      fc.property(log, (options) => {
        const made = makeLog(options);
        const found = look(made);
        const { names } = options;
        const list = pointerOf(names.items);
        expect(found.files.map(({ guess }) => guess?.role)).toEqual(['feedback', 'impressions']);
        expect({
          lists: ['requestId', 'ts', 'items', 'items.id', 'userId', 'variant'].map((as) =>
            pathOf(found.impressions, as),
          ),
          feedback: ['requestId', 'ts', 'itemId', 'action'].map((as) => pathOf(found.feedback, as)),
          wrong: wrongOf(found),
        }).toEqual({
          lists: [
            pointerOf(names.request[0]),
            pointerOf(names.time[0]),
            list,
            names.id === undefined ? undefined : `${list}[]${pointerOf(names.id)}`,
            names.user === undefined ? undefined : pointerOf(names.user),
            names.variant === undefined ? undefined : pointerOf(names.variant),
          ],
          feedback: [names.request[1], names.time[1], names.item, names.action].map(pointerOf),
          wrong: [],
        });
      }),
      { numRuns: runs(75) },
    );
  });

  it('with clocks that are half hours apart is told by how much', () => {
    fc.assert(
      fc.property(
        log,
        fc.integer({ min: -28, max: 28 }).filter((halves) => halves !== 0),
        (options, halves) => {
          const found = look(makeLog({ ...options, halves }));
          expect([found.clock?.offset, wrongOf(found)]).toEqual([halves * 1_800_000, ['clock_offset']]);
        },
      ),
    );
  });

  it('with clocks that are farther apart than a zone is from UTC is not told of a zone', () => {
    const [options] = fc.sample(log, { seed: 1, numRuns: 1 });
    const told = (halves: number): string => {
      const made = makeLog({ ...options, times: [TIME_WRITERS.milliseconds, TIME_WRITERS.milliseconds], halves });
      const found = look(made).findings.find(({ code }) => code === 'clock_offset');
      return `${found?.cause} ${found?.remedy}`;
    };
    expect(told(28)).toContain("the feedback's clock wrote the time of a zone at +14:00");
    expect(told(-24)).toContain("the feedback's clock wrote the time of a zone at -12:00");
    expect(told(-26)).toContain("the lists' clock wrote the time of a zone at +13:00");
    for (const halves of [29, 42, -29, -42, 52]) {
      expect(told(halves)).toContain('farther apart than any time zone is from UTC');
      expect(told(halves)).not.toMatch(/two time zones|[+-]\d\d:00/);
    }
  });

  it.each([
    ['ids_differ_by_prefix', 'requestIds', (id: string) => `https://x.example/${id}`],
    ['ids_differ_by_case', 'itemIds', (id: string) => id.toUpperCase()],
    ['ids_differ_by_prefix', 'itemIds', (id: string) => `sku-${id}`],
  ] as const)('with %s of %s is read by a map that makes them equal', (code, of, change) => {
    fc.assert(
      fc.property(log, (options) => {
        const found = look(makeLog({ ...options, [of]: change }));
        expect([wrongOf(found), found.mends.map(({ finding }) => finding.code)]).toEqual([[], [code]]);
      }),
      { numRuns: 50 },
    );
  });

  it('fits on a screen', () => {
    fc.assert(
      fc.property(log, fc.integer({ min: -3, max: 3 }), (options, halves) => {
        const lines = screenOf(look(makeLog({ ...options, halves })), 'a\nb')
          .trimEnd()
          .split('\n');
        expect(lines.length).toBeLessThanOrEqual(40);
        expect(lines.filter((line) => line.length > 100 && !line.trimStart().startsWith('$ '))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a configuration that was written', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'receval-inspect-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives the right numbers in a replay, and loses no event', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(log, async (options) => {
        const made = makeLog(options);
        const written = configurationOf(look(made), { topics: undefined }) ?? '';
        const settings = loadSettings({ file: 'written', readFile: () => written, env: {}, command: 'replay' });
        const file = (rows: readonly object[]) => {
          const path = join(folder, `${n++}.ndjson`);
          writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
          return [{ path, defaults: new Map<string, string>() }];
        };
        const inputs = { impressions: file(made.impressions), feedback: file(made.feedback) };
        const rest = {
          adapter: undefined,
          order: 'time',
          closeAll: true,
          newId: randomUUID,
          hashSeed: 7,
          onProgress: () => {},
        } as const;
        const { rows, impressions, feedback } = await replay({ settings, inputs, ...rest });
        const all = rows.filter(({ by }) => by.length === 0).at(-1);
        expect(all?.measures['mrr']?.value).toBeCloseTo(made.mrr, 6);
        expect([impressions.accepted, feedback.attributed]).toEqual([made.impressions.length, made.feedback.length]);
      }),
      { numRuns: 40 },
    );
  });
});
