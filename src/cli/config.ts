import { Command } from 'commander';
import { stringify } from 'yaml';
import { effectiveDocument, loadConfiguration } from '../config/load.ts';
import { withFiles } from '../config/named-files.ts';
import { redact } from '../config/redact.ts';
import { configReference } from '../config/reference.ts';
import { configJsonSchema } from '../config/schema.ts';
import { readTextFile } from '../connections/text-file.ts';

/** `receval config check`, `receval config schema` and `receval config reference`. A wrong configuration is a ConfigError with exit code 2. */
export function configCommand(): Command {
  const check = new Command('check')
    .description('check the configuration; prints "ok" and all settings with their defaults, without secrets')
    .option('--config <file>', 'configuration file (default: receval.yaml in this folder, if it exists)')
    .action(async ({ config }: { readonly config?: string }) => {
      const configuration = loadConfiguration({ file: config, readFile: readTextFile, env: process.env });
      await withFiles(configuration.settings);
      process.stdout.write(
        `ok\n---\n${stringify(redact(effectiveDocument(configuration)), { aliasDuplicateObjects: false })}`,
      );
    });
  const schema = new Command('schema')
    .description('print the JSON Schema (draft 2020-12) of the configuration file')
    .action(() => {
      process.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
  const reference = new Command('reference')
    .description('print every setting with its type, default, meaning and environment variable, as Markdown')
    .action(() => {
      process.stdout.write(configReference());
    });
  return new Command('config').addCommand(check).addCommand(schema).addCommand(reference);
}
