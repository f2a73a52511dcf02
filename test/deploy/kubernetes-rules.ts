import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import { isDimensionName } from '../../src/consumers/decode/dimensions.ts';
import {
  configMap,
  type Deployment,
  deployment,
  disruption,
  network,
  type Objects,
  service,
  serviceAccount,
  serviceMonitor,
} from './kubernetes-objects.ts';

/** http.tokenFile of the settings that are shipped. */
const TOKEN_FILE = '/run/secrets/http/token';

type Labels = Readonly<Record<string, string>>;

/** Seconds within which a process ends after SIGTERM (specification: commands 5). */
const ENDS_WITHIN = 5;

/** What is wrong with the objects together, a line each; empty: nothing. @throws ZodError for one that lacks what it must have */
export function kubernetesProblems(objects: Objects): readonly string[] {
  const deployments = objects.of(deployment, 'Deployment');
  return [
    ...deployments.flatMap((one) =>
      [
        ...image(one),
        ...volumes(objects, one),
        ...probes(one),
        ...ending(one),
        ...settings(objects, one),
        ...selected(objects, one),
        ...account(objects, one),
        ...wayOut(objects, one),
      ].map((problem) => `${one.metadata.name}: ${problem}`),
    ),
    ...services(objects, deployments),
    ...idle(objects, deployments),
    ...names(objects),
  ];
}

function image({ spec }: Deployment): string[] {
  const [{ image }] = spec.template.spec.containers;
  return /^[a-z0-9./-]+:\d+\.\d+\.\d+$/.test(image) ? [] : [`image ${image} is not pinned to a version`];
}

function volumes(objects: Objects, { spec }: Deployment): string[] {
  const { containers, volumes } = spec.template.spec;
  const maps = objects.of(configMap, 'ConfigMap').map(({ metadata }) => metadata.name);
  const mounts = containers[0].volumeMounts;
  return [
    ...mounts
      .filter(({ name }) => !volumes.some((one) => one.name === name))
      .map(({ name }) => `there is no volume ${name}`),
    ...volumes
      .filter(({ name }) => !mounts.some((one) => one.name === name))
      .map(({ name }) => `nobody mounts ${name}`),
    ...volumes.flatMap(({ configMap: map }) =>
      map === undefined || maps.includes(map.name) ? [] : [`there is no ConfigMap ${map.name}`],
    ),
    ...mounts
      .filter(
        ({ name, readOnly }) =>
          volumes.some((one) => one.name === name && one.emptyDir === undefined) && readOnly !== true,
      )
      .map(({ name }) => `${name} can be written`),
  ];
}

function probes({ spec }: Deployment): string[] {
  const [{ ports, startupProbe, livenessProbe, readinessProbe }] = spec.template.spec.containers;
  const problems = [startupProbe, livenessProbe, readinessProbe]
    .filter(
      ({ httpGet }) =>
        !ports.some(({ name, containerPort }) => httpGet.port === name || httpGet.port === containerPort),
    )
    .map(({ httpGet }) => `no port ${httpGet.port}`);
  if (startupProbe.httpGet.path !== '/healthz' || livenessProbe.httpGet.path !== '/healthz')
    problems.push('lives by another page than /healthz');
  if (readinessProbe.httpGet.path !== '/readyz') problems.push('is ready by another page than /readyz');
  // Connecting may take a minute before anything listens.
  if (startupProbe.periodSeconds * startupProbe.failureThreshold < 90) problems.push('has too little time to start');
  return problems;
}

function ending({ spec }: Deployment): string[] {
  return spec.template.spec.terminationGracePeriodSeconds >= 2 * ENDS_WITHIN ? [] : ['is killed before it has ended'];
}

function account(objects: Objects, { spec }: Deployment): string[] {
  const { serviceAccountName: name } = spec.template.spec;
  const all = objects.of(serviceAccount, 'ServiceAccount').map(({ metadata }) => metadata.name);
  return all.includes(name) ? [] : [`there is no ServiceAccount ${name}`];
}

