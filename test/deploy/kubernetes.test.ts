import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { printPrometheusRule } from '../../src/cli/rules.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { load } from '../config/fixture.ts';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { KUBE_SCHEMAS } from '../services/kube-schemas.ts';
import { KUSTOMIZE, type Kustomize } from '../services/kustomize.ts';
import { PROMTOOL } from '../services/prometheus.ts';
import { ROOT, readRoot } from './compose-file.ts';
import { deployment, network, parseObjects, prometheusRule } from './kubernetes-objects.ts';
import { kubernetesProblems } from './kubernetes-rules.ts';

const FOLDERS = { base: 'deploy/kubernetes/base', production: 'deploy/kubernetes/overlays/production' } as const;
const RULES = 'deploy/kubernetes/components/prometheus-operator/rules.yaml';
/** Oldest and newest release of Kubernetes whose schemas the objects must fit. */
const RELEASES = ['1.30', '1.37'];
/** Fetching or building tools takes long, once. */
const PATIENCE_MS = 360_000;

const built = new Map<string, Promise<string>>();

/** The objects of a folder as YAML, made once. */
function build(kustomize: Kustomize, name: keyof typeof FOLDERS): Promise<string> {
  const found = built.get(name) ?? kustomize(resolve(ROOT, FOLDERS[name]));
  built.set(name, found);
  return found;
}

describe.each(['base', 'production'] as const)('deploy/kubernetes, %s', (name) => {
  itWith(
    KUSTOMIZE,
    'builds, and its objects fit together and to the service',
    async (kustomize) => {
      const objects = parseObjects(await build(kustomize, name));
      expect(kubernetesProblems(objects)).toEqual([]);
      const names = objects.of(deployment, 'Deployment').map(({ metadata }) => metadata.name);
      expect(names.sort()).toEqual(['receval-exporter', 'receval-worker']);
    },
    PATIENCE_MS,
  );

  itWith(
    {
      name: 'kustomize and kubernetes-validate',
      get: async () => ({ kustomize: await KUSTOMIZE.get(), validate: await KUBE_SCHEMAS.get() }),
    },
    'fits the schemas of Kubernetes, without a field that they do not know',
    async ({ kustomize, validate }) => {
      const { builtIn } = parseObjects(await build(kustomize, name));
      for (const release of RELEASES) expect(await validate(builtIn, release)).toBe('');
      const misspelt = builtIn.replace('readinessProbe:', 'readynessProbe:');
      expect(await validate(misspelt, RELEASES[0])).toContain('readynessProbe');
    },
    PATIENCE_MS,
  );
});

/** What, a place in the objects, what to put there, and what is said to it. */
const WRONG: readonly (readonly [string, string, string, string])[] = [
  ['an image without a version', 'image: registry.example.com/receval:0.1.0', 'image: receval', 'not pinned'],
  ['a file of settings that receval does not take', 'groupId: receval-production', 'groupID: x', 'groupID'],
  [
    'a variable that receval does not know',
    'name: RECEVAL_REDIS_URL_FILE',
    'name: RECEVAL_REDIS_URI_FILE',
    'RECEVAL_REDIS_URI_FILE',
  ],
  [
    'a password in a variable',
    'name: RECEVAL_KAFKA_SASL_PASSWORD_FILE',
    'name: RECEVAL_KAFKA_SASL_PASSWORD',
    'everybody can read',
  ],
  [
    'a service account token',
    'automountServiceAccountToken: false\n      containers',
    'automountServiceAccountToken: true\n      containers',
    'automountServiceAccountToken',
  ],
  [
    'variables of services, which receval refuses',
    'enableServiceLinks: false',
    'enableServiceLinks: true',
    'enableServiceLinks',
  ],
  [
    'a file system that can be written',
    'readOnlyRootFilesystem: true',
    'readOnlyRootFilesystem: false',
    'readOnlyRootFilesystem',
  ],
  ['a probe of a page that tells something else', 'path: /readyz', 'path: /healthz', 'ready by another page'],
  ['too little time to end', 'terminationGracePeriodSeconds: 15', 'terminationGracePeriodSeconds: 5', 'killed before'],
  ['a port that no pod has', 'targetPort: http', 'targetPort: web', 'no pod has the port web'],
  [
    'a job of another name',
    'jobLabel: app.kubernetes.io/name',
    'jobLabel: app.kubernetes.io/component',
    'not called receval',
  ],
  [
    'a token that nobody mounts',
    'mountPath: /run/secrets/http',
    'mountPath: /run/secrets/htpp',
    'http.tokenFile is not mounted',
  ],
  ['a port that is open to all', ', tokenFile: /run/secrets/http/token', '', 'everybody may read'],
  ['a scrape without the token', 'name: receval-http\n', 'name: receval-other\n', 'shows another token'],
  ['a setting that the operator does not know', 'scrapeTimeout: 10s', 'scrapeTimeOut: 10s', 'scrapeTimeOut'],
];

