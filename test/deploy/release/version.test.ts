import { describe, expect, it } from 'vitest';
import { readRelease } from '../../../deploy/release/version.ts';
import { readRoot } from '../compose-file.ts';

const { version } = JSON.parse(readRoot('package.json'));
const NOTES = '### Added\n- Something.';

/** The checkout with a changelog that has the section, and one file changed. */
function changed(path: string, from: string | RegExp, to: string): (asked: string) => string {
  return (asked) => {
    const heading = `## Unreleased\n\n## ${version} - 2026-11-23\n\n${NOTES}\n`;
    const text =
      asked === 'CHANGELOG.md' ? `# Changelog\n\n${heading}\n## 0.0.1 - 2020-01-01\n\n- Old.\n` : readRoot(asked);
    if (asked !== path) return text;
    const other = text.replace(from, to);
    expect(other).not.toBe(text);
    return other;
  };
}
const ready = changed('', '', '');

describe('the version of a release', () => {
  it('is the same wherever the checkout names it', () => {
    expect(readRelease(readRoot, undefined).problems).toEqual([]);
  });

  it('has the notes of its section, and nothing of the others', () => {
    expect(readRelease(ready, `v${version}`)).toEqual({ name: 'receval', version, notes: NOTES, problems: [] });
  });

  it('has the notes of what is not released yet in a dry run', () => {
    const { notes } = readRelease(changed('CHANGELOG.md', /## \d.*/, 'Not yet.'), undefined);
    expect(notes).toContain('Not yet.');
    expect(notes).not.toContain('Old.');
  });

  it.each([
    ['CHANGELOG.md', `## ${version} -`, '## 9.9.9 -', 'has no section'],
    ['CHANGELOG.md', ' - 2026-11-23', '', 'has no date'],
    ['CHANGELOG.md', ' - 2026-11-23', ' - soon', 'has no date'],
    ['CHANGELOG.md', ' - 2026-11-23', ' - 2026-13-23', 'has no date'],
    ['CHANGELOG.md', NOTES, '', 'is empty'],
    ['package.json', `"version": "${version}"`, '"version": "0.0.0.1"', 'is no version'],
    ['package-lock.json', `"version": "${version}"`, '"version": "9.9.9"', 'package-lock.json says 9.9.9'],
    ['docker-compose.yml', `receval:${version}`, 'receval:9.9.9', 'docker-compose.yml says 9.9.9'],
    [
      'deploy/kubernetes/base/kustomization.yaml',
      `newTag: ${version}`,
      'newTag: 9.9.9',
      'kustomization.yaml says 9.9.9',
    ],
    ['deploy/kubernetes/overlays/production/kustomization.yaml', `newTag: ${version}`, 'newTag: 9.9.9', 'says 9.9.9'],
  ])('is not released when %s has %s as %s', (path, from, to, problem) => {
    expect(readRelease(changed(path, from, to), `v${version}`).problems.join('\n')).toContain(problem);
  });

  it.each([`${version}`, `v${version}-rc.1`, 'v9.9.9', `refs/tags/v${version}`])('is not that of the tag %s', (tag) => {
    expect(readRelease(ready, tag).problems).toEqual([expect.stringContaining(`it must be v${version}`)]);
  });
});
