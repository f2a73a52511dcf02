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
    ready: () => ({
      ready: true,
      reasons: [],
      stopped: [{ partition: 1, cause: 'gap', advice: 'keep records for longer' }],
    }),
    history: historyUpTo(2),
  });
  for (const minute of [0, 1, 2]) page.update(liveInput(name, minute, cohorts));
  return page;
}

const ready = () => ({ ready: true, reasons: [], stopped: [] });

async function stateOf(page: LivePage): Promise<Record<string, unknown>> {
  return JSON.parse((await page.state()).body);
}

describe('the live page', async () => {
  it('is made once for all who ask, and anew after a change', async () => {
    const page = live();
    expect(await page.html()).toBe(await page.html());
    expect(await page.state()).toBe(await page.state());
    const { etag } = await page.html();
    page.update(liveInput('B', 2));
    expect((await page.html()).etag).toBe(etag);
    page.update(liveInput('B', 3));
    expect((await page.html()).etag).not.toBe(etag);
  });

  it('is what a page would be that nobody has looked at before', async () => {
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
        expect((await looked.html(query)).body).toBe((await fresh.html(query)).body);
        expect((await looked.cohorts(query)).body).toBe((await fresh.cohorts(query)).body);
        expect((await looked.report(query)).body).toBe((await fresh.report(query)).body);
      }
    }
  });

  it('is of one moment, whatever is measured while it is drawn', async () => {
    const [page, other] = [live('B', 10_000), live('B', 10_000)];
    const asked = [page.report(), page.html(), page.state(), page.cohorts(), page.lists()];
    page.update(liveInput('B', 3));
    const drawn = await Promise.all(asked);
    const expected = [other.report(), other.html(), other.state(), other.cohorts(), other.lists()];
    expect(drawn).toEqual(await Promise.all(expected));
    other.update(liveInput('B', 3));
    expect(await page.report()).toEqual(await other.report());
  });

  it('lets other work come between two parts of a long report', async () => {
    const page = live('B', 10_000);
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    try {
      await page.report();
    } finally {
      clearInterval(ticking);
    }
    expect(turns).toBeGreaterThan(1);
  });

  it('says how fresh it is, how fast, and how feedback joins', async () => {
    expect(await stateOf(live())).toMatchObject({
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

  it('shows the history of each variant as the exporter has it, the control first', async () => {
    const page = new LivePage(SETTINGS, { ready, history: historyUpTo(2) });
    page.update(liveInput('B', 2));
    expect((await stateOf(page))['history']).toMatchObject({
      measure: 'ndcg@10',
      window: '5m',
      series: [
        { name: 'A', points: [{ value: 0.45 }, { value: 0.45 }, { value: 0.45 }] },
        { name: 'B', points: [{ value: 0.35 }, { value: 0.34 }, { value: 0.33 }] },
      ],
    });
  });

  it('asks for no history while nobody looks, and once for all who do', async () => {
    let asked = 0;
    const history = (question: HistoryQuestion) => {
      asked++;
      return historyUpTo(2)(question);
    };
    const page = new LivePage(SETTINGS, { ready, history });
    for (const minute of [0, 1, 2]) page.update(liveInput('B', minute));
    expect(asked).toBe(0);
    for (let i = 0; i < 3; i++) expect((await page.html()).body + (await page.state()).body).toContain('0.33');
    expect(asked).toBe(2);
  });

  it('keeps the last numbers when the store does not answer', async () => {
    const page = live();
    page.update({ ...liveInput('B', 5), snapshot: undefined });
    expect((await stateOf(page))['cohorts']).toHaveLength(6);
  });

  it('says what is wrong, and what to do', async () => {
    const page = new LivePage(SETTINGS, {
      ready: () => ({ ready: false, reasons: ['Redis is not connected'], stopped: [] }),
    });
    expect(await stateOf(page)).toMatchObject({
      verdict: { badge: 'not ready', sentence: 'Not ready: Redis is not connected.' },
      freshness: { age: null, listsPerSecond: null, joined: null, partitions: null },
    });
    expect((await page.html()).body).toContain('Not ready: Redis is not connected.');
    const { body } = await live().html();
    expect(body).toContain('Partition 1 is stopped: gap.');
    expect(body).toContain('Keep records for longer. receval offsets shows where it stands');
  });

  it('makes a report of what it shows, the same bytes for equal input', async () => {
    const report = await live().report();
    expect(await live().report()).toEqual(report);
    const page = live();
    expect(await page.report()).toBe(await page.report());
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

  it('makes a report over the window of the page, and by its measure', async () => {
    const { body } = await live().report('window=5m&measure=mrr&sort=mrr&cohort=B');
    const text = body.replace(/<[^>]+>/g, '');
    expect(text).toContain('at 30m, over the last 5m');
    expect(text).toContain('At rank 1: A 50\u00A0%, B 30\u00A0%');
    expect(text).toContain('mrr over time');
    expect(body).toContain('name="m" id="m-1" value="1" checked/><label for="m-1"><bdi class="name">mrr</bdi>');
    const json = /;base64,([^"]+)"/.exec(body)?.[1] ?? '';
    const state = JSON.parse(Buffer.from(json, 'base64').toString('utf8'));
    expect(state).toMatchObject({ version: 1, history: { measure: 'mrr' }, positions: { window: '5m' } });
    expect((await live().html('window=5m&sort=mrr')).body).toContain('href="/api/v1/report?window=5m"');
  });

  it('makes a report before anything was read, and says why there is nothing', async () => {
    const page = new LivePage(SETTINGS, { ready: () => ({ ready: false, reasons: ['it starts'], stopped: [] }) });
    expect((await page.report()).body).toContain('Not ready: it starts.');
  });

  it('stays small with ten thousand cohorts', async () => {
    const page = live('B', 10_000);
    expect((await page.html()).body.length).toBeLessThan(1_000_000);
    expect((await page.state()).body.length).toBeLessThan(1_000_000);
    expect((await page.report()).body.length).toBeLessThan(3_000_000);
    expect((await page.report()).body).toContain('the page of the service lists all');
    // Those with most lists are there.
    expect((await page.html()).body).toContain('cohort 9999');
  });

  function withLists(samples: ListSamples | undefined): LivePage {
    const page = new LivePage(SETTINGS, { ready: () => ({ ready: true, reasons: [], stopped: [] }), samples });
    page.update(liveInput('B', 0));
    return page;
  }

  it('shows single lists with what was done with them, and as JSON', async () => {
    const page = withLists(sampled('r1').samples);
    const json = JSON.parse((await page.lists()).body);
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
    const { body } = await page.html();
    expect(body).toContain('feedback at rank 2');
    expect(body).toContain('+ 80 more items');
    expect(body).toContain('<a href="?lists=last#lists" data-view="true">Show the last 1 list</a>');
    expect(body).not.toContain('The last lists');
    const all = (await page.html('lists=last')).body;
    expect(all).toContain('The last lists');
    expect(all).toContain('<a href="?#lists" data-view="true">Hide the last 1 list</a>');
    expect((await stateOf(page))['lists']).toBeUndefined();
  });

  it('makes the lists once for all who ask, and keeps their version while none has closed', async () => {
    const page = withLists(sampled('r1').samples);
    expect(await page.lists()).toBe(await page.lists());
    const { etag } = await page.lists();
    page.update(liveInput('B', 1));
    expect((await page.lists()).etag).toBe(etag);
  });

  it('shows how often each rank is clicked, the control first, at the longest horizon', async () => {
    expect((await stateOf(live()))['positions']).toEqual({
      by: ['variant'],
      horizon: '30m',
      ranks: 3,
      window: '1h',
      lines: [
        { name: 'A', exposed: [1000, 990, 500], positives: [400, 200, 100] },
        { name: 'B', exposed: [1000, 990, 500], positives: [200, 150, 100] },
      ],
    });
    const { body } = await live().html();
    expect(body).toContain('At rank 1: A 40\u00A0%, B 20\u00A0% (−50.0\u00A0%).');
    expect(body).toContain('A list is counted here 30m after it was shown.');
  });

  it('says how to count by rank where nothing is', async () => {
    const page = new LivePage(
      { ...SETTINGS, positions: { ...SETTINGS.positions, ranks: 0 } },
      { ready: () => ({ ready: true, reasons: [], stopped: [] }) },
    );
    page.update(liveInput('B', 0));
    expect((await stateOf(page))['positions']).toBeNull();
    expect((await page.html()).body).toContain('positions: {ranks: 10}');
  });

  it('says how to see single lists where none are kept', async () => {
    expect((await withLists(undefined).html()).body).toContain('http.samples: 50');
    expect(withLists(undefined).hasLists).toBe(false);
  });

  const tags = (html: string): readonly string[] => [...html.matchAll(/<(\/?[a-zA-Z][\w-]*)/g)].map(([, tag]) => tag);
  const plain = tags((await live('B').html()).body);

  it.each(HOSTILE)('takes the name %j for text', async (name) => {
    const { body } = await live(name).html();
    expect(tags(body)).toEqual(plain);
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    expect(body).not.toMatch(/\sstyle=|\son\w+="/);
  });

  it.each(HOSTILE)('takes %j in the address for text', async (name) => {
    // With a comma it would be two values, of another set.
    const one = encodeURIComponent(name.replaceAll(',', ' '));
    const asked = (text: string): string => `filter=${text}&cohort=${text}&sort=${text}&theme=${text}&measure=${text}`;
    const page = live('B');
    const { body } = await page.html(asked(one));
    expect(tags(body)).toEqual(tags((await page.html(asked('nothing'))).body));
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    expect(body).not.toMatch(/\sstyle=|\son\w+="/);
  });

  it.each(HOSTILE)('takes %j for text as a topic, a cause, a finding, a remedy and a reason', async (name) => {
    const made = async (text: string): Promise<string> => {
      const ready = () => ({ ready: false, reasons: [text], stopped: [{ partition: 1, cause: text, advice: text }] });
      const page = new LivePage(SETTINGS, { ready, history: historyUpTo(2), about: [[text, text]] });
      const { status, ...rest } = liveInput('B', 1);
      if (status === undefined) throw new Error('there is a status');
      const findings = [{ code: 'few_joined' as const, topic: text, cause: text, remedy: text }];
      page.update({ ...rest, findings, status: { ...status, topics: [text, 'feedback'] } });
      return (await page.html()).body + (await page.report()).body;
    };
    const body = await made(name);
    expect(tags(body)).toEqual(tags(await made('B')));
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
  });

  it('is small: what is loaded before anything is seen', () => {
    const { script, style } = pagesOf(live());
    expect(gzipSync(script).length).toBeLessThan(15_000);
    expect(gzipSync(script + style).length).toBeLessThan(150_000);
  });

  const reported = tags((await live('B').report()).body);

  it.each(HOSTILE)('takes the name %j for text in its report', async (name) => {
    const { body } = await live(name).report();
    expect(tags(body)).toEqual(reported);
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
  });

  const lists = tags((await withLists(sampled('r1').samples).html()).body);

  it.each(HOSTILE)('takes the id %j for text', async (id) => {
    const page = withLists(sampled(id).samples);
    const { body } = await page.html();
    expect(tags(body)).toEqual(lists);
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    expect(body).not.toMatch(/\sstyle=|\son\w+="/);
    expect(JSON.parse((await page.lists()).body).last[0].requestId.slice(0, 64)).toBe(id.slice(0, 64));
  });
});
