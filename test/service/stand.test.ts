import { expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { type RunningService, sharedServers, withStand } from './stand.ts';

itWith(sharedServers(), 'a stand ends what it has started, also where a test fails', async (servers) => {
  const started: RunningService[] = [];
  const failing = withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    started.push(stand.run(), stand.run('--role', 'exporter'));
    await started[0].printedOnce(/unit claimed/);
    throw new Error('an assertion');
  });
  await expect(failing).rejects.toThrow('an assertion');
  expect(started.map(({ isRunning }) => isRunning)).toEqual([false, false]);
});
