import { Command } from 'commander';
import { TOKEN } from '../config/http.ts';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { Secret } from '../connections/secret.ts';
import { readTextFile } from '../connections/text-file.ts';
import { fetchReport } from '../service/fetched-report.ts';
import { UsageError } from './failure.ts';
import { urlOf } from './own-address.ts';
import { writeWhole } from './whole-file.ts';
import { mustBeReportFile } from './written-file.ts';

interface Flags {
  readonly output?: string;
  readonly tokenFile?: string;
  readonly config?: string;
}

/** A service that has much to do makes it within a second. */
const TIMEOUT_MS = 30_000;

/** `receval report`: what a running service shows, as one file. */
export function reportCommand(): Command {
  return new Command('report')
    .argument('[address]', "of the service's page (default: http.host and http.port of the configuration)")
    .option('--output <file.html>', 'where to write it (default: standard output)')
    .option('--token-file <file>', 'file that holds its http.token (default: that of the configuration)')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .addHelpText(
      'after',
      `
The address is that of a process with a page: receval run in any role, or receval demo. What it shows by its address (measure,
horizon, window) the report shows as well, so the address of an open page can be pasted.

Examples:
  receval report http://127.0.0.1:9464 --output report.html
  receval report 'http://exporter:9464/?window=24h' --token-file /run/secrets/receval-http --output report.html`,
    )
    .action(async (address: string | undefined, flags: Flags) => {
      mustBeReportFile('--output', flags.output);
      const { http } = loadSettings({
        file: flags.config,
        readFile: readTextFile,
        env: process.env,
      });
      const asked = addressOf(address ?? urlOf(http.host, http.port));
      const page = await fetchReport({ address: asked, token: tokenOf(flags, http), timeout: TIMEOUT_MS });
      if (flags.output === undefined) process.stdout.write(page);
      else writeWhole(flags.output, page, { flag: '--output' });
    });
}

/** @throws UsageError */
function addressOf(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  const address = URL.canParse(full) ? new URL(full) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol) || address.hostname === '') {
    throw new UsageError(`"${text}" is not an address: write it as a browser has it, such as http://127.0.0.1:9464`);
  }
  if (address.username !== '' || address.password !== '') {
    throw new UsageError(
      'the address holds a user or a password: leave them out, and name a file with the token (--token-file)',
    );
  }
  return address;
}

/** @throws AccessFileError */
function tokenOf({ tokenFile }: Flags, { token }: Settings['http']): string | undefined {
  const source =
    tokenFile === undefined ? token : { kind: 'file' as const, path: tokenFile, setting: '--token-file', form: TOKEN };
  return source === undefined ? undefined : new Secret(source).read();
}
