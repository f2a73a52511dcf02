import { type Configuration, loadConfiguration } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problems.ts';
import type { Settings } from '../../src/config/settings.ts';

export interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly reads?: 'files' | 'topics';
}

class Missing extends Error {
  readonly code = 'ENOENT';
}

export function configuration({ files = {}, file, env = {}, overrides = {}, reads = 'topics' }: Given): Configuration {
  const readFile = (path: string): string => {
    if (!Object.hasOwn(files, path)) throw new Missing(path);
    return files[path];
  };
  return loadConfiguration({ file, readFile, env, overrides, reads });
}

export function load(yaml: string, more: Given = {}): Settings {
  return configuration({ files: { 'receval.yaml': yaml, ...more.files }, ...more }).settings;
}

/** `path: message` of everything that is wrong with a configuration that must be wrong. */
export function problems(yaml: string, more: Given = {}): string[] {
  try {
    load(yaml, more);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  throw new Error('nothing is wrong with this configuration');
}
