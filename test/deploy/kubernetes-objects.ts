import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({ name: z.string(), namespace: z.string().optional(), labels: labels.default({}) });
const selector = z.strictObject({ matchLabels: labels });
const port = z.union([z.number().int(), z.string()]);

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port }),
  periodSeconds: z.number().int(),
  timeoutSeconds: z.number().int(),
  failureThreshold: z.number().int(),
});
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.number().int() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() })),
});
const volume = z.strictObject({
  name: z.string(),
  configMap: z.strictObject({ name: z.string() }).optional(),
  secret: z.strictObject({ secretName: z.string(), defaultMode: z.number() }).optional(),
  emptyDir: z.strictObject({ sizeLimit: z.string() }).optional(),
});

/** Deployments of ours: what a pod must have is not optional here, and what is not listed (hostNetwork, hostPath, envFrom) is an error. */
export const deployment = z.object({
  kind: z.literal('Deployment'),
  metadata,
  spec: z.object({
    replicas: z.number().int().min(2),
    selector,
    strategy: z.object({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({ maxSurge: z.number(), maxUnavailable: z.number() }),
    }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.strictObject({
        serviceAccountName: z.string(),
        automountServiceAccountToken: z.literal(false),
        enableServiceLinks: z.literal(false),
        terminationGracePeriodSeconds: z.number().int(),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.number().int().min(1),
          seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
        }),
        topologySpreadConstraints: z.array(z.object({ topologyKey: z.string(), labelSelector: selector })).min(1),
        containers: z.tuple([container]),
        volumes: z.array(volume),
      }),
    }),
  }),
});
export type Deployment = z.output<typeof deployment>;

export const service = z.object({
  kind: z.literal('Service'),
  metadata,
  spec: z.object({ selector: labels, ports: z.array(z.object({ name: z.string(), targetPort: port })) }),
});
export const serviceAccount = z.object({
  kind: z.literal('ServiceAccount'),
  metadata,
  automountServiceAccountToken: z.literal(false),
});
export const disruption = z.object({
  kind: z.literal('PodDisruptionBudget'),
  metadata,
  spec: z.object({ maxUnavailable: z.number().int().min(1), selector }),
});
const peer = z.object({ ports: z.array(z.object({ protocol: z.enum(['TCP', 'UDP']), port })).min(1) });
export const network = z.object({
  kind: z.literal('NetworkPolicy'),
  metadata,
  spec: z.object({
    podSelector: selector,
    policyTypes: z.tuple([z.literal('Ingress'), z.literal('Egress')]),
    ingress: z.array(peer.extend({ from: z.array(z.unknown()).min(1) })),
    egress: z.array(peer.extend({ to: z.array(z.unknown()).min(1).optional() })),
  }),
});
export const configMap = z.object({
  kind: z.literal('ConfigMap'),
  metadata,
  data: z.strictObject({ 'receval.yaml': z.string() }),
});

/** What we use of the objects of the Prometheus Operator (its API reference, monitoring.coreos.com/v1); any other key is an error. */
export const serviceMonitor = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('ServiceMonitor'),
  metadata,
  spec: z.strictObject({
    jobLabel: z.string(),
    selector,
    endpoints: z.array(
      z.strictObject({
        port: z.string(),
        path: z.literal('/metrics'),
        interval: z.string().regex(/^\d+s$/),
        scrapeTimeout: z.string().regex(/^\d+s$/),
        authorization: z.strictObject({ credentials: z.strictObject({ name: z.string(), key: z.string() }) }),
        relabelings: z.tuple([
          z.strictObject({
            sourceLabels: z.tuple([z.literal('__meta_kubernetes_pod_name')]),
            targetLabel: z.literal('instance'),
          }),
          z.strictObject({ action: z.literal('labeldrop'), regex: z.string() }),
        ]),
      }),
    ),
  }),
});
export const prometheusRule = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('PrometheusRule'),
  metadata,
  spec: z.strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string(),
            expr: z.string(),
            for: z.string(),
            labels,
            annotations: labels,
          }),
        ),
      }),
    ),
  }),
});

const OPERATOR = 'monitoring.coreos.com/';
const anything = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
/** All of ours but these lie in a namespace. */
const CLUSTER_WIDE = ['Namespace'];

export interface Objects {
  /** Objects of that kind. @throws ZodError for one that is not as it must be */
  readonly of: <T>(schema: z.ZodType<T>, kind: string) => readonly T[];
  /** Objects of Kubernetes itself, as YAML. */
  readonly builtIn: string;
  /** Objects of the Prometheus Operator. */
  readonly custom: readonly unknown[];
  readonly kinds: readonly string[];
  /** Names of objects, as kind, namespace and name. */
  readonly named: readonly string[];
  /** Where the objects lie; an empty name: wherever they are applied. */
  readonly namespaces: readonly string[];
}

/** The objects of a stream of YAML. */
export function parseObjects(yaml: string): Objects {
  const all = parseAllDocuments(yaml).map((document) => anything.parse(document.toJS()));
  const isCustom = ({ apiVersion }: { readonly apiVersion: string }) => apiVersion.startsWith(OPERATOR);
  const placed = all.filter(({ kind }) => !CLUSTER_WIDE.includes(kind));
  return {
    of: (schema, kind) => all.filter((one) => one.kind === kind).map((one) => schema.parse(one)),
    builtIn: all
      .filter((one) => !isCustom(one))
      .map((one) => stringify(one))
      .join('---\n'),
    custom: all.filter(isCustom),
    kinds: all.map(({ kind }) => kind),
    named: all.map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace ?? ''}/${name}`),
    namespaces: [...new Set(placed.map(({ metadata: { namespace } }) => namespace ?? ''))],
  };
}
