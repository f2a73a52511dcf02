import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsageError } from '../../src/cli/failure.ts';
import { simulateCommand } from '../../src/cli/simulate.ts';
import { USUAL_FAULTS, USUAL_SETTINGS } from '../../src/simulate/simulation-settings.ts';
import { Traffic } from '../../src/simulate/traffic.ts';

let folder = '';
let printed = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulate-'));
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

async function simulate(...flags: string[]): Promise<void> {
  await simulateCommand().parseAsync(flags, { from: 'user' });
}

async function lines(file: string): Promise<string[]> {
  const text = gunzipSync(await readFile(join(folder, file))).toString('utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text.slice(0, -1).split('\n');
}

test('the logs are complete and in the order of arrival, and simulation.json holds the plan', async () => {
  await simulate('--to', folder, '--events', '30000', '--seed', '5');
  expect((await readdir(folder)).sort()).toEqual(['feedback.ndjson.gz', 'impressions.ndjson.gz', 'simulation.json']);
  const faults = { ...USUAL_FAULTS, clockAhead: 0 };
  const traffic = new Traffic({ ...USUAL_SETTINGS, events: 30_000, seed: 5, faults });
  const expected = { impressions: [] as string[], feedback: [] as string[] };
  for (const { topic, value } of traffic) expected[topic].push(value);
  expect(await lines('impressions.ndjson.gz')).toEqual(expected.impressions);
  expect(await lines('feedback.ndjson.gz')).toEqual(expected.feedback);
  const simulation: unknown = JSON.parse(await readFile(join(folder, 'simulation.json'), 'utf8'));
  expect(simulation).toMatchObject(traffic.plan);
  expect(simulation).toHaveProperty('expected.feedback.drops.orphan', traffic.plan.planted.orphan.feedback);
});

test('two runs write the same bytes', async () => {
  await simulate('--to', join(folder, 'a'), '--events', '2000');
  await simulate('--to', join(folder, 'b'), '--events', '2000');
  for (const file of ['impressions.ndjson.gz', 'feedback.ndjson.gz', 'simulation.json']) {
    expect(await readFile(join(folder, 'a', file))).toEqual(await readFile(join(folder, 'b', file)));
  }
});

test('the summary names the next command', async () => {
  await simulate('--to', folder, '--events', '100');
  expect(printed).toContain(
    `receval replay --impressions ${folder}/impressions.ndjson.gz --feedback ${folder}/feedback.ndjson.gz`,
  );
});

test('files of an earlier run are kept unless --force is given', async () => {
  await writeFile(join(folder, 'feedback.ndjson.gz'), 'precious');
  await expect(simulate('--to', folder, '--events', '100')).rejects.toThrow(/feedback\.ndjson\.gz.*--force/);
  await expect(simulate('--to', folder, '--events', '100')).rejects.toBeInstanceOf(UsageError);
  expect(await readdir(folder)).toEqual(['feedback.ndjson.gz']);
  expect(await readFile(join(folder, 'feedback.ndjson.gz'), 'utf8')).toBe('precious');
  await simulate('--to', folder, '--events', '100', '--force');
  expect((await lines('feedback.ndjson.gz')).length).toBeGreaterThan(10);
});

test('--clean plants nothing but disorder, unless a fault is asked for', async () => {
  const plantedBy = async (...flags: string[]) => {
    await simulate('--to', folder, '--events', '5000', '--force', ...flags);
    const { planted } = JSON.parse(await readFile(join(folder, 'simulation.json'), 'utf8'));
    return Object.entries<{ impressions: number; feedback: number }>(planted)
      .filter(([, counts]) => counts.impressions + counts.feedback > 0)
      .map(([fault]) => fault);
  };
  expect(await plantedBy('--clean')).toEqual(['outOfOrder']);
  expect(await plantedBy('--clean', '--duplicate', '0.01', '--out-of-order', '0')).toEqual(['duplicate']);
});

test.each([
  [['--to', 'kafka', '--events', '5', '--for', '1s'], /give one of them/],
  [['--to', 'kafka', '--speed', '2'], /--start in the past/],
  [['--to', 'x', '--create-topics', '2'], /--create-topics belongs to --to kafka/],
  [[], /--to DIR/],
  [['--to', 'x', '--late', 'often'], /--late: "often" is not a number/],
  [['--to', 'x', '--late', '2'], /late must be a share from 0 to 1/],
  [['--to', 'x', '--events', 'Infinity'], /events must be a whole number/],
  [['--to', 'x', '--model', 'casacde'], /did you mean "cascade"/],
  [['--to', 'x', '--model', 'cascade', '--eta', '1'], /--eta belongs to --model position/],
  [['--to', 'x', '--start', 'now'], /--start: "now" is not a time/],
  [['--to', 'x', '--regression', 'B@1m..2m:0.5'], /no variant "B"; there are control, treatment/],
])('wrong usage is refused before anything is written: %j', async (flags, message) => {
  const failure = simulate(...flags);
  await expect(failure).rejects.toThrow(message);
  await expect(failure).rejects.toMatchObject({ exitCode: 2 });
});

test('a folder that cannot be made is named', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(simulate('--to', join(folder, 'file'))).rejects.toThrow(
    /^cannot make the folder .*file: it is not a folder$/,
  );
});

test.runIf(existsSync('/proc/self'))('a file system without new folders ends it', async () => {
  const said = /^cannot make the folder \/proc\/receval: /;
  await expect(simulate('--to', '/proc/receval')).rejects.toThrow(said);
});
