import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { run } from '../services/commands.ts';
import { itWith } from '../services/it-with.ts';
import { KUBECONFORM } from '../services/kubeconform.ts';
import { KUSTOMIZE, type Kustomize } from '../services/kustomize.ts';
import { OPERATOR_MODELS } from '../services/operator-models.ts';
import { PROMTOOL } from '../services/prometheus.ts';
import { ROOT, readRoot } from './compose-file.ts';
import { deployment, network, parseObjects, prometheusRule, serviceMonitor } from './kubernetes-objects.ts';
import { kubernetesProblems } from './kubernetes-rules.ts';

const TOP = 'deploy/kubernetes';
const BASE = `${TOP}/base`;
const PRODUCTION = `${TOP}/overlays/production`;
const RULES = 'deploy/kubernetes/components/prometheus-operator/rules.yaml';
/** Every release of Kubernetes whose schemas the objects must fit, from the oldest that docs/kubernetes.md names to the newest. */
const RELEASES = ['1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37'];
/** Fetching or building tools takes long, once. */
const PATIENCE_MS = 900_000;

/** Every folder with a kustomization.yaml: who adds one has it checked. */
const FOLDERS = readdirSync(resolve(ROOT, TOP), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('kustomization.yaml'))
  .map((path) => dirname(join(TOP, path)))
  .sort();

const built = new Map<string, Promise<string>>();

/** The objects of a folder as YAML, made once; those of a component with the base, as it stands on no feet of its own. */
function build(kustomize: Kustomize, folder: string): Promise<string> {
  const found = built.get(folder) ?? buildNow(kustomize, folder);
  built.set(folder, found);
  return found;
}

async function buildNow(kustomize: Kustomize, folder: string): Promise<string> {
  const { kind } = parse(readRoot(`${folder}/kustomization.yaml`));
  if (kind === 'Kustomization') return kustomize(resolve(ROOT, folder));
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'receval-component-')));
  const from = (path: string) => relative(top, realpathSync(resolve(ROOT, path)));
  try {
    const whole = { kind: 'Kustomization', resources: [from(BASE)], components: [from(folder)] };
    writeFileSync(join(top, 'kustomization.yaml'), stringify(whole));
    return await kustomize(top);
  } finally {
    rmSync(top, { recursive: true });
  }
}

const KUSTOMIZE_AND_KUBECONFORM = {
  name: 'kustomize and kubeconform',
  get: async () => ({ kustomize: await KUSTOMIZE.get(), conform: await KUBECONFORM.get() }),
};
const KUSTOMIZE_AND_MODELS = {
  name: 'kustomize and models of the Prometheus Operator',
  get: async () => ({ kustomize: await KUSTOMIZE.get(), validate: await OPERATOR_MODELS.get() }),
};

describe.each(FOLDERS)('%s', (folder) => {
  itWith(
    KUSTOMIZE,
    'builds, and its objects fit together and to the service',
    async (kustomize) => {
      const objects = parseObjects(await build(kustomize, folder));
      expect(kubernetesProblems(objects)).toEqual([]);
      const names = objects.of(deployment, 'Deployment').map(({ metadata }) => metadata.name);
      expect(names.sort()).toEqual(['receval-exporter', 'receval-worker']);
    },
    PATIENCE_MS,
  );

  itWith(
    KUSTOMIZE_AND_MODELS,
    'fits the models of the Prometheus Operator',
    async ({ kustomize, validate }) => {
      const { custom, kinds } = parseObjects(await build(kustomize, folder));
      expect(custom.length).toBe(kinds.filter((kind) => /^(?:ServiceMonitor|PrometheusRule)$/.test(kind)).length);
      expect(custom.length).toBe(folder === BASE ? 0 : 2);
      expect(await validate(custom)).toBe('');
    },
    PATIENCE_MS,
  );
});

