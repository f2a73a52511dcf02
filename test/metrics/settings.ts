import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';

/** The usual configuration, or a YAML text's. */
export function settingsOf(yaml = ''): Settings {
  return loadSettings({ file: 'receval.yaml', readFile: () => yaml, env: {} });
}
