import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAMAGES, spoil, type TrafficRecord } from '../../src/simulate/delivery.ts';
import { expectation } from '../../src/simulate/expectation.ts';
import {
  FAULTS,
  type Fault,
  type FaultRates,
  NO_FAULTS,
  OUT_OF_ORDERNESS,
  USUAL_FAULTS,
} from '../../src/simulate/simulation-settings.ts';
import { Traffic } from '../../src/simulate/traffic.ts';
import { judge } from './judge.ts';
import { deviations, feedbackSchema, impressionSchema, recordsOf, settings } from './reading.ts';

function planted(faults: FaultRates, window = 120_000, events = 10_000) {
  const traffic = new Traffic(settings({ faults, window, events }));
  const records = [...traffic];
  return { records, plan: traffic.plan };
}

const onlyFault = (fault: Fault, rate: number): FaultRates => ({ ...NO_FAULTS, [fault]: rate });
const sum = (counts: { readonly impressions: number; readonly feedback: number }): number =>
  counts.impressions + counts.feedback;

test('what the rules of the join count is what the plan expects', () => {
  const mixes: FaultRates[] = [
    NO_FAULTS,
    USUAL_FAULTS,
    { late: 0.05, duplicate: 0.05, orphan: 0.05, malformed: 0.05, outOfOrder: 0.5, clockAhead: 0.05 },
    ...FAULTS.map((fault) => onlyFault(fault, 0.1)),
  ];
  for (const faults of mixes) {
    const { records, plan } = planted(faults);
    const { impressions, feedback } = expectation(plan);
    const nonZero = (counts: Readonly<Record<string, number>>) =>
      Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
    const judged = judge(records, plan.window, OUT_OF_ORDERNESS);
    expect(judged.impressions).toEqual(nonZero({ accepted: impressions.accepted, ...impressions.drops }));
    expect(judged.feedback).toEqual(nonZero({ attributed: feedback.attributed, ...feedback.drops }));
  }
});

test.each(FAULTS)('%s at 0 plants none, and no other fault is planted in its place', (fault) => {
  // A late impression makes orphans of its feedback.
  const { plan } = planted({ ...USUAL_FAULTS, late: fault === 'orphan' ? 0 : USUAL_FAULTS.late, [fault]: 0 });
  expect(sum(plan.planted[fault])).toBe(0);
  const only = planted(onlyFault(fault, 0.1)).plan;
  for (const other of FAULTS) {
    if (other === fault || (fault === 'late' && other === 'orphan')) continue;
    expect(sum(only.planted[other])).toBe(0);
  }
  expect(sum(only.planted[fault])).toBeGreaterThan(100);
});

test('duplicate, malformed, outOfOrder and orphan strike the share that they are set to', () => {
  const share = (fault: Fault) => {
    const { plan } = planted(onlyFault(fault, 0.1), 600_000, 30_000);
    const extra = fault === 'duplicate' || fault === 'malformed' ? sum(plan.planted[fault]) : 0;
    return { count: sum(plan.planted[fault]), base: sum(plan.records) - extra, plan };
  };
  for (const fault of ['duplicate', 'malformed', 'outOfOrder'] as const) {
    const { count, base } = share(fault);
    expect(deviations(count, base, 0.1)).toBeLessThan(4);
  }
  const { plan } = share('orphan');
  // Feedback of one request is lost together: about twice the binomial deviation.
  expect(deviations(plan.planted.orphan.feedback, plan.records.feedback, 0.1)).toBeLessThan(8);
});

/** Records without what only says how they arrived. */
const contents = (records: readonly TrafficRecord[]): string[] =>
  records.map(({ topic, value }) => `${topic} ${value}`).sort();

test('a fault that only delays changes no event', () => {
  const calm = contents(recordsOf(settings()));
  expect(contents(recordsOf(settings({ faults: onlyFault('outOfOrder', 1) })))).toEqual(calm);
  expect(contents(recordsOf(settings({ faults: onlyFault('late', 0.2), window: 60_000 })))).toEqual(
    contents(recordsOf(settings({ window: 60_000 }))),
  );
});

test('a fault that adds records leaves the others as they were', () => {
  for (const fault of ['duplicate', 'malformed'] as const) {
    const calm = new Set(contents(recordsOf(settings({ events: 30_000 }))));
    const struck = recordsOf(settings({ events: 20_000, faults: onlyFault(fault, 0.2) }));
    const isSound = ({ topic, value }: TrafficRecord): boolean => calm.has(`${topic} ${value}`);
    const plan = planted(onlyFault(fault, 0.2)).plan;
    expect(sum(plan.planted[fault])).toBeGreaterThan(1000);
    const strangers = struck.filter((record) => !isSound(record)).length;
    if (fault === 'duplicate') expect(strangers).toBe(0);
    else expect(deviations(strangers, 20_000, 0.2 / 1.2)).toBeLessThan(4);
  }
});

test('without jitter each topic is in the order of event time', () => {
  const last = { impressions: 0, feedback: 0 };
  for (const { topic, value } of recordsOf(settings())) {
    const { ts } = JSON.parse(value);
    expect(ts).toBeGreaterThanOrEqual(last[topic]);
    last[topic] = ts;
  }
});

test('jitter stays below the outOfOrderness that the pipeline allows', () => {
  const delays = recordsOf(settings({ faults: onlyFault('outOfOrder', 1) })).map(
    ({ at, value }) => at - JSON.parse(value).ts,
  );
  expect(Math.max(...delays)).toBeGreaterThan(4000);
  expect(Math.max(...delays)).toBeLessThan(OUT_OF_ORDERNESS);
});

test('clocks ahead show in feedback alone, by less than the 5 minutes after which an event is dropped as future', () => {
  const { records, plan } = planted(onlyFault('clockAhead', 0.2), 1_800_000);
  const ahead = records.filter(({ at, value }) => JSON.parse(value).ts > at);
  expect(new Set(ahead.map(({ topic }) => topic))).toEqual(new Set(['feedback']));
  for (const { at, value } of ahead) expect(JSON.parse(value).ts - at).toBeLessThan(300_000);
  // A clock ahead by less than the latency does not show.
  expect(plan.planted.clockAhead.feedback - ahead.length).toBeLessThan(10);
});

test('every damage makes a record that is no event and no blank line', () => {
  const records = recordsOf(settings({ events: 200 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...records),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (record, choice) => {
        const broken = spoil(record.value, choice);
        expect(broken.trim()).not.toBe('');
        expect(broken).not.toContain('\n');
        let value: unknown;
        try {
          value = JSON.parse(broken);
        } catch {
          expect(choice).toBeLessThan(1 / DAMAGES.length);
          return;
        }
        expect(choice).toBeGreaterThanOrEqual(1 / DAMAGES.length);
        expect(impressionSchema.safeParse(value).success).toBe(false);
        expect(feedbackSchema.safeParse(value).success).toBe(false);
      },
    ),
  );
});