describe('a secret that kustomize makes', () => {
  itWith(
    KUSTOMIZE,
    'is the one that the ServiceMonitor shows, whatever name it gets',
    async (kustomize) => {
      const top = realpathSync(mkdtempSync(join(tmpdir(), 'receval-secret-')));
      const from = (path: string) => relative(top, realpathSync(resolve(ROOT, path)));
      try {
        const whole = {
          kind: 'Kustomization',
          namePrefix: 'eu-',
          resources: [from(BASE)],
          components: [from(dirname(RULES))],
          secretGenerator: [{ name: 'receval-http', literals: ['token=0123456789abcdef'] }],
        };
        writeFileSync(join(top, 'kustomization.yaml'), stringify(whole));
        const text = await kustomize(top);
        const name = /name: (eu-receval-http-\w+)/.exec(text)?.[1];
        expect(name).toBeDefined();
        const [{ spec }] = parseObjects(text).of(serviceMonitor, 'ServiceMonitor');
        expect(spec.endpoints.map(({ authorization }) => authorization.credentials.name)).toEqual([name]);
      } finally {
        rmSync(top, { recursive: true });
      }
    },
    PATIENCE_MS,
  );
});

describe('the objects of all folders', () => {
  for (const release of RELEASES) {
    itWith(
      KUSTOMIZE_AND_KUBECONFORM,
      `fit the schemas of Kubernetes ${release}, without a field that they do not know`,
      async ({ kustomize, conform }) => {
        const all = [];
        for (const folder of FOLDERS) all.push(parseObjects(await build(kustomize, folder)));
        const valid = all.map(({ kinds, custom }) => kinds.length - custom.length);
        for (const count of valid) expect(count).toBeGreaterThanOrEqual(9);
        const found = await conform(all.map(({ builtIn }) => builtIn).join('---\n'), release);
        expect(found).toEqual({ valid: valid.reduce((sum, count) => sum + count, 0), problems: [] });
      },
      PATIENCE_MS,
    );
  }
});

/** What, a place in the objects, what to put there, and what the schemas say to it. */
const UNFIT: readonly (readonly [string, string, string, RegExp])[] = [
  ['a misspelt field', 'readinessProbe:', 'readynessProbe:', /readynessProbe/],
  ['a word for a number', 'replicas: 4', 'replicas: four', /replicas/],
  ['a version that the release has no more', 'policy/v1', 'policy/v1beta1', /could not find schema/],
  ['a kind that there is not', 'kind: NetworkPolicy', 'kind: NetworkRule', /could not find schema for NetworkRule/],
  ['a field that must be there', 'containerPort: 9464', 'hostPort: 9464', /containerPort/],
];

describe('the schemas of Kubernetes', () => {
  for (const [what, from, to, said] of UNFIT) {
    itWith(
      KUSTOMIZE_AND_KUBECONFORM,
      `refuse ${what}`,
      async ({ kustomize, conform }) => {
        const { builtIn, kinds, custom } = parseObjects(await build(kustomize, PRODUCTION));
        const wrong = builtIn.replace(from, to);
        expect(wrong).not.toBe(builtIn);
        for (const release of [RELEASES[0], RELEASES[RELEASES.length - 1]]) {
          const { valid, problems } = await conform(wrong, release);
          expect(problems.join('\n')).toMatch(said);
          expect(valid).toBe(kinds.length - custom.length - problems.length);
        }
      },
      PATIENCE_MS,
    );
  }

  itWith(
    OPERATOR_MODELS,
    'and those of the operator refuse what is missing, of another type or of no form',
    async (validate) => {
      const metadata = { name: 'receval' };
      const apiVersion = 'monitoring.coreos.com/v1';
      const monitor = { apiVersion, kind: 'ServiceMonitor', metadata };
      const rule = { apiVersion, kind: 'PrometheusRule', metadata };
      const wrong = [
        { ...monitor, spec: { endpoints: [{ port: 'http' }] } },
        { ...monitor, spec: { selector: {}, endpoints: [{ port: 'http', interval: '15' }] } },
        { ...rule, spec: { groups: [{ name: 'receval', rules: [{ alert: 'RecevalLagHigh' }] }] } },
        { ...rule, kind: 'PrometheusRules' },
      ];
      const lines = (await validate(wrong)).trim().split('\n');
      expect(lines).toEqual([
        expect.stringContaining('must have required property selector'),
        expect.stringMatching(/interval must match pattern/),
        expect.stringContaining('must have required property expr'),
        expect.stringContaining('no such kind'),
      ]);
    },
    PATIENCE_MS,
  );
});

