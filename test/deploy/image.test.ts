import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../services/commands.ts';
import { freePort } from '../services/ports.ts';
import { readCompose, readRoot } from './compose-file.ts';
import { buildPlainly, copyOf, parseDockerfile, pathsIn, wordsOf } from './dockerfile.ts';
import { recevalIn } from './receval-in.ts';

const stages = parseDockerfile(readRoot('deploy/Dockerfile'));
const image = stages[stages.length - 1];
const verbs = (verb: string): string[] =>
  stages.flatMap(({ instructions }) => instructions.filter((one) => one.verb === verb).map(({ rest }) => rest));

/** The command of a health check. */
function healthCheck(): string[] {
  const [check] = verbs('HEALTHCHECK');
  return JSON.parse(check.slice(check.indexOf('CMD ') + 4));
}

describe('deploy/Dockerfile', () => {
  it('begins with one pinned image of Node 24', () => {
    const own = new Set(stages.map(({ name }) => name));
    const foreign = stages.map(({ from }) => from).filter((from) => !own.has(from));
    expect(foreign).toEqual([expect.stringMatching(/^node:24\.\d+\.\d+-bookworm-slim(?:@sha256:[0-9a-f]{64})?$/)]);
    const marked = /^# No digest is known here: put @sha256:.*\nFROM node:/m.test(readRoot('deploy/Dockerfile'));
    expect(foreign[0].includes('@sha256:') || marked).toBe(true);
  });

  it('runs as a user without rights, ends on SIGTERM, listens to other containers', () => {
    const order = image.instructions.map(({ verb }) => verb);
    expect(verbs('USER')).toEqual(['node']);
    expect(order.indexOf('USER')).toBeLessThan(order.indexOf('ENTRYPOINT'));
    expect(order.slice(order.indexOf('USER'))).not.toContain('COPY');
    expect(verbs('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(verbs('ENV')).toEqual(['NODE_ENV=production RECEVAL_HTTP_HOST=0.0.0.0']);
    expect(wordsOf(image, 'ENTRYPOINT')).toEqual(['node', 'bin/receval']);
  });

  it('runs no scripts of packages and takes no argument that would stay in a layer', () => {
    expect(verbs('ARG')).toEqual([]);
    const installs = verbs('RUN').filter((line) => line.includes('npm ci'));
    expect(installs.length).toBe(2);
    for (const line of installs) expect(line).toContain('--ignore-scripts');
  });

  it('runs in the compose file without capabilities, and writes to no file of its own', () => {
    const services = Object.values(readCompose().services).filter((one) => one.image?.startsWith('receval:') === true);
    expect(services.length).toBeGreaterThanOrEqual(3);
    for (const one of services) {
      expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    }
  });

  it('copies from the checkout only what .dockerignore lets through, and that is all it lets through', () => {
    const [all, ...allowed] = readRoot('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(all).toBe('*');
    const copied = stages
      .flatMap(({ instructions }) => instructions.filter(({ verb }) => verb === 'COPY').map(copyOf))
      .filter(({ from }) => from === undefined)
      .flatMap(({ sources }) => sources);
    expect(allowed.sort()).toEqual([...new Set(copied)].map((path) => `!${path}`).sort());
  });

  it.each([
    ['of the image, which an orchestrator may restart by', '/healthz', healthCheck()],
    ['of the compose file, which restarts nothing', '/readyz', composeCheck()],
  ])(
    'has a health check (%s: %s) that tells a service that is well from one that is not',
    async (_, page, [program, flag, script]) => {
      let status = 200;
      const asked: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(status).end();
      });
      const port = await freePort();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      // The image takes the port from its settings; the compose file knows it.
      const source = script.replace('127.0.0.1:9464', `127.0.0.1:${port}`);
      const env = { PATH: process.env['PATH'], RECEVAL_HTTP_PORT: String(port) };
      const check = () => run(program, [flag, source], { env });
      expect(program).toBe('node');
      expect(await check()).toEqual({ code: 0, stdout: '', stderr: '' });
      status = 503;
      expect(await check()).toEqual({ code: 1, stdout: '', stderr: expect.any(String) });
      await new Promise((resolve) => server.close(resolve));
      expect(await check()).toEqual({ code: 1, stdout: '', stderr: expect.any(String) });
      expect(asked).toEqual([page, page]);
    },
  );

  describe('built as plain commands in an empty folder', () => {
    const top = mkdtempSync(join(tmpdir(), 'receval-image-'));
    let app = '';
    beforeAll(async () => {
      app = await buildPlainly(stages, top);
    }, 900_000);
    afterAll(() => rmSync(top, { recursive: true }));

    it('holds the compiled service and what it needs, no sources, tests or tools', () => {
      expect(readdirSync(app).sort()).toEqual(['LICENSE', 'bin', 'dist', 'node_modules', 'package.json']);
      expect(existsSync(join(app, 'dist/cli/commit.lua'))).toBe(true);
      for (const tool of ['typescript', 'tsx', 'vitest', '@biomejs']) {
        expect(existsSync(join(app, 'node_modules', tool))).toBe(false);
      }
    });

    it('can be read by its user, whatever the umask of the checkout was', () => {
      const unreadable = readdirSync(app)
        .filter((name) => name !== 'node_modules')
        .flatMap((name) => pathsIn(join(app, name)))
        .filter((path) => {
          const found = statSync(path);
          const needed = found.isDirectory() ? 0o005 : 0o004;
          return (found.mode & needed) !== needed;
        });
      expect(unreadable).toEqual([]);
      expect(statSync(join(app, 'bin/receval')).mode & 0o111).toBe(0o111);
    });

    it('holds no empty folders of packages that it left out', () => {
      const modules = join(app, 'node_modules');
      const folders = readdirSync(modules).flatMap((name) =>
        name.startsWith('@') ? [name, ...readdirSync(join(modules, name)).map((one) => join(name, one))] : [name],
      );
      expect(folders.length).toBeGreaterThan(10);
      const empty = folders.filter(
        (name) => statSync(join(modules, name)).isDirectory() && readdirSync(join(modules, name)).length === 0,
      );
      expect(empty).toEqual([]);
    });

    it('reports its version and takes the settings of the compose file', async () => {
      const version = await recevalIn(app, ['--version']);
      expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
      const checked = await recevalIn(app, ['config', 'check'], {
        NODE_ENV: 'production',
        RECEVAL_HTTP_HOST: '0.0.0.0',
      });
      expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok\n(?:.|\n)*host: 0\.0\.0\.0/) });
    });
  });
});

function composeCheck(): string[] {
  const check = readCompose().services['worker'].healthcheck;
  return check !== undefined && 'test' in check ? check.test.slice(1) : [];
}