/** Its policies must let it out to the brokers of its own settings, and to the names. */
function wayOut(objects: Objects, one: Deployment): string[] {
  const policies = objects
    .of(network, 'NetworkPolicy')
    .filter(({ spec }) => matches(spec.podSelector.matchLabels, one.spec.template.metadata.labels));
  const open = policies.flatMap(({ spec }) => spec.egress.flatMap(({ ports }) => ports));
  const isOpen = (protocol: string, wanted: number) =>
    open.some(({ protocol: allowed, port }) => allowed === protocol && port === wanted);
  try {
    const { kafka } = settingsOf(objects, one);
    const ports = kafka.brokers.map((broker) => Number(broker.slice(broker.lastIndexOf(':') + 1)));
    return [
      ...[...new Set(ports)]
        .filter((port) => !isOpen('TCP', port))
        .map((port) => `is not let out to Kafka's port ${port}`),
      ...(isOpen('UDP', 53) && isOpen('TCP', 53) ? [] : ['is not let out to the name service']),
    ];
  } catch {
    return []; // `settings` says what is wrong with the file
  }
}

/** What selects no pod does nothing, and nobody notices. */
function idle(objects: Objects, deployments: readonly Deployment[]): string[] {
  const chosen = (selector: Labels) =>
    deployments.filter(({ spec }) => matches(selector, spec.template.metadata.labels));
  const budgets = objects.of(disruption, 'PodDisruptionBudget');
  const policies = objects.of(network, 'NetworkPolicy');
  const selectors: readonly (readonly [string, Labels])[] = [
    ...budgets.map(({ kind, metadata, spec }) => [`${kind} ${metadata.name}`, spec.selector.matchLabels] as const),
    ...policies.map(({ kind, metadata, spec }) => [`${kind} ${metadata.name}`, spec.podSelector.matchLabels] as const),
    ...objects
      .of(service, 'Service')
      .map(({ kind, metadata, spec }) => [`${kind} ${metadata.name}`, spec.selector] as const),
  ];
  return [
    ...selectors.filter(([, selector]) => chosen(selector).length === 0).map(([name]) => `${name}: selects no pod`),
    ...budgets.flatMap(({ metadata, spec }) =>
      chosen(spec.selector.matchLabels)
        .filter((one) => one.spec.replicas <= spec.maxUnavailable)
        .map((one) => `PodDisruptionBudget ${metadata.name}: may take all pods of ${one.metadata.name}`),
    ),
    ...policies.flatMap(({ metadata, spec }) =>
      chosen(spec.podSelector.matchLabels).flatMap((one) =>
        spec.ingress
          .flatMap(({ ports }) => ports)
          .filter(
            ({ port }) =>
              !one.spec.template.spec.containers[0].ports.some(
                ({ name, containerPort }) => port === name || port === containerPort,
              ),
          )
          .map(({ port }) => `NetworkPolicy ${metadata.name}: ${one.metadata.name} has no port ${port}`),
      ),
    ),
  ];
}

function names({ named, namespaces }: Objects): string[] {
  return [
    ...named.filter((one, i) => named.indexOf(one) !== i).map((one) => `${one} is there twice`),
    ...(namespaces.length === 1 ? [] : [`the objects lie in several namespaces: ${namespaces.join(', ')}`]),
  ];
}

/** The secret and the key in it that a path in a container stands for. */
function tokenSecret({ spec }: Deployment, path: string): string | undefined {
  const { containers, volumes } = spec.template.spec;
  const mount = containers[0].volumeMounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
  const secret = volumes.find(({ name }) => name === mount?.name)?.secret?.secretName;
  return mount === undefined || secret === undefined ? undefined : `${secret}${path.slice(mount.mountPath.length)}`;
}

