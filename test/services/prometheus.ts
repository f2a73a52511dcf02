import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { debianProgram } from './debian.ts';
import type { Service } from './it-with.ts';
import { freePort } from './ports.ts';

const PACKAGE = 'prometheus';

/** Path of promtool. @throws ServiceMissing */
export function promtool(): Promise<string> {
  return debianProgram({ command: 'promtool', debianPackage: PACKAGE });
}

export const PROMTOOL: Service<string> = { name: 'promtool', get: promtool };
export const PROMETHEUS: Service<string> = {
  name: 'prometheus',
  get: () => debianProgram({ command: 'prometheus', debianPackage: PACKAGE }),
};

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  /** NaN and infinities as JavaScript has them. */
  readonly value: number;
}

export interface Alert {
  readonly name: string;
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface RunningPrometheus {
  readonly port: number;
  readonly url: string;
  /** An instant query whose answer is a vector or a scalar. */
  readonly query: (promql: string) => Promise<readonly Sample[]>;
  /** Pending and firing alerts. */
  readonly alerts: () => Promise<readonly Alert[]>;
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>;
}

export interface PrometheusOptions {
  /** Text of the configuration, or `configFile`, its path. */
  readonly configYaml?: string;
  readonly configFile?: string;
  /** Text by name, written beside the text of the configuration: its rules. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folder for its data; default a temporary one, removed at the end. */
  readonly dir?: string;
}

const ATTEMPTS = 3;
const PATIENCE_MS = 300_000;

/** A Prometheus of our own, ready to be asked. @throws ServiceMissing, or an Error with what it printed. */
export async function startPrometheus(options: PrometheusOptions): Promise<RunningPrometheus> {
  const program = await PROMETHEUS.get();
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(program, options);
    } catch (error) {
      // Somebody else may have taken the port in between.
      if (attempt === ATTEMPTS || !String(error).includes('address already in use')) throw error;
    }
  }
}

async function start(program: string, options: PrometheusOptions): Promise<RunningPrometheus> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = options.dir ?? mkdtempSync(join(tmpdir(), 'receval-prometheus-'));
  const data = join(folder, 'data');
  const clean = (): void => rmSync(options.dir === undefined ? folder : data, { recursive: true, force: true });

  const configFile = options.configFile ?? join(folder, 'prometheus.yml');
  if (options.configFile === undefined) {
    for (const [name, text] of [['prometheus.yml', options.configYaml ?? ''], ...Object.entries(options.files ?? {})]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }
  const args = [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  child.once('error', (error) => {
    printed += String(error);
  });
  child.stderr.on('data', (chunk) => {
    printed = `${printed}${chunk}`.slice(-10_000);
  });
  const lastResort = (): void => {
    child.kill('SIGKILL');
    clean();
  };
  process.once('exit', lastResort);
  process.once('disconnect', lastResort);
  const stop = async (): Promise<void> => {
    await end(child);
    process.off('exit', lastResort);
    process.off('disconnect', lastResort);
    clean();
  };

  try {
    await ready(`${url}/-/ready`, child, () => printed);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    url,
    query: async (promql) => vector(await read(`${url}/api/v1/query?query=${encodeURIComponent(promql)}`)),
    alerts: async () => alertsOf(await read(`${url}/api/v1/alerts`)),
    stop,
  };
}

async function ready(url: string, child: ChildProcess, printed: () => string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      throw new Error(`prometheus ended at its start:\n${printed()}`);
    }
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    if (Date.now() > until) throw new Error(`prometheus was not ready after ${PATIENCE_MS / 1000} s:\n${printed()}`);
    await sleep(50);
  }
}

/** Asks it to end; after 5 s ends it. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(impatience);
}

async function read(url: string): Promise<unknown> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`prometheus answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}

const labels = z.record(z.string(), z.string());
const value = z.string().transform((text) => (text.endsWith('Inf') ? Number(`${text}inity`) : Number(text)));
const point = z.tuple([z.number(), value]);
const answer = z.object({
  data: z.union([
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: labels, value: point })) }),
    z.object({ resultType: z.literal('scalar'), result: point }),
  ]),
});
const alertList = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.enum(['pending', 'firing']), labels, annotations: labels, value })),
  }),
});

function vector(text: unknown): readonly Sample[] {
  const { data } = answer.parse(text);
  if (data.resultType === 'scalar') return [{ labels: {}, value: data.result[1] }];
  return data.result.map((sample) => ({ labels: sample.metric, value: sample.value[1] }));
}

function alertsOf(text: unknown): readonly Alert[] {
  return alertList.parse(text).data.alerts.map((alert) => ({ name: alert.labels['alertname'] ?? '', ...alert }));
}
