import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { inspectCommand } from '../../src/cli/inspect.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

/** Lists and clicks in a form of their own, over two partitions. */
function traffic(): readonly Produced[] {
  const at = Date.now() - 600_000;
  return Array.from({ length: 40 }, (_, n): readonly Produced[] => {
    const list = { when: at + n * 1000, rec: { id: `r${n}` }, shelf: [{ sku: `a${n % 7}` }, { sku: `b${n % 5}` }] };
    const click = { when: at + n * 1000 + 4000, rec: `r${n}`, sku: `b${n % 5}`, event: 'click' };
    return [
      { topic: 'impressions', key: `r${n}`, value: JSON.stringify(list) },
      { topic: 'feedback', key: `r${n}`, value: JSON.stringify(click) },
    ];
  }).flat();
}

itWith(
  SERVERS,
  'inspect --kafka says what the newest records of the topics are, and writes a configuration',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(2);
      await stand.produce([
        ...traffic(),
        { topic: 'feedback', key: 'r1', value: null },
        { topic: 'feedback', key: 'r1', value: 'no JSON' },
      ]);
      const folder = mkdtempSync(join(tmpdir(), 'receval-inspect-'));
      const file = join(folder, 'written.yaml');
      try {
        const { code, stdout } = await stand.command(inspectCommand, '--kafka', '--output', 'json', '--write', file);
        const found = JSON.parse(stdout);
        expect(found.join).toMatchObject({ feedback: 40, known: 40, inList: 40 });
        expect(found.join.tried[0]).toMatchObject({ impressions: '/rec/id', feedback: '/rec', share: 1 });
        expect(found.findings.filter(({ level }: { level: string }) => level === 'wrong')).toMatchObject([
          { code: 'bad_rows' },
        ]);
        expect(code).toBe(1);
        const written = readFileSync(file, 'utf8');
        expect(written).toContain(`impressions: {name: ${stand.topics.impressions}}`);
        expect(written).toContain('items.id: /sku');
        expect((await stand.command(inspectCommand, '--kafka')).stdout).toContain(stand.topics.feedback);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  },
);

itWith(SERVERS, 'inspect --kafka says which topic is missing', async (servers) => {
  await withStand(servers, async (stand) => {
    const { code, stderr } = await stand.command(inspectCommand, '--kafka');
    expect(stderr).toContain(`there is no topic ${stand.topics.impressions}, ${stand.topics.feedback}`);
    expect(code).not.toBe(0);
  });
});
