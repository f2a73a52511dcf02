/**
 * Every rule that code and tests cite stands in docs/specification: `specification: join 3.2` is the heading 3.2 of join.md, and
 * `specification: faults K13` the row K13 of a table of faults.md.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = 'docs/specification';
const CITING = ['src', 'test', 'bench', 'wasm', 'deploy'];
const THIS = 'test/specification.test.ts';

/** One cited rule: the name of a page, and the number of a heading or the name of a row. */
interface Citation {
  readonly page: string;
  readonly rule: string;
}

interface Page {
  readonly text: string;
  /** Numbers of headings, in their order. */
  readonly numbers: readonly string[];
  /** Names that begin a row of a table. */
  readonly rows: ReadonlySet<string>;
  /** As code hosts make them of headings. */
  readonly anchors: ReadonlySet<string>;
}

const RULE = '(?:\\d+(?:\\.\\d+)*|[A-Z]\\d+)';
const ONE = `(?:[a-z][a-z-]* )?${RULE}`;
/** `specification: join 3, 5.1, faults K13` */
const CITED = new RegExp(`\\bspecification: ([a-z][a-z-]* ${RULE}(?:, ${ONE})*)`, 'g');
/** Anything that looks like one, right or wrong. */
const MEANT = /\bspecification: \S+ \S*/g;
/** Papers that were never in the repository; pages of `docs` are named with their folder, or linked. */
const GONE = /(?<![\w/-]|\]\()(?:semantics|interfaces|architecture|measures|statistics|faults|performance)\.md/g;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|tsx|mts|js|mjs|lua|wat|sh|ya?ml|conf)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path !== THIS);
}

/** The text with what a comment carries over to its next line in one line. */
function unwrapped(text: string): string {
  return text.replace(/\n[ \t]*(?:\*|\/\/|#|--)[ \t]+/g, ' ');
}

function citationsIn(text: string): readonly Citation[] {
  return [...unwrapped(text).matchAll(CITED)].flatMap(([, list]) => {
    let page = '';
    return list.split(', ').map((one) => {
      const words = one.split(' ');
      if (words.length === 2) page = words[0];
      return { page, rule: words[words.length - 1] };
    });
  });
}

function pageOf(text: string): Page {
  const headings = [...text.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading]) => heading);
  return {
    text,
    numbers: headings.flatMap((heading) => /^(\d+(?:\.\d+)*) /.exec(heading)?.[1] ?? []),
    rows: new Set([...text.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, name]) => name)),
    anchors: new Set(
      headings.map((heading) =>
        heading
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      ),
    ),
  };
}

const PAGES: ReadonlyMap<string, Page> = new Map(
  readdirSync(join(ROOT, FOLDER))
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.replace('.md', ''), pageOf(read(`${FOLDER}/${name}`))]),
);

/** Why a citation leads nowhere; undefined: it leads to a rule. */
function problem({ page, rule }: Citation, pages: ReadonlyMap<string, Page>): string | undefined {
  const found = pages.get(page);
  if (found === undefined) return `there is no page ${page}.md; there are ${[...pages.keys()].join(', ')}`;
  if (found.numbers.includes(rule) || found.rows.has(rule)) return undefined;
  return `${page}.md has no heading and no row ${rule}`;
}

/** What is wrong with the citations of a text. */
function problemsIn(text: string, pages: ReadonlyMap<string, Page> = PAGES): readonly string[] {
  const plain = unwrapped(text);
  const right = [...plain.matchAll(CITED)].map(({ index }) => index);
  const malformed = [...plain.matchAll(MEANT)].filter(({ index }) => !right.includes(index));
  return [
    ...citationsIn(text).flatMap((citation) => problem(citation, pages) ?? []),
    ...malformed.map(([cited]) => `"${cited}": expected a page and a number, as in specification: join 3.2`),
    ...[...plain.matchAll(GONE)].map(([cited]) => `"${cited}" is not in the repository: cite a rule of ${FOLDER}`),
  ];
}

