/** The example on Kafka: its records, sent as its page says, and its configuration, on servers of the tests. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { offsetsCommand } from '../../src/cli/offsets.ts';
import { ROOT, readCompose, readRoot } from '../deploy/compose-file.ts';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { sharedServers, withStand } from './stand.ts';

const FOLDER = 'examples/kafka';
const PAGE = readRoot(`${FOLDER}/README.md`);
const PRODUCER = 'org.apache.kafka.tools.ConsoleProducer';

/** What the page sends with kafka-console-producer.sh: the flags, and the file that holds the records. */
function sent(): readonly { readonly flags: string; readonly topic: string; readonly file: string }[] {
  const lines = PAGE.matchAll(
    /kafka-console-producer\.sh --bootstrap-server kafka:19092 --topic (\w+) (.+) < (\S+)$/gm,
  );
  return [...lines].map(([, topic, flags, file]) => ({ topic, flags, file }));
}

itWith(sharedServers(), 'the example on Kafka counts every record that it sends', async (servers) => {
  const folder = mkdtempSync(join(tmpdir(), 'receval-example-'));
  try {
    await withStand(servers, async (stand) => {
      const { attribution, ...settings } = parse(readRoot(`${FOLDER}/receval.yaml`));
      // All lists close at once when the topics are idle: those of now, too, which wait for their longest horizon else.
      stand.configure({ ...settings, attribution: { ...attribution, horizons: ['5s', '10s'], idleAfter: '1s' } });
      await stand.makeTopics(2);
      const written = await run('bash', [join(ROOT, FOLDER, 'events.sh')], { cwd: folder });
      expect(written).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(sent().map(({ topic }) => topic)).toEqual(['impressions', 'feedback']);
      for (const { topic, flags, file } of sent()) {
        const own = topic === 'impressions' ? stand.topics.impressions : stand.topics.feedback;
        const args = ['--bootstrap-server', servers.kafka.brokers[0], '--topic', own, ...flags.split(' ')];
        await servers.kafka.tool(PRODUCER, args, readFileSync(join(folder, file), 'utf8'));
      }
      const service = stand.run();
      const stored = await stand.drained(2, service, Date.now() + 1000);
      const counts = stored.flatMap(({ join: { counts } }) => counts);
      const sum = (one: (count: (typeof counts)[number]) => number) =>
        counts.reduce((all, count) => all + one(count), 0);
      expect(sum(({ impressions }) => impressions.accepted)).toBe(600);
      expect(sum(({ feedback }) => feedback.attributed)).toBe(400);
      const doctor = await stand.command(doctorCommand);
      expect(doctor.stdout).toContain(' 0 errors');
      expect(doctor.stdout).not.toContain('warning  join');
      expect(await stand.command(offsetsCommand)).toMatchObject({ code: 0 });
      expect(await service.stop()).toBe(0);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('mounts its configuration into services of docker-compose.yml, where the image reads it', () => {
  const { services } = parse(readRoot(`${FOLDER}/compose.yaml`));
  const shipped = readCompose().services;
  expect(Object.keys(services)).toEqual(['worker', 'exporter']);
  for (const [name, { volumes }] of Object.entries<{ readonly volumes: readonly string[] }>(services)) {
    expect(shipped[name].image).toMatch(/^receval:/);
    for (const [source, target, mode] of volumes.map((volume) => volume.split(':'))) {
      expect(existsSync(posix.join(ROOT, source)), source).toBe(true);
      expect(readRoot('deploy/Dockerfile')).toContain(`WORKDIR ${posix.dirname(target)}\n`);
      expect([posix.basename(target), mode]).toEqual(['receval.yaml', 'ro']);
    }
  }
});
