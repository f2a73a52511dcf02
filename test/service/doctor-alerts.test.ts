import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ruleGroups } from '../../src/metrics/rule-groups.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { checkReach } from '../../src/service/doctor-access.ts';
import { checkClock, checkMemory } from '../../src/service/doctor-state.ts';
import { checkTopic } from '../../src/service/doctor-topics.ts';
import { load } from '../config/fixture.ts';

const SERVICE = resolve(import.meta.dirname, '../../src/service');

describe('the alerts that receval doctor foretells', () => {
  it('all exist', () => {
    const alerts = new Set(
      ruleGroups(load(''), USUAL_RULE_OPTIONS).flatMap(({ rules }) => rules.map(({ alert }) => alert)),
    );
    const named = readdirSync(SERVICE).flatMap(
      (file) => readFileSync(resolve(SERVICE, file), 'utf8').match(/'Receval\w+'/g) ?? [],
    );
    expect(new Set(named).size).toBeGreaterThan(8);
    for (const name of named) expect(alerts).toContain(name.slice(1, -1));
  });

  it('are those of the same limits: a clock 30 s off raises none, one further off does', () => {
    expect(checkClock(30_000).alert).toBeUndefined();
    expect(checkClock(-30_001).alert).toBe('RecevalClockSkew');
  });

  it('stand at findings that something must be done about, and at no other', () => {
    const memory = (perSecond: number) =>
      checkMemory(load('attribution: {horizons: [1m], outOfOrderness: 40s}\n'), {
        impressionsPerSecond: perSecond,
        openLimit: 400,
        stateLimit: 2 ** 30,
      });
    expect(memory(2)).toMatchObject({ level: 'ok' });
    expect(memory(2)).not.toHaveProperty('alert');
    expect(memory(3)).toMatchObject({ level: 'warning', alert: 'RecevalMemoryHigh' });

    const kept = (ms: number) =>
      checkTopic(
        { kept: 100_000, ahead: 0 },
        {
          name: 'clicks',
          settings: new Map([['retention.ms', String(ms)]]),
          bytesPerSecond: undefined,
        },
      );
    expect(kept(99_999)[0]).toMatchObject({ check: 'retention', level: 'error', alert: 'RecevalRetentionLow' });
    expect(kept(100_000)[0]).not.toHaveProperty('alert');

    const [silent] = checkReach([{ broker: 'a:1', answer: new Error('refused') }], 'configured');
    expect(silent).toMatchObject({ level: 'error', alert: 'RecevalNoProgress' });
  });
});
