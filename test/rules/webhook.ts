import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';

const SHIPPED = resolve(import.meta.dirname, '../../deploy/alertmanager/alertmanager.yml');

const notice = z.object({
  alerts: z.array(z.object({ status: z.enum(['firing', 'resolved']), labels: z.record(z.string(), z.string()) })),
});

export interface Webhook {
  readonly port: number;
  /** `<receiver> firing <alert> <variant>`, each once, in the order in which it came first. */
  readonly told: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** A server that receives alerts. */
export function startWebhook(): Promise<Webhook> {
  const told = new Set<string>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      for (const { status, labels } of notice.parse(JSON.parse(body)).alerts)
        told.add([request.url?.slice(1), status, labels['alertname'], labels['variant']].filter(Boolean).join(' '));
      response.end();
    });
  });
  return new Promise((done, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      done({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        told: () => [...told],
        stop: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

export interface ConfigFile {
  readonly path: string;
  readonly remove: () => void;
}

/** The shipped configuration of Alertmanager without its waits; each receiver is the webhook, under the receiver's name. */
export function quickAlertmanagerConfig(webhook: number): ConfigFile {
  const config = parse(readFileSync(SHIPPED, 'utf8'));
  const quick = { group_wait: '1s', group_interval: '1s' };
  const { routes, ...route } = config.route;
  const text = stringify({
    ...config,
    route: { ...route, ...quick, routes: routes.map((one: object) => ({ ...one, ...quick })) },
    receivers: config.receivers.map(({ name }: { name: string }) => ({
      name,
      webhook_configs: [{ url: `http://127.0.0.1:${webhook}/${name}`, send_resolved: true }],
    })),
  });
  const folder = mkdtempSync(join(tmpdir(), 'receval-webhook-'));
  const path = join(folder, 'alertmanager.yml');
  writeFileSync(path, text);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
