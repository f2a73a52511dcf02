/** What runs on the project's host of code. Nothing of it runs here; what can be known of the files is. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ACTIONLINT } from '../../services/actionlint.ts';
import { itWith } from '../../services/it-with.ts';
import { ROOT, readRoot } from '../compose-file.ts';

const FOLDER = '.github/workflows';
const NAMES = readdirSync(resolve(ROOT, FOLDER)).sort();
/** For users to copy. */
const EXAMPLE = 'examples/ci-gate/ranking.yml';
/** Building actionlint takes long, once. */
const PATIENCE_MS = 900_000;

const rights = z.record(z.string(), z.enum(['read', 'write', 'none']));
const step = z.strictObject({
  id: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  env: z.record(z.string(), z.string()).default({}),
  'working-directory': z.string().optional(),
});
const workflow = z.looseObject({
  on: z.record(z.string(), z.unknown()),
  permissions: z.strictObject({}),
  jobs: z.record(
    z.string(),
    z.looseObject({
      'timeout-minutes': z.number().int().max(90),
      permissions: rights,
      environment: z.string().optional(),
      steps: z.array(step).min(1),
    }),
  ),
});

/** What a job may do beside reading. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  image: ['id-token', 'attestations'],
  package: ['id-token', 'attestations'],
  notes: ['contents'],
};
const ALWAYS_FOREIGN = ['pull_request_target', 'workflow_run', 'issue_comment'];

/** What is wrong with a workflow, a line each; empty: nothing. */
function workflowProblems(text: string): readonly string[] {
  const parsed = workflow.safeParse(parse(text));
  if (!parsed.success) return [parsed.error.message];
  const { on, jobs } = parsed.data;
  const scripts = Object.keys(JSON.parse(readRoot('package.json')).scripts);
  return [
    ...ALWAYS_FOREIGN.filter((name) => name in on).map((name) => `${name} runs what strangers wrote, with our rights`),
    ...[...text.matchAll(/uses: (.*)$/gm)]
      .filter(([, used]) => !/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used))
      .map(([, used]) => `${used} is not pinned by a commit and its version`),
    ...Object.entries(jobs).flatMap(([name, { permissions, steps, environment }]) => {
      const written = Object.keys(permissions).filter((right) => permissions[right] === 'write');
      const secret = steps.some((one) => JSON.stringify(one).includes('secrets.'));
      return [
        ...written.filter((right) => MAY[name]?.includes(right) !== true).map((right) => `may write ${right}`),
        ...((secret || written.includes('id-token')) && environment === undefined
          ? ['publishes without an environment']
          : []),
        ...steps.flatMap(({ uses = '', run = '', with: given }) => [
          ...(uses.startsWith('actions/checkout@') && given['persist-credentials'] !== false
            ? ['leaves its credentials in the checkout']
            : []),
          ...(run.includes('${{') ? [`a value of the workflow becomes code: ${run}`] : []),
          ...[...run.matchAll(/npm run ([\w:-]+)/g)]
            .filter(([, script]) => !scripts.includes(script))
            .map(([, script]) => `package.json has no script ${script}`),
        ]),
      ].map((problem) => `${name}: ${problem}`);
    }),
  ];
}

describe.each([...NAMES.map((name) => `${FOLDER}/${name}`), EXAMPLE])('%s', (path) => {
  itWith(
    ACTIONLINT,
    'is as GitHub Actions wants it, by actionlint',
    async (lint) => {
      expect(await lint(resolve(ROOT, path))).toBe('');
    },
    PATIENCE_MS,
  );

  it('has no more rights than it needs, and runs only what is pinned', () => {
    expect(workflowProblems(readRoot(path))).toEqual([]);
  });
});

describe.each(NAMES)('%s', (name) => {
  it('runs what everybody runs', () => {
    const { jobs } = workflow.parse(parse(readRoot(`${FOLDER}/${name}`)));
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run));
    expect(runs).toContain('bash .ci/run');
    expect(runs.some((run) => run?.startsWith('npm run release:prepare -- --output release'))).toBe(true);
  });
});

const CHECKOUT = 'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1';
/** What, a place in release.yml, what to put there, and what is said to it. */
const WRONG: readonly (readonly [string, string | RegExp, string, string])[] = [
  ['an action by its version', CHECKOUT, 'actions/checkout@v7', 'actions/checkout@v7 is not pinned'],
  ['a commit without its version', CHECKOUT, CHECKOUT.slice(0, -9), 'is not pinned'],
  ['rights for all jobs', 'permissions: {}', 'permissions: write-all', 'permissions'],
  ['a job without its own rights', /permissions:\n {6}contents: read\n {4}steps/, 'steps', 'permissions'],
  ['a right that a job does not need', 'contents: read', 'contents: write', 'test: may write contents'],
  ['a tag that becomes code', '"$TAG"\n        env', '$' + '{{ github.ref_name }}\n        env', 'becomes code'],
  ['credentials that stay', 'persist-credentials: false', 'persist-credentials: true', 'leaves its credentials'],
  ['a script that there is not', 'npm run release:prepare', 'npm run release:make', 'no script release:make'],
  ['a job that may wait for ever', 'timeout-minutes: 90', 'timeout-minutes: 360', 'timeout-minutes'],
  ['publishing that nobody allowed', '    environment: release\n', '', 'publishes without an environment'],
  ['what strangers wrote', /push:\n {4}tags: .*/, 'pull_request_target:', 'strangers'],
];

const UNFIT: readonly (readonly [string, string, string, string])[] = [
  ['a job that waits for none', 'needs: prepare', 'needs: prepared', 'prepared'],
  ['an output that no job has', 'needs.prepare.outputs.sbom }}', 'needs.prepare.outputs.bill }}', 'bill'],
  ['a right that there is not', 'attestations: write', 'attestation: write', 'attestation'],
  ['a machine that there is not', 'runs-on: ubuntu-24.04', 'runs-on: ubuntu-42', 'ubuntu-42'],
];

describe('the check of workflows', () => {
  it.each(WRONG)('finds %s', (_, from, to, problem) => {
    const right = readRoot(`${FOLDER}/release.yml`);
    const wrong = right.replace(from, to);
    expect(wrong).not.toBe(right);
    expect(workflowProblems(wrong).join('\n')).toContain(problem);
  });

  for (const [what, from, to, said] of UNFIT) {
    itWith(
      ACTIONLINT,
      `and actionlint finds ${what}`,
      async (lint) => {
        const right = readRoot(`${FOLDER}/release.yml`);
        const wrong = right.replace(from, to);
        expect(wrong).not.toBe(right);
        const folder = mkdtempSync(join(tmpdir(), 'receval-workflow-'));
        try {
          const file = join(folder, 'release.yml');
          writeFileSync(file, wrong);
          expect(await lint(file)).toContain(said);
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
      PATIENCE_MS,
    );
  }
});
