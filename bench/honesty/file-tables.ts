/** Tables of logs that go through the whole data path. */
import { isAbsent } from '../../src/statistics/absent.ts';
import { normalLower } from '../../src/statistics/distributions.ts';
import { confidenceSequence } from '../../src/statistics/sequence.ts';
import { compareBandit } from './bandit.ts';
import { EXPERIMENT } from './experiment.ts';
import { head, print, row, type Seeds, share } from './output.ts';
import { bothWays, compareShop, differences } from './pipeline.ts';
import { SAME } from './settings.ts';
import { Z } from './watch.ts';

/** Of the seeds at most 36. */
export async function throughFiles({ count, first }: Seeds): Promise<void> {
  const n = Math.min(36, count);
  process.stderr.write(`simulated shop: ${n} seeds\n`);
  let alarms = 0;
  let mismatches = 0;
  let looks = 0;
  for (let seed = first; seed < first + n; seed++) {
    const { comparison, trail } = await compareShop(seed);
    const [{ decision, reason }] = comparison.variants;
    if (decision === 'regressed' || decision === 'improved' || reason === 'effect_changed') alarms++;
    if (comparison.srm.mismatch) mismatches++;
    looks += trail.get('treatment')?.length ?? 0;
  }
  print('### Through files, decoder and join', '');
  print(
    `* Simulated shop, both variants of one quality, its usual faults, 20,000 events in 28 hours: ${share(alarms, n)} of ${n} seeds regressed or improved, ${mismatches} with srm, in ${looks} looks.`,
  );
  const pairs = Math.min(12, count);
  process.stderr.write(`streams as logs: ${pairs} seeds\n`);
  const [settings] = SAME.values();
  let equal = 0;
  let differ = 0;
  for (let seed = first; seed < first + pairs; seed++) {
    const { direct, logged } = await bothWays(seed, settings);
    const found = differences(direct, logged);
    equal += found.looks - found.differ;
    differ += found.differ;
  }
  print(
    `* ${pairs} of the streams above, written as logs and compared: ${equal} looks with the same effect and interval to the last digit, ${differ} that differ.`,
    '',
  );
}

export async function openBandit(): Promise<void> {
  const { comparison, measures } = await compareBandit();
  const points = (value: number | null, digits = 5): string => (value === null ? '-' : value.toFixed(digits));
  const both = (bounds: readonly [number, number] | null): string =>
    bounds === null ? '-' : `${points(bounds[0])} to ${points(bounds[1])}`;
  const ofEffect = (effect: number | null, stderr: number | null) => [points(effect), points(stderr)];
  const hourly: string[] = [];
  print('### Open Bandit, random against bts', '');
  print(head('measure', 'way', 'effect', 'error', '95 % interval', 'p'));
  for (const { plain, hours, significant, compared } of measures) {
    const { measure, effect, stderr, fixedHorizon, ci, p } = compared;
    const half = Z * plain.stderr;
    const atAnyLook = confidenceSequence(plain.effect, plain.stderr, plain.rows, EXPERIMENT);
    if (isAbsent(atAnyLook)) throw new Error(atAnyLook.absent);
    const p1 = 2 * normalLower(-Math.abs(plain.z));
    print(
      row(
        measure,
        'rows as if independent, one look',
        ...ofEffect(plain.effect, plain.stderr),
        both([plain.effect - half, plain.effect + half]),
        points(p1, 3),
      ),
      row(
        measure,
        'rows as if independent, any look',
        ...ofEffect(plain.effect, plain.stderr),
        both([atAnyLook.lower, atAnyLook.upper]),
        points(atAnyLook.p, 3),
      ),
      row(
        measure,
        'by users, one look',
        ...ofEffect(effect, stderr),
        both(fixedHorizon?.ci ?? null),
        points(fixedHorizon?.p ?? null, 3),
      ),
      row(measure, 'by users, any look', ...ofEffect(effect, stderr), both(ci), points(p, 3)),
    );
    hourly.push(`${measure}: ${significant} of ${hours}`);
  }
  print('', `Hourly looks at which rows as if independent give p < .05: ${hourly.join(', ')}.`);
  const [{ decision, reason, explanation }] = comparison.variants;
  print('', `Decision: ${decision} (${reason}). ${explanation}`, '');
}
