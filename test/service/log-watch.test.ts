import { describe, expect, it } from 'vitest';
import type { LiveFinding, TopicHealth } from '../../src/findings/live-findings.ts';
import { LogWatch } from '../../src/service/log-watch.ts';

const MINUTE = 60_000;
const fine: TopicHealth = {
  topic: 'clicks',
  joined: 0.9,
  inList: 1,
  invalid: 0,
  late: 0,
  future: 0,
  missed: 0,
  accepted: 1,
  impressions: 0,
  feedback: 1000,
  unmapped: [],
};
const prefix: LiveFinding = {
  code: 'ids_differ_by_prefix',
  topic: undefined,
  cause: 'The feedback writes "web-" before the request id.',
  remedy: 'Log one id.',
};

/** A watch over records that show what `shown` holds at the time. */
function watching() {
  const lines: string[] = [];
  const looks: number[] = [];
  const shown: { findings: readonly LiveFinding[] | undefined } = { findings: [] };
  let time = 0;
  const log = {
    warn: (_: object, message: string) => void lines.push(`warn ${message}`),
    info: (_: object, message: string) => void lines.push(`info ${message}`),
  };
  const watch = new LogWatch({
    log,
    needsFeedback: true,
    look: () => {
      looks.push(time / MINUTE);
      return shown.findings === undefined ? Promise.reject(new Error('no rights')) : Promise.resolve(shown.findings);
    },
  });
  const at = async (minute: number, change: Partial<TopicHealth> = {}): Promise<void> => {
    time = minute * MINUTE;
    watch.update([{ ...fine, ...change }], time);
    await new Promise(setImmediate);
  };
  return { at, watch, lines, looks, shown };
}

describe('the watch over the logs that are read', () => {
  it('looks at records a minute after the start, and then every hour', async () => {
    const { at, lines, looks } = watching();
    for (const minute of [0, 0.9, 1, 2, 60, 61, 62, 121]) await at(minute);
    expect(looks).toEqual([1, 61, 121]);
    expect(lines).toEqual([]);
  });

  it('looks within a minute when counts begin to tell something, and every ten while it lasts', async () => {
    const { at, looks } = watching();
    for (const minute of [0, 1]) await at(minute);
    for (const minute of [5, 5.1, 14, 15.1, 16]) await at(minute, { joined: 0.2 });
    expect(looks).toEqual([1, 5, 15.1]);
  });

  it('logs a finding once, and that it is over', async () => {
    const { at, watch, lines } = watching();
    for (const joined of [0.49, 0.3, 0.55, 0.6, 0.7]) await at(0.5, { joined });
    expect(lines).toEqual([
      'warn clicks: less than half of the feedback finds its list lately (49 %). See the drops by reason, and ask receval doctor how the request ids of the two sides differ.',
      'info clicks: few_joined is over',
    ]);
    expect(watch.findings).toEqual([]);
  });

  it('does not call it over when it is worse', async () => {
    const { at, lines } = watching();
    for (const joined of [0.3, 0]) await at(0.5, { joined });
    expect(lines.map((line) => line.slice(0, 30))).toEqual([
      'warn clicks: less than half of',
      'warn clicks: none of the feedb',
    ]);
  });

  it('reports what only the records show, once while it lasts', async () => {
    const { at, watch, lines, shown } = watching();
    shown.findings = [prefix];
    for (const minute of [0, 1, 2, 11, 12, 21]) {
      shown.findings = [{ ...prefix, remedy: `Log one id (${minute}).` }];
      await at(minute);
    }
    expect(lines).toEqual(['warn The feedback writes "web-" before the request id. Log one id (1).']);
    expect(watch.findings).toHaveLength(1);
    shown.findings = [];
    for (const minute of [40, 41]) await at(minute);
    expect(lines[1]).toBe('info ids_differ_by_prefix is over');
  });

  it('says once more what the records say of what the counts told', async () => {
    const { at, lines, shown } = watching();
    shown.findings = [
      { code: 'most_invalid', topic: 'clicks', cause: 'missing_field 5.', remedy: 'missing_field: requestId.' },
    ];
    for (const minute of [0, 1, 2, 3]) await at(minute, { invalid: 0.8 });
    expect(lines).toEqual([
      expect.stringContaining('80 % of the records cannot be used lately.'),
      'warn clicks: missing_field 5. missing_field: requestId.',
    ]);
  });

  it('goes on without the records, and says so once', async () => {
    const { at, lines, shown } = watching();
    shown.findings = undefined;
    for (const minute of [1, 61, 121]) await at(minute);
    expect(lines).toEqual(['info the newest records could not be looked at for what is wrong with them']);
  });

  it('looks at nothing while no partition is owned', () => {
    const { watch, looks } = watching();
    for (const minute of [0, 1, 61]) watch.update([], minute * MINUTE);
    expect(looks).toEqual([]);
  });
});