describe('a citation', () => {
  const pages = new Map([
    ['join', pageOf('# Join\n\n## 3 Order\n\n### 3.2 Duplicates\n')],
    ['faults', pageOf('# Faults\n\n| # | fault |\n|---|---|\n| K13 | out of range |\n')],
  ]);

  it('is resolved where its heading or its row is there', () => {
    expect(problemsIn('(specification: join 3, 3.2, faults K13)', pages)).toEqual([]);
  });

  it('may be broken by the end of a line of a comment', () => {
    expect(citationsIn('/**\n * As written (specification: join\n * 3.2).\n */')).toEqual([
      { page: 'join', rule: '3.2' },
    ]);
  });

  it('fails where its page, its heading or its row is not there', () => {
    expect(problemsIn('(specification: joins 3)', pages)[0]).toContain('there is no page joins.md');
    expect(problemsIn('(specification: join 3.3)', pages)).toEqual(['join.md has no heading and no row 3.3']);
    expect(problemsIn('(specification: join 3, 4)', pages)).toEqual(['join.md has no heading and no row 4']);
    expect(problemsIn('(specification: faults K1)', pages)).toEqual(['faults.md has no heading and no row K1']);
  });

  it('fails where it names no rule, or a page by its former name', () => {
    expect(problemsIn('(specification: join duplicates)', pages)).toHaveLength(1);
    expect(problemsIn('(semantics.md)', pages)).toHaveLength(1);
    expect(problemsIn('(statistics.md section 4)', pages)).toHaveLength(1);
    expect(problemsIn('(faults.md K13)', pages)).toHaveLength(1);
    expect(problemsIn('(docs/statistics.md)', pages)).toEqual([]);
  });
});

describe('the specification', () => {
  it('holds every rule that is cited', () => {
    const files = CITING.flatMap(filesOf);
    const citations = files.flatMap((path) => citationsIn(read(path)));
    expect(citations.length).toBeGreaterThan(120);
    expect(files.flatMap((path) => problemsIn(read(path)).map((what) => `${path}: ${what}`))).toEqual([]);
  });

  it('numbers the headings of each page without a hole and without a repeat', () => {
    const faults = [...PAGES].flatMap(([name, { numbers }]) => {
      const last = new Map<string, number>();
      return numbers.flatMap((number) => {
        const parts = number.split('.');
        const above = parts.slice(0, -1).join('.');
        const expected = (last.get(above) ?? 0) + 1;
        last.set(above, expected);
        const isBelow = above === '' || above === lastTop(numbers, number);
        return Number(parts.at(-1)) === expected && isBelow ? [] : [`${name}.md: ${number}`];
      });
    });
    expect(faults).toEqual([]);
  });

  it('has no row of one name twice', () => {
    const twice = [...PAGES].flatMap(([name, { text }]) => {
      const names = [...text.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, row]) => row);
      return names.filter((row, i) => names.indexOf(row) < i).map((row) => `${name}.md: ${row}`);
    });
    expect(twice).toEqual([]);
  });

  it('is listed as a whole by its first page', () => {
    const listed = [...(PAGES.get('README')?.text ?? '').matchAll(/^\| \[[^\]]+\]\(([a-z]+)\.md\)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.sort()).toEqual([...PAGES.keys()].filter((name) => name !== 'README').sort());
  });

  it('has links between its pages that lead to a heading', () => {
    const broken = [...PAGES].flatMap(([name, { text }]) =>
      [...text.matchAll(/\]\(([^)\s:]*)\)/g)].flatMap(([, target]) => {
        const [path, anchor] = target.split('#');
        const file = path === '' ? `${name}.md` : path;
        if (dirname(file) !== '.' || !file.endsWith('.md')) return [];
        const page = PAGES.get(file.replace('.md', ''));
        const leads = page !== undefined && (anchor === undefined || page.anchors.has(anchor));
        return leads ? [] : [`${name}.md: ${target}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('names no file or folder of the repository that is not there', () => {
    const gone = [...PAGES].flatMap(([name, { text }]) =>
      [...text.matchAll(/`((?:src|test|deploy)\/[\w./-]+)`/g)].flatMap(([, path]) =>
        existsSync(join(ROOT, path)) ? [] : [`${name}.md: ${path}`],
      ),
    );
    expect(gone).toEqual([]);
  });

  it('cites its own numbers as they are in what its links say', () => {
    const wrong = [...PAGES].flatMap(([name, { text }]) =>
      [...text.matchAll(/\[(?:[a-z]+ )?(\d+(?:\.\d+)*)\]\(([a-z]*)(?:\.md)?#(\d+)-/g)].flatMap(
        ([link, number, , digits]) => (number.replaceAll('.', '') === digits ? [] : [`${name}.md: ${link}`]),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

/** The heading one level up that comes last before a number's own, by the order of the page. */
function lastTop(numbers: readonly string[], number: string): string | undefined {
  const level = number.split('.').length - 1;
  return numbers.slice(0, numbers.indexOf(number)).findLast((other) => other.split('.').length === level);
}
