/** What the host of the code and editors read of the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '..');
const FORMS = '.github/ISSUE_TEMPLATE';

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function json(path: string): Record<string, unknown> {
  return JSON.parse(read(path));
}

/** What GitHub knows of an issue form; any other key makes it show none. */
const field = z.strictObject({
  type: z.enum(['textarea', 'input']),
  id: z.string().regex(/^[a-z]+$/),
  attributes: z.strictObject({
    label: z.string().min(1),
    description: z.string().optional(),
    placeholder: z.string().optional(),
    render: z.enum(['yaml', 'text']).optional(),
  }),
  validations: z.strictObject({ required: z.boolean() }).optional(),
});
const text = z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string().min(1) }) });
const form = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  labels: z.array(z.string()),
  body: z.array(z.discriminatedUnion('type', [field, text])),
});

describe.each(['bug.yml', 'question.yml', 'feature.yml'])('the issue form %s', (name) => {
  it('is as the host wants it, and asks for the version, the configuration and the log', () => {
    const { body } = form.parse(parse(read(`${FORMS}/${name}`)));
    const fields = body.filter((one) => one.type !== 'markdown');
    const ids = fields.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['version', 'config', 'log']));
    expect(new Set(ids).size).toBe(ids.length);
    expect(fields.find(({ id }) => id === 'version')).toMatchObject({
      attributes: { label: 'receval --version' },
      validations: { required: true },
    });
  });
});

it('has no other issue form, and leads vulnerabilities elsewhere', () => {
  expect(readdirSync(join(ROOT, FORMS)).sort()).toEqual(['bug.yml', 'config.yml', 'feature.yml', 'question.yml']);
  const { blank_issues_enabled, contact_links } = parse(read(`${FORMS}/config.yml`));
  expect(blank_issues_enabled).toBe(false);
  expect(contact_links[0].url).toMatch(/^https:\/\/github\.com\/receval\/receval\/security\//);
});

it('names commands, scripts and files that are there in its templates', () => {
  const paths = [
    ...readdirSync(join(ROOT, FORMS)).map((name) => `${FORMS}/${name}`),
    '.github/pull_request_template.md',
  ];
  const all = paths.map(read).join('\n');
  const scripts = Object.keys(Object(json('package.json')['scripts']));
  for (const [, script] of all.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toContain(script);
  for (const [, command] of all.matchAll(/`receval ([a-z]+)/g))
    expect(existsSync(join(ROOT, 'src/cli', `${command}.ts`)), command).toBe(true);
  for (const [, file] of all.matchAll(/\b((?:[A-Z]+\.md)|docs\/\w+)\b/g))
    expect(existsSync(join(ROOT, file)), file).toBe(true);
});

it('names an owner of every file', () => {
  expect(read('.github/CODEOWNERS')).toMatch(/^\* @[\w-]+\/[\w-]+$/m);
});

it('develops in a container of the oldest Node that is supported, by a name without a host', () => {
  const { image, postCreateCommand } = json('.devcontainer/devcontainer.json');
  const [oldest] = /\d+/.exec(String(Object(json('package.json')['engines'])['node'])) ?? [];
  expect(image).toBe(`node:${oldest}-bookworm`);
  expect(postCreateCommand).toMatch(/ && npm ci$/);
});

it('recommends the same extensions to editors in and outside of the container', () => {
  const { customizations } = json('.devcontainer/devcontainer.json');
  expect(json('.vscode/extensions.json')['recommendations']).toEqual(Object(customizations).vscode.extensions);
});

it('binds the schema that the build writes to every configuration', () => {
  const schemas = Object(json('.vscode/settings.json')['yaml.schemas']);
  const [[file, names]] = Object.entries<readonly string[]>(schemas);
  expect(read('deploy/build.ts')).toContain(`'${basename(file)}'`);
  expect(names).toContain('receval.yaml');
});

it('indents as the formatter does', () => {
  const { formatter } = json('biome.json');
  const { indentWidth, lineWidth } = Object(formatter);
  const editor = read('.editorconfig');
  expect(editor).toContain(`indent_size = ${indentWidth}\n`);
  expect(editor).toContain(`[*.{ts,tsx}]\nmax_line_length = ${lineWidth}\n`);
});
