/** Asks for the digest of an image: a registry itself, by the OCI distribution specification, or Docker. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { ImageName, Resolve } from './pins.ts';

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const TIMEOUT_MS = 30_000;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * By the registry at an address such as http://127.0.0.1:5000. The digest is computed of the bytes that came, and must be the one that
 * the registry tells. `login` is user:password; without one a registry that wants a token is asked for one without a name.
 */
export function byRegistry(address: string, login: string | undefined): Resolve {
  const basic = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  return async ({ repository, tag }) => {
    const url = new URL(`/v2/${pathOf(repository)}/manifests/${tag}`, address);
    const ask = (authorization: string | undefined): Promise<Response> =>
      fetch(url, {
        headers: { accept: MANIFESTS, ...(authorization === undefined ? {} : { authorization }) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    let answer = await ask(undefined);
    if (answer.status === 401) answer = await ask(await authorization(answer.headers.get('www-authenticate'), basic));
    if (!answer.ok) throw new Error(`${repository}:${tag}: ${url} answered ${answer.status}${hint(answer.status)}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (bytes.length === 0 || bytes.length > MOST_BYTES)
      throw new Error(`${repository}:${tag}: ${url} sent ${bytes.length} bytes`);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const told = answer.headers.get('docker-content-digest') ?? digest;
    if (told !== digest) throw new Error(`${repository}:${tag}: the registry tells ${told}, but sent ${digest}`);
    return digest;
  };
}

/** Images without a person or host before them lie in `library` (Docker's reference of image names). A host is the registry's own. */
function pathOf(repository: string): string {
  const [first, ...rest] = repository.split('/');
  if (rest.length === 0) return `library/${first}`;
  return /[.:]|^localhost$/.test(first) ? rest.join('/') : repository;
}

function hint(status: number): string {
  if (status === 404) return ': it has no such image';
  return status === 401 || status === 403 ? ': set REGISTRY_LOGIN to user:password' : '';
}

/** What a challenge asks for: the login itself, or a token for it. */
async function authorization(challenge: string | null, basic: string | undefined): Promise<string | undefined> {
  if (challenge === null || !/^bearer /i.test(challenge)) return basic;
  const words = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  const realm = words.get('realm');
  if (realm === undefined) throw new Error(`the registry's challenge has no realm: ${challenge}`);
  const url = new URL(realm);
  for (const name of ['service', 'scope']) {
    const value = words.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const headers = basic === undefined ? {} : { authorization: basic };
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${url.origin} gave no token: ${answer.status}${hint(answer.status)}`);
  const body: unknown = await answer.json();
  for (const name of ['token', 'access_token'] as const) {
    if (typeof body === 'object' && body !== null && name in body) {
      const value: unknown = Reflect.get(body, name);
      if (typeof value === 'string') return `Bearer ${value}`;
    }
  }
  throw new Error(`${url.origin} answered without a token`);
}

/** By `docker buildx imagetools`: Docker knows where images without a host come from, its mirrors and its logins. */
export const byDocker: Resolve = ({ repository, tag }) =>
  new Promise((resolve, reject) => {
    const args = ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', imageOf({ repository, tag })];
    execFile('docker', args, { timeout: 4 * TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim());
      else
        reject(
          new Error(`docker ${args.join(' ')}: ${stderr.trim() || error.message}; or name a registry: --registry`),
        );
    });
  });

function imageOf({ repository, tag }: ImageName): string {
  return `${repository}:${tag}`;
}
