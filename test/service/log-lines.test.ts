import { expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

itWith(SERVERS, 'what the client of Redis prints is a line of the log like all others', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    // Nobody asks for it: the user default of this server has none.
    stand.configure({ redis: { url: servers.redis.url, password: 'c4n4ry-unneeded' } });
    const service = stand.run();
    await service.printedOnce(/receval is running/);
    expect(await service.stop()).toBe(0);
    const lines = service.printed.trim().split('\n');
    const read = lines.map((line): { readonly level?: number; readonly msg?: string } => JSON.parse(line));
    expect(read.filter(({ msg }) => /does not require a password/.test(msg ?? ''))[0]).toMatchObject({ level: 40 });
    expect(service.printed).not.toContain('c4n4ry');
  });
});
