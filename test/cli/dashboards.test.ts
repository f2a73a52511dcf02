import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shippedText } from '../dashboards/model.ts';
import { receval } from './receval.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-dashboards-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('receval dashboards generate', () => {
  it('prints the one that is named', async () => {
    const { code, stdout, stderr } = await receval(['dashboards', 'generate', 'pipeline', '--config', '/dev/null']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(shippedText('pipeline'));
  });

  it('writes all of them into a folder, made from the configuration', async () => {
    const config = join(folder, 'receval.yaml');
    writeFileSync(config, 'measures: [ndcg@10, hit@20]\n');
    const output = join(folder, 'made/here');
    const { code, stdout } = await receval(['dashboards', 'generate', '--config', config, '--output', output]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(readdirSync(output).sort()).toEqual(['receval-pipeline.json', 'receval-quality.json']);
    expect(readFileSync(join(output, 'receval-quality.json'), 'utf8')).toContain('hit@20 : ');
    expect(readFileSync(join(output, 'receval-pipeline.json'), 'utf8')).toBe(shippedText('pipeline'));
  });

  it.each([
    [['qualty'], 'there is no dashboard "qualty"; did you mean "quality"?'],
    [[], 'name one of quality, pipeline, or a folder for all of them with --output'],
  ])('refuses %j with exit code 2', async (args, message) => {
    const { code, stdout, stderr } = await receval(['dashboards', 'generate', ...args]);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `receval: ${message}\n` });
  });

  it('reports that a file cannot be written', async () => {
    mkdirSync(join(folder, 'receval-quality.json'));
    const { code, stderr } = await receval(['dashboards', 'generate', '--output', folder]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^receval: cannot write .*receval-quality\.json: it is a folder/);
  });

  it('reports that the folder cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr } = await receval(['dashboards', 'generate', '--output', join(folder, 'file/below')]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `receval: cannot make the folder ${join(folder, 'file/below')}: ${join(folder, 'file')} is not a folder\n`,
    );
  });
});
