import { describe, expect, it } from 'vitest';
import { LivePage } from '../../src/live/live.ts';
import { HOSTILE } from '../page/views.ts';
import { liveInput, SETTINGS } from './live-input.ts';

function live(name = 'B', cohorts = 0): LivePage {
  const page = new LivePage(SETTINGS, {
    ready: () => ({ ready: true, reasons: [], stopped: [{ partition: 1, cause: 'gap' }] }),
  });
  for (const minute of [0, 1, 2]) page.update(liveInput(name, minute, cohorts));
  return page;
}

function stateOf(page: LivePage): Record<string, unknown> {
  return JSON.parse(page.state.body);
}

describe('the live page', () => {
  it('is made once for all who ask, and anew after a change', () => {
    const page = live();
    expect(page.html).toBe(page.html);
    expect(page.state).toBe(page.state);
    const { etag } = page.html;
    page.update(liveInput('B', 2));
    expect(page.html.etag).toBe(etag);
    page.update(liveInput('B', 3));
    expect(page.html.etag).not.toBe(etag);
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

  it('keeps the history of each variant, a point for each closed pane, the control first', () => {
    const page = live();
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
    expect(page.html.body).toContain('Not ready: Redis is not connected.');
    expect(live().html.body).toContain('Partition 1 is stopped: gap.');
  });

  it('stays small with ten thousand cohorts', () => {
    const page = live('B', 10_000);
    expect(page.html.body.length).toBeLessThan(1_000_000);
    expect(page.state.body.length).toBeLessThan(1_000_000);
    // Those with most lists are there.
    expect(page.html.body).toContain('cohort 9999');
  });

  const tags = (html: string): readonly string[] => [...html.matchAll(/<(\/?[a-zA-Z][\w-]*)/g)].map(([, tag]) => tag);
  const plain = tags(live('B').html.body);

  it.each(HOSTILE)('takes the name %j for text', (name) => {
    const { body } = live(name).html;
    expect(tags(body)).toEqual(plain);
    expect(body.match(/\p{Bidi_Control}|(?!\n)\p{Cc}/gu)).toBeNull();
    expect(body).not.toMatch(/\sstyle=|\son\w+="/);
  });
});
