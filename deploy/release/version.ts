/** The places that name the version of a release. They must agree, or users get another thing than they read of. */
import { parse } from 'yaml';
import { z } from 'zod';

/** Texts of files by their path from the top folder. */
export type ReadText = (path: string) => string;

const manifest = z.looseObject({ name: z.string(), version: z.string() });
const lock = z.looseObject({
  version: z.string(),
  packages: z.looseObject({ '': z.looseObject({ version: z.string() }) }),
});
const compose = z.looseObject({ 'x-receval': z.looseObject({ image: z.string() }) });
const kustomization = z.looseObject({ images: z.array(z.looseObject({ name: z.string(), newTag: z.string() })) });

const KUSTOMIZATIONS = [
  'deploy/kubernetes/base/kustomization.yaml',
  'deploy/kubernetes/overlays/production/kustomization.yaml',
];
const VERSION = /^\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?$/;

export interface Release {
  readonly name: string;
  readonly version: string;
  /** The section of the changelog, without its heading. */
  readonly notes: string;
  /** A line for each place that says something else. */
  readonly problems: readonly string[];
}

/** What is released. With a tag, as git has it, the tag must name the version and the changelog must have its dated section. */
export function readRelease(read: ReadText, tag: string | undefined): Release {
  const { name, version } = manifest.parse(JSON.parse(read('package.json')));
  const locked = lock.parse(JSON.parse(read('package-lock.json')));
  const section = sectionOf(read('CHANGELOG.md'), version);
  const says = (place: string, found: string): string[] =>
    found === version ? [] : [`${place} says ${found}, package.json says ${version}`];
  return {
    name,
    version,
    notes: (section ?? sectionOf(read('CHANGELOG.md'), undefined))?.text ?? '',
    problems: [
      ...(VERSION.test(version) ? [] : [`package.json: ${version} is no version such as 1.2.3 or 1.2.3-rc.1`]),
      ...says('package-lock.json', locked.version),
      ...says('package-lock.json, packages', locked.packages[''].version),
      ...says('docker-compose.yml', tagOf(compose.parse(parse(read('docker-compose.yml')))['x-receval'].image)),
      ...KUSTOMIZATIONS.flatMap((path) =>
        kustomization
          .parse(parse(read(path)))
          .images.filter((one) => one.name === name)
          .flatMap(({ newTag }) => says(path, newTag)),
      ),
      ...(tag === undefined ? [] : tagged(tag, version, section)),
    ],
  };
}

interface Section {
  readonly date: string | undefined;
  readonly text: string;
}

function tagged(tag: string, version: string, section: Section | undefined): string[] {
  const problems =
    tag === `v${version}` ? [] : [`the tag is ${tag}, package.json says ${version}: it must be v${version}`];
  if (section === undefined) return [...problems, `CHANGELOG.md has no section "## ${version} - YYYY-MM-DD"`];
  if (section.date === undefined || Number.isNaN(Date.parse(section.date)))
    problems.push(`CHANGELOG.md: the section ${version} has no date (YYYY-MM-DD)`);
  if (section.text === '') problems.push(`CHANGELOG.md: the section ${version} is empty`);
  return problems;
}

/** Of a version; undefined: of what is not released yet. */
function sectionOf(changelog: string, version: string | undefined): Section | undefined {
  const wanted = version ?? 'Unreleased';
  for (const part of changelog.split(/^## /m).slice(1)) {
    const end = part.indexOf('\n');
    const [heading, date] = part.slice(0, end).trim().split(' - ');
    if (heading.replace(/^\[(.*)\]$/, '$1') !== wanted) continue;
    return { date: /^\d{4}-\d{2}-\d{2}$/.test(date ?? '') ? date : undefined, text: part.slice(end).trim() };
  }
  return undefined;
}

function tagOf(image: string): string {
  const [name] = image.split('@');
  return name.slice(name.lastIndexOf(':') + 1);
}
