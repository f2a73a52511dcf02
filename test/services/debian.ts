/**
 * Programs that tests need, without touching the system: from the PATH, else unpacked from a Debian package into a cache
 * folder, where nothing is installed and no service starts. Only if a shared library is missing is the package installed.
 */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isProgram, type Outcome, onPath, run } from './commands.ts';
import { fetchOnce } from './fetch-once.ts';

/** A program that tests need cannot be had here. */
export class ServiceMissing extends Error {
  override readonly name: string = 'ServiceMissing';
}

/** This machine, or this user on it, may not do what a test needs: nothing that could be fetched would change it. */
export class MachineCannot extends ServiceMissing {
  override readonly name = 'MachineCannot';
}

export interface DebianProgram {
  readonly command: string;
  readonly debianPackage: string;
  /** Where the package has it; below /usr/bin unless said. */
  readonly file?: string;
}

/** Where programs are looked for and kept; the real ones unless a test gives others. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cache: string;
  readonly isRoot: boolean;
  readonly say: (line: string) => void;
}

const REAL: Surroundings = {
  env: process.env,
  cache: resolve(import.meta.dirname, '../../node_modules/.cache/receval-services'),
  isRoot: process.getuid?.() === 0,
  say: (line) => process.stderr.write(`${line}\n`),
};

/** Path of the program. @throws ServiceMissing that names the one command to run. */
export async function debianProgram(program: DebianProgram, around: Surroundings = REAL): Promise<string> {
  const { command, debianPackage } = program;
  const path = around.env['PATH'] ?? '';
  const found = onPath(command, path);
  if (found !== undefined) return found;

  const unpacked = join(around.cache, debianPackage, program.file ?? `usr/bin/${command}`);
  const tools = { aptGet: onPath('apt-get', path), dpkg: onPath('dpkg', path) };
  const { aptGet, dpkg } = tools;
  if (!isProgram(unpacked)) {
    if (aptGet === undefined || dpkg === undefined) {
      throw new ServiceMissing(
        `there is no ${command} on the PATH; install it, on macOS for instance: brew install ${debianPackage}`,
      );
    }
    await fetchOnce(
      join(around.cache, `${debianPackage}.lock`),
      () => isProgram(unpacked),
      () => unpack(program, aptGet, dpkg, around),
    );
  }
  if (!isProgram(unpacked)) throw missing(program, `the package has no /${program.file ?? `usr/bin/${command}`}`);

  const libraries = await run('ldd', [unpacked], { env: around.env });
  const lost = [...libraries.stdout.matchAll(/^\s*(\S+) => not found/gm)].map(([, library]) => library);
  if (lost.length === 0) return unpacked;
  return install(program, `it needs ${lost.join(', ')}`, aptGet, around);
}

/** Path of a library that a package holds; nothing is installed. @throws ServiceMissing */
export async function debianLibrary(debianPackage: string, file: string): Promise<string> {
  const unpacked = join(REAL.cache, debianPackage, file);
  if (existsSync(unpacked)) return unpacked;
  const path = REAL.env['PATH'] ?? '';
  const [aptGet, dpkg] = [onPath('apt-get', path), onPath('dpkg', path)];
  const program = { command: file, debianPackage };
  if (aptGet === undefined || dpkg === undefined) throw missing(program, 'this is no Debian');
  const lock = join(REAL.cache, `${debianPackage}.lock`);
  await fetchOnce(
    lock,
    () => existsSync(unpacked),
    () => unpack(program, aptGet, dpkg, REAL),
  );
  if (!existsSync(unpacked)) throw missing(program, `the package has no /${file}`);
  return unpacked;
}

async function unpack(program: DebianProgram, aptGet: string, dpkg: string, around: Surroundings): Promise<void> {
  const { command, debianPackage } = program;
  around.say(
    `tests: unpacking ${command} from the Debian package ${debianPackage} into ${around.cache} (nothing is installed)`,
  );
  const folder = mkdtempSync(join(around.cache, `${debianPackage}-`));
  try {
    const download = (): Promise<Outcome> =>
      run(aptGet, ['download', '-o', 'APT::Sandbox::User=root', debianPackage], { cwd: folder, env: around.env });
    let outcome = await download();
    // Without lists, or with old ones, there is nothing to download.
    if (outcome.code !== 0 && around.isRoot) {
      await run(aptGet, ['update'], { env: around.env });
      outcome = await download();
    }
    const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
    if (outcome.code !== 0 || archive === undefined) throw missing(program, lastLine(outcome.stderr));
    const root = join(folder, 'root');
    const extracted = await run(dpkg, ['-x', join(folder, archive), root], { env: around.env });
    if (extracted.code !== 0) throw missing(program, lastLine(extracted.stderr));
    rmSync(join(around.cache, debianPackage), { recursive: true, force: true });
    renameSync(root, join(around.cache, debianPackage));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Somebody else may be installing. */
const LOCK_TIMEOUT = 'DPkg::Lock::Timeout=300';

async function install(
  program: DebianProgram,
  reason: string,
  aptGet: string | undefined,
  around: Surroundings,
): Promise<string> {
  const { command, debianPackage } = program;
  if (aptGet === undefined || !around.isRoot) throw missing(program, reason);
  const lock = join(around.cache, `${debianPackage}.lock`);
  const installed = (): string | undefined => onPath(command, around.env['PATH'] ?? '');
  await fetchOnce(
    lock,
    () => installed() !== undefined,
    async () => {
      around.say(`tests: installing the Debian package ${debianPackage}: ${reason}`);
      const options = ['-y', '--no-install-recommends', '-o', LOCK_TIMEOUT];
      const outcome = await run(aptGet, ['install', ...options, debianPackage], {
        env: { ...around.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
      if (outcome.code !== 0) throw missing(program, lastLine(outcome.stderr));
    },
  );
  const path = installed();
  if (path === undefined) throw missing(program, `the package has no ${command}`);
  return path;
}

function missing({ command, debianPackage }: DebianProgram, reason: string): ServiceMissing {
  const advice = `apt-get install -y --no-install-recommends ${debianPackage}`;
  return new ServiceMissing(`cannot get ${command} (${reason}); as root: ${advice}`);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
