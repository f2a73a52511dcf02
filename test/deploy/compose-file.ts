import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const ROOT = resolve(import.meta.dirname, '../..');

export function readRoot(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8');
}

const words = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const scalar = z.union([z.string(), z.number()]).transform(String);

/** What we use of the Compose specification (compose-spec.io); any other key is an error. */
const service = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  profiles: z.array(z.string()).default([]),
  entrypoint: words.default([]),
  command: words.default([]),
  environment: z.record(z.string(), scalar).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']),
      }),
    )
    .default({}),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({
        test: z.array(z.string()).min(2),
        interval: z.string(),
        timeout: z.string(),
        start_period: z.string(),
        retries: z.number().int().positive(),
      }),
    ])
    .optional(),
  restart: z.string().optional(),
  mem_limit: z.string().regex(/^[1-9]\d*[mg]$/),
  stop_grace_period: z.string().optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  network_mode: z.literal('none').optional(),
  cap_drop: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).default([]),
  pids_limit: z.number().int().positive().optional(),
  security_opt: z.array(z.string()).optional(),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }).optional(),
});

const compose = z.object({
  name: z.string(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

export type ComposeFile = z.output<typeof compose>;
export type ComposeService = z.output<typeof service>;

/** The file with its anchors and merges resolved. @throws ZodError for what the specification has otherwise. */
export function parseCompose(text: string): ComposeFile {
  const document: unknown = parse(text, { merge: true });
  const { success, data } = z.record(z.string(), z.unknown()).safeParse(document);
  const strangers = success
    ? Object.keys(data).filter((key) => !key.startsWith('x-') && !(key in compose.shape))
    : ['all of it'];
  if (strangers.length > 0) throw new Error(`unknown at the top: ${strangers.join(', ')}`);
  return compose.parse(document);
}

export function readCompose(): ComposeFile {
  return parseCompose(readRoot('docker-compose.yml'));
}

/** A service that is meant to end by itself. */
export function isOneShot({ restart }: ComposeService): boolean {
  return restart?.startsWith('on-failure') === true;
}
