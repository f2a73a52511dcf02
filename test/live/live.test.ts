import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { HistoryQuestion } from '../../src/exporter/exporter-contract.ts';
import { LivePage } from '../../src/live/live.ts';
import { pagesOf } from '../../src/live/live-pages.ts';
import { freshnessFacts } from '../../src/page/live-page.tsx';
import type { ListSamples } from '../../src/unit/samples.ts';
import { HOSTILE } from '../page/views.ts';
import { historyUpTo, liveInput, SETTINGS, sampled } from './live-input.ts';

function live(name = 'B', cohorts = 0): LivePage {
  const page = new LivePage(SETTINGS, {
    ready: () => ({ ready: true, reasons: [], stopped: [{ partition: 1, cause: 'gap' }] }),
    history: historyUpTo(2),
  });
  for (const minute of [0, 1, 2]) page.update(liveInput(name, minute, cohorts));
  return page;
}

const ready = () => ({ ready: true, reasons: [], stopped: [] });

function stateOf(page: LivePage): Record<string, unknown> {
  return JSON.parse(page.state.body);
}

describe('the live page', () => {
  it('is made once for all who ask, and anew after a change', () => {
    const page = live();
    expect(page.html()).toBe(page.html());
    expect(page.state).toBe(page.state);
    const { etag } = page.html();
    page.update(liveInput('B', 2));
    expect(page.html().etag).toBe(etag);
    page.update(liveInput('B', 3));
    expect(page.html().etag).not.toBe(etag);
  });

  it('is what a page would be that nobody has looked at before', () => {
    let isReading = true;
    const { samples } = sampled('r1');
    const history = (question: HistoryQuestion) => ({ ...historyUpTo(isReading ? 1 : 2)(question), isReading });
    const make = () => new LivePage(SETTINGS, { ready, history, samples });
    const looked = make();
    const [first, second] = [liveInput('B', 1), liveInput('B', 2)];
    const { snapshot, now } = first;
    if (snapshot === undefined) throw new Error('there is a snapshot');
    const inputs = [
      first,
      // A second later, the older hours have been read.
      { ...first, now: now + 1000 },
      // One part after the other.
      { ...first, now: now + 2000, snapshot: { ...snapshot, experiments: [] } },
      { ...first, now: now + 3000, snapshot: { ...snapshot, rows: [...(second.snapshot?.rows ?? [])] } },
      { ...first, now: now + 4000, snapshot: undefined },
      second,
    ];
    for (const [i, input] of inputs.entries()) {
      isReading = i === 0;
      looked.update(input);
      const fresh = make();
      for (const before of inputs.slice(0, i + 1)) fresh.update(before);
      for (const query of ['', 'window=5m', 'cohort=B', 'measure=mrr&lists=last']) {
        expect(looked.html(query).body).toBe(fresh.html(query).body);
        expect(looked.cohorts(query).body).toBe(fresh.cohorts(query).body);
        expect(looked.report(query).body).toBe(fresh.report(query).body);
      }
    }
  });

  it('says how fresh it is, how fast, and how feedback joins', () => {
    expect(stateOf(live())).toMatchObject({
      version: 1,
      ready: true,
      now: '2026-11-21T12:02:00.000Z',
      verdict: { badge: 'regressed' },
      freshness: { age: 30, listsPerSecond: 10, joined: 0.8, partitions: { owned: 2, stopped: 1 } },
      pipeline: { impressions: { read: 110, accepted: 100 }, feedback: { read: 500, attributed: 400 } },
    });
  });

  it.each([
    [0, '0 s'],
    [119, '119 s'],
    [120, '2 min'],
    [7169, '119 min'],
    [7170, '2 h 0 min'],
    [7200, '2 h 0 min'],
    [91_860, '25 h 31 min'],
  ])('says that %d seconds are %s', (age, words) => {
    const known = { listsPerSecond: null, joined: null, partitions: null };
    expect(freshnessFacts({ ...known, age })[0]).toEqual(['watermark behind', words]);
  });

  it('shows the history of each variant as the exporter has it, the control first', () => {
    const page = new LivePage(SETTINGS, { ready, history: historyUpTo(2) });
    page.update(liveInput('B', 2));
    expect(stateOf(page)['history']).toMatchObject({
      measure: 'ndcg@10',
      window: '5m',
      series: [
        { name: 'A', points: [{ value: 0.45 }, { value: 0.45 }, { value: 0.45 }] },
        { name: 'B', points: [{ value: 0.35 }, { value: 0.34 }, { value: 0.33 }] },
      ],
    });
  });

  it('asks for no history while nobody looks, and once for all who do', () => {
    let asked = 0;
    const history = (question: HistoryQuestion) => {
      asked++;
      return historyUpTo(2)(question);
    };
    const page = new LivePage(SETTINGS, { ready, history });
    for (const minute of [0, 1, 2]) page.update(liveInput('B', minute));
    expect(asked).toBe(0);
    for (let i = 0; i < 3; i++) expect(page.html().body + page.state.body).toContain('0.33');
    expect(asked).toBe(2);
  });

  it('keeps the last numbers when the store does not answer', () => {
    const page = live();
    page.update({ ...liveInput('B', 5), snapshot: undefined });
    expect(stateOf(page)['cohorts']).toHaveLength(6);
  });

  it('says what is wrong, and what to do', () => {
    const page = new LivePage(SETTINGS, {
      ready: () => ({ ready: false, reasons: ['Redis is not connected'], stopped: [] }),
    });
    expect(stateOf(page)).toMatchObject({
      verdict: { badge: 'not ready', sentence: 'Not ready: Redis is not connected.' },
      freshness: { age: null, listsPerSecond: null, joined: null, partitions: null },
    });
    expect(page.html().body).toContain('Not ready: Redis is not connected.');
    expect(live().html().body).toContain('Partition 1 is stopped: gap.');
  });

  it('makes a report of what it shows, the same bytes for equal input', () => {
    const report = live().report();
    expect(live().report()).toEqual(report);
    const page = live();
    expect(page.report()).toBe(page.report());
    const text = report.body
      .replace(/<style>[\s\S]*?<\/style>/, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ');
    for (const words of [
      'Service default',
      'regressed',
      'as of 2026-11-21 12:02:00 UTC',
      'Partition 1 is stopped: gap.',
      'ndcg@10 over time',
      'Every measure',
      'By variant',
      'at 30m, over the last 1h',
      'At rank 1: A 40',
      'What became of the events',
      'Partitions of this process',
      'control A',
    ]) {
      expect(text).toContain(words);
    }
    expect(report.body).not.toMatch(/<script|<a[^>]* data-view|<form|http\.samples/);
  });

  it('makes a report over the window of the page, and by its measure', () => {
    const { body } = live().report('window=5m&measure=mrr&sort=mrr&cohort=B');
    const text = body.replace(/<[^>]+>/g, '');
    expect(text).toContain('at 30m, over the last 5m');
    expect(text).toContain('At rank 1: A 50\u00A0%, B 30\u00A0%');
    expect(text).toContain('mrr over time');
    expect(body).toContain('name="m" id="m-1" value="1" checked/><label for="m-1"><bdi class="name">mrr</bdi>');
    const json = /;base64,([^"]+)"/.exec(body)?.[1] ?? '';
    const state = JSON.parse(Buffer.from(json, 'base64').toString('utf8'));
    expect(state).toMatchObject({ version: 1, history: { measure: 'mrr' }, positions: { window: '5m' } });
    expect(live().html('window=5m&sort=mrr').body).toContain('href="/api/v1/report?window=5m"');
  });

  it('makes a report before anything was read, and says why there is nothing', () => {
    const page = new LivePage(SETTINGS, { ready: () => ({ ready: false, reasons: ['it starts'], stopped: [] }) });
    expect(page.report().body).toContain('Not ready: it starts.');
  });

  it('stays small with ten thousand cohorts', () => {
    const page = live('B', 10_000);
    expect(page.html().body.length).toBeLessThan(1_000_000);
    expect(page.state.body.length).toBeLessThan(1_000_000);
    expect(page.report().body.length).toBeLessThan(3_000_000);
    expect(page.report().body).toContain('the page of the service lists all');
    // Those with most lists are there.
    expect(page.html().body).toContain('cohort 9999');
  });

  function withLists(samples: ListSamples | undefined): LivePage {
    const page = new LivePage(SETTINGS, { ready: () => ({ ready: true, reasons: [], stopped: [] }), samples });
    page.update(liveInput('B', 0));
    return page;
  }

  it('shows single lists with what was done with them, and as JSON', () => {
    const page = withLists(sampled('r1').samples);
    const json = JSON.parse(page.lists.body);
    const list = {
      requestId: 'r1',
      shownAt: '1970-01-01T00:00:00.000Z',
      length: 100,
      moreFeedback: 0,
      measures: { 'ndcg@10': 1 / Math.log2(3), mrr: 0.5 },
      dropped: [{ reason: 'not_in_list', itemId: 'not r1', action: 'r1', happenedAt: '1970-01-01T00:00:02.000Z' }],
    };
    expect(json).toMatchObject({ version: 1, ids: 'shown', horizon: '30m', primary: 'ndcg@10', last: [list] });
    expect(json).toMatchObject({ worst: [list], missed: [list], dropped: [{ reason: 'not_in_list' }] });
    expect(json.last[0].items[1]).toEqual({
      rank: 2,
      item: 'r1',
      grade: 1,
      feedback: [{ action: 'click', value: null, seconds: 1.5 }],
    });
    expect(json.last[0].items).toHaveLength(40);
    const { body } = page.html();
    expect(body).toContain('feedback at rank 2');
    expect(body).toContain('+ 80 more items');
    expect(body).toContain('<a href="?lists=last#lists" data-view="true">Show the last 1 list</a>');
    expect(body).not.toContain('The last lists');
    const all = page.html('lists=last').body;
    expect(all).toContain('The last lists');
    expect(all).toContain('<a href="?#lists" data-view="true">Hide the last 1 list</a>');
    expect(stateOf(page)['lists']).toBeUndefined();
  });

  it('makes the lists once for all who ask, and keeps their version while none has closed', () => {
    const page = withLists(sampled('r1').samples);
    expect(page.lists).toBe(page.lists);
    const { etag } = page.lists;
    page.update(liveInput('B', 1));
    expect(page.lists.etag).toBe(etag);
  });

  it('shows how often each rank is clicked, the control first, at the longest horizon', () => {
    expect(stateOf(live())['positions']).toEqual({
      by: ['variant'],
      horizon: '30m',
      ranks: 3,
      window: '1h',
      lines: [
        { name: 'A', exposed: [1000, 990, 500], positives: [400, 200, 100] },
        { name: 'B', exposed: [1000, 990, 500], positives: [200, 150, 100] },
      ],
    });
    const { body } = live().html();
    expect(body).toContain('At rank 1: A 40\u00A0%, B 20\u00A0% (−50.0\u00A0%).');
    expect(body).toContain('A list is counted here 30m after it was shown.');
  });

  it('says how to count by rank where nothing is', () => {
    const page = new LivePage(
      { ...SETTINGS, positions: { ...SETTINGS.positions, ranks: 0 } },
      { ready: () => ({ ready: true, reasons: [], stopped: [] }) },
    );
    page.update(liveInput('B', 0));
    expect(stateOf(page)['positions']).toBeNull();
    expect(page.html().body).toContain('positions: {ranks: 10}');
  });

  it('says how to see single lists where none are kept', () => {
    expect(withLists(undefined).html().body).toContain('http.samples: 50');
    expect(withLists(undefined).hasLists).toBe(false);
  });

  const tags = (html: string): readonly string[] => [...html.matchAll(/<(\/?[a-zA-Z][\w-]*)/g)].map(([, tag]) => tag);
  const plain = tags(live('B').html().body);

  it.each(HOSTILE)('takes the name %j for text', (name) => {
    const { body } = live(name).html();
    expect(tags(body)).toEqual(plain);
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    expect(body).not.toMatch(/\sstyle=|\son\w+="/);
  });

  it.each(HOSTILE)('takes %j in the address for text', (name) => {
    // With a comma it would be two values, of another set.
    const one = encodeURIComponent(name.replaceAll(',', ' '));
    const asked = (text: string): string => `filter=${text}&cohort=${text}&sort=${text}&theme=${text}&measure=${text}`;
    const page = live('B');
    const { body } = page.html(asked(one));
    expect(tags(body)).toEqual(tags(page.html(asked('nothing')).body));
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    expect(body).not.toMatch(/\sstyle=|\son\w+="/);
  });

  it.each(HOSTILE)('takes %j for text as a topic, a cause, a finding, a remedy and a reason', (name) => {
    const made = (text: string): string => {
      const ready = () => ({ ready: false, reasons: [text], stopped: [{ partition: 1, cause: text }] });
      const page = new LivePage(SETTINGS, { ready, history: historyUpTo(2), about: [[text, text]] });
      const { status, ...rest } = liveInput('B', 1);
      if (status === undefined) throw new Error('there is a status');
      const findings = [{ code: 'few_joined' as const, topic: text, cause: text, remedy: text }];
      page.update({ ...rest, findings, status: { ...status, topics: [text, 'feedback'] } });
      return page.html().body + page.report().body;
    };
    const body = made(name);
    expect(tags(body)).toEqual(tags(made('B')));
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
  });

  it('is small: what is loaded before anything is seen', () => {
    const { script, style } = pagesOf(live());
    expect(gzipSync(script).length).toBeLessThan(15_000);
    expect(gzipSync(script + style).length).toBeLessThan(150_000);
  });

  const reported = tags(live('B').report().body);

  it.each(HOSTILE)('takes the name %j for text in its report', (name) => {
    const { body } = live(name).report();
    expect(tags(body)).toEqual(reported);
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
  });

  const lists = tags(withLists(sampled('r1').samples).html().body);

  it.each(HOSTILE)('takes the id %j for text', (id) => {
    const page = withLists(sampled(id).samples);
    const { body } = page.html();
    expect(tags(body)).toEqual(lists);
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    expect(body).not.toMatch(/\sstyle=|\son\w+="/);
    expect(JSON.parse(page.lists.body).last[0].requestId.slice(0, 64)).toBe(id.slice(0, 64));
  });
});
