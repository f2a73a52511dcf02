/**
 * Servers of another release of Debian than the one that this is: fetched with all libraries that they need, unpacked into
 * the cache folder, and started with those. Nothing is installed.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isProgram, onPath, run } from './commands.ts';
import { ServiceMissing } from './debian.ts';
import { fetchOnce } from './fetch-once.ts';

export type RedisRelease = 'redis-8.0' | 'valkey-8.1';

const SUITE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PACKAGES: Readonly<Record<RedisRelease, { readonly debianPackage: string; readonly program: string }>> = {
  'redis-8.0': { debianPackage: 'redis-tools', program: 'usr/bin/redis-check-rdb' },
  'valkey-8.1': { debianPackage: 'valkey-tools', program: 'usr/bin/valkey-check-rdb' },
};
const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/receval-services');

/** Path of a script that is the server. @throws ServiceMissing */
export async function redisOf(release: RedisRelease): Promise<string> {
  const root = join(CACHE, release);
  const script = join(root, 'redis-server');
  await fetchOnce(
    join(CACHE, `${release}.lock`),
    () => isProgram(script),
    () => unpack(release, root),
  );
  return script;
}

async function unpack(release: RedisRelease, root: string): Promise<void> {
  const { debianPackage, program } = PACKAGES[release];
  const path = process.env['PATH'] ?? '';
  const [aptGet, dpkg] = [onPath('apt-get', path), onPath('dpkg', path)];
  if (aptGet === undefined || dpkg === undefined) throw new ServiceMissing(`cannot get ${release}: this is no Debian`);
  const folder = mkdtempSync(join(CACHE, `${release}-`));
  const must = async (file: string, args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(file, args);
    if (code !== 0) throw new ServiceMissing(`cannot get ${release}: ${stderr.trim().split('\n').at(-1)}`);
    return stdout;
  };
  try {
    process.stderr.write(`tests: unpacking ${release} of Debian ${SUITE} into ${CACHE} (nothing is installed)\n`);
    for (const name of ['lists/partial', 'cache/archives/partial', 'root']) {
      mkdirSync(join(folder, name), { recursive: true });
    }
    writeFileSync(join(folder, 'status'), '');
    writeFileSync(
      join(folder, 'sources.list'),
      `deb [signed-by=${KEYRING}] ${await mirror(aptGet, must)} ${SUITE} main\n`,
    );
    // A system of its own, on which nothing is there yet: so every library is fetched.
    const own = [
      `Dir::Etc::sourcelist=${join(folder, 'sources.list')}`,
      'Dir::Etc::sourceparts=-',
      `Dir::State=${folder}`,
      `Dir::State::status=${join(folder, 'status')}`,
      `Dir::Cache=${join(folder, 'cache')}`,
      'APT::Sandbox::User=root',
      'APT::Install-Recommends=false',
    ].flatMap((option) => ['-o', option]);
    await must(aptGet, [...own, 'update']);
    await must(aptGet, [...own, '--yes', '--download-only', 'install', debianPackage]);
    const archives = join(folder, 'cache/archives');
    const unpacked = join(folder, 'root');
    for (const archive of readdirSync(archives).filter((file) => file.endsWith('.deb'))) {
      await must(dpkg, ['-x', join(archives, archive), unpacked]);
    }
    const libraries = join(root, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`);
    const loader = process.arch === 'arm64' ? 'ld-linux-aarch64.so.1' : 'ld-linux-x86-64.so.2';
    // By its name it is the server, not the tool.
    writeFileSync(
      join(unpacked, 'redis-server'),
      `#!/bin/sh\nexec ${join(libraries, loader)} --argv0 redis-server --library-path ${libraries} ${join(root, program)} "$@"\n`,
    );
    chmodSync(join(unpacked, 'redis-server'), 0o755);
    rmSync(root, { recursive: true, force: true });
    renameSync(unpacked, root);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where this system takes Debian from. */
async function mirror(
  aptGet: string,
  must: (file: string, args: readonly string[]) => Promise<string>,
): Promise<string> {
  const sites = (): Promise<string> =>
    must(aptGet, ['indextargets', '--format', '$(SITE)', 'Created-By: Packages', 'Origin: Debian', 'Component: main']);
  let found = await sites();
  if (found === '' && process.getuid?.() === 0) {
    await must(aptGet, ['update']);
    found = await sites();
  }
  const site = found.split('\n').find((one) => one !== '' && !one.includes('security'));
  if (site === undefined) throw new ServiceMissing('it is not known where this system takes Debian from');
  return site;
}
