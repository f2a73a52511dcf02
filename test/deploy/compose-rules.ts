import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadSettings } from '../../src/config/load.ts';
import { type ComposeFile, type ComposeService, isOneShot, ROOT } from './compose-file.ts';

/** What is wrong with the file, a line each; empty: nothing. */
export function composeProblems(file: ComposeFile): readonly string[] {
  const problems = Object.entries(file.services).flatMap(([name, service]) =>
    [
      ...image(service),
      ...rights(name, service),
      ...ports(service),
      ...health(service),
      ...secrets(service),
      ...volumes(file, service),
      ...needs(file, service),
      ...settings(service),
    ].map((problem) => `${name}: ${problem}`),
  );
  return [...problems, ...builtTwice(file)];
}

/** Each build gives the image another id: of several the last wins, and `up --build` makes all containers again each time. */
function builtTwice({ services }: ComposeFile): string[] {
  const built = Object.entries(services).filter(([, { build }]) => build !== undefined);
  return built
    .filter(([name, { image }]) => built.some(([other, service]) => other < name && service.image === image))
    .map(([name, { image }]) => `${name}: ${image} is built by another service, too`);
}

function image({ image, build }: ComposeService): string[] {
  const tag = /^[a-z0-9./-]+:([\w.-]+)(?:@sha256:[0-9a-f]{64})?$/.exec(image)?.[1];
  const problems =
    tag !== undefined && /^v?\d+\.\d+\.\d+/.test(tag) ? [] : [`image ${image} is not pinned to a version`];
  if (build !== undefined && !existsSync(resolve(ROOT, build.context, build.dockerfile)))
    problems.push('no Dockerfile');
  return problems;
}

/** What a service needs beside its own user: to become another one, or to give files to it. */
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  secrets: ['CHOWN'],
  token: ['CHOWN'],
  redis: ['CHOWN', 'DAC_READ_SEARCH', 'SETGID', 'SETUID'],
};
/** Their images write into their own root when they start. */
const WRITING = ['kafka', 'grafana'];

function rights(name: string, { cap_drop, cap_add, read_only, security_opt }: ComposeService): string[] {
  const extra = cap_add.filter((one) => CAPABILITIES[name]?.includes(one) !== true);
  return [
    ...(cap_drop?.join() === 'ALL' ? [] : ['keeps capabilities']),
    ...extra.map((one) => `gets the capability ${one}`),
    ...(read_only === true || WRITING.includes(name) ? [] : ['its root can be written']),
    ...(security_opt?.includes('no-new-privileges:true') === true ? [] : ['may gain privileges']),
  ];
}

function ports({ ports }: ComposeService): string[] {
  return ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port)).map((port) => `port ${port} is not on 127.0.0.1`);
}

function health(service: ComposeService): string[] {
  if (isOneShot(service)) return [];
  const problems = service.restart === 'unless-stopped' ? [] : ['is not started again'];
  if (service.healthcheck === undefined) problems.push('has no health check');
  else if ('disable' in service.healthcheck) problems.push('its health check is off, so `up --wait` fails');
  else if ('test' in service.healthcheck && !/^CMD(-SHELL)?$/.test(service.healthcheck.test[0])) {
    problems.push('its health check is no command');
  }
  return problems;
}

/** A password in an address, or a value of a variable that is named like one. */
function secrets({ environment, command, entrypoint, healthcheck }: ComposeService): string[] {
  const named = Object.entries(environment)
    .filter(([name, value]) => /PASS|SECRET|TOKEN|AUTH/i.test(name) && !/_FILE$/.test(name) && value !== '')
    .map(([name]) => `${name} is a secret in the file`);
  const test = healthcheck !== undefined && 'test' in healthcheck ? healthcheck.test : [];
  const written = [...Object.values(environment), ...command, ...entrypoint, ...test]
    .filter((text) => /:\/\/[^\s/@]*:[^\s/@]+@/.test(text) || /--(pass|requirepass|password|auth)\b/.test(text))
    .map((text) => `"${text}" holds a secret`);
  return [...named, ...written];
}

function volumes(file: ComposeFile, { volumes }: ComposeService): string[] {
  return volumes.flatMap((volume) => {
    const [source, target, mode] = volume.split(':');
    if (target === undefined || !target.startsWith('/')) return [`volume ${volume} has no place`];
    if (!source.startsWith('.')) return source in file.volumes ? [] : [`there is no volume ${source}`];
    if (!existsSync(resolve(ROOT, source))) return [`there is no file ${source}`];
    return mode === 'ro' ? [] : [`${source} can be written`];
  });
}

function needs(file: ComposeFile, { depends_on }: ComposeService): string[] {
  return Object.entries(depends_on).flatMap(([other, { condition }]) => {
    const needed = Object.entries(file.services).find(([name]) => name === other)?.[1];
    if (needed === undefined) return [`needs ${other}, which is not there`];
    if (needed.profiles.length > 0) return [`needs ${other}, which is not always there`];
    const ends = condition === 'service_completed_successfully';
    return ends === isOneShot(needed) ? [] : [`waits in vain for ${other} to be ${condition}`];
  });
}

/** What the service itself says to its variables. Secret files hold what deploy/redis/secrets.sh writes. */
function settings({ environment, volumes }: ComposeService): string[] {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('RECEVAL_')));
  const readFile = (path: string): string => {
    const folders = volumes.map((volume) => volume.split(':')[1]);
    if (folders.some((folder) => path === `${folder}/url`)) return 'redis://user:password@redis:6379\n';
    throw Object.assign(new Error(path), { code: 'ENOENT' });
  };
  try {
    loadSettings({ env, readFile });
    return [];
  } catch (error) {
    return [String(error)];
  }
}
