import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { effectiveDocument } from '../../src/config/load.ts';
import { readList, withFiles } from '../../src/config/named-files.ts';
import { fingerprint } from '../../src/unit/fingerprint.ts';
import { configuration, load, problems } from './fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'receval-listed-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `list-${files++}`);
  writeFileSync(path, content);
  return path;
}

describe('a file that lists values', () => {
  it('has one a line, plain or compressed', async () => {
    const text = '\ufeffbot-1\r\n  7 \r\n\r\nbot 2';
    for (const content of [text, gzipSync(text)]) {
      expect([...(await readList(file(content)))]).toEqual(['bot-1', '7', 'bot 2']);
    }
  });

  it.each([
    ['', /^drop: .* holds no value$/],
    ['\n \n', /^drop: .* holds no value$/],
    ['a'.repeat(1001), /^drop: cannot read .*: a line of more than 1000 characters$/],
  ])('%j is refused', async (content, problem) => {
    await expect(readList(file(content))).rejects.toThrow(problem);
  });

  it('must be there', async () => {
    await expect(readList(join(folder, 'nowhere'))).rejects.toThrow(/^drop: cannot read .*nowhere/);
  });
});

describe('conditions of drop', () => {
  const bots = (): string => file('b\n7\n');

  it('get what their files list, in inputs and topics', async () => {
    const path = bots();
    const { inputs, kafka } = await withFiles(load(`inputs: {impressions: {drop: {userId: {in: ${path}}}}}`));
    const drop = [{ userId: { in: path, listed: new Set(['b', '7']) } }];
    expect(inputs.impressions.drop).toEqual(drop);
    expect(inputs.events.drop).toEqual(drop);
    expect(inputs.feedback.drop).toEqual([]);
    expect(kafka.topics.map((topic) => topic.drop)).toEqual([drop, []]);
  });

  it('are in the mark of stored state; what a file lists is not', async () => {
    const path = bots();
    const settings = load(`inputs: {feedback: {drop: {userId: {in: ${path}}}}}`);
    const before = fingerprint(await withFiles(settings));
    expect(before).toEqual(fingerprint(settings));
    writeFileSync(path, 'c\n');
    expect(fingerprint(await withFiles(settings))).toEqual(before);
    expect(fingerprint(load('')).shape).not.toBe(before.shape);
    expect(fingerprint(load('inputs: {feedback: {drop: {userId: x}}}')).shape).not.toBe(before.shape);
  });

  it('of a topic take precedence over those of inputs', () => {
    const { kafka } = load(`inputs: {impressions: {drop: {userId: a}}, feedback: {drop: {userId: a}}}
kafka: {topics: {impressions: {name: i, drop: [{userId: b}, {surface: c}]}, feedback: {name: f}}}`);
    expect(kafka.topics.map(({ drop }) => drop)).toEqual([[{ userId: 'b' }, { surface: 'c' }], [{ userId: 'a' }]]);
  });

  it('are printed as they are written', () => {
    const yaml = 'kafka: {topics: {impressions: {name: a, drop: {userId: {in: bots.txt}}}}}';
    const given = configuration({ files: { 'receval.yaml': yaml } });
    expect(load(stringify(effectiveDocument(given)))).toEqual(given.settings);
  });

  it.each([
    ['{userid: x}', 'inputs.feedback.drop.userid: unknown field; did you mean "userId"?'],
    ['[{userId: x}, {}]', 'inputs.feedback.drop: has no condition, and would leave out everything'],
    ['{userId: {matches: "("}}', 'inputs.feedback.drop.userId: matches: a ( is not closed'],
    ['{userId: {matchs: x}}', 'inputs.feedback.drop.userId.matchs: unknown setting; did you mean "matches"?'],
    ['7', 'inputs.feedback.drop: expected fields or JSON pointers and conditions'],
  ])('%s is wrong', (drop, problem) => {
    expect(problems(`inputs: {feedback: {drop: ${drop}}}`)[0]).toContain(problem);
  });
});
