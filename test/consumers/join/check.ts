/** The law of the join: whatever a worker does, the durable results are what the reference makes of the logs. */

import assert from 'node:assert/strict';
import type { TopicCounts } from '../../../src/vocabulary/checkpoint.ts';
import { referenceJoin } from '../../reference/join.ts';
import { allEvents } from '../../reference/logs.ts';
import { expectedClosing } from './closings.ts';
import type { History } from './history.ts';
import { type CreateJoin, Worker } from './worker.ts';

/** How often what was reached: a property that never meets a case says nothing about it. */
export type Reached = Map<string, number>;

/** Throws when the engine differs from the reference at any commit, at the end of the logs, or after everything closed. */
export function checkHistory(create: CreateJoin, history: History, reached: Reached = new Map()): void {
  const worker = new Worker(create, history);
  for (const step of history.steps) {
    const committed = worker.step(step);
    if (committed) compare(worker, history);
    else if (step.do === 'advance' && !worker.engine.replaying) checkIdentity(worker);
    count(reached, committed ? 'commit' : `${step.do}${worker.engine.replaying ? ' in replay' : ''}`);
  }
  worker.finish();
  compare(worker, history);
  checkEnd(worker, history);
  note(worker, history, reached);
  worker.checkCheckpoints();
}

function compare(worker: Worker, { settings }: History): void {
  const { engine } = worker;
  const expected = referenceJoin(settings, worker.logs);
  assert.equal(engine.watermark, expected.watermark, 'watermark');
  assert.deepStrictEqual(engine.counts, expected.counts);
  assert.deepStrictEqual(worker.closings, expected.closings.map(expectedClosing));
  assert.equal(engine.openImpressions, expected.openImpressions, 'open impressions');
  assert.equal(engine.waitingFeedback, expected.waitingFeedback, 'waiting feedback');
  assert.equal(worker.held, expected.openImpressions, 'accepted and not released');
  checkIdentity(worker);
}

/** Every event that was read counts, waits or was dropped, once. */
function checkIdentity({ engine }: Worker): void {
  const sum = (drops: Record<string, number>): number => Object.values(drops).reduce((a, b) => a + b, 0);
  const missing = (side: TopicCounts['feedback']): number => side.read - side.attributed - sum(side.drops);
  for (const { impressions } of engine.counts) {
    assert.equal(
      impressions.read,
      impressions.accepted + sum(impressions.drops),
      'impressions: read = accepted + dropped',
    );
  }
  const waiting = engine.counts.reduce((total, { feedback }) => total + missing(feedback), 0);
  assert.equal(waiting, engine.waitingFeedback, 'feedback: read = attributed + waiting + dropped');
}

/** When the watermark has passed everything, nothing is held, and the whole history is still as the reference has it. */
function checkEnd(worker: Worker, history: History): void {
  const { settings, topics } = history;
  const times = topics.flatMap(({ records }) =>
    records.flatMap((record) => (record.kind === 'read' ? allEvents(record).map(({ ts }) => ts) : [])),
  );
  const last = Math.max(history.frame.origin, ...times);
  const beyond = last + 4 * Math.max(...settings.horizons) + settings.backward + settings.outOfOrderness;
  worker.idleAll(beyond);
  worker.engine.advance();
  compare(worker, history);
  assert.equal(worker.engine.openImpressions, 0);
  assert.equal(worker.engine.waitingFeedback, 0);
  for (const { replay, committed } of worker.engine.checkpoint().topics) {
    assert.equal(replay, committed, 'nothing is held, but a replay would begin before the position');
  }
}

function note(worker: Worker, { settings }: History, reached: Reached): void {
  const { impressions, feedback, closings } = referenceJoin(settings, worker.logs);
  for (const { verdict } of impressions) {
    if (verdict.kind === 'dropped') count(reached, `impression ${verdict.reason}`);
    else count(reached, verdict.missed.length > 0 ? 'impression accepted, missed a horizon' : 'impression accepted');
  }
  for (const { verdict } of feedback) {
    if (verdict.kind === 'dropped') count(reached, `feedback ${verdict.reason} by ${verdict.known}`);
    else if (verdict.kind === 'waiting') assert.fail('feedback waits though everything closed');
    else count(reached, verdict.missed.length > 0 ? 'feedback attributed, missed a horizon' : 'feedback attributed');
  }
  for (const closing of closings) count(reached, closing.feedback.length > 0 ? 'closing with feedback' : 'closing');
}

function count(reached: Reached, what: string): void {
  reached.set(what, (reached.get(what) ?? 0) + 1);
}
