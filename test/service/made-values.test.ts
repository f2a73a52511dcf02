/** What a map makes of a log, and what is left out of it: the same in a topic and in files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { replayCommand } from '../../src/cli/replay.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, sharedServers, withStand } from './stand.ts';

const LISTS = 20;
const BOT_LISTS = 3;

/** MIND's form: labels behind ids, a time of its own format; clicks whose ids have a prefix. */
function records(at: number): readonly Produced[] {
  const all = Array.from({ length: LISTS + BOT_LISTS }, (_, n): readonly Produced[] => {
    const key = `r${n}`;
    const time = new Date(at + n);
    const two = (part: number): string => String(part).padStart(2, '0');
    const date = `${two(time.getUTCDate())}.${two(time.getUTCMonth() + 1)}.${time.getUTCFullYear()}`;
    const clock = `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())}`;
    const user = n < LISTS ? `u${n}` : 'bot-1';
    return [
      {
        topic: 'impressions',
        key,
        at,
        value: JSON.stringify({ id: key, user, time: `${date} ${clock}`, shown: 'N1-0 N2-1 N3-0' }),
      },
      {
        topic: 'feedback',
        key,
        at,
        value: JSON.stringify({ list: `q-${key}`, user, ms: at + n - Date.UTC(2020, 0, 1), item: 'n2' }),
      },
    ];
  }).flat();
  return all;
}

const SERVERS = sharedServers();

itWith(SERVERS, 'one configuration makes the same of a topic and of its files', async (servers) => {
  await withStand(servers, async (stand) => {
    const bots = `${stand.file}.bots`;
    writeFileSync(bots, 'bot-1\n');
    const drop = { userId: { in: bots } };
    const configuration = {
      attribution: { horizons: ['1s'], outOfOrderness: '500ms', idleAfter: '500ms' },
      measures: ['mrr'],
      cohorts: [[]],
      inputs: {
        impressions: {
          timeZone: 'UTC',
          drop,
          adapter: {
            map: {
              requestId: '/id',
              userId: '/user',
              ts: { at: '/time', format: '%d.%m.%Y %H:%M:%S' },
              items: { at: '/shown', split: ' ', label: '-' },
            },
          },
        },
        feedback: {
          drop,
          adapter: {
            map: {
              requestId: { at: '/list', strip: 'q-' },
              userId: { first: ['/account', '/user'] },
              ts: { at: '/ms', timeOrigin: '2020-01-01T00:00:00Z', unit: 'ms' },
              itemId: { join: [{ const: 'N' }, { at: '/item', match: '([0-9]+)$' }] },
              action: { const: 'click' },
            },
          },
        },
      },
    };
    stand.configure(configuration);
    await stand.makeTopics(1);
    const at = Math.floor(Date.now() / 1000) * 1000;
    const log = records(at);
    await stand.produce(log);
    const service = stand.run();
    const [{ join: counted }] = await stand.drained(1, service, at + 1500);
    expect(await service.stop()).toBe(0);
    const [{ impressions }, { feedback }] = counted.counts;
    expect(impressions).toMatchObject({ read: 23, accepted: LISTS, drops: { excluded: BOT_LISTS, invalid: 0 } });
    expect(feedback).toMatchObject({ read: 23, attributed: LISTS, drops: { excluded: BOT_LISTS, orphan: 0 } });

    const fileOf = (topic: Produced['topic']): string => {
      const path = join(stand.file, '..', `${topic}.ndjson`);
      writeFileSync(path, log.flatMap((one) => (one.topic === topic ? `${one.value}\n` : [])).join(''));
      return path;
    };
    const files = ['--impressions', fileOf('impressions'), '--feedback', fileOf('feedback')];
    const replayed = await stand.command(replayCommand, ...files, '--close-all', '--output', 'json');
    const result = JSON.parse(replayed.stdout);
    expect(result.impressions).toMatchObject({ read: 23, accepted: LISTS, drops: impressions.drops });
    expect(result.feedback).toMatchObject({ read: 23, attributed: LISTS, drops: feedback.drops });
    expect(result.rows[0].measures.mrr.value).toBe(0.5);
  });
});