/** What, a place in the objects, what to put there, and what is said to it. */
const WRONG: readonly (readonly [string, string | RegExp, string, string])[] = [
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
  [
    'a label of targets that may be a dimension',
    'regex: container|endpoint|service',
    'regex: container|endpoint',
    'as the label service of a target',
  ],
  ['a scrape without the token', 'name: receval-http\n', 'name: receval-other\n', 'shows another token'],
  [
    'a budget that no pod counts in',
    'maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/component: exporter',
    'maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/component: exporters',
    'PodDisruptionBudget receval-exporter: selects no pod',
  ],
  ['a budget that may take all', 'maxUnavailable: 1\n  selector', 'maxUnavailable: 2\n  selector', 'may take all pods'],
  [
    'a policy that holds for no pod',
    'podSelector:\n    matchLabels:\n      app.kubernetes.io/name: receval',
    'podSelector:\n    matchLabels:\n      app.kubernetes.io/name: reveal',
    'NetworkPolicy receval: selects no pod',
  ],
  [
    'a policy that lets in to another port',
    'ingress:\n  - from:\n    - namespaceSelector:\n        matchLabels:\n          kubernetes.io/metadata.name: monitoring\n    ports:\n    - port: http',
    'ingress:\n  - from:\n    - namespaceSelector:\n        matchLabels:\n          kubernetes.io/metadata.name: monitoring\n    ports:\n    - port: metrics',
    'has no port metrics',
  ],
  ['a policy that does not let out to the brokers', '- port: 9093', '- port: 9092', "not let out to Kafka's port 9093"],
  [
    'a policy that does not let out to the names',
    'port: 53\n      protocol: UDP',
    'port: 54\n      protocol: UDP',
    'to the name service',
  ],
  [
    'a service without pods',
    'selector:\n    app.kubernetes.io/component: exporter',
    'selector:\n    app.kubernetes.io/component: exporters',
    'Service receval-exporter: selects no pod',
  ],
  [
    'a map of settings that is not there',
    /configMap:\n {10}name: receval-\w+/,
    'configMap:\n          name: other',
    'there is no ConfigMap other',
  ],
  [
    'an account that is not there',
    'serviceAccountName: receval',
    'serviceAccountName: other',
    'no ServiceAccount other',
  ],
  ['objects in another namespace', 'namespace: receval\nspec', 'namespace: other\nspec', 'several namespaces'],
  ['a folder of the node', /emptyDir:\n {10}sizeLimit: 64Mi/, 'hostPath: {path: /tmp}', 'hostPath'],
  [
    'the network of the node',
    'enableServiceLinks: false',
    'enableServiceLinks: false\n      hostNetwork: true',
    'hostNetwork',
  ],
  ['no user', 'runAsNonRoot: true', 'runAsNonRoot: false', 'runAsNonRoot'],
  ['more rights', 'drop:\n            - ALL', 'drop:\n            - NET_RAW', 'drop'],
  ['no probe of its life', /livenessProbe:\n(?: {10}.*\n)+/, '', 'livenessProbe'],
  ['a setting that the operator does not know', 'scrapeTimeout: 10s', 'scrapeTimeOut: 10s', 'scrapeTimeOut'],
];

describe('deploy/kubernetes', () => {
  itWith(
    KUSTOMIZE,
    'moves few partitions at a roll-out: one worker at a time, none in addition',
    async (kustomize) => {
      const all = parseObjects(await build(kustomize, PRODUCTION)).of(deployment, 'Deployment');
      const worker = all.find(({ metadata }) => metadata.name === 'receval-worker');
      expect(worker?.spec.strategy.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    },
    PATIENCE_MS,
  );

  itWith(
    KUSTOMIZE,
    'lets workers out to Kafka, Redis and the names only, and Prometheus in',
    async (kustomize) => {
      const [{ spec }] = parseObjects(await build(kustomize, PRODUCTION)).of(network, 'NetworkPolicy');
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
      const [{ spec }] = parseObjects(await build(kustomize, BASE)).of(network, 'NetworkPolicy');
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
        const right = await build(kustomize, PRODUCTION);
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
      const objects = parseObjects(await build(kustomize, PRODUCTION));
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
