/** A registry cannot be reached here, so a small one of our own answers on loopback, as the OCI distribution specification has it. */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pinKustomization, pinText } from '../../../deploy/release/pins.ts';
import { byRegistry } from '../../../deploy/release/registry.ts';
import { onPath, run } from '../../services/commands.ts';
import { freePort } from '../../services/ports.ts';
import { ROOT, readRoot } from '../compose-file.ts';
import { parseDockerfile } from '../dockerfile.ts';

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const manifest = (path: string): string => JSON.stringify({ schemaVersion: 2, annotations: { path } });

/** What the registry does beside answering. */
const registry = { login: '', lies: false, lacks: '', asked: [] as string[] };
let server: Server;
let address = '';

beforeAll(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  server = createServer(({ url = '', headers }, answer) => {
    registry.asked.push(url);
    const token = createHash('sha256').update(registry.login).digest('hex');
    const basic = `Basic ${Buffer.from(registry.login).toString('base64')}`;
    if (url.startsWith('/token')) {
      if (registry.login !== 'anyone' && headers.authorization !== basic) answer.writeHead(401).end();
      else answer.writeHead(200).end(JSON.stringify({ token }));
    } else if (registry.login !== '' && headers.authorization !== `Bearer ${token}`) {
      const challenge = `Bearer realm="${address}/token",service="fake",scope="repository:x:pull"`;
      answer.writeHead(401, { 'www-authenticate': challenge }).end();
    } else if (!/^\/v2\/[\w./-]+\/manifests\/[\w.-]+$/.test(url) || url.includes(registry.lacks || ' ')) {
      answer.writeHead(404).end();
    } else {
      const body = manifest(url);
      const told = registry.lies ? digestOf('another') : digestOf(body);
      answer.writeHead(200, { 'docker-content-digest': told }).end(body);
    }
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
});
afterAll(() => new Promise((closed) => server.close(closed)));
beforeEach(() => Object.assign(registry, { login: '', lies: false, lacks: '', asked: [] }));

const REDIS = { repository: 'redis', tag: '7.2.14-alpine' };

describe('a registry', () => {
  it.each([
    ['redis', '/v2/library/redis/manifests/1.2.3'],
    ['apache/kafka', '/v2/apache/kafka/manifests/1.2.3'],
    ['registry.example.com/receval', '/v2/receval/manifests/1.2.3'],
    ['localhost/team/receval', '/v2/team/receval/manifests/1.2.3'],
  ])('is asked for %s at %s, and the digest is that of its answer', async (repository, path) => {
    const digest = await byRegistry(address, undefined)({ repository, tag: '1.2.3' });
    expect(digest).toBe(digestOf(manifest(path)));
    expect(registry.asked).toEqual([path]);
  });

  it('that wants a token gives one to anyone, or to who logs in', async () => {
    const right = digestOf(manifest('/v2/library/redis/manifests/7.2.14-alpine'));
    registry.login = 'anyone';
    expect(await byRegistry(address, undefined)(REDIS)).toBe(right);
    expect(registry.asked).toContain('/token?service=fake&scope=repository%3Ax%3Apull');
    registry.login = 'user:secret';
    expect(await byRegistry(address, 'user:secret')(REDIS)).toBe(right);
    await expect(byRegistry(address, 'user:wrong')(REDIS)).rejects.toThrow('set REGISTRY_LOGIN');
    await expect(byRegistry(address, undefined)(REDIS)).rejects.toThrow('set REGISTRY_LOGIN');
  });

  it('is not believed when it reports another digest than that of what it sent', async () => {
    registry.lies = true;
    await expect(byRegistry(address, undefined)(REDIS)).rejects.toThrow(/tells sha256:\w+, but sent sha256/);
  });

  it('that has no such image is named', async () => {
    registry.lacks = 'redis';
    await expect(byRegistry(address, undefined)(REDIS)).rejects.toThrow('redis:7.2.14-alpine');
  });
});

const ONE = digestOf('one');
const TWO = digestOf('two');

describe('pinning', () => {
  it('puts a digest behind every image of others in the files that are shipped, and takes the marks away', async () => {
    const asked: string[] = [];
    const ask = async ({ repository, tag }: { readonly repository: string; readonly tag: string }) => {
      asked.push(`${repository}:${tag}`);
      return digestOf(`${repository}:${tag}`);
    };
    for (const path of ['docker-compose.yml', 'deploy/Dockerfile']) {
      const before = readRoot(path);
      const after = await pinText(before, 'receval', ask);
      const images = [...after.matchAll(/^(?:\s+image: |FROM )(\S+:\S+)/gm)].map(([, image]) => image);
      const foreign = images.filter((image) => !/^receval:/.test(image));
      expect(foreign.length).toBeGreaterThan(0);
      for (const image of foreign) expect(image).toMatch(/^[a-z/]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
      expect(after).not.toMatch(/no digest/i);
      // Nothing else has changed, and once is enough.
      expect(after.replace(/@sha256:[0-9a-f]{64}/g, '')).toBe(
        before.replace(/ +# no digest known.*/g, '').replace(/^# No digest is known here.*\n/gm, ''),
      );
      expect(await pinText(after, 'receval', ask)).toBe(after);
    }
    expect(new Set(asked).size).toBeGreaterThanOrEqual(6);
    const stages = parseDockerfile(await pinText(readRoot('deploy/Dockerfile'), 'receval', ask));
    expect(stages[0].from).toMatch(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
  });

  it('asks once for an image that is there twice, and takes a new digest for an old one', async () => {
    const text = `    image: redis:1@${ONE}\n    image: redis:1@${ONE} # as above\n    image: receval:1\nFROM base AS build\n`;
    let count = 0;
    const pinned = await pinText(text, 'receval', async () => {
      count++;
      return TWO;
    });
    expect(count).toBe(1);
    expect(pinned).toBe(text.replaceAll(ONE, TWO));
  });

  it('pins the image of an overlay, also anew', async () => {
    const text = readRoot('deploy/kubernetes/overlays/production/kustomization.yaml');
    const pinned = await pinKustomization(text, async ({ repository, tag }) => {
      expect(`${repository}:${tag}`).toMatch(/^registry\.example\.com\/receval:\d+\.\d+\.\d+$/);
      return ONE;
    });
    expect(pinned).toMatch(new RegExp(`newTag: \\S+\\n {4}digest: ${ONE}\\n`));
    expect(await pinKustomization(pinned, async () => TWO)).toBe(pinned.replace(ONE, TWO));
    await expect(pinKustomization('images: []\n', async () => ONE)).rejects.toThrow('no image');
  });

  it.each(['', 'latest', 'sha256:abc', `${ONE}0`])('refuses %j for a digest', async (wrong) => {
    await expect(pinText('    image: redis:1\n', 'receval', async () => wrong)).rejects.toThrow('is no digest');
  });
});

describe('npm run pin-images', () => {
  const top = mkdtempSync(join(tmpdir(), 'receval-pins-'));
  const files = ['docker-compose.yml', 'deploy/Dockerfile'];
  const read = (path: string): string => readFileSync(join(top, path), 'utf8');
  const pin = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, ['--import', 'tsx', 'deploy/release/pin-images.ts', ...args], {
      cwd: top,
      env: { ...process.env, ...env },
    });
  beforeEach(() => {
    mkdirSync(join(top, 'deploy'), { recursive: true });
    for (const path of [...files, 'deploy/release', 'package.json'])
      cpSync(join(ROOT, path), join(top, path), { recursive: true });
    if (onPath('tsx', join(top, 'node_modules/.bin')) === undefined)
      symlinkSync(join(ROOT, 'node_modules'), join(top, 'node_modules'));
  });
  afterAll(() => rmSync(top, { recursive: true }));

  it('pins the files by a registry', async () => {
    expect(await pin([`--registry=${address}`])).toMatchObject({ code: 0, stderr: '' });
    expect(read('deploy/Dockerfile')).toMatch(/^FROM node:\S+@sha256:[0-9a-f]{64} AS base$/m);
    const kafka = digestOf(manifest('/v2/apache/kafka/manifests/4.3.1'));
    expect(read('docker-compose.yml').split(`apache/kafka:4.3.1@${kafka}\n`).length).toBe(3);
  });

  it('changes no file when one image cannot be had', async () => {
    registry.lacks = 'node';
    const done = await pin([`--registry=${address}`]);
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('it has no such image') });
    for (const path of files) expect(read(path)).toBe(readRoot(path));
  });

  it('asks Docker when no registry is named', async () => {
    // A stand-in for Docker, which can reach no registry here: it prints what it was asked.
    const docker = join(top, 'bin/docker');
    mkdirSync(dirname(docker), { recursive: true });
    writeFileSync(docker, `#!/bin/sh\necho "$*" >> ${top}/asked\necho ${ONE}\n`);
    chmodSync(docker, 0o755);
    const env = { PATH: `${dirname(docker)}:${process.env['PATH']}` };
    expect(await pin([], env)).toMatchObject({ code: 0, stderr: '' });
    expect(read('asked').split('\n')).toContain(
      'buildx imagetools inspect --format {{.Manifest.Digest}} apache/kafka:4.3.1',
    );
    writeFileSync(docker, '#!/bin/sh\necho no route >&2\nexit 1\n');
    expect(await pin([], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no route; or name a registry'),
    });
  });
});
