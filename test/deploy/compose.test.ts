import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadSettings } from '../../src/config/load.ts';
import { run } from '../services/commands.ts';
import { RECEVAL } from '../tested.ts';
import { type ComposeService, isOneShot, parseCompose, ROOT, readCompose, readRoot } from './compose-file.ts';
import { composeProblems } from './compose-rules.ts';

const text = readRoot('docker-compose.yml');
const file = readCompose();

/** The file after a change that must have changed something. */
function changed(from: string | RegExp, to: string): readonly string[] {
  const other = text.replace(from, to);
  expect(other).not.toBe(text);
  return composeProblems(parseCompose(other));
}

describe('docker-compose.yml', () => {
  it('has all services, and the traffic only on demand', () => {
    const names = [
      'alertmanager',
      'exporter',
      'grafana',
      'kafka',
      'prometheus',
      'redis',
      'secrets',
      'token',
      'topics',
      'traffic',
      'worker',
    ];
    expect(Object.keys(file.services).sort()).toEqual(names);
    expect(names.filter((name) => file.services[name].profiles.length > 0)).toEqual(['traffic']);
    expect(names.filter((name) => isOneShot(file.services[name]))).toEqual(['secrets', 'token', 'topics']);
  });

  it('is pinned, private, watched, free of secrets, and refers only to what is there', () => {
    expect(composeProblems(file)).toEqual([]);
  });

  it.each([
    ['an image without a version', /redis:7\.2\.14-alpine/, 'redis:latest', 'not pinned'],
    [
      'an image that several services build',
      '  image: receval:',
      '  build: {context: ., dockerfile: deploy/Dockerfile}\n  image: receval:',
      'is built by another service, too',
    ],
    ['a port for everybody', '127.0.0.1:9090:9090', '9090:9090', 'not on 127.0.0.1'],
    ['a health check that is missing', / {4}healthcheck:\n {6}test: \[CMD, sh.*\n(?: {6}.*\n)+/, '', 'no health check'],
    [
      'a health check that is off',
      / {4}healthcheck: # it serves nothing.*\n(?: {6}.*\n)+/,
      '    healthcheck: {disable: true}\n',
      'traffic: its health check is off',
    ],
    [
      'a password in an address',
      'kafka:19092\n  RECEVAL_REDIS_URL_FILE: /run/secrets/receval/url',
      'kafka:19092\n  RECEVAL_REDIS_URL: redis://u:secret@redis:6379',
      'holds a secret',
    ],
    ['a password by name', 'CLUSTER_ID: cm', 'KAFKA_PASSWORD: cm', 'is a secret'],
    ['a volume that nobody declares', '\n  redis-data:\n', '\n', 'no volume redis-data'],
    ['a folder that is not there', './deploy/alertmanager:', './deploy/alarms:', 'no file'],
    ['a service that is not there', 'topics: {condition', 'topcis: {condition', 'not there'],
    [
      'waiting for health of what ends',
      'topics: {condition: service_completed_successfully}',
      'topics: {condition: service_healthy}',
      'in vain',
    ],
    ['a setting that receval does not know', 'RECEVAL_HTTP_HOST', 'RECEVAL_HTTP_HOTS', 'RECEVAL_HTTP_HOTS'],
    [
      'capabilities that are kept',
      /( {2}alertmanager:\n.*\n.*\n) {4}cap_drop: \[ALL\]\n/,
      '$1',
      'alertmanager: keeps capabilities',
    ],
    ['a capability too many', 'cap_add: [CHOWN]', 'cap_add: [CHOWN, SYS_ADMIN]', 'gets the capability SYS_ADMIN'],
    [
      'a root that can be written',
      /( {2}prometheus:\n(?: {4}.*\n){3}) {4}read_only: true\n/,
      '$1',
      'prometheus: its root can be written',
    ],
    ['a value that receval does not take', 'RECEVAL_HTTP_PORT: "9464"', 'RECEVAL_HTTP_PORT: "94640"', 'http.port'],
  ])('is checked for %s', (_, from, to, problem) => {
    expect(changed(from, to).join('\n')).toContain(problem);
  });

  it('is checked for keys that Compose does not know', () => {
    expect(() => parseCompose(text.replace('mem_limit', 'memlimit'))).toThrow('memlimit');
    expect(() => parseCompose(text.replace('\nvolumes:', '\nvolume:'))).toThrow('unknown at the top: volume');
  });

  it('gives the worker and the exporter the addresses that its own services answer at', () => {
    const { worker, exporter, traffic, kafka, redis } = file.services;
    for (const { environment } of [worker, exporter, traffic]) {
      const [host, port] = environment['RECEVAL_KAFKA_BROKERS'].split(':');
      expect(Object.keys(file.services)).toContain(host);
      expect(kafka.environment['KAFKA_ADVERTISED_LISTENERS']).toContain(`INTERNAL://${host}:${port}`);
      expect(kafka.environment['KAFKA_LISTENERS']).toContain(`INTERNAL://:${port}`);
    }
    expect(redis.volumes).toContain('redis-data:/data');
    // Each knows its own password only.
    const token = 'http-token:/run/secrets/http:ro';
    expect(worker.volumes).toEqual(['worker-secret:/run/secrets/receval:ro', token]);
    expect(exporter.volumes).toEqual(['exporter-secret:/run/secrets/receval:ro', token]);
  });

  it('publishes Kafka where it says that it is', () => {
    const { environment, ports } = file.services['kafka'];
    const host = /HOST:\/\/([\d.]+:\d+)/.exec(environment['KAFKA_ADVERTISED_LISTENERS'])?.[1];
    expect(ports.map((port) => port.split(':').slice(0, 2).join(':'))).toEqual([host]);
    // 16 bytes in the letters of base64url; a tool would take a leading - for an option.
    expect(environment['CLUSTER_ID']).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/);
  });

  it('makes exactly the topics that the default settings read', () => {
    const { topics } = loadSettings({ env: {}, readFile: missing }).kafka;
    const made = /for topic in ([^;]+);/.exec(file.services['topics'].command[0])?.[1].split(' ');
    expect(made).toEqual(topics.map(({ name }) => name));
  });

  it('builds its own image once', () => {
    const built = Object.entries(file.services).filter(([, { build }]) => build !== undefined);
    expect(built.map(([name]) => name)).toEqual(['worker']);
  });

  it('leaves Redis at least half of its container for rewriting its log', () => {
    const most = /^maxmemory (\d+)mb$/m.exec(readRoot('deploy/redis/redis.conf'))?.[1];
    expect(file.services['redis'].mem_limit).toBe('1g');
    expect(Number(most)).toBeLessThanOrEqual(512);
  });

  it('has each image of others pinned by digest, or its line says that the digest is to be put there', () => {
    const lines = text.split('\n').filter((line) => /^ +image: (?!receval:)/.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(8);
    for (const line of lines) expect(line).toMatch(/@sha256:[0-9a-f]{64}|# no digest known: put @sha256:/);
    expect(composeProblems(parseCompose(text.replace(/alpine(?= #)/, `alpine@sha256:${'0f'.repeat(32)}`)))).toEqual([]);
  });

  it('lets nobody read without the token that the service token makes, and Prometheus shows it', () => {
    const { token, worker, exporter, prometheus } = file.services;
    const [, script, ...folders] = token.entrypoint;
    expect(onHost(token, script)).toBe('./deploy/http/token.sh');
    const [asked, shown] = folders.map((folder) => onHost(token, folder));
    for (const { environment, volumes, depends_on } of [worker, exporter]) {
      const path = environment['RECEVAL_HTTP_TOKEN_FILE'];
      expect(onHost({ volumes }, path)).toBe(`${asked}/token`);
      expect(depends_on).toHaveProperty('token');
    }
    const [{ authorization }] = parse(readRoot('deploy/prometheus/compose/prometheus.yml')).scrape_configs;
    expect(onHost(prometheus, authorization.credentials_file)).toBe(`${shown}/token`);
    expect(prometheus.depends_on).toHaveProperty('token');
  });

  it('names the version of the package', () => {
    const { version } = parse(readRoot('package.json'));
    expect(file.services['worker'].image).toBe(`receval:${version}`);
  });

  it.each(['worker', 'exporter', 'traffic'])(
    'gives the service %s a command and flags that receval has',
    async (name) => {
      const [command, ...flags] = file.services[name].command;
      const help = await run(RECEVAL, [command, '--help'], { cwd: ROOT, env: process.env });
      expect(help.stdout).toContain(`Usage: receval ${command}`);
      for (const flag of flags.filter((word) => word.startsWith('--'))) expect(help.stdout).toContain(`${flag} `);
    },
  );
});

/** The volume or folder, and the path in it, that a path in a container stands for. */
function onHost({ volumes }: Pick<ComposeService, 'volumes'>, path: string): string {
  const found = volumes
    .map((volume) => volume.split(':'))
    .find(([, target]) => path === target || path.startsWith(`${target}/`));
  return found === undefined ? `${path} is not mounted` : `${found[0]}${path.slice(found[1].length)}`;
}

function missing(path: string): string {
  throw Object.assign(new Error(path), { code: 'ENOENT' });
}
