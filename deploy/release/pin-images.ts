/**
 * Puts the digests of images behind their versions, where a registry can be reached.
 *
 *   npm run pin-images                                        by Docker
 *   npm run pin-images -- --registry http://127.0.0.1:5000    by that registry; REGISTRY_LOGIN=user:password if it wants one
 *   npm run pin-images -- --kustomization overlay/kustomization.yaml    the image that an overlay runs, in place of the others
 *
 * All digests are known before a file is written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pinKustomization, pinText } from './pins.ts';
import { byDocker, byRegistry } from './registry.ts';
import { optionsOf } from './usage.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = ['docker-compose.yml', 'deploy/Dockerfile'];
/** What is built here has no digest before it is pushed. */
const OWN = 'receval';

const values = optionsOf(
  { registry: { type: 'string' }, kustomization: { type: 'string' } },
  'npm run pin-images -- [--registry URL] [--kustomization FILE]',
);
const ask = values.registry === undefined ? byDocker : byRegistry(values.registry, process.env['REGISTRY_LOGIN']);

const pinned: { readonly path: string; readonly before: string; readonly after: string }[] = [];
if (values.kustomization === undefined) {
  for (const path of FILES.map((one) => resolve(ROOT, one))) {
    const before = readFileSync(path, 'utf8');
    pinned.push({ path, before, after: await pinText(before, OWN, ask) });
  }
} else {
  const path = resolve(values.kustomization);
  const before = readFileSync(path, 'utf8');
  pinned.push({ path, before, after: await pinKustomization(before, ask) });
}
for (const { path, before, after } of pinned) {
  if (after !== before) writeFileSync(path, after);
  process.stdout.write(`${path}: ${after === before ? 'unchanged' : 'pinned'}\n`);
}
