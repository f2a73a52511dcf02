/** Keeps the documentation honest: what the code offers stands there, and every link leads somewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../src/config/schema.ts';
import { ADAPTER_NAMES } from '../src/consumers/decode/decoder-settings.ts';
import { MEASURES } from '../src/measures/all.ts';
import { PRESETS } from '../src/measures/grammar/presets.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS, INVALID_CODES } from '../src/vocabulary/drops.ts';

const ROOT = resolve(import.meta.dirname, '..');

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function markdownFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? markdownFiles(path) : path.endsWith('.md') ? [path] : [];
  });
}

/** Fails unless each of the words stands in the file in `code` style. */
function expectExplained(path: string, words: readonly string[]): void {
  const spans = new Set([...text(path).matchAll(/`([^`\n]+)`/g)].map((match) => match[1]));
  const missing = words.filter((word) => !spans.has(word));
  expect(missing, `explain each of these in ${path}, in backquotes`).toEqual([]);
}

/** First cells, in `code` style, of the rows of all tables. */
function firstCells(path: string): string[] {
  return [...text(path).matchAll(/^\| `([^`|]+)` \|/gm)].map((match) => match[1]);
}

/** Paths of all settings below a node of the JSON Schema; free names are `<name>`, entries of lists have no name. */
function settingPaths(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const field = (name: string): unknown => Object.entries(node).find(([key]) => key === name)?.[1];
  const below: string[] = [];
  const properties = field('properties');
  if (typeof properties === 'object' && properties !== null) {
    for (const [name, child] of Object.entries(properties)) {
      below.push(...settingPaths(child, path === '' ? name : `${path}.${name}`));
    }
  }
  const free = field('additionalProperties');
  if (typeof free === 'object' && free !== null) below.push(...settingPaths(free, `${path}.<name>`));
  below.push(...settingPaths(field('items'), path));
  const forms = field('anyOf');
  if (Array.isArray(forms)) below.push(...forms.flatMap((form) => settingPaths(form, path)));
  const named = below.filter((one) => one !== path);
  return [...new Set(named.length > 0 ? named : [path])];
}

describe('the documentation', () => {
  it('explains every reason for which an event is dropped', () => {
    expectExplained('docs/concepts.md', [...IMPRESSION_DROPS, ...FEEDBACK_DROPS]);
  });

  it('explains every code of an invalid record, each in a row of its own, and no other', () => {
    const rows = firstCells('docs/events.md').filter((cell) => /^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(cell));
    expect(rows.sort()).toEqual([...INVALID_CODES].sort());
  });

  it('explains every adapter', () => {
    for (const path of ['docs/events.md', 'docs/replay.md', 'docs/specification/events.md']) {
      expectExplained(path, ADAPTER_NAMES);
    }
  });

  it('explains every setting of the configuration', () => {
    const paths = settingPaths(configJsonSchema(), '').map((path) =>
      path.replace(/\.adapter\..*$/, '.adapter').replace(/\.variants\.<name>$/, '.variants'),
    );
    expect(paths.length).toBeGreaterThan(50);
    expect(paths).toContain('kafka.topics.feedback.tsUnit');
    expect(paths).toContain('experiments.<name>.control');
    expectExplained('docs/configuration.md', paths);
  });

  it('explains every measure that is offered, with all of its parameters, and names those that are not', () => {
    expectExplained(
      'docs/measures.md',
      MEASURES.map(({ name }) => name),
    );
    const params = new Set(MEASURES.flatMap(({ params: own }) => Object.keys(own)));
    expectExplained('docs/measures.md', [...params, ...PRESETS.keys()]);
  });

  it('has no link to a file or heading that is not there', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      ...markdownFiles('docs'),
      ...markdownFiles('examples'),
    ];
    const links = pages.flatMap((page) =>
      [...text(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ page, target: match[1] })),
    );
    expect(links.length).toBeGreaterThan(20);
    const broken = links.filter(({ page, target }) => {
      if (/^[a-z]+:/.test(target)) return false;
      const [path, heading] = target.split('#');
      const file = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
      if (!existsSync(join(ROOT, file))) return true;
      return heading !== undefined && !headings(file).includes(heading);
    });
    expect(broken, 'correct these links').toEqual([]);
  });
});

/** Anchors as code hosts make them of headings. */
function headings(page: string): string[] {
  return [...text(page).matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
