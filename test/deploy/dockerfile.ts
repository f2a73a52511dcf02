import { chmodSync, cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../services/commands.ts';
import { ROOT } from './compose-file.ts';

export interface Instruction {
  readonly verb: string;
  readonly rest: string;
}

export interface Stage {
  /** An earlier stage, or an image. */
  readonly from: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { from: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [verb, ...words] = line.trim().split(/\s+/);
    if (verb === 'FROM') stages.push({ from: words[0], name: words[2] ?? String(stages.length), instructions: [] });
    else stages.at(-1)?.instructions.push({ verb, rest: words.join(' ') });
  }
  return stages;
}

/** An argument list in JSON, as ENTRYPOINT and CMD have it. */
export function wordsOf(stage: Stage, verb: string): readonly unknown[] {
  const rest = stage.instructions.findLast((one) => one.verb === verb)?.rest ?? '[]';
  const words: unknown = JSON.parse(rest);
  return Array.isArray(words) ? words : [];
}

export interface Copy {
  readonly from: string | undefined;
  /** Octal digits; undefined: as the sources have it. */
  readonly chmod: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export function copyOf({ rest }: Instruction): Copy {
  const words = rest.split(' ');
  const flag = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(`--${name}=`.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  return { from: flag('from'), chmod: flag('chmod'), sources: paths.slice(0, -1), target: paths[paths.length - 1] };
}

/**
 * Runs the steps of an image as plain commands: each stage has a folder in `top` that stands for its /app. What comes from the
 * checkout is its owner's alone, as with a umask of 077. Returns the folder of the last. Rejects with what the first step that failed printed.
 */
export async function buildPlainly(stages: readonly Stage[], top: string): Promise<string> {
  const folders = new Map<string, string>();
  let app = '';
  for (const stage of stages) {
    app = join(top, stage.name);
    const base = folders.get(stage.from);
    if (base === undefined) mkdirSync(app);
    else cpSync(base, app, { recursive: true });
    folders.set(stage.name, app);
    for (const instruction of stage.instructions) {
      if (instruction.verb === 'COPY') place(copyOf(instruction), app, folders);
      if (instruction.verb !== 'RUN') continue;
      const env = { ...process.env, npm_config_prefer_offline: 'true' };
      const done = await run('sh', ['-c', instruction.rest], { cwd: app, env });
      if (done.code !== 0) throw new Error(`${instruction.rest}: ${done.stdout}${done.stderr}`);
    }
  }
  return app;
}

function place({ from, chmod, sources, target }: Copy, app: string, folders: ReadonlyMap<string, string>): void {
  for (const source of sources) {
    const origin = from === undefined ? join(ROOT, source) : join(folders.get(from) ?? '', source.replace('/app/', ''));
    const path = target.endsWith('/') ? join(app, target, basename(source)) : join(app, target);
    cpSync(origin, path, { recursive: true });
    for (const one of from === undefined ? pathsIn(path) : []) {
      chmodSync(one, chmod === undefined ? statSync(one).mode & 0o700 : Number.parseInt(chmod, 8));
    }
  }
}

/** The file or folder, and all that lies in it. */
export function pathsIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))];
}
