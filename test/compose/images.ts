/**
 * The images that the shipped files name: those of their makers where they can be pulled, else stand-ins under the same names,
 * made of Debian's packages, npm's Node.js and the jars of Kafka (stand-ins/Dockerfile).
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCompose, readRoot } from '../deploy/compose-file.ts';
import { parseDockerfile } from '../deploy/dockerfile.ts';
import { type Outcome, run } from '../services/commands.ts';
import { ServiceMissing } from '../services/debian.ts';
import { kafkaJars } from '../services/kafka-jars.ts';
import type { Engine } from './engine.ts';
import { fetched } from './fetched.ts';

const STAND_INS = join(import.meta.dirname, 'stand-ins');
const ROOT_IMAGE = 'receval-stand-in:root';
const SHELLS = ['bash', 'busybox-static', 'coreutils', 'dash', 'findutils', 'grep', 'sed'];
const PACKAGES = [
  ...SHELLS,
  'gosu',
  'redis-server',
  'openjdk-17-jre-headless',
  'prometheus',
  'prometheus-alertmanager',
];
const ARCHIVE = 'root.tar';
/** One that comes with the Node.js of deploy/Dockerfile. */
const NPM = 'npm@11.21.2';
/** Where no registry of images is reached, that shows at once; where one hangs, we do not wait for it. */
const TRIED_FOR_MS = 60_000;

/** All that docker-compose.yml and deploy/Dockerfile name and do not build. */
export function imagesOfOthers(): readonly string[] {
  const services = Object.values(readCompose().services);
  const built = new Set(services.filter(({ build }) => build !== undefined).map(({ image }) => image));
  const stages = parseDockerfile(readRoot('deploy/Dockerfile'));
  const own = new Set(stages.map(({ name }) => name));
  const bases = stages.map(({ from }) => from).filter((from) => !own.has(from));
  return [...new Set([...services.map(({ image }) => image).filter((image) => !built.has(image)), ...bases])];
}

/** Sees to it that the engine has them. Returns what it made: stand-ins. @throws ServiceMissing */
export async function provideImages(engine: Engine): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const image of imagesOfOthers()) {
    if ((await engine.docker(['image', 'inspect', '--format', '{{.Id}}', image])).code !== 0) missing.push(image);
  }
  while (missing.length > 0) {
    const pulled = await engine.docker(['pull', '--quiet', missing[0]], { timeoutMs: TRIED_FOR_MS });
    if (pulled.code !== 0) break;
    missing.shift();
  }
  if (missing.length === 0) return [];
  await makeStandIns(engine, missing);
  return [...missing, ROOT_IMAGE];
}

async function makeStandIns(engine: Engine, images: readonly string[]): Promise<void> {
  const versions = [versionOf('node'), versionOf('apache/kafka'), NPM];
  const folder = await fetched('stand-ins', 'fetch-root.sh', PACKAGES, { versions, finish: addPrograms });
  process.stderr.write(`tests: images cannot be pulled; making stand-ins for ${images.join(', ')}\n`);
  const registry = (await done(run('npm', ['config', 'get', 'registry']))).stdout.trim();
  await done(engine.docker(['import', join(folder, ARCHIVE), ROOT_IMAGE]));
  await Promise.all(
    images.map((image) => {
      const target = basename(image.replace(/[:@].*/, ''));
      const words = ['build', '--quiet', '--target', target, '--build-arg', `REGISTRY=${registry}`, '--tag', image];
      return done(engine.docker([...words, STAND_INS]));
    }),
  );
}

function versionOf(name: string): string {
  const image = imagesOfOthers().find((one) => one.startsWith(`${name}:`));
  const version = /:v?(\d+\.\d+\.\d+)/.exec(image ?? '')?.[1];
  if (version === undefined) throw new Error(`no image ${name} with a version`);
  return version;
}

/** What no package of Debian holds: Node.js, npm and Kafka. */
async function addPrograms(folder: string): Promise<void> {
  const root = join(folder, 'root');
  const part = join(folder, 'part');
  mkdirSync(part);
  const packed = async (name: string, target: string, path: string): Promise<void> => {
    const { stdout } = await done(run('npm', ['pack', '--silent', name], { cwd: part }));
    mkdirSync(join(part, target));
    await done(run('tar', ['-xzf', join(part, stdout.trim()), '-C', join(part, target), path]));
  };
  await packed(`node-${process.platform}-${process.arch}@${versionOf('node')}`, 'node', 'package/bin/node');
  await packed(NPM, 'npm', 'package');
  cpSync(join(part, 'node/package/bin/node'), join(root, 'usr/local/bin/node'));
  cpSync(join(part, 'npm/package'), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  rmSync(part, { recursive: true });

  if (versionOf('apache/kafka') !== '4.3.1') throw new Error('the jars of the tests are not of the Kafka of the file');
  const { classPath } = await kafkaJars('4.3.1');
  cpSync(classPath.replace(/\/\*$/, ''), join(root, 'opt/kafka/libs'), { recursive: true });

  const machines = join(root, 'etc/ssl/certs/machine.pem');
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  const trusted = process.env['NODE_EXTRA_CA_CERTS'];
  writeFileSync(machines, trusted === undefined ? '' : readFileSync(trusted));
  const [jvm] = readdirSync(join(root, 'usr/lib/jvm')).filter((name) => name.startsWith('java-17'));
  symlinkSync(`../../lib/jvm/${jvm}/bin/java`, join(root, 'usr/local/bin/java'));
  mkdirSync(join(root, 'busybox'));
  // Both need their root, and Java /proc: they take much from its archive of classes.
  const script = `mount -t proc proc "$0/proc" && chroot "$0" /bin/busybox --install -s /busybox && chroot "$0" /usr/local/bin/java -Xshare:dump`;
  await done(run('unshare', ['--mount', 'sh', '-c', script, root]));
  await done(run('tar', ['--create', '--file', join(folder, ARCHIVE), '--directory', root, '.']));
  rmSync(root, { recursive: true });
}

async function done(outcome: Promise<Outcome>): Promise<Outcome> {
  const { code, stdout, stderr } = await outcome;
  if (code !== 0) throw new ServiceMissing(`the images cannot be had: ${(stdout + stderr).slice(-800)}`);
  return { code, stdout, stderr };
}
