import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_LABELS } from '../../src/vocabulary/fault-point.ts';

const SRC = resolve(import.meta.dirname, '../../src');
const DATA_PATH = [
  'unit/unit.ts',
  'unit/commits.ts',
  'worker/worker.ts',
  'worker/claims.ts',
  'worker/worker-looks.ts',
  'worker/pace.ts',
];
const FAULT_POINT = /reachFaultPoint\('[^']+'\);/;
/** Waits for code of our own that has labels around its own waits. */
const OWN =
  /await (?:this\.#(?:claims\.claim|claimAgain|pace\.lookForSilence|rivals\.lookFor|unitOf|begin|commitAll|look|looks\.look|lookForRivals|claimOutgrown|owner|commits\.send|commit|commitEarly|beginCommits|claims\.claimAll|until)\(|attempt\(|this\.claim\(|nextTurn\(|Promise\.all\(|Unit\.claim\(|owned\.unit\.commit\()/;
/** Ends only with the worker; the label behind it stands after its `finally`. */
const RUN = /await Promise\.race\(\[reading, failure\]\)/;

function lines(file: string): readonly string[] {
  return readFileSync(join(SRC, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line));
}

describe('labels of fault points', () => {
  it.each(DATA_PATH)('stand before and after every wait of %s', (file) => {
    const code = lines(file);
    const waits = code.flatMap((line, n) => (/\bawait\b/.test(line) && !OWN.test(line) && !RUN.test(line) ? [n] : []));
    expect(waits.length).toBeGreaterThan(0);
    const bare = waits
      .filter((n) => !FAULT_POINT.test(code[n - 1]) || !FAULT_POINT.test(code[n + 1]))
      .map((n) => code[n].trim());
    expect(bare).toEqual([]);
  });

  it('are each passed at one place, and nowhere else than on the data path', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const passed = files.flatMap((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(/reachFaultPoint\('([^']+)'\)/g)].map(([, label]) => ({
        file,
        label,
      })),
    );
    expect(passed.map(({ label }) => label).sort()).toEqual([...FAULT_LABELS].sort());
    expect([...new Set(passed.map(({ file }) => file))].sort()).toEqual([...DATA_PATH].sort());
  });
});

describe('the product', () => {
  it('has no switch for faults: no file of it makes a fault point but the one that does nothing', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const given = files.filter((file) => /faultPoint:/.test(lines(file).join('\n')));
    expect(given).toEqual(['worker/claims.ts']);
    const named = files.filter(
      (file) => file !== 'vocabulary/fault-point.ts' && /CRASH_AT|FAULT_LABELS/.test(lines(file).join('\n')),
    );
    expect(named).toEqual([]);
  });
});
