import { describe, expect, it } from 'vitest';
import { CountFindings, type LiveFinding, mergedFindings, type TopicHealth } from '../../src/findings/live-findings.ts';

const fine: TopicHealth = {
  topic: 'clicks',
  joined: 0.9,
  inList: 0.99,
  invalid: 0,
  late: 0,
  future: 0,
  missed: 0,
  accepted: 1,
  impressions: 0,
  feedback: 1000,
  unmapped: [],
};

/** What is told after each of these, one after the other. */
function told(changes: readonly Partial<TopicHealth>[], needsFeedback = true): readonly string[] {
  const findings = new CountFindings(needsFeedback);
  return changes.map((change) =>
    findings
      .of([{ ...fine, ...change }])
      .map(({ code }) => code)
      .join(),
  );
}

describe('findings by counts', () => {
  it('of events that are dated ahead name the time zone, too', () => {
    const [found] = new CountFindings(true).of([{ ...fine, future: 1 }]).filter(({ code }) => code === 'dated_ahead');
    expect(found.remedy).toMatch(/clock.*timeZone.*tsUnit/);
  });

  it('are none where all is well, or nothing is known', () => {
    const unknown = {
      joined: undefined,
      inList: undefined,
      invalid: undefined,
      late: undefined,
      future: undefined,
      missed: undefined,
    };
    expect(told([{}, { ...unknown, accepted: undefined }])).toEqual(['', '']);
  });

  it('begin at a bound, and end at another', () => {
    expect(told([0.5, 0.49, 0.55, 0.6, 0.55].map((joined) => ({ joined })))).toEqual([
      '',
      'few_joined',
      'few_joined',
      '',
      '',
    ]);
    expect(told([0.5, 0.51, 0.41, 0.4].map((invalid) => ({ invalid })))).toEqual([
      '',
      'most_invalid',
      'most_invalid',
      '',
    ]);
    expect(told([0.01, 0.011, 0.006, 0.005].map((future) => ({ future })))).toEqual([
      '',
      'dated_ahead',
      'dated_ahead',
      '',
    ]);
    expect(told([0.049, 0.05, 0.04, 0.039].map((late) => ({ late })))).toEqual([
      '',
      'many_dropped',
      'many_dropped',
      '',
    ]);
    expect(told([0.049, 0.05, 0.04, 0.039].map((missed) => ({ missed })))).toEqual([
      '',
      'late_for_horizon',
      'late_for_horizon',
      '',
    ]);
    expect(told([0.5, 0.49, 0.59, 0.6].map((inList) => ({ inList })))).toEqual([
      '',
      'items_never_match',
      'items_never_match',
      '',
    ]);
    expect(told([0.001, 0.0009, 0.009, 0.01].map((accepted) => ({ accepted })))).toEqual([
      '',
      'nothing_counted',
      'nothing_counted',
      '',
    ]);
  });

  it('say none rather than few', () => {
    expect(told([{ joined: 0.3 }, { joined: 0 }, { joined: 0.3 }])).toEqual([
      'few_joined',
      'nothing_joined',
      'few_joined',
    ]);
  });

  it('miss feedback after many lists, unless no measure asks for it', () => {
    const lists = (impressions: number) => ({ impressions, feedback: 0, joined: undefined, inList: undefined });
    expect(told([lists(4999), lists(5000), { ...lists(9000), feedback: 1 }])).toEqual(['', 'feedback_missing', '']);
    expect(told([lists(5000)], false)).toEqual(['']);
  });
});

describe('findings of counts and of records', () => {
  const of = (code: LiveFinding['code'], cause: string, topic?: string): LiveFinding => ({
    code,
    topic,
    cause,
    remedy: 'do',
  });

  it('are told once, as the records explain them, under the topic of the counts', () => {
    expect(
      mergedFindings(
        [of('most_invalid', 'many', 'clicks'), of('items_never_match', 'few', 'clicks')],
        [of('most_invalid', 'no requestId', 'clicks'), of('items_never_match', 'a prefix')],
      ),
    ).toEqual([of('most_invalid', 'no requestId', 'clicks'), of('items_never_match', 'a prefix', 'clicks')]);
  });

  it('stand beside each other where they are of different things', () => {
    const counts = [of('few_joined', 'few', 'clicks')];
    const records = [of('ids_differ_by_prefix', 'a prefix'), of('nothing_joined', 'none')];
    expect(mergedFindings(counts, records)).toEqual([counts[0], records[0]]);
    expect(mergedFindings([], records)).toEqual([records[1], records[0]]);
  });
});
