/** The bill of materials: what a user gets with the package, by the lock file, in the form of CycloneDX 1.5. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

const component = z.looseObject({
  name: z.string(),
  version: z.string(),
  purl: z.string(),
  hashes: z.array(z.looseObject({ alg: z.string(), content: z.string() })).default([]),
  licenses: z.array(z.unknown()).default([]),
});
const bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.5'),
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
const lock = z.looseObject({
  name: z.string(),
  version: z.string(),
  packages: z.record(
    z.string(),
    z.looseObject({
      name: z.string().optional(),
      version: z.string().optional(),
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      license: z.string().optional(),
    }),
  ),
});

/** What a user installs, by name@version as a bill has it: its integrity. */
function installedBy(packages: z.output<typeof lock>['packages']): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(packages)
      .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
      .map(([path, one]) => [
        `${one.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${one.version}`,
        one.integrity ?? '',
      ]),
  );
}

/**
 * What `npm sbom --package-lock-only` printed, without what only developers install (npm's own `--omit=dev` leaves out packages of users, too,
 * when a developer's package has them as a peer), with the name of the package (npm takes that of the folder), and with nothing that
 * differs between two runs: the time is that of the release, in seconds since 1970, the serial number follows from the content.
 */
export function steadyBill(printed: string, lockText: string, epochSeconds: number): string {
  const { name, version, packages } = lock.parse(JSON.parse(lockText));
  const { metadata, serialNumber: _, components, dependencies, ...rest } = bill.parse(JSON.parse(printed));
  const installed = installedBy(packages);
  const isKept = (ref: string): boolean => installed.has(ref) || ref === `${name}@${version}`;
  const timestamp = new Date(epochSeconds * 1000).toISOString();
  const own = {
    ...rest,
    metadata: { ...metadata, timestamp, component: { ...metadata.component, name } },
    components: components.filter((one) => isKept(`${one.name}@${one.version}`)),
    dependencies: dependencies
      .filter(({ ref }) => isKept(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter(isKept) })),
  };
  const digest = createHash('sha256').update(JSON.stringify(own)).digest('hex');
  // A UUID of version 8: its form is free (RFC 9562, section 5.8).
  const words = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  return `${JSON.stringify({ ...own, serialNumber: `urn:uuid:${[...words, digest.slice(20, 32)].join('-')}` }, null, 2)}\n`;
}

/** What is wrong with a bill by the lock file, a line each; empty: it names all that is installed, by its hash and licence, and nothing else. */
export function billProblems(text: string, lockText: string): readonly string[] {
  const found = bill.parse(JSON.parse(text));
  const { name, version, packages } = lock.parse(JSON.parse(lockText));
  const expected = installedBy(packages);
  const named = new Map(found.components.map((one) => [`${one.name}@${one.version}`, one]));
  const own = found.metadata.component;
  const refs = new Set([`${name}@${version}`, ...named.keys()]);
  return [
    ...(own.name === name && own.version === version ? [] : [`it is of ${own.name}@${own.version}`]),
    ...(own.purl === `pkg:npm/${name}@${version}` ? [] : [`its purl is ${own.purl}`]),
    ...[...expected.keys()].filter((one) => !named.has(one)).map((one) => `${one} is installed and not named`),
    ...[...named.keys()].filter((one) => !expected.has(one)).map((one) => `${one} is named and not installed`),
    ...[...named].flatMap(([one, { hashes, licenses }]) => [
      ...(hashes.some(({ alg, content }) => alg === 'SHA-512' && content === hexOf(expected.get(one)))
        ? []
        : [`${one} has another hash`]),
      ...(licenses.length > 0 ? [] : [`${one} has no licence`]),
    ]),
    ...found.dependencies
      .flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
      .filter((ref) => !refs.has(ref))
      .map((ref) => `${ref} is depended on and not named`),
  ];
}

/** Hexadecimal digits of an integrity of npm, `sha512-` and base64. */
function hexOf(integrity: string | undefined): string {
  return Buffer.from(integrity?.replace(/^sha512-/, '') ?? '', 'base64').toString('hex');
}
