import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { Metrics } from '../../src/metrics/registry.ts';
import { startServer } from '../../src/server/server.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { settingsOf } from '../metrics/settings.ts';
import { itWith } from '../services/it-with.ts';
import { PROMETHEUS, startPrometheus } from '../services/prometheus.ts';

/** The scrape configuration that the manual shows. */
function example(): string {
  const manual = readFileSync(resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const [, text] = /```yaml\n(scrape_configs:\n[\s\S]*?credentials_file[\s\S]*?)```/.exec(manual) ?? [];
  if (text === undefined) throw new Error('docs/operations.md shows no scrape configuration with a token');
  return text;
}

itWith(PROMETHEUS, 'Prometheus reads with a token as the manual shows, packed, and not with a wrong one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'receval-token-'));
  const token = join(folder, 'token');
  const metrics = new Metrics(settingsOf(), { role: 'all', version: '1', node: '22' });
  const server = await startServer(
    { host: '127.0.0.1', port: 0, token: { kind: 'text', text: 'a-long-random-text' } },
    {
      metrics: () => metrics.text(),
      contentType: metrics.contentType,
      ready: () => ({ ready: true, reasons: [], stopped: [] }),
      healthy: () => true,
    },
  );
  writeFileSync(token, 'a-long-random-text\n');
  const configYaml = `global: {scrape_interval: 1s}\n${example()}`
    .replace('/etc/prometheus/receval-token', token)
    .replace('10.0.0.5:9464', `127.0.0.1:${server.port}`);
  const prometheus = await startPrometheus({ configYaml });
  const isUp = async () => (await prometheus.query('up{job="receval"}'))[0]?.value;
  try {
    await until('it is scraped', async () => (await isUp()) === 1);
    expect(await prometheus.query('receval_build_info')).toMatchObject([{ labels: { version: '1' }, value: 1 }]);
    writeFileSync(token, 'another\n');
    await until('it is refused', async () => (await isUp()) === 0);
  } finally {
    await prometheus.stop();
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
