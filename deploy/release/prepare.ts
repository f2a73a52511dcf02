/**
 * Makes what a release publishes, and checks it; publishes nothing.
 *
 *   npm run release:prepare -- --output folder [--tag v1.2.3]
 *
 * Without a tag it is a dry run: the version may be one that is not in the changelog yet. In the folder: the package, its bill of
 * materials, the notes, the arguments of the image, and SHA256SUMS of all.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { billProblems, steadyBill } from './sbom.ts';
import { optionsOf, wrongUsage } from './usage.ts';
import { readRelease } from './version.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const USAGE = 'npm run release:prepare -- --output folder [--tag v1.2.3]';

const values = optionsOf({ output: { type: 'string' }, tag: { type: 'string' } }, USAGE);
if (values.output === undefined) wrongUsage('name a folder that is not there yet: --output release', USAGE);
const output = resolve(values.output);
if (existsSync(output)) wrongUsage(`--output: ${values.output} is there already; name a folder that is not`, USAGE);

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const release = readRelease(read, values.tag);
if (release.problems.length > 0) {
  process.stderr.write(`not released:\n${release.problems.map((line) => `  ${line}\n`).join('')}`);
  process.exit(1);
}

mkdirSync(output, { recursive: false });
const archive = packTwice(output);
const sbom = `${release.name}-${release.version}.cdx.json`;
const epoch = commitSeconds();
const revision = git(['rev-parse', 'HEAD']);
const bill = steadyBill(
  run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']),
  read('package-lock.json'),
  epoch,
);
const problems = billProblems(bill, read('package-lock.json'));
if (problems.length > 0) throw new Error(`the bill of materials is wrong:\n${problems.join('\n')}`);
writeFileSync(join(output, sbom), bill);
writeFileSync(join(output, 'notes.md'), `${release.notes}\n`);

/** Labels are those of the OCI image specification; the time makes that a second build has the same. */
const created = new Date(epoch * 1000).toISOString();
const labels = [
  `org.opencontainers.image.title=${release.name}`,
  `org.opencontainers.image.version=${release.version}`,
  `org.opencontainers.image.revision=${revision}`,
  `org.opencontainers.image.created=${created}`,
  'org.opencontainers.image.licenses=Apache-2.0',
];
writeFileSync(join(output, 'image.labels'), `${labels.join('\n')}\n`);
const sums = [archive, sbom, 'notes.md', 'image.labels'].map((name) => `${sha256(join(output, name))}  ${name}\n`);
writeFileSync(join(output, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`${release.name} ${release.version} of ${revision}\n${sums.join('')}`);

const outputs = process.env['GITHUB_OUTPUT'];
if (outputs !== undefined) {
  // Who installs the package without a version gets no release candidate.
  const channel = release.version.includes('-') ? 'next' : 'latest';
  const told = { version: release.version, archive, sbom, epoch, channel };
  appendFileSync(
    outputs,
    Object.entries(told)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
}

/** The package's name. Packed twice, as nobody can verify what is different each time. */
function packTwice(target: string): string {
  const again = mkdtempSync(join(tmpdir(), 'receval-release-'));
  try {
    const archives = [target, again].map((folder) => {
      run('npm', ['pack', '--silent', `--pack-destination=${folder}`]);
      const [name] = readdirSync(folder).filter((one) => one.endsWith('.tgz'));
      return join(folder, name);
    });
    const [first, second] = archives.map(sha256);
    if (first !== second) {
      renameSync(archives[1], join(target, 'second.tgz'));
      throw new Error(`two packages of one checkout differ: ${archives[0]} and second.tgz beside it`);
    }
    return archives[0].slice(target.length + 1);
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** When the commit was made: SOURCE_DATE_EPOCH (reproducible-builds.org) decides if it is set. */
function commitSeconds(): number {
  const given = process.env['SOURCE_DATE_EPOCH'] ?? git(['log', '-1', '--format=%ct']);
  const seconds = Number(given);
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new Error(`SOURCE_DATE_EPOCH: ${given} is no time in seconds`);
  return seconds;
}

function git(args: readonly string[]): string {
  return run('git', args).trim();
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, [...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
