import { FAULT_KINDS } from './faults.ts';
import type { Many } from './many.ts';
import { FATES } from './scenario.ts';

/** What was run, what really happened in it, and what was broken, in words for a terminal. */
export function summaryOf(
  { histories, steps, simulatedMs, happened, failure }: Many,
  { from, seconds, cpuSeconds }: { readonly from: number; readonly seconds: number; readonly cpuSeconds: number },
): string {
  const count = (value: number): string => Math.round(value).toLocaleString('en-US');
  const list = (names: readonly string[]): string =>
    names.map((name) => `${name} ${count(happened.of(name))}`).join(', ');
  const { lost, double, different } = failure?.broken.tally ?? { lost: 0, double: 0, different: 0 };
  const died = [...happened.all].filter(([name]) => name.startsWith('died at: '));
  return [
    `seeds ${from} to ${from + histories - 1}: ${count(histories)} histories, ${count(steps)} steps, ${count(simulatedMs / 3_600_000)} simulated hours`,
    `${count(seconds)} s (${count(cpuSeconds)} s of processors); ${count(steps / 200 / seconds)} times 200 steps a second`,
    `commits: ${list(['OK', 'ALREADY', 'FENCED', 'CONFLICT'])}; claims ${count(happened.of('claimed'))}`,
    `faults: ${list(FAULT_KINDS)}`,
    `deaths at ${died.length} places, ${count(died.reduce((sum, [, times]) => sum + times, 0))} in all; orderly ends ${count(happened.of('orderly end'))}`,
    `requests and replies: ${list(FATES)}`,
    `stopped: limit ${count(happened.of('stopped: limit'))}, memory ${count(happened.of('stopped: memory'))}, state lost ${count(happened.of('stopped: state_lost'))}, start refused ${count(happened.of('start refused'))}`,
    failure === undefined
      ? 'lost 0, double 0, different 0'
      : `lost ${lost}, double ${double}, different ${different}; ${failure.broken.message}`,
  ].join('\n');
}