describe('deploy/kubernetes', () => {
  itWith(
    KUSTOMIZE,
    'moves few partitions at a roll-out: one worker at a time, none in addition',
    async (kustomize) => {
      const all = parseObjects(await build(kustomize, 'production')).of(deployment, 'Deployment');
      const worker = all.find(({ metadata }) => metadata.name === 'receval-worker');
      expect(worker?.spec.strategy.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    },
    PATIENCE_MS,
  );

  itWith(
    KUSTOMIZE,
    'lets workers out to Kafka, Redis and the names only, and Prometheus in',
    async (kustomize) => {
      const [{ spec }] = parseObjects(await build(kustomize, 'production')).of(network, 'NetworkPolicy');
      expect(spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual(['http']);
      expect(spec.egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([
        53, 53, 9093, 6379, 26379, 443,
      ]);
      for (const peer of spec.egress) expect(peer).toHaveProperty('to');
    },
    PATIENCE_MS,
  );

  itWith(
    KUSTOMIZE,
    'lets them out to Sentinels and to the endpoint of tokens in the base, too',
    async (kustomize) => {
      const [{ spec }] = parseObjects(await build(kustomize, 'base')).of(network, 'NetworkPolicy');
      const out = spec.egress.flatMap(({ ports }) => ports.map(({ protocol, port }) => `${protocol} ${port}`));
      expect(out).toEqual(expect.arrayContaining(['TCP 6379', 'TCP 6380', 'TCP 26379', 'TCP 443']));
    },
    PATIENCE_MS,
  );

  for (const [what, from, to, problem] of WRONG) {
    itWith(
      KUSTOMIZE,
      `is checked for ${what}`,
      async (kustomize) => {
        const right = await build(kustomize, 'production');
        const wrong = right.replace(from, to);
        expect(wrong).not.toBe(right);
        expect(problemsOf(wrong)).toContain(problem);
      },
      PATIENCE_MS,
    );
  }

  itWith(
    KUSTOMIZE,
    'has a manual that makes the secrets which production mounts, with the files that it reads, and names what is there',
    async (kustomize) => {
      const page = readRoot('docs/kubernetes.md');
      const objects = parseObjects(await build(kustomize, 'production'));
      const made = [...page.matchAll(/create secret generic ([\w-]+) (.+)/g)].map(
        ([, name, flags]): [string, string[]] => [
          name,
          [...flags.matchAll(/--from-file=([\w.]+)/g)].map(([, key]) => key),
        ],
      );
      const deployments = objects.of(deployment, 'Deployment');
      const names = deployments.map(({ metadata }) => metadata.name);
      const pods = deployments.map(({ spec }) => spec.template.spec);
      const mounted = pods.flatMap(({ volumes }) => volumes.flatMap(({ secret }) => secret?.secretName ?? []));
      expect(new Set(made.map(([name]) => name))).toEqual(new Set(mounted));
      const settings = readRoot('deploy/kubernetes/overlays/production/receval.yaml');
      const read = [...pods.flatMap(({ containers }) => containers[0].env.map(({ value }) => value)), settings].join(
        '\n',
      );
      for (const key of made.flatMap(([, keys]) => keys)) expect(read).toContain(`/${key}`);
      for (const [, named] of page.matchAll(/deployment\/([\w-]+)/g)) expect(names).toContain(named);
    },
    PATIENCE_MS,
  );

  it('ships the rules of the default settings, as `receval rules generate --format kubernetes` prints them for four targets', () => {
    expect(readRoot(RULES)).toBe(printPrometheusRule(load(''), { ...USUAL_RULE_OPTIONS, targets: 4 }));
  });

  itWith(PROMTOOL, 'ships rules that Prometheus takes', async (promtool) => {
    const { spec } = prometheusRule.parse(parse(readRoot(RULES)));
    const folder = mkdtempSync(join(tmpdir(), 'receval-kubernetes-'));
    try {
      const file = join(folder, 'rules.yml');
      writeFileSync(file, stringify(spec));
      expect(await run(promtool, ['check', 'rules', file])).toMatchObject({ code: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function problemsOf(yaml: string): string {
  try {
    return kubernetesProblems(parseObjects(yaml)).join('\n');
  } catch (error) {
    return String(error);
  }
}
