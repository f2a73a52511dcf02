import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT, readCompose, readRoot } from './compose-file.ts';

const FOLDER = 'deploy/grafana/provisioning';

/** What we use of Grafana's files for provisioning; any other key is an error. */
const datasources = z.strictObject({
  apiVersion: z.literal(1),
  datasources: z.array(
    z.strictObject({
      name: z.string(),
      type: z.literal('prometheus'),
      uid: z.string().regex(/^[a-z-]{1,40}$/),
      access: z.literal('proxy'),
      url: z.string(),
      isDefault: z.boolean(),
      editable: z.literal(false),
      jsonData: z.strictObject({ httpMethod: z.enum(['GET', 'POST']), timeInterval: z.string() }),
    }),
  ),
});
const dashboards = z.strictObject({
  apiVersion: z.literal(1),
  providers: z.array(
    z.strictObject({
      name: z.string(),
      type: z.literal('file'),
      folder: z.string(),
      disableDeletion: z.boolean(),
      allowUiUpdates: z.literal(false),
      updateIntervalSeconds: z.number().int().positive(),
      options: z.strictObject({ path: z.string() }),
    }),
  ),
});

const { services } = readCompose();

/** Where a path in Grafana's container lies in the checkout. */
function onHost(path: string): string {
  const found = services['grafana'].volumes
    .map((volume) => volume.split(':'))
    .find(([source, target]) => source.startsWith('.') && (path === target || path.startsWith(`${target}/`)));
  if (found === undefined) throw new Error(`${path} is not mounted`);
  return join(ROOT, found[0], path.slice(found[1].length));
}

describe('Grafana in docker-compose.yml', () => {
  it('asks the Prometheus of the compose file, at its port', () => {
    const [source, ...others] = datasources.parse(parse(readRoot(`${FOLDER}/datasources/prometheus.yml`))).datasources;
    expect(others).toEqual([]);
    const { hostname, port } = new URL(source.url);
    expect(services[hostname].ports).toContain(`127.0.0.1:${port}:${port}`);
    const { global } = parse(readRoot('deploy/prometheus/compose/prometheus.yml'));
    expect(source.jsonData.timeInterval).toBe(global.scrape_interval);
  });

  it('takes both dashboards from where they are mounted', () => {
    const [provider] = dashboards.parse(parse(readRoot(`${FOLDER}/dashboards/receval.yml`))).providers;
    expect(readdirSync(onHost(provider.options.path)).sort()).toEqual([
      'receval-pipeline.json',
      'receval-quality.json',
    ]);
    expect(onHost('/etc/grafana/provisioning')).toBe(join(ROOT, FOLDER));
  });

  it('lets nobody in who could change anything, and begins with the dashboard on quality', () => {
    const ini = new Map(
      [...readRoot('deploy/grafana/grafana.ini').matchAll(/^(\w+) = (.+)$/gm)].map(([, k, v]) => [k, v]),
    );
    expect(ini.get('org_role')).toBe('Viewer');
    expect(ini.get('disable_login_form')).toBe('true');
    expect(ini.get('disable_initial_admin_creation')).toBe('true');
    expect(existsSync(onHost(ini.get('default_home_dashboard_path') ?? ''))).toBe(true);
  });
});
