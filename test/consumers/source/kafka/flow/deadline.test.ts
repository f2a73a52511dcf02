import { expect, it } from 'vitest';
import { Deadline } from '../../../../../src/consumers/source/kafka/flow/deadline.ts';
import { warningsOf } from '../../../../warnings.ts';

it('any number may wait for a stop, and nobody who is done is remembered', async () => {
  const deadline = new Deadline(1000);
  const warnings = await warningsOf(async () => {
    const sleeping = Array.from({ length: 20 }, () => deadline.sleep(600_000));
    const working = Array.from({ length: 20 }, () => deadline.unlessStopped(new Promise(() => {})));
    deadline.stop();
    await Promise.all(sleeping);
    expect(await Promise.all(working)).toEqual(working.map(() => undefined));
  });
  expect(warnings).toEqual([]);
  expect(await deadline.unlessStopped(Promise.reject(new Error('late')))).toBeUndefined();
});
