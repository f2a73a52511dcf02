import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import { fetchOnce } from './fetch-once.ts';
import type { Service } from './it-with.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');
/** Validators that are generated from the operator's own Go types. They know what is required and which values may be; not unknown fields. */
const PACKAGE = '@kubernetes-models/prometheus-operator@6.0.0';
const FOLDER = join(CACHE, 'prometheus-operator-models-6.0.0');

/** What is wrong with objects of the Prometheus Operator, a line each; empty: nothing. */
export type ValidateCustom = (objects: readonly unknown[]) => Promise<string>;

export const OPERATOR_MODELS: Service<ValidateCustom> = {
  name: 'models of the Prometheus Operator',
  async get() {
    const npm = onPath('npm', process.env['PATH'] ?? '');
    mkdirSync(CACHE, { recursive: true });
    await fetchOnce(
      `${FOLDER}.lock`,
      () => existsSync(FOLDER),
      () => fetchPackage(npm),
    );
    return validate;
  },
};

async function fetchPackage(npm: string | undefined): Promise<void> {
  if (npm === undefined) throw new ServiceMissing('there is no npm on the PATH');
  process.stderr.write(`tests: fetching ${PACKAGE} into ${FOLDER}\n`);
  const part = mkdtempSync(join(CACHE, 'operator-models-part-'));
  try {
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    const made = await run(npm, ['install', ...quietly, `--prefix=${part}`, PACKAGE], { env: process.env });
    if (made.code !== 0) throw new ServiceMissing(`npm cannot get ${PACKAGE} (${made.stderr.slice(-300)})`);
    renameSync(part, FOLDER);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** A program of its own, since what the package exports has no types that we know here. */
const PROGRAM = `
import * as models from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
let text = '';
for await (const chunk of process.stdin) text += chunk;
for (const one of JSON.parse(text)) {
  try {
    if (models[one.kind] === undefined) throw new Error('the operator has no such kind');
    new models[one.kind](one).validate();
  } catch (error) {
    console.log(one.kind + ' ' + one.metadata?.name + ': ' + error.message);
  }
}`;

function validate(objects: readonly unknown[]): Promise<string> {
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd: FOLDER });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => settle(code === 0 ? said : `${said}exit code ${code}`));
    child.stdin.end(JSON.stringify(objects));
  });
}