/** The settings of its containers. @throws ConfigError for what the service would not take */
function settingsOf(objects: Objects, { spec }: Deployment): Settings {
  const { containers, volumes } = spec.template.spec;
  const [{ args, env, volumeMounts }] = containers;
  const mounted = (path: string) => volumeMounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`))?.name;
  const readFile = (path: string): string => {
    const volume = volumes.find(({ name }) => name === mounted(path));
    const map = objects.of(configMap, 'ConfigMap').find(({ metadata }) => metadata.name === volume?.configMap?.name);
    if (map !== undefined) return map.data['receval.yaml'];
    if (volume?.secret !== undefined)
      return path.endsWith('url') ? 'redis://user:secret@redis.redis:6379\n' : 'secret\n';
    throw Object.assign(new Error(path), { code: 'ENOENT' });
  };
  const [, , , , file] = args;
  return loadSettings({ file, readFile, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) });
}

/** What the service itself says to its file and variables. */
function settings(objects: Objects, one: Deployment): string[] {
  const { containers } = one.spec.template.spec;
  const [{ args, env }] = containers;
  const [, , role] = args;
  const written = env.filter(({ name }) => /PASS|SECRET|TOKEN|URL/.test(name) && !name.endsWith('_FILE'));
  const problems = written.map(({ name }) => `${name} is a secret that everybody can read`);
  if (!one.spec.template.metadata.labels['app.kubernetes.io/component']?.startsWith(role))
    problems.push(`has the role ${role}`);
  try {
    const { http } = settingsOf(objects, one);
    if (http.host !== '0.0.0.0') problems.push('listens to itself only');
    if (http.token?.kind !== 'file') problems.push('everybody may read');
    else if (tokenSecret(one, http.token.path) === undefined) problems.push('http.tokenFile is not mounted');
    if (!containers[0].ports.some(({ containerPort }) => containerPort === http.port))
      problems.push(`has no port ${http.port}`);
  } catch (error) {
    problems.push(String(error));
  }
  return problems;
}

/** Whatever selects pods must select these, exactly once where one is enough. */
function selected(objects: Objects, { spec }: Deployment): string[] {
  const { labels } = spec.template.metadata;
  const count = (selectors: readonly Labels[]): number => selectors.filter((one) => matches(one, labels)).length;
  const problems: string[] = [];
  if (!matches(spec.selector.matchLabels, labels)) problems.push('does not select its own pods');
  if (count(objects.of(disruption, 'PodDisruptionBudget').map((one) => one.spec.selector.matchLabels)) !== 1)
    problems.push('needs one PodDisruptionBudget');
  if (count(objects.of(network, 'NetworkPolicy').map((one) => one.spec.podSelector.matchLabels)) < 1)
    problems.push('has no NetworkPolicy');
  if (count(objects.of(service, 'Service').map((one) => one.spec.selector)) !== 1) problems.push('needs one Service');
  const spread = spec.template.spec.topologySpreadConstraints.filter(
    (one) => !matches(one.labelSelector.matchLabels, labels),
  );
  if (spread.length > 0) problems.push('spreads other pods');
  return problems;
}

/** What the operator gives to each target of a ServiceMonitor. */
const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod', 'service', 'container', 'endpoint'];

function services(objects: Objects, deployments: readonly Deployment[]): string[] {
  const all = objects.of(service, 'Service');
  const lost = all.flatMap(({ metadata, spec }) => {
    const pods = deployments.filter((one) => matches(spec.selector, one.spec.template.metadata.labels));
    const ports = pods.flatMap((one) => one.spec.template.spec.containers[0].ports.map(({ name }) => name));
    return spec.ports
      .filter(({ targetPort }) => !ports.includes(String(targetPort)))
      .map(({ targetPort }) => `${metadata.name}: no pod has the port ${targetPort}`);
  });
  const scraped = objects.of(serviceMonitor, 'ServiceMonitor').flatMap(({ spec }) => {
    const found = all.filter(({ metadata }) => matches(spec.selector.matchLabels, metadata.labels));
    const unseen = all.length - found.length;
    const named = found.every(({ metadata }) => metadata.labels[spec.jobLabel] === 'receval');
    const ports = spec.endpoints.filter(
      ({ port }) => !found.every((one) => one.spec.ports.some(({ name }) => name === port)),
    );
    const shown = spec.endpoints.map(({ authorization: { credentials } }) => `${credentials.name}/${credentials.key}`);
    const asked = deployments.map((one) => tokenSecret(one, TOKEN_FILE));
    const dropped = spec.endpoints.map(({ relabelings: [, { regex }] }) => new RegExp(`^(?:${regex})$`));
    const shared = TARGET_LABELS.filter(
      (label) => isDimensionName(label) && !dropped.every((regex) => regex.test(label)),
    );
    return [
      ...(asked.every((secret) => secret !== undefined && shown.every((one) => one === secret))
        ? []
        : ['ServiceMonitor: shows another token']),
      ...shared.map((label) => `ServiceMonitor: a dimension may be called as the label ${label} of a target`),
      ...(unseen === 0 ? [] : [`ServiceMonitor: ${unseen} services are not scraped`]),
      ...(named ? [] : ['ServiceMonitor: the job is not called receval']),
      ...ports.map(({ port }) => `ServiceMonitor: a service has no port ${port}`),
    ];
  });
  return [...lost, ...scraped];
}

function matches(selector: Labels, labels: Labels): boolean {
  return (
    Object.entries(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value)
  );
}
